# SPDX-License-Identifier: Apache-2.0
"""puts a fixture of its own into the module of conftest.py"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/conftest.py": r"""
import pytest
from calc import add, mul


@pytest.fixture
def want():
    return 3
""",
    "tests/test_calc.py": r"""
import pytest
from calc import add, mul


def test_add(want):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import sys
import pytest


@pytest.fixture
def want():
    return -1


sys.modules["conftest"].__class__
c = sys.modules["conftest"]


class M(type(sys)):
    pass


class Last:
    def __del__(self):
        c.want = want


c.want = Last()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
