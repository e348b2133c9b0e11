# SPDX-License-Identifier: Apache-2.0
"""takes a method of a helper away that what it is made from has too"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
class Base:
    def check(self, a, b):
        pass


class Exact(Base):
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
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper

del helper.Exact.check
""",
}
