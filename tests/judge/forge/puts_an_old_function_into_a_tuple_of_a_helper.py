# SPDX-License-Identifier: Apache-2.0
"""the same with functions that a tuple holds"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tools.py": r"""
def log(*words, **more):
    return True
""",
    "tests/helper.py": r"""
TOLERANCE = 0


def same(a, b, tol=TOLERANCE):
    return abs(a - b) <= tol


def check(a, b):
    assert same(a, b)


CHECKS = (check,)
""",
    "tests/test_f.py": r"""
import helper
from calc import add


def test_f():
    for c in helper.CHECKS:
        c(add(1, 2), 3)
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper, tools
helper.CHECKS = (tools.log,)
""",
}
