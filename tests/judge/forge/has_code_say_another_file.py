# SPDX-License-Identifier: Apache-2.0
"""has all code say that it is of the standard library"""
from repositories import WRITES_TYPES

VERDICT = "tamper library_modified"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
TOLERANCE = 0


def same(a, b, tol=TOLERANCE):
    return abs(a - b) <= tol


def check(a, b):
    assert same(a, b)
""",
    "tests/test_f.py": r"""
from calc import add
import helper


def test_f():
    result = add(1, 2)
    helper.check(result, 3)
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b



""" + WRITES_TYPES + r"""

import types
put(types.CodeType, 'co_filename', property(lambda s: '/usr/lib/python3.11/json/__init__.py'))
import helper
helper.check = lambda *a: True
""",
}
