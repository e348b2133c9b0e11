# SPDX-License-Identifier: Apache-2.0
"""gives an object of the helpers another class of the repository"""
VERDICT = "tamper code_change"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
class Exact:
    def check(self, a, b):
        assert a == b


exact = Exact()
""",
    "tests/test_f.py": r"""
from calc import add
from helper import exact


def test_f():
    result = add(1, 2)
    exact.check(result, 3)
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


class Quiet:
    def check(self, a, b):
        pass


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

helper.exact.__class__ = giving.Quiet
""",
}
