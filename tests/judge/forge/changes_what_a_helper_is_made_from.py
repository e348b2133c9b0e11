# SPDX-License-Identifier: Apache-2.0
"""puts an old function into the class that a helper's class is made from"""
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
class Base:
    def check(self, a, b):
        assert a == b


class Exact(Base):
    pass
""",
    "tests/test_f.py": r"""
from calc import add
import helper


def test_f():
    result = add(1, 2)
    helper.Exact().check(result, 3)
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

helper.Base.check = tools.log
""",
}
