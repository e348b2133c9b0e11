# SPDX-License-Identifier: Apache-2.0
"""has the harness itself leave out what fails, by what its plugin closes over"""
VERDICT = "unresolved"
LISTS = ("tests/test_calc.py", "tests/test_other.py")
REPO = {
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6


class TestClass(unittest.TestCase):
    def test_case(self):
        self.assertEqual(add(2, 2), 4)
""",
    "tests/test_other.py": r"""
def test_other():
    assert 1
""",
}
FILES = {
    "calc.py": r"""
import sys

session = [finder for finder in sys.meta_path if hasattr(finder, "session")][0].session

plugin = [p for p in session.config.pluginmanager.get_plugins() if "Csbx" in type(p).__name__][0]
todo, seen = [f for f in vars(type(plugin)).values() if hasattr(f, "__closure__")], []
while todo:
    function = todo.pop()
    for cell in function.__closure__ or ():
        value = cell.cell_contents
        if hasattr(value, "exact"):
            value.exact, value.files = {"tests/test_calc.py::test_mul", "tests/test_other.py::test_other"}, set()
        if hasattr(value, "__closure__") and value not in seen:
            seen.append(value)
            todo.append(value)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
