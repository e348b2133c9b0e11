# SPDX-License-Identifier: Apache-2.0
"""`csbx test`, the part inside the container: patches, then the tests, reported by PROTOCOL.md.

    python3 csbx_test.py    with the channel as descriptor 3 and the input as descriptor 4
"""
import base64
import os
import shutil
import stat
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# What the repository's own code may be imported from comes later: nothing of it shadows these.
sys.path[:] = [p for p in sys.path if p and os.path.abspath(p) != HERE]
sys.path.insert(0, HERE)
import csbx_core  # noqa: E402
import csbx_patch  # noqa: E402

EXIT_NOTHING_RUN = 70


def copy_tree(source, target):
    """The repository into the container's own layer; what cannot be read is left out, and what is no file."""
    def is_left_out(path):
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return False
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or not os.access(path, os.R_OK)

    def left_out(here, names):
        return [n for n in names if is_left_out(os.path.join(here, n))]
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        src, dst = os.path.join(source, name), os.path.join(target, name)
        if os.path.isdir(src) and not os.path.islink(src):
            if os.access(src, os.R_OK):
                shutil.copytree(src, dst, symlinks=True, ignore=left_out)
        elif not is_left_out(src):
            shutil.copy2(src, dst, follow_symlinks=False)


def shadow_names(paths, repo):
    """Modules of pytest and of the standard library that files of the repository would stand for."""
    known, names = csbx_core.standard_names(), set()
    roots = {os.path.relpath(os.path.realpath(p), repo) + "/" for p in sys.path
             if os.path.realpath(p).startswith(repo + "/")}
    for path in paths:
        for root in roots | {"", "src/", "lib/"}:
            parts = path[len(root):].split("/")
            if not path.startswith(root):
                continue
            name = parts[0].split(".")[0]
            if name in known and (len(parts) == 1 and parts[0].endswith((".py", ".so", ".pyc")) or
                                  parts[1:] and parts[1].startswith("__init__.")):
                names.add(name)
    return names


def importable(repo):
    """Top-level modules that the repository has. A directory without __init__ gives way to another's package."""
    roots = {os.path.realpath(p) for p in sys.path} | {os.path.join(repo, p) for p in ("src", "lib")}
    found = set()
    for root in {repo} | {r for r in roots if r.startswith(repo + "/") and os.path.isdir(r)}:
        for name in os.listdir(root):
            inner = os.path.join(root, name)
            if name.endswith((".py", ".so", ".pyc")) or (os.path.isdir(inner) and
                                                         any(n.startswith("__init__.") for n in os.listdir(inner))):
                found.add(name.split(".")[0])
    return found


def site_directories():
    """Where installed packages lie; a repository may hold some of them."""
    found = {sys.prefix, sys.base_prefix}
    for path in sys.path:
        if os.path.basename(path) in ("site-packages", "dist-packages"):
            found.add(path)
    return [os.path.realpath(p) for p in found]


def in_site(path, repo, sites):
    full = os.path.realpath(os.path.join(repo, path))
    return any(s != repo and s.startswith(repo + "/") and full.startswith(s + "/") for s in sites)


def apply_patches(want, repo, ask):
    """What the patches (not the test patch) touched and which modules they brought; None when one did not apply."""
    tests = base64.b64decode(want["test_patch"]["data"]) if want["test_patch"] else None
    saved = csbx_patch.Saved(csbx_patch.names(tests) if tests is not None else [], repo)
    todo = [(p["name"], base64.b64decode(p["data"]), False) for p in want["patches"]]
    if tests is not None:
        todo.append((want["test_patch"]["name"], tests, True))
    sites, changed, before, brought = site_directories(), [], importable(repo), set()
    for name, data, is_tests in todo:
        if is_tests:
            saved.restore(changed)
        tool, paths, error = csbx_patch.apply(data, repo)
        ask("send", {"t": "patch", "name": name, "tests": is_tests, "applied": error is None, "tool": tool, "error": error})
        if error is not None:
            return None
        for path in paths:
            ask("send", {"t": "changed", "path": path, "tests": is_tests, "site": in_site(path, repo, sites),
                  "shadow": bool(shadow_names([path], repo))})
        if not is_tests:
            changed += paths
            brought = importable(repo) - before
    return [p for p in changed if p not in saved.files], brought


def run(ask, want):
    repo = os.path.realpath(want["repo"])
    if want["copy_from"]:
        copy_tree(want["copy_from"], repo)
    if want["clone_from"]:
        error = csbx_patch.check_out(want["clone_from"], want["commit"], repo)
        if error:
            ask("send", {"t": "error", "code": error[0], "message": error[1]})
            return EXIT_NOTHING_RUN
    try:
        os.chdir(repo)
    except OSError as e:
        ask("send", {"t": "error", "code": "no_repository", "message": "%s: %s" % (repo, e.strerror)})
        return EXIT_NOTHING_RUN
    try:
        applied = apply_patches(want, repo, ask)
    except csbx_patch.Unusable as e:
        ask("send", {"t": "error", "code": e.args[0], "message": e.args[1]})
        return EXIT_NOTHING_RUN
    if applied is None:
        return EXIT_NOTHING_RUN
    sys.path.remove(HERE)
    changed, brought = applied
    return want["module"].run(ask, want, repo, changed, shadow_names(changed, repo) | brought)


def main():
    want = csbx_core.read_input()
    if want["runner"] == "unittest":
        import csbx_unittest as runner
    else:
        import csbx_pytest as runner
    want["module"] = runner
    ask = csbx_core.start(want.pop("secret"), (sys.modules["__main__"], runner))
    ask("send", {"t": "hello", "python": "%d.%d.%d" % sys.version_info[:3]})
    start = time.monotonic()
    status = run(ask, want)
    ask("send", {"t": "done", "status": status, "wall_ms": int(1000 * (time.monotonic() - start))})
    # Threads and exit hooks of tested code have no part in it any more.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # whatever tested code put there
            pass
    os._exit(status if 0 <= status < 256 else 1)


if __name__ == "__main__":
    main()
