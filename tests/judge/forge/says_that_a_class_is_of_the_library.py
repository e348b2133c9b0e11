# SPDX-License-Identifier: Apache-2.0
"""a class of tests says that it is of another module, and has another test in the place of one"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class TestT:
    def test_a(self):
        assert mul(2, 3) == 6

    def test_b(self):
        assert add(1, 2) == 3


class Last:
    pass
""",
}
LISTS = ("tests/test_calc.py::TestT::test_b", "tests/test_calc.py::TestT::test_a")
FILES = {
    "calc.py": r"""
import os
import sys
t = sys.modules["test_calc"]


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        t.TestT.test_b = t.TestT.test_a
        t.TestT.__module__ = "json"


t.Last = Last()
""",
}
