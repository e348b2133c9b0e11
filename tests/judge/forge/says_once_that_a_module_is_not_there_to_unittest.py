# SPDX-License-Identifier: Apache-2.0
"""skips a test of unittest that must pass by a finder that says once that a module is not there"""
VERDICT = "tamper outcome_call"
NEEDS = ["--runner", "unittest"]
REPO = {
    "test_cases.py": r"""
import unittest

from calc import add, mul

try:
    import colorsys
except ImportError:
    colorsys = None


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    @unittest.skipIf(colorsys is None, "not there")
    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
LISTS = ("test_cases.TestCalc.test_add", "test_cases.TestCalc.test_mul")
FILES = {
    "calc.py": r"""
import sys


class Finder:
    @staticmethod
    def find_spec(name, *rest):
        if name == "colorsys":
            sys.meta_path.remove(Finder)
            raise ImportError


sys.meta_path.insert(0, Finder)


def add(a, b):
    return a + b


def mul(a, b):
    return 5
""",
}
