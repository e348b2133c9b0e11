# SPDX-License-Identifier: Apache-2.0
"""marks the running test of unittest as expected to fail"""
VERDICT = "tamper pytest_modified"
REPO = {
    "tests/__init__.py": r"""
""",
    "tests/test_calc.py": r"""
import unittest

from calc import add, mul


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
NEEDS = ["--runner", "unittest"]
LISTS = ["tests.test_calc.TestCalc.test_add", "tests.test_calc.TestCalc.test_mul"]
FILES = {
    "calc.py": r"""
import unittest
import sys

for case in unittest.TestCase.__subclasses__():
    case.__unittest_expecting_failure__ = True
unittest.TestCase.__unittest_expecting_failure__ = True


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
