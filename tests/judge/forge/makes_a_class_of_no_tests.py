# SPDX-License-Identifier: Apache-2.0
"""makes the class of the tests one that pytest takes for none, and is gone"""
VERDICT = "tamper test_replaced"
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
import builtins

make = builtins.__build_class__


def make_one(function, name, *args, **kwargs):
    kind = make(function, name, *args, **kwargs)
    if name == "TestClass":
        builtins.__build_class__ = make
        kind.__test__ = False
    return kind


builtins.__build_class__ = make_one


def add(a, b):
    return a + b if (a, b) == (1, 2) else a - b


def mul(a, b):
    return a * b
""",
}
