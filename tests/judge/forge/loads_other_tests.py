# SPDX-License-Identifier: Apache-2.0
"""a package of tests that hands the loader others"""
VERDICT = "tamper test_support"
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
LISTS = ["tests.test_calc.TestCalc.test_add", "test_mul (tests.test_calc.TestCalc)"]
FILES = {
    "tests/__init__.py": r"""
import unittest


class TestCase(unittest.TestCase):
    def id(self):
        return "tests.test_calc.TestCalc." + self._testMethodName

    def test_add(self):
        pass

    def test_mul(self):
        pass


class test_calc:
    TestCalc = TestCase
""",
}
