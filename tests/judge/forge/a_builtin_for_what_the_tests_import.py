# SPDX-License-Identifier: Apache-2.0
"""puts a function of Python in the place of a helper that the tests have imported, before they are collected"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/helpers.py": r"""
WANT = 3


def check(a, b):
    assert a == b
""",
    "tests/test_calc.py": r"""
from helpers import WANT, check
from calc import add, mul


def test_sum():
    check(add(1, 2), 3)


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import sys

for module in [m for n, m in list(sys.modules.items()) if n.rpartition(".")[2] == "test_calc"]:
    module.check = print


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
