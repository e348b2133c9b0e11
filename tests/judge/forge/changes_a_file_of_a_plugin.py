# SPDX-License-Identifier: Apache-2.0
"""changes a fixture in a file that a package which is a plugin has it from"""
VERDICT = "tamper test_support"
REPO = {
    "lib/__init__.py": r"""
from .plugin import wanted
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
pytest_plugins = ["lib"]
""",
}
FILES = {
    "lib/plugin.py": r"""
import pytest


@pytest.fixture
def wanted():
    return -1
""",
}
