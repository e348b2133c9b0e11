# SPDX-License-Identifier: Apache-2.0
"""puts a fixture of its own before one of conftest.py"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
REPO = {
    "conftest.py": r"""
import pytest


@pytest.fixture
def want():
    return 3
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(want):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import holder
import sys
import pytest
session = holder.session


class P:
    @pytest.fixture
    def want(self):
        return -1


session._fixturemanager.parsefactories(P(), "tests")


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
