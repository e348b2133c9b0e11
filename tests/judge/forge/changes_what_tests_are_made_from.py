# SPDX-License-Identifier: Apache-2.0
"""a patch changes a test module that is not listed, and that the listed tests are made from"""
VERDICT = "tamper test_support"
LISTS = ("tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::TestCalc::test_mul")
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul
from test_base import Base


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
