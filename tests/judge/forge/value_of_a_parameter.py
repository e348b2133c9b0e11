# SPDX-License-Identifier: Apache-2.0
"""gives a parametrized test another value"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
REPO = {
    "tests/test_calc.py": r"""
import pytest
from calc import add, mul


@pytest.mark.parametrize("a, b, expected", [(1, 2, 3), (2, 2, 4)])
def test_add(a, b, expected):
    assert add(a, b) == expected


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import holder
def add(a, b):
    return a - b


def mul(a, b):
    return a * b

import sys
session = holder.session

class S(type(session._setupstate)):
    def setup(self, item):
        super().setup(item)
        if "expected" in item.funcargs:
            item.funcargs["expected"] = item.funcargs["a"] - item.funcargs["b"]


session._setupstate = S()
""",
}
LISTS = ('tests/test_calc.py::test_add[1-2-3]', 'tests/test_calc.py::test_mul')
