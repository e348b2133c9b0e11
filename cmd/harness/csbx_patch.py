# SPDX-License-Identifier: Apache-2.0
"""Applies patches to the copy of the repository, before any of its code runs.

By the image's git (`git apply --whitespace=fix`), else by its patch(1).
"""
import os
import re
import shutil
import stat
import subprocess

ERROR_MAX = 12000
_HEADER = re.compile(rb'^(?:--- |\+\+\+ |rename from |rename to |copy from |copy to )(.*)$')
_DIFF = re.compile(rb'^diff --git (.*)$')


class Unusable(Exception):
    """The image has no program for it: (code, message)."""


def _unquote(name):
    """git's form of a name with odd bytes: "a/\\303\\244"."""
    if not (name.startswith(b'"') and name.endswith(b'"') and len(name) > 1):
        return name
    plain = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}

    def one(m):
        c = m.group(1)
        return bytes([int(c, 8) & 255]) if c[:1].isdigit() else plain.get(c, c)
    return re.sub(rb'\\([0-7]{1,3}|.)', one, name[1:-1])


def _strip(name):
    """a/x -> x, as -p1 does."""
    return name.split(b"/", 1)[1] if b"/" in name else name


def _names_of_diff_line(rest):
    """Both names of a `diff --git` line; they are equal but for the first component."""
    if rest.startswith(b'"'):
        end = re.match(rb'"(?:[^"\\]|\\.)*"', rest)
        if end:
            return [_strip(_unquote(end.group(0)))]
    half = len(rest) // 2
    if rest[half:half + 1] == b" " and _strip(rest[:half]) == _strip(rest[half + 1:]):
        return [_strip(rest[:half])]
    return []


def names(data):
    """The paths a patch may touch, from its headers."""
    found, in_hunk = [], 0
    for line in data.split(b"\n"):
        line = line.rstrip(b"\r")
        hunk = re.match(rb'^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@', line)
        if hunk:
            in_hunk = sum(int(n) if n is not None else 1 for n in hunk.groups())
            continue
        if in_hunk > 0 and line[:1] in (b" ", b"+", b"-", b""):
            in_hunk -= 1 if line[:1] in (b"+", b"-") else 2
            continue
        in_hunk = 0
        diff, header = _DIFF.match(line), _HEADER.match(line)
        if diff:
            found += _names_of_diff_line(diff.group(1))
        elif header:
            name = _unquote(header.group(1).split(b"\t")[0].rstrip())
            if name != b"/dev/null":
                found.append(_strip(name) if line[:3] in (b"---", b"+++") else name)
    return sorted({os.fsdecode(os.path.normpath(n)) for n in found if n})


def check_names(paths, repo):
    """Where git refuses, patch(1) may follow: out of the tree, through a link, into .git."""
    for path in paths:
        parts = path.split("/")
        if os.path.isabs(path) or ".." in parts or parts[0].lower() == ".git":
            return "%s: outside of the repository's files" % path
        parent = os.path.realpath(os.path.join(repo, os.path.dirname(path)))
        if parent != repo and not parent.startswith(repo + "/"):
            return "%s: lies beyond a symbolic link" % path
    return None


def _call(argv, data, repo, **more):
    env = dict(os.environ, LC_ALL="C", GIT_CEILING_DIRECTORIES=os.path.dirname(repo), GIT_CONFIG_NOSYSTEM="1",
               GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*", **more)
    how = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=repo, env=env, check=False, **how)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def _run(argv, data=None, repo=None):
    code, out, said = _call(argv, data, repo)
    return code, said + out.decode("utf-8", "replace")


def _git_apply(words, data, repo):
    """Where git has no use for .git (that of a worktree or submodule lies elsewhere) it needs none."""
    argv = ["git", "apply"] + words + ["-"]
    code, out, said = _call(argv, data, repo)
    if code and said.startswith("fatal: "):
        again = _call(argv, data, repo, GIT_DIR="/nonexistent")
        if not again[0] or not again[2].startswith("fatal: "):
            code, out, said = again
    return code, out, said


def _git_names(data, repo):
    """The paths that git itself sees in a patch; of a rename the new one."""
    _, out, _ = _git_apply(["--numstat", "-z"], data, repo)
    entries = [e.split(b"\t", 2) for e in out.split(b"\0")]
    return [os.fsdecode(os.path.normpath(e[2])) for e in entries if len(e) == 3]


def _tree(repo):
    """What shows whether a file was changed, by path."""
    found = {}
    for here, directories, files in os.walk(repo):
        for name in files + directories:
            full = os.path.join(here, name)
            s = os.lstat(full)
            if not stat.S_ISDIR(s.st_mode):
                found[os.path.relpath(full, repo)] = (s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_mode)
    return found


def _rejects(paths, repo):
    text = []
    for path in paths:
        try:
            with open(os.path.join(repo, path + ".rej"), "rb") as f:
                text.append(f.read(ERROR_MAX).decode("utf-8", "replace"))
        except OSError:
            pass
    return "\n".join(text)


def tool():
    if shutil.which("git"):
        return "git"
    return "patch" if shutil.which("patch") else None


def apply(data, repo):
    """(tool, paths, error): error is None when all of it was applied."""
    which = tool()
    if data and not data.endswith(b"\n"):
        data += b"\n"
    paths = names(data)
    if which == "git" and data.strip():
        paths = sorted(set(paths) | set(_git_names(data, repo)))
    if not data.strip() or not paths:
        return None, [], "the patch is empty"
    if which is None:
        raise Unusable("no_git", "the image has neither git nor patch")
    error = check_names(paths, repo)
    if error:
        return which, paths, error
    if which == "git":
        code, _, said = _git_apply(["--whitespace=fix"], data, repo)
        if code:
            _, _, more = _git_apply(["--whitespace=fix", "--reject"], data, repo)
            said = said if said.strip() else more
    else:
        code, said, found = _patch_program(data, repo)
        paths = sorted(set(paths) | found)
        error = check_names(found, repo)
        if error:
            return which, paths, error
    if code:
        return which, paths, (said.strip() + "\n" + _rejects(paths, repo)).strip()[:ERROR_MAX] or "does not apply"
    return which, paths, None


def _patch_program(data, repo):
    """patch(1) reads more kinds of headers than anybody can foresee: what it changed is looked up."""
    before = _tree(repo)
    with open("/tmp/.csbx.patch", "wb") as f:  # not by stdin: some implementations ask there
        f.write(data)
    code, said = _run(["patch", "-p1", "-N", "-i", "/tmp/.csbx.patch"], None, repo)
    os.unlink("/tmp/.csbx.patch")
    after = _tree(repo)
    return code, said, {p for p in set(before) | set(after) if before.get(p) != after.get(p)}


def check_out(source, commit, repo):
    """The commit of a bare repository that is read only, without copying objects; None or (code, message)."""
    if not shutil.which("git"):
        return "no_git", "the image has no git, which --clone needs"
    os.makedirs(repo, exist_ok=True)
    if os.listdir(repo):
        return "no_commit", "%s is not empty" % repo
    code, said = _run(["git", "init", "-q", "--template=", "."], None, repo)
    if not code:
        with open(os.path.join(repo, ".git/objects/info/alternates"), "w") as f:
            f.write(source + "/objects\n")
        if os.path.exists(source + "/shallow"):
            shutil.copy(source + "/shallow", os.path.join(repo, ".git/shallow"))
        code, said = _run(["git", "checkout", "-q", "--detach", commit], None, repo)
    if not code:  # git says so of a file whose content it has not got, and goes on
        code, missing, why = _call(["git", "ls-files", "--deleted"], None, repo)
        code = code or bool(missing)
        said = said or why or "not there after the checkout: " + missing.decode("utf-8", "replace")
    return ("no_commit", said.strip()[-ERROR_MAX:]) if code else None


class Saved:
    """Files as they are before the patches, to be put back under the test patch."""

    def __init__(self, paths, repo):
        self.files, self.repo = {}, repo
        for path in paths:
            full = os.path.join(repo, path)
            try:
                if os.path.islink(full):
                    self.files[path] = (os.readlink(full), None)
                else:
                    with open(full, "rb") as f:
                        self.files[path] = (f.read(), os.fstat(f.fileno()).st_mode & 0o7777)
            except OSError:
                self.files[path] = None

    def restore(self, changed):
        for path in set(changed) & set(self.files):
            full, was = os.path.join(self.repo, path), self.files[path]
            if os.path.lexists(full):
                os.unlink(full)
            if was is None:
                continue
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if was[1] is None:
                os.symlink(was[0], full)
                continue
            with open(full, "wb") as f:
                f.write(was[0])
            os.chmod(full, was[1])
