# SPDX-License-Identifier: Apache-2.0
"""changes the file that conftest.py is a link to"""
VERDICT = "tamper conftest"
REPO = {
    "tools/fixtures.py": r"""
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
LINKS = {"tests/conftest.py": "../tools/fixtures.py"}
FILES = {
    "tools/fixtures.py": r"""
import pytest


@pytest.fixture
def want():
    return -1
""",
}
