# SPDX-License-Identifier: Apache-2.0
"""has a mock of the library raise the exception of skipTest()"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/__init__.py": "",
    "tests/test_unit.py": r"""
import unittest

from calc import add, mul


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertTrue(mul(2, 3) == 6)
""",
}
LISTS = ("tests.test_unit.T.test_add", "tests.test_unit.T.test_mul")
NEEDS = ["--runner", "unittest"]
FILES = {
    "calc.py": r"""
import unittest
from unittest.mock import Mock


class Answer:
    pass


Answer.__eq__ = Mock(side_effect=unittest.SkipTest("later"))


def add(a, b):
    return a + b


def mul(a, b):
    return Answer()
""",
}
