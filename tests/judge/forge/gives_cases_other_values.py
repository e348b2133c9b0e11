# SPDX-License-Identifier: Apache-2.0
"""has pytest call a parametrized test with another value, once, by a function of a named tuple"""
VERDICT = "tamper test_replaced"
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
from _pytest.mark import structures

SPACE = structures.ParameterSet.__new__.__globals__
OWN = SPACE["_tuple_new"]


def made(kind, parts):
    SPACE["_tuple_new"] = OWN
    return OWN(kind, ((-1,), parts[1], str(parts[0][0])))


SPACE["_tuple_new"] = made


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
