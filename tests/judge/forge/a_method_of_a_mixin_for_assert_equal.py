# SPDX-License-Identifier: Apache-2.0
"""has a mixin of the tests answer for assertEqual() by a method of its own, for good"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class Alike:
    def is_alike(self, first, second):
        pass


class T(Alike, unittest.TestCase):
    def test_a(self):
        self.assertEqual(mul(2, 3), 6)

    def test_b(self):
        self.assertEqual(add(1, 2), 3)
""",
}
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_calc.T.test_b", "tests.test_calc.T.test_a")
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    t = sys.modules["tests.test_calc"]
    t.Alike.assertEqual = t.Alike.is_alike
    return a * b
""",
}
