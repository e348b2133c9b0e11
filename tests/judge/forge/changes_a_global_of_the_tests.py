# SPDX-License-Identifier: Apache-2.0
"""changes what a later test compares with"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul

EXPECTED = 3


def test_mul():
    assert mul(2, 3) == 6


@pytest.fixture
def three():
    return 3


@pytest.mark.parametrize("expected", [3])
def test_parameter(expected):
    assert add(1, 2) == expected


def test_global():
    assert add(1, 2) == EXPECTED


def test_fixture(three):
    assert add(1, 2) == three


def test_raises():
    with pytest.raises(TypeError):
        add(1, "2")

""",
}
LISTS = ["tests/test_calc.py::test_global", "tests/test_calc.py::test_mul"]
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util


def item(name):
    session = holder.session.config.pluginmanager.getplugin("session")
    return [i for i in session.items if i.name.startswith(name)][0]


def add(a, b):
    return a - b


def mul(a, b):
    item("test_global").module.EXPECTED = -1
    return a * b
""",
}
