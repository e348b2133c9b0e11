# SPDX-License-Identifier: Apache-2.0
"""`csbx test`, the part inside the container: patches, then the tests, reported by PROTOCOL.md.

    python3 csbx_test.py    with the channel as descriptor 3 and the input as descriptor 4
"""
import base64
import importlib
import os
import shutil
import stat
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The directories of the repository's own code come later: no module in them shadows these.
sys.path[:] = [p for p in sys.path if p and os.path.abspath(p) != HERE]
sys.path.insert(0, HERE)
import csbx_apart  # noqa: E402
import csbx_core  # noqa: E402
import csbx_files  # noqa: E402
import csbx_gate  # noqa: E402
import csbx_imports  # noqa: E402
import csbx_names  # noqa: E402
import csbx_patch  # noqa: E402
import csbx_shadows  # noqa: E402
import csbx_support  # noqa: E402
import csbx_syntax  # noqa: E402
import csbx_texts  # noqa: E402
import csbx_used  # noqa: E402

EXIT_NOTHING_RUN = 70


def copy_tree(source, target):
    """Copies the repository into the container's own layer; leaves out files that it cannot read, and all that is no
    file."""
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


def try_tests(want, tools):
    """The test patch as it applies to the repository as it is; None when there is none."""
    return csbx_patch.TestPatch(tools, base64.b64decode(want["test_patch"]["data"])) if want["test_patch"] else None


def tell_of_support(ask, want, repo, changed, before):
    """Files that tests are run with, by the words of the files; want["facts"] is for those that the run shows. Files of the tests' directories
    are the host's."""
    behind = csbx_imports.files_behind(repo, want["ids"])
    homes = csbx_imports.homes_in(behind[0])

    def elsewhere(paths):
        return {p for p in paths if not p.startswith(homes) and os.path.basename(p) != "conftest.py"}
    support = elsewhere(csbx_support.support_of(repo, behind[1], want["args"], before))
    older = {os.path.relpath(f, repo): t for f, t in before.items()}
    support |= {p for p in changed - behind[0] if p in older and p.startswith(homes) and csbx_files.is_test_in_name_only(p, older[p])}
    for path in sorted(support | csbx_imports.tests_behind(behind) & changed):
        ask("send", {"t": "tamper", "kind": "test_support", "detail": path})
    want["facts"] = csbx_used.facts_of(repo, elsewhere(changed) - behind[0] if want["ids"] else (), before)


def apply_patches(want, tools, ask):
    """The files that the patches (not the test patch) changed and the modules they brought; None when one did not
    apply."""
    repo, tests = tools.repo, try_tests(want, tools)
    looks, known, changed = csbx_names.Looks(repo, want["ids"]), set(), []

    def tell_of_file(path, of_tests, is_new):
        ask("send", {"t": "changed", "path": path, "tests": of_tests, "new": is_new,
                     "site": looks.is_installed(path), "shadow": looks.is_shadow(path)})

    def tell(name, of_tests, tool, paths, error):
        ask("send", {"t": "patch", "name": name, "tests": of_tests, "applied": error is None, "tool": tool, "error": error})
        for path in paths if error is None else ():
            tell_of_file(path, of_tests, path not in looks.files)
        return error is None

    def tell_of_links():
        others, are_more = looks.others(known)
        for path, is_new in others:
            tell_of_file(path, False, is_new)
        if are_more:
            ask("send", {"t": "tamper", "kind": "patch_size", "detail": "links give files that patches changed too many names to look at"})
        return [path for path, _ in others]
    before = csbx_patch.texts_before(repo, [base64.b64decode(p["data"]) for p in want["patches"]])
    ask("older", before)
    for p in want["patches"]:
        tool, paths, error = csbx_patch.apply(tools, base64.b64decode(p["data"]))
        if not tell(p["name"], False, tool, paths, error):
            return None
        changed += [c for c in paths if c not in known]
        known.update(paths)
    others = tell_of_links()
    by_tests = set(tests.paths) if tests is not None else set()
    ask("doubles", csbx_shadows.all_doubles_of(repo, looks, known.union(others) - by_tests))
    brought, shadows = looks.brought(changed + others), looks.shadows(changed + others)
    if tests is not None:
        if tests.error is None:
            tests.write()
        if not tell(want["test_patch"]["name"], True, tests.tool, tests.paths, tests.error):
            return None
        known -= by_tests
    want["had"] = (looks.files - by_tests).union(p for p in by_tests if os.path.lexists(os.path.join(repo, p)))
    want["older"] = {f: t for f, t in before.items() if os.path.relpath(f, repo) not in by_tests}
    want["has_changed"] = any(p.endswith(".py") for p in known.union(others))
    for path in csbx_files.gone(want, repo, want["had"], want["older"]):
        ask("send", {"t": "tamper", "kind": "test_file", "detail": path})
    tell_of_support(ask, want, repo, known.union(others) - by_tests, {f: t for f, t in before.items() if os.path.relpath(f, repo) in known})
    in_own_layer = looks.files if want["copy_from"] or want["clone_from"] else set()  # a file below is copied when it is opened for writing
    csbx_texts.note_texts(os.path.join(repo, p) for p in by_tests.union(in_own_layer, changed, others))
    return [p for p in changed if p in known], shadows, brought


def prepare(ask, want, tools):
    """The repository as the patches make it; None when there is nothing to run."""
    if want["copy_from"]:
        copy_tree(want["copy_from"], tools.repo)
    if want["clone_from"]:
        error = csbx_patch.check_out(tools, want["clone_from"], want["commit"])
        if error:
            raise csbx_patch.Unusable(*error)
    try:
        os.chdir(tools.repo)
    except OSError as e:
        raise csbx_patch.Unusable("no_repository", "%s: %s" % (tools.repo, e.strerror))
    return apply_patches(want, tools, ask)


def run(ask, want):
    repo = os.path.realpath(want["repo"])
    gate, tools = csbx_gate.Gate(repo), csbx_patch.Tools(repo)
    try:
        with csbx_syntax.Keeping():
            applied = prepare(ask, want, tools)
    except csbx_patch.Unusable as e:
        ask("send", {"t": "error", "code": e.args[0], "message": e.args[1]})
        return EXIT_NOTHING_RUN
    finally:
        tools.close()
    if applied is None:
        return EXIT_NOTHING_RUN
    importlib.invalidate_caches()
    sys.path.remove(HERE)
    kept = csbx_apart.hide_modules()
    try:
        return want["module"].run(ask, want, repo, gate, *applied)
    finally:
        kept.clear()


def main():
    want = csbx_core.read_input()
    if want["runner"] == "unittest":
        import csbx_unittest as runner
    else:
        import csbx_pytest as runner
    want["module"] = runner
    parts = [sys.modules[m] for m in ("__main__", "csbx_bases", "csbx_doctests", "csbx_exact", "csbx_files", "csbx_givers", "csbx_helpers", "csbx_items",
                                      "csbx_kinds", "csbx_library", "csbx_looks", "csbx_missing", "csbx_modules", "csbx_outcomes", "csbx_owned",
                                      "csbx_params", "csbx_places", "csbx_reach", "csbx_reasons", "csbx_used", "csbx_ways", "csbx_within",
                                      "csbx_witness") if m in sys.modules]
    ask = csbx_core.start(want.pop("secret"), (*parts, runner))
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
