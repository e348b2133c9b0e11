# SPDX-License-Identifier: Apache-2.0
"""gives a class a method that compares nothing, under unittest's own runner"""
VERDICT = "tamper test_replaced"
LISTS = ("tests.test_u.T.test_u", "tests.test_u.T.test_v")
NEEDS = ["--runner", "unittest"]
REPO = {
    "tests/test_u.py": r"""
import unittest
from calc import add


class T(unittest.TestCase):
    def test_u(self):
        self.assertEqual(add(1, 2), 3)

    def test_v(self):
        self.assertEqual(1, 1)
""",
    "tests/__init__.py": r"""

""",
}
FILES = {
    "calc.py": r"""
import sys


def mul(a, b):
    return a * b


def add(a, b):
    T = sys.modules['tests.test_u'].T
    T._baseAssertEqual = lambda *a, **k: None
    return a - b
""",
}
