# SPDX-License-Identifier: Apache-2.0
"""has pytest call each case with what another says, once for each, and by the id of its own"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul


@pytest.mark.parametrize("want", [3, -1])
@pytest.mark.parametrize("more", [0, 1])
def test_add(want, more):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_add[0-3]", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
from _pytest.mark import structures

SPACE = structures.ParameterSet.__new__.__globals__
OWN = SPACE["_tuple_new"]


def made(kind, parts):
    value = parts[0][0]
    if value == -1:
        SPACE["_tuple_new"] = OWN
    return OWN(kind, ((2 - value if value in (3, -1) else value,), parts[1], str(value)))


SPACE["_tuple_new"] = made


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
