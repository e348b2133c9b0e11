# SPDX-License-Identifier: Apache-2.0
"""puts a builtin of its own into the module of unittest's tests"""
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
        self.assertEqual(abs(add(1, 2)), 3)
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
    sys.modules["tests.test_calc"].abs = lambda x: 3
    return a * b
""",
}
