# SPDX-License-Identifier: Apache-2.0
"""has a function of the library be called in the place of a test"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_sum():
    assert add(1, 2) == 3
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import holder
import threading


def item(name):
    import _pytest.assertion.util
    session = holder.session.config.pluginmanager.get_plugin("session")
    return [i for i in session.items if i.name == name][0]


def add(a, b):
    return a - b


def mul(a, b):
    item("test_sum").obj = threading.active_count
    return a * b
""",
}
