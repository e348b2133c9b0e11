# SPDX-License-Identifier: Apache-2.0
"""has a cached property of the tests call another function"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_t.py::test_t", None)
REPO = {
    "calc.py": r"""
def f(*a):
    return 1
""",
    "tests/test_t.py": r"""
from functools import cached_property

from calc import f


class Want:
    @cached_property
    def v(self):
        return 2


def test_t():
    assert f() == Want().v
""",
}
FILES = {
    "calc.py": r"""
def f():
    import sys
    vars(sys.modules['test_t'].Want)['v'].func = lambda s: 1
    return 1
""",
}
