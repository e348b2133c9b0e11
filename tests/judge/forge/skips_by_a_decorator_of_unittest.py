# SPDX-License-Identifier: Apache-2.0
"""has a decorator that stands above a class of unittest skip its tests"""
VERDICT = "tamper outcome_call"
NEEDS = ["--runner", "unittest"]
LISTS = ["tests.test_calc.TestCalc.test_add", "tests.test_calc.TestCalc.test_mul"]
REPO = {
    "calc.py": r"""
def slow(test):
    return test


def add(a, b):
    return a + b


def mul(a, b):
    return a * b
""",
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest

import calc


@calc.slow
class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(calc.mul(2, 3), 6)
""",
}
FILES = {
    "calc.py": r"""
import unittest

slow = unittest.skip("slow")


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
