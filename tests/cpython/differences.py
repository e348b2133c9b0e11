# SPDX-License-Identifier: Apache-2.0
"""CPython's tests that end otherwise in csbx than in Docker, with the reasons.

A difference without a row fails, and so does a row without a difference.
"""
import fnmatch
from dataclasses import dataclass

ABSENT = "absent"


def between(want, got, same_version):
    """{test: (outcome in Docker, outcome here)}. Tests that only a newer suite has must pass."""
    found = {}
    for test in {*want, *got}:
        pair = want.get(test, ABSENT), got.get(test, ABSENT)
        if pair[0] == pair[1]:
            continue
        if not same_version and (pair[1] == ABSENT or pair[0] == ABSENT and pair[1] in ("ok", "skip")):
            continue
        found[test] = pair
    return found


@dataclass(frozen=True)
class Row:
    """tests: a shell pattern of ids. at_times: a difference that need not be there."""
    tests: str
    docker: str
    csbx: str
    why: str
    users: tuple = ("root", "app")
    ids: tuple = ("one", "ranges")
    at_times: bool = False

    @property
    def module(self):
        return self.tests.split(".")[0]

    def explains(self, test, pair):
        return fnmatch.fnmatchcase(test, self.tests) and pair == (self.docker, self.csbx)


def rows_of(module, user, ids):
    return [r for r in ROWS if r.module == module and user in r.users and ids in r.ids]


OVERLAY = "image and layer are two file systems: a directory's entry tells another inode number than stat(2) (docs/images.md)"
ONE_OWNER = "without ranges no second user exists: an id that is not mapped is EINVAL"
LARGE_ID = "a range has 65536 ids: 2147483648 is not mapped, and that is EINVAL"
NO_GROUPS = "the kernel denies setgroups(2) where a user mapped his own group only"
TAR_OWNER = "tarfile, run as root, leaves out mode and time of a member whose owner it cannot set"
OWN_IMAGE = "without ranges the main user owns all files of the image, /etc/shadow and /usr too"
UDPLITE = "the filter refuses UDP-Lite: it is hardly used and one protocol more to attack (docs/seccomp.md)"
NPROC = "root inside is an ordinary user outside, whom RLIMIT_NPROC binds"

ROWS = [
    Row("test_os.TestScandir.test_attributes", "ok", "fail", OVERLAY),
    Row("test_os.ChownFileTests.test_chown_with_root", "ok", "error", ONE_OWNER, users=("root",), ids=("one",)),
    Row("test_os.ChownFileTests.test_chown_without_permission", "ok", "error", ONE_OWNER, users=("app",), ids=("one",)),
    Row("test_posix.PosixTester.test_*chown", "ok", "error", LARGE_ID, users=("root",)),
    Row("test_posix.PosixGroupsTester.test_*groups", "ok", "error", NO_GROUPS, users=("root",), ids=("one",)),
    Row("test_spwd.TestSpwdNonRoot.test_getspnam_exception", "ok", "fail", OWN_IMAGE, users=("app",), ids=("one",)),
    Row("test_subprocess.POSIXProcessTestCase.test_user", "ok", "error", ONE_OWNER, ids=("one",)),
    Row("test_subprocess.POSIXProcessTestCase.test_group", "ok", "error", ONE_OWNER, ids=("one",)),
    Row("test_subprocess.POSIXProcessTestCase.test_preexec_fork_failure", "skip", "ok", NPROC, users=("root",)),
    Row("test_tarfile.*MiscReadTest.test_extract*", "ok", "fail", TAR_OWNER, users=("root",), ids=("one",)),
    Row("test_zipfile.PyZipFileTests.test_write_*", "skip", "ok", OWN_IMAGE, users=("app",), ids=("one",)),
    Row("test_socket.*UDPLITE*", "ok", "error", UDPLITE),
]
