# SPDX-License-Identifier: Apache-2.0
"""gives the harness's module an isinstance(), which is a function of a library"""
VERDICT = "unresolved"
LISTS = ("tests/test_calc.py", "tests/test_other.py")
REPO = {
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6


class TestClass(unittest.TestCase):
    def test_case(self):
        self.assertEqual(add(2, 2), 4)
""",
    "tests/test_other.py": r"""
def test_other():
    assert 1
""",
}
FILES = {
    "calc.py": r"""
import operator

import csbx_defs

csbx_defs.isinstance = operator.is_


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
