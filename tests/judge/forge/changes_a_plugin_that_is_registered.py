# SPDX-License-Identifier: Apache-2.0
"""changes a fixture of a module that a conftest.py registers as a plugin"""
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
import lib.plugin


def pytest_configure(config):
    config.pluginmanager.register(lib.plugin)
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
