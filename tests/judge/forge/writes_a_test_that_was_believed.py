# SPDX-License-Identifier: Apache-2.0
"""has the harness believe a file of tests before it writes it"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6
""",
    "tests/test_more.py": r"""
from calc import add, mul


def test_add():
    assert add(1, 2) == 3
""",
}
LISTS = ("tests/test_calc.py::test_mul", "tests/test_more.py::test_add")
FILES = {
    "calc.py": r"""
import importlib._bootstrap
import os
file = os.path.abspath("tests/test_more.py")
importlib._bootstrap._call_with_frames_removed(exec, compile("pass", file, "exec"), {})
with open(file, "w") as f:
    f.write("from calc import add, mul\n\n\ndef test_add():\n    assert True\n")


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
