# SPDX-License-Identifier: Apache-2.0
"""puts an old function in the place of a helper whose name a text of the tests has"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f[check]", None)
REPO = {
    "tests/helper.py": r"""
def same(a, b):
    return a == b


def check(a, b, *, exact=True):
    assert same(a, b) or not exact
""",
    "tests/test_f.py": r"""
import pytest

from calc import add
import helper


@pytest.mark.parametrize("kind", ["check"])
def test_f(kind):
    result = add(1, 2)
    helper.check(result, 3)
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


import helper
import wordy

helper.check = wordy.log
""",
}
