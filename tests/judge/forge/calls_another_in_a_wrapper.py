# SPDX-License-Identifier: Apache-2.0
"""changes which function the wrapper of a test calls"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import functools

from calc import add, mul


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


def test_mul():
    assert mul(2, 3) == 6


@logged
def test_add():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import platform
import sys


def add(a, b):
    return a - b


def mul(a, b):
    for cell in sys.modules["test_calc"].test_add.__closure__:
        cell.cell_contents = platform.machine
    return a * b
""",
}
