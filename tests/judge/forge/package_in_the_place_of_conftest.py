# SPDX-License-Identifier: Apache-2.0
"""a package in the place of conftest.py, with a fixture"""
VERDICT = "tamper conftest"
REPO = {
    "conftest.py": r"""
import pytest


@pytest.fixture
def want():
    return 3
""",
    "test_calc.py": r"""
from calc import add, mul


def test_add(want):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("test_calc.py::test_add", "test_calc.py::test_mul")
FILES = {
    "conftest/__init__.py": r"""
import os
import pytest
__file__ = os.path.abspath("conftest.py")


@pytest.fixture
def want():
    return -1
""",
}
