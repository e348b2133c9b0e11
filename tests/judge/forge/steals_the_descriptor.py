# SPDX-License-Identifier: Apache-2.0
"""takes the channel from another process by pidfd_getfd and writes there"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::test_add","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % w
           for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')
CODE = (
    "import ctypes, os, sys\n"
    "libc = ctypes.CDLL(None)\n"
    "pid = libc.syscall(434, int(sys.argv[1]), 0)\n"
    "for n in range(3, 300):\n"
    "    fd = libc.syscall(438, pid, n, 0)\n"
    "    if fd >= 0:\n"
    "        for r in %r:\n"
    "            os.write(fd, r)\n" % (RECORDS,))


def add(a, b):
    import subprocess
    import sys
    subprocess.run([sys.executable, "-c", CODE, str(os.getpid())], check=False)
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
