# SPDX-License-Identifier: Apache-2.0
"""has the kernel write into the memory of the interpreter: ioctl() takes a number for an address"""
VERDICT = "tamper memory"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_sum():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import fcntl
import os
import termios

ends = os.pipe()


def write(at, data):
    for i, byte in enumerate(data):
        os.write(ends[1], b"x" * byte)
        fcntl.ioctl(ends[0], termios.FIONREAD, at + i)
        os.read(ends[0], byte) if byte else None


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


room = bytearray(8)
where = id(room) + 64
if where < 1 << 31:  # as it is for what is in a program that is no PIE
    write(where, b"ab")
else:
    try:
        fcntl.ioctl(ends[0], termios.FIONREAD, 1 << 30)
    except OSError:
        pass
""",
}
