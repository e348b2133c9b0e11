# SPDX-License-Identifier: Apache-2.0
"""touches the tests' file, so that it is believed no more, and puts another test in the place of one"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6


class Last:
    pass
""",
}
FILES = {
    "calc.py": r"""
import os, sys
t = sys.modules["test_calc"]
os.utime(t.__file__)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        t.test_add = t.test_mul


t.Last = Last()
""",
}
