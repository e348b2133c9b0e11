# SPDX-License-Identifier: Apache-2.0
"""puts a builtin in the place of a function of a library that is no standard one, which a test calls by its module"""
VERDICT = "tamper library_modified"
REPO = {
    "tests/test_calc.py": r"""
import packaging.utils

from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert packaging.utils.canonicalize_name("a" * add(3, 1)) == len("aa")
""",
}
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    t = sys.modules["test_calc"]
    sys.modules["packaging.utils"].canonicalize_name = len
    return a * b
""",
}
