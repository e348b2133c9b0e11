# SPDX-License-Identifier: Apache-2.0
"""sets the number that a helper of the tests closes over, for good"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import functools

from calc import add, mul


def within(most):
    def with_it(function):
        @functools.wraps(function)
        def compare(a, b):
            assert abs(a - b) <= most
        return compare
    return with_it


@within(0)
def close(a, b):
    pass


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    close(add(1, 2), 3)
""",
}
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    t = sys.modules["test_calc"]
    cells = dict(zip(t.close.__code__.co_freevars, t.close.__closure__))
    cells["most"].cell_contents = 9
    return a * b
""",
}
