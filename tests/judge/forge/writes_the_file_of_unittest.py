# SPDX-License-Identifier: Apache-2.0
"""touches the file of unittest's tests and puts another test in the place of one"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(mul(2, 3), 6)

    def test_b(self):
        self.assertEqual(add(1, 2), 3)


class Last:
    pass
""",
}
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_calc.T.test_b", "tests.test_calc.T.test_a")
FILES = {
    "calc.py": r"""
import os
import sys
t = sys.modules["tests.test_calc"]
os.utime(t.__file__)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        t.T.test_b = t.T.test_a


t.Last = Last()
""",
}
