# SPDX-License-Identifier: Apache-2.0
"""takes the assertion out of a class that cases are made from, which unittest runs"""
VERDICT = "tamper test_support"
REPO = {
    "lib/__init__.py": r"""
VERSION = 1
""",
    "lib/cases.py": r"""
class Same:
    def same(self, a, b):
        self.assertEqual(a, b)
""",
    "test_cases.py": r"""
import unittest

from lib.cases import Same
from calc import add, mul


class TestCalc(Same, unittest.TestCase):
    def test_add(self):
        self.same(add(1, 2), 3)

    def test_mul(self):
        self.same(mul(2, 3), 6)
""",
}
LISTS = ["test_cases.TestCalc.test_add", "test_cases.TestCalc.test_mul"]
NEEDS = ["--runner", "unittest"]
FILES = {
    "lib/cases.py": r"""
class Same:
    def same(self, a, b):
        pass
""",
}
