# SPDX-License-Identifier: Apache-2.0
"""likewise, of unittest"""
VERDICT = "tamper test_support"
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_calc.TestCalc.test_add", "tests.test_calc.TestCalc.test_mul")
REPO = {
    "tests/__init__.py": r"""""",
    "tests/test_calc.py": r"""
from calc import add, mul
from tests.test_base import Base


class TestCalc(Base):
    def test_add(self):
        self.same(add(1, 2), 3)

    def test_mul(self):
        self.same(mul(2, 3), 6)
""",
    "tests/test_base.py": r"""
import unittest


class Base(unittest.TestCase):
    def same(self, a, b):
        assert a == b
""",
}
FILES = {
    "tests/test_base.py": r"""
import unittest


class Base(unittest.TestCase):
    def same(self, a, b):
        pass
""",
}
