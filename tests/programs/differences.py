# SPDX-License-Identifier: Apache-2.0
"""Output of the scripts that differs between csbx and Docker, with the reasons.

A difference without a row fails, and so does a row without a difference.
"""
import difflib
import fnmatch
from dataclasses import dataclass

ANY = None


@dataclass(frozen=True)
class Row:
    """steps: a shell pattern of SCRIPT.STEP. docker, csbx: the lines that only one of them says; ANY: whatever csbx says."""
    steps: str
    why: str
    docker: tuple = ()
    csbx: tuple = ()
    users: tuple = ("root", "app")
    ids: tuple = ("one", "ranges")

    def explains(self, step, pair):
        return fnmatch.fnmatchcase(step, self.steps) and (self.csbx is ANY or sides_of(pair) == (self.docker, self.csbx))


def sides_of(pair):
    """The lines that only Docker says, and those that only csbx does; the exit code is one of them."""
    want, got = ([*text.splitlines(), f"exit code {code}"] for code, text in pair)
    changes = difflib.SequenceMatcher(None, want, got, autojunk=False).get_opcodes()
    return (tuple(line for how, a, b, _, _ in changes if how != "equal" for line in want[a:b]),
            tuple(line for how, _, _, a, b in changes if how != "equal" for line in got[a:b]))


def rows_of(script, user, ids):
    return [r for r in ROWS if r.steps.split(".")[0] == script and user in r.users and ids in r.ids]


ONE_OWNER = "without ranges no second user exists: an id that is not mapped is EINVAL"
ONE_USER = "without ranges root cannot become postgres, and PostgreSQL refuses to run as root: it runs as the main user"
LARGE_ID = "a range has 65536 ids: 4000000000 is not mapped, and that is EINVAL"
KERNEL_FILES = "files of /proc belong to the machine's root, whom no id inside stands for: opening one to write is refused, not the write"
RANDOMIZED = "a program may turn address randomization off for itself, as ThreadSanitizer and debuggers do; Docker's filter refuses"

ROWS = [
    Row("node.files", f"{KERNEL_FILES}; {LARGE_ID}", ("EIO write", "no error"), ("EACCES open", "EINVAL chown"), users=("root",)),
    Row("node.files", LARGE_ID, ("EPERM chown",), ("EINVAL chown",), users=("app",)),
    Row("node.ids", ONE_OWNER, ("EPERM",), ("EINVAL",), users=("app",), ids=("one",)),
    Row("postgres.[!a]*", ONE_USER, ANY, ANY, users=("root",), ids=("one",)),
    Row("git.other owner", ONE_OWNER, ("fatal: detected dubious ownership in repository at '/tmp/work/theirs'",),
        ("chown 1", "## topic...origin/topic"), users=("root",), ids=("one",)),
    Row("gcc.libraries", RANDOMIZED, ("setarch: failed to set personality to (null): Operation not permitted", "exit code 1"),
        ("42 41", "exit code 0")),
    Row("gcc.sanitizers", RANDOMIZED, ("Operation not permitted", "code 1"), ("WARNING: ThreadSanitizer: data race", "code 66")),
    Row("node.ids", ONE_OWNER, ("0 1000", "1000 1000", "EPERM", "1000"), ("EINVAL", "EINVAL", "0 0", "EINVAL"), users=("root",), ids=("one",)),
]
