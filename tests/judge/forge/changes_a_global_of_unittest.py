# SPDX-License-Identifier: Apache-2.0
"""changes what unittest's tests compare with"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul

WANT = 3


class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(mul(2, 3), 6)

    def test_b(self):
        self.assertEqual(add(1, 2), WANT)
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
    sys.modules["tests.test_calc"].WANT = -1
    return a * b
""",
}
