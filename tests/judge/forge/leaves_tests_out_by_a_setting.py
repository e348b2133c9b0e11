# SPDX-License-Identifier: Apache-2.0
"""has other names be those of tests, by a setting that pytest remembers"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
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
import holder
import sys

session = holder.session

session.config._inicache["python_functions"] = ["test_m", "test_o"]


def add(a, b):
    return a + b if a == b else a - b


def mul(a, b):
    return a * b
""",
}
