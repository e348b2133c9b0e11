# SPDX-License-Identifier: Apache-2.0
"""moves a class that cases are made from to a new file, without its assertion"""
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
    "tests/test_calc.py": r"""
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
LISTS = ["tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::TestCalc::test_mul"]
FILES = {
    "lib/cases.py": r"""
from .same import Same
""",
    "lib/same.py": r"""
class Same:
    def same(self, a, b):
        pass
""",
}
