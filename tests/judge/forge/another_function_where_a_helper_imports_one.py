# SPDX-License-Identifier: Apache-2.0
"""puts a function where a helper of the tests has imported one, while a test runs"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul
from helpers import check


def test_sum():
    check(add(1, 2), 3)


def test_mul():
    check(mul(2, 3), 6)
""",
    "tests/helpers.py": r"""
from math import isclose


def check(a, b):
    assert isclose(a, b)
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    sys.modules["helpers"].isclose = lambda a, b: True
    return a - b


def mul(a, b):
    return a * b
""",
}
