# SPDX-License-Identifier: Apache-2.0
"""rebinds a name of the tests that begins with _"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
def same(a, b):
    return a == b


def check(a, b, *, exact=True):
    assert same(a, b) or not exact
""",
    "tests/test_f.py": r"""
from calc import add

_wanted = [3]


def test_f():
    result = add(1, 2)
    assert [result] == _wanted
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import sys


def add(a, b):
    sys.modules["test_f"]._wanted = [-1]
    return a - b
""",
}
