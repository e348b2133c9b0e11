# SPDX-License-Identifier: Apache-2.0
"""a patch changes a test module that a conftest.py names among its plugins"""
VERDICT = "tamper test_support"
REPO = {
    "conftest.py": r"""
pytest_plugins = ["tests.test_fixtures"]
""",
    "tests/__init__.py": r"""""",
    "tests/test_fixtures.py": r"""
import pytest


@pytest.fixture
def same():
    def compare(a, b):
        assert a == b
    return compare
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(same):
    same(add(1, 2), 3)


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "tests/test_fixtures.py": r"""
import pytest


@pytest.fixture
def same():
    return lambda a, b: None
""",
}
