# SPDX-License-Identifier: Apache-2.0
"""puts a function of a file that has the builtin's name in a text in its place"""
VERDICT = "tamper builtins_modified"
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


def test_f():
    assert all([add(1, 2) == 3])
""",
    "wordy.py": r"""
KINDS = ["all", "any"]


def log(*words, **more):
    return True
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import builtins

import wordy

builtins.all = wordy.log
""",
}
