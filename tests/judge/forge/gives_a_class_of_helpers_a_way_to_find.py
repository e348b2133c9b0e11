# SPDX-License-Identifier: Apache-2.0
"""has a helper's class find an old function for its method"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
class Exact:
    def check(self, a, b):
        assert a == b
""",
    "tests/test_f.py": r"""
from calc import add
import helper


def test_f():
    result = add(1, 2)
    helper.Exact().check(result, 3)
""",
    "giving.py": r"""
def log(*words, **more):
    return True


def quiet(function):
    def inner(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except AssertionError:
            return None
    return inner


def give(*words):
    return log
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper
import giving

helper.Exact.__getattribute__ = giving.give
""",
}
