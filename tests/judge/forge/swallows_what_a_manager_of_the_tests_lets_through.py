# SPDX-License-Identifier: Apache-2.0
"""changes what a context manager of the tests closes over, while a test runs"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/helpers.py": r"""
import contextlib
import functools
from collections import namedtuple

Pair = namedtuple("Pair", "a b")


@contextlib.contextmanager
def own():
    yield


@functools.singledispatch
def check(a, b):
    assert a == b


check_three = functools.partial(check, b=3)
""",
    "tests/test_calc.py": r"""
from calc import add, mul
from helpers import own


def test_add():
    result = add(1, 2)
    with own():
        assert result == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import sys


def swallow():
    try:
        yield
    except AssertionError:
        pass


def add(a, b):
    sys.modules["helpers"].own.__closure__[0].cell_contents = swallow
    return a - b


def mul(a, b):
    return a * b
""",
}
