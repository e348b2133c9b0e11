# SPDX-License-Identifier: Apache-2.0
"""takes the tests that are to come out of the list of what runs"""
VERDICT = "tamper counts"
KEEPS_SESSION = True
LISTS = ("tests/test_calc.py", "tests/test_other.py")
REPO = {
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert add(1, 2) == 3


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


def add(a, b):
    return a - b


def mul(a, b):
    del session.items[1:3]
    return a * b
""",
}
