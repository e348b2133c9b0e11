# SPDX-License-Identifier: Apache-2.0
"""gives a class of unittest that is loaded late a fail() in front of the one that it inherits"""
VERDICT = "tamper pytest_modified"
LISTS = ("tests/test_f.py::TestClass::test_case", None)
REPO = {
    "tests/test_f.py": r"""
import unittest
from calc import add


class TestClass(unittest.IsolatedAsyncioTestCase):
    def test_case(self):
        self.assertIn(3, [add(1, 2)])
""",
}
FILES = {
    "calc.py": r"""
import unittest

unittest.IsolatedAsyncioTestCase.fail = print


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
