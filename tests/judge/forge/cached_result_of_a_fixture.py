# SPDX-License-Identifier: Apache-2.0
"""writes what a fixture has cached"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
REPO = {
    "tests/test_calc.py": r"""
import pytest
from calc import add, mul


@pytest.fixture
def expected():
    return 3


@pytest.fixture(scope="module")
def six():
    return 6


def test_add(expected):
    assert add(1, 2) == expected


def test_mul(six):
    assert mul(2, 3) == six
""",
}
FILES = {
    "calc.py": r"""
import holder
import sys
session = holder.session

def add(a, b):
    d = session._fixturemanager._arg2fixturedefs["six"][0]
    d.cached_result = (5, 0, None)
    return a + b


def mul(a, b):
    return a + b
""",
}
