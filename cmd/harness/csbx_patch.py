# SPDX-License-Identifier: Apache-2.0
"""Applies patches to the copy of the repository, before any of its code runs.

By the image's git, as they are; where one does not apply so, with `--whitespace=fix`, which takes lines for equal that
differ in the blanks at their ends. Without git by patch(1).
"""
import os
import re
import shutil
import subprocess
import tempfile

from csbx_tree import Saved, Tree, real_path, remove_new_directories

ERROR_MAX = 12000
TEXTS_MAX = 64 << 20
GIT_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "safe.directory=*",
                "safe.bareRepository=explicit", "submodule.recurse=false", "gc.auto=0")
_HEADER = re.compile(rb'^(?:--- |\+\+\+ |rename (?:from|old|to|new) |copy (?:from|to) )(.*)$')
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


def texts_before(repo, patches):
    """path -> text of the files of Python that patches may change, as they are."""
    found, left = {}, TEXTS_MAX
    for path in [os.path.join(repo, n) for data in patches for n in names(data) if n.endswith(".py")]:
        if path not in found and os.path.isfile(path) and real_path(path).startswith(repo + "/"):
            with open(path, "rb") as f:
                found[path] = f.read(left)
            left -= len(found[path])
    return found


def check_names(paths, repo):
    """Refuses names that git refuses and patch(1) may follow: out of the tree, through a link, into .git."""
    for path in paths:
        parts = path.split("/")
        if os.path.isabs(path) or ".." in parts or parts[0].lower() == ".git":
            return "%s: outside of the repository's files" % path
        parent = real_path(os.path.join(repo, os.path.dirname(path)))
        if parent != repo and not parent.startswith(repo + "/"):
            return "%s: lies beyond a symbolic link" % path
    return None


class Tools:
    """git or patch(1), found before there is a patch, and an environment in which neither looks at the repository.

    git is given a repository of its own, an empty one: it asks no configuration, attributes, hooks or filters but the
    .gitattributes of the tree, which convert line ends.
    """

    def __init__(self, repo):
        def is_outside(path):
            full = os.path.realpath(path)
            return os.path.isabs(path) and full != repo and not full.startswith(repo + "/")
        self.repo = repo
        places = [p for p in os.environ.get("PATH", os.defpath).split(":") if is_outside(p)]
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        self.env.update(PATH=":".join(places), LC_ALL="C", HOME="/nonexistent", XDG_CONFIG_HOME="/nonexistent",
                        GIT_CEILING_DIRECTORIES=os.path.dirname(repo), GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_SYSTEM="/dev/null",
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_ATTR_NOSYSTEM="1", GIT_TERMINAL_PROMPT="0")
        for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
            if name in self.env:
                self.env[name] = ":".join(p for p in re.split("[: ]", self.env[name]) if is_outside(p))
        self.git, self.patch = shutil.which("git", path=self.env["PATH"]), shutil.which("patch", path=self.env["PATH"])
        self.name = "git" if self.git else "patch" if self.patch else None
        self.git_dir = None

    def call(self, argv, data=None, **more):
        how = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
        p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.repo, env=dict(self.env, **more),
                           check=False, **how)
        return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")

    def run_git(self, words, data=None, **more):
        argv = [self.git]
        for setting in GIT_SETTINGS:
            argv += ["-c", setting]
        return self.call(argv + words, data, **more)

    def git_apply(self, words, data):
        if self.git_dir is None:
            self.git_dir = tempfile.mkdtemp(prefix="csbx-git.")
            for name in ("objects", "refs"):
                os.mkdir(os.path.join(self.git_dir, name))
            with open(os.path.join(self.git_dir, "HEAD"), "w") as f:
                f.write("ref: refs/heads/none\n")
        return self.run_git(["apply"] + words + ["-"], data, GIT_DIR=self.git_dir, GIT_WORK_TREE=self.repo)

    def close(self):
        if self.git_dir is not None:
            shutil.rmtree(self.git_dir, ignore_errors=True)
            self.git_dir = None


def _git_names(tools, data):
    """The paths that git itself sees in a patch; of a rename the new one."""
    _, out, _ = tools.git_apply(["--numstat", "-z"], data)
    entries = [e.split(b"\t", 2) for e in out.split(b"\0")]
    return [os.fsdecode(os.path.normpath(e[2])) for e in entries if len(e) == 3]


def _rejects(paths, repo):
    text = []
    for path in paths:
        try:
            with open(os.path.join(repo, path + ".rej"), "rb") as f:
                text.append(f.read(ERROR_MAX).decode("utf-8", "replace"))
        except OSError:
            pass
    return "\n".join(text)


def names_in(tools, data):
    """The paths a patch may touch, by what it and git say: to be refused or saved, not to be believed."""
    found = names(data)
    return sorted(set(found) | set(_git_names(tools, data))) if tools.git and data.strip() else found


def _apply(tools, data, paths):
    """Applies a patch; returns the error's text, or None."""
    if tools.git:
        code, _, said = tools.git_apply(["--whitespace=nowarn"], data)
        if code:
            code, _, said = tools.git_apply(["--whitespace=fix"], data)
        if code:
            _, _, more = tools.git_apply(["--whitespace=fix", "--reject"], data)
            said = said if said.strip() else more
    else:
        # Not by stdin: some implementations ask there.
        with tempfile.NamedTemporaryFile(prefix="csbx.", suffix=".patch") as f:
            f.write(data)
            f.flush()
            code, out, said = tools.call([tools.patch, "-p1", "-N", "-i", f.name])
        said += out.decode("utf-8", "replace")
    if not code:
        return None
    return (said.strip() + "\n" + _rejects(paths, tools.repo)).strip()[:ERROR_MAX] or "does not apply"


def apply(tools, data):
    """(tool, changed paths, error): error is None when all of it was applied. The paths are those of changed files."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    paths = names_in(tools, data)
    if not data.strip() or not paths:
        return None, [], "the patch is empty"
    if tools.name is None:
        raise Unusable("no_git", "the image has neither git nor patch")
    error = check_names(paths, tools.repo)
    if error:
        return tools.name, [], error
    before = Tree(tools.repo, has_git=not tools.git)
    error = _apply(tools, data, paths)
    changed = before.changed_to(Tree(tools.repo, has_git=not tools.git))
    # patch(1) reads more kinds of headers than anybody can foresee.
    return tools.name, changed, error or check_names(changed, tools.repo)


class TestPatch:
    """The files that the test patch makes of the repository as it was, to be written over whatever other patches leave.

    It is applied before them and undone: neither links nor attributes of theirs have a say in it.
    """

    def __init__(self, tools, data):
        repo = tools.repo
        before = Tree(repo, has_git=not tools.git)
        saved = Saved(repo, names_in(tools, data))
        self.tool, self.paths, self.error = apply(tools, data)
        unknown = [p for p in self.paths if p not in saved.files]
        if not self.error and unknown:
            self.error = "%s is changed, and not named as git writes it" % unknown[0]
        self.made = Saved(repo, self.paths)
        saved.restore([p for p in self.paths if p in saved.files])
        remove_new_directories(repo, before, Tree(repo, has_git=not tools.git))

    def write(self):
        self.made.restore()


def check_out(tools, source, commit):
    """The commit of a bare repository that is read only, without copying objects; None or (code, message)."""
    repo = tools.repo
    if not tools.git:
        return "no_git", "the image has no git, which --clone needs"
    os.makedirs(repo, exist_ok=True)
    if os.listdir(repo):
        return "no_commit", "%s is not empty" % repo
    code, _, said = tools.run_git(["init", "-q", "--template=", "."])
    if not code:
        with open(os.path.join(repo, ".git/objects/info/alternates"), "w") as f:
            f.write(source + "/objects\n")
        if os.path.exists(source + "/shallow"):
            shutil.copy(source + "/shallow", os.path.join(repo, ".git/shallow"))
        code, _, said = tools.run_git(["checkout", "-q", "--detach", commit])
    if not code:  # git says so of a file whose content it has not got, and goes on
        code, missing, why = tools.run_git(["ls-files", "--deleted"])
        code = code or bool(missing)
        said = said or why or "not there after the checkout: " + missing.decode("utf-8", "replace")
    return ("no_commit", said.strip()[-ERROR_MAX:]) if code else None
