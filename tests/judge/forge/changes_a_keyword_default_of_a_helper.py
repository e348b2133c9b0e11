# SPDX-License-Identifier: Apache-2.0
"""changes what a helper has for a keyword that is not given"""
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


import helper

helper.check.__kwdefaults__["exact"] = False
""",
}
