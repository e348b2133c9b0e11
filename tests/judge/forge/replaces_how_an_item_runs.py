# SPDX-License-Identifier: Apache-2.0
"""an attribute of the item in the place of what runs it"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ["tests/test_calc.py::test_z", "tests/test_calc.py::test_mul"]
REPO = {
    "tests/test_calc.py": r"""
from calc import add, at, mul


def test_mul():
    at("test_z").runtest = dict
    assert mul(2, 3) == 6


def test_z():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util


def at(name):
    session = holder.session.config.pluginmanager.getplugin("session")
    return [i for i in session.items if i.name == name][0]


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
