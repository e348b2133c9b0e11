# SPDX-License-Identifier: Apache-2.0
"""changes the test itself, where ids are names with dots"""
VERDICT = "tamper test_file"
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
    "tests/test_calc.py": r"""
import unittest

from calc import add, mul


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(3, 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
