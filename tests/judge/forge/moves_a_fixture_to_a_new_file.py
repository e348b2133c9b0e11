# SPDX-License-Identifier: Apache-2.0
"""moves a fixture to a new file, with another value"""
VERDICT = "tamper test_support"
REPO = {
    "lib/__init__.py": r"""
VERSION = 1
""",
    "lib/plugin.py": r"""
import pytest


@pytest.fixture
def wanted():
    return 3
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(wanted):
    assert add(1, 2) == wanted


def test_mul():
    assert mul(2, 3) == 6
""",
    "conftest.py": r"""
from lib.plugin import *
""",
}
FILES = {
    "lib/plugin.py": r"""
from .values import *
""",
    "lib/values.py": r"""
import pytest


@pytest.fixture
def wanted():
    return -1
""",
}
