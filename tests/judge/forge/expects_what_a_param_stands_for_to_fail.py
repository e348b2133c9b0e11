# SPDX-License-Identifier: Apache-2.0
"""has pytest.param() expect a failure by what it has for a keyword, which puts itself back when it is read"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul


@pytest.mark.parametrize("want", [pytest.param(3, id="3")])
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

DEFAULTS = pytest.param.__kwdefaults__


class Marks(tuple):
    def __iter__(self):
        DEFAULTS["marks"] = ()
        return iter([pytest.mark.xfail])

    def __len__(self):
        return 1


DEFAULTS["marks"] = Marks()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
