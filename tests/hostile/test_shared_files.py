# SPDX-License-Identifier: Apache-2.0
"""Files that a container shares with others: what it does with one delays nobody, and it learns of nobody's use."""
import os
import subprocess
import time

import pytest

import images
from ociimage import D, F, P

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


WATCH = """
import ctypes, fcntl, os, select, sys
libc = ctypes.CDLL(None)
fcntl.flock(open("/data/file"), fcntl.LOCK_EX)
fifo = os.open("/data/fifo", os.O_RDONLY | os.O_NONBLOCK)
events = libc.inotify_init1(0)
for name in (b"/data", b"/data/file"):
    assert libc.inotify_add_watch(events, name, 0xfff) > 0
print("ready", flush=True)
sys.stdin.readline()
said = ["events"] if select.select([events], [], [], 0)[0] else []
try:
    said += ["words"] if os.read(fifo, 100) else []
except BlockingIOError:
    said += ["a writer"]
print(said, flush=True)
"""
USE = """
import fcntl, os
f = open("/data/file")
print(f.read())
fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
try:
    os.write(os.open("/data/fifo", os.O_WRONLY | os.O_NONBLOCK), b"a secret")
except OSError as e:
    print(os.strerror(e.errno))
"""
ROOTS = {"writable": [], "read-only": ["--read-only"], "its tmpfs": ["--read-only", "--tmpfs", "/data/dir"]}


@pytest.fixture
def image(make_image):
    entries = [D("data"), D("data/dir"), F("data/file", b"x"), P("data/fifo", mode=0o666)]
    return make_image(images.base_entries(), images.python_entries(images.python_files()), entries, name="shared")


@pytest.mark.parametrize("root", ROOTS)
def test_two_containers_of_one_image(csbx, image, root):
    """Neither the locks of one, nor what is watched, nor a FIFO of the image reach the other."""
    begin = ["start", *ROOTS[root], image, "python3", "-ISc"]
    p = csbx.popen(*begin, WATCH, stdin=subprocess.PIPE)
    try:
        assert p.stdout.readline() == b"ready\n"
        assert csbx.ok(*begin, USE, timeout=30) == "x\nNo such device or address\n"
        assert p.communicate(b"\n", timeout=30)[0] == b"[]\n"
    finally:
        p.terminate()
        p.communicate(timeout=30)
