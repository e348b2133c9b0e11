# SPDX-License-Identifier: Apache-2.0
"""changes what a fixture calls, which is made without a decorator"""
VERDICT = "tamper test_support"
REPO = {
    "lib/__init__.py": r"""
VERSION = 1
""",
    "lib/plugin.py": r"""
import pytest


def three():
    return 3


wanted = pytest.fixture(three, name="wanted")
""",
    "tests/test_calc.py": r"""
from lib.plugin import wanted
from calc import add, mul


def test_add(wanted):
    assert add(1, 2) == wanted


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "lib/plugin.py": r"""
import pytest


def three():
    return -1


wanted = pytest.fixture(three, name="wanted")
""",
}
