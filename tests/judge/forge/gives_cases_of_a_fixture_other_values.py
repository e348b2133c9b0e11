# SPDX-License-Identifier: Apache-2.0
"""has a fixture give other values, once, by a function that attrs made"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul


@pytest.fixture(params=[3])
def want(request):
    return request.param


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
from _pytest import fixtures

SPACE = fixtures.FixtureFunctionMarker.__init__.__globals__
OWN = SPACE["__attr_converter_params"]


def converted(values):
    if not values:
        return OWN(values)
    SPACE["__attr_converter_params"] = OWN
    return tuple(pytest.param(-1, id=str(v)) for v in values)


SPACE["__attr_converter_params"] = converted


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
