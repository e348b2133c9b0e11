# SPDX-License-Identifier: Apache-2.0
"""Files that a container shares with others: what it does with one delays nobody, and it learns of nobody's use."""
import os
import time

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

LEASE = """
import errno, fcntl, sys, time
for kind in (fcntl.F_WRLCK, fcntl.F_RDLCK):
    try:
        fcntl.fcntl(open(sys.argv[1]), fcntl.F_SETLEASE, kind)
        print("held", kind, flush=True)
    except OSError as e:
        print(errno.errorcode[e.errno], flush=True)
time.sleep(4711)
"""


def test_no_lease_on_a_file_of_the_host(csbx, python_image):
    """The kernel grants one behind a read-only mount, and lets each open(2) of the host wait for its end."""
    (csbx.work / "src").mkdir()
    (csbx.work / "src/file").write_text("x")
    os.chmod(csbx.work / "src/file", 0o666)
    p = csbx.popen("start", "--mount", f"{csbx.work}/src:/mnt:ro", python_image, "python3", "-ISc", LEASE, "/mnt/file")
    try:
        assert [p.stdout.readline(), p.stdout.readline()] == [b"EINVAL\n"] * 2
        before = time.monotonic()
        (csbx.work / "src/file").write_text("y")
        assert time.monotonic() - before < 10
    finally:
        p.terminate()
        p.communicate(timeout=20)
