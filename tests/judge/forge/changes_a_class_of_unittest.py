# SPDX-License-Identifier: Apache-2.0
"""changes what a class of unittest's tests compares with"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class T(unittest.TestCase):
    want = 3

    def test_a(self):
        self.assertEqual(mul(2, 3), 6)

    def test_b(self):
        self.assertEqual(add(1, 2), self.want)
""",
}
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_calc.T.test_a", "tests.test_calc.T.test_b")
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    sys.modules["tests.test_calc"].T.want = -1
    return a * b
""",
}
