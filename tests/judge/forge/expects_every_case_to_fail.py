# SPDX-License-Identifier: Apache-2.0
"""has pytest give each case of a parametrized test a mark, once, by a function that attrs made"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul


@pytest.mark.parametrize("want", [3])
def test_add(want):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_add[3]", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import pytest
from _pytest import python

SPACE = python.CallSpec2.__init__.__globals__
OWN = SPACE["__attr_factory_marks"]


def marks():
    SPACE["__attr_factory_marks"] = OWN
    return [pytest.mark.xfail.mark]


SPACE["__attr_factory_marks"] = marks


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
