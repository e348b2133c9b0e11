# SPDX-License-Identifier: Apache-2.0
"""puts a function that the repository had in the place of a helper that is no function"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tools.py": r"""
def log(*words, **more):
    return True


def quiet(function):
    def inner(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except AssertionError:
            return None
    return inner
""",
    "tests/helper.py": r"""
import functools
import operator


def compare(way, a, b):
    assert way(a, b)


check = functools.partial(compare, operator.eq)
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
import tools

helper.check = tools.log
""",
}
