# SPDX-License-Identifier: Apache-2.0
"""binds the cases of a helper to another list"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
CASES = [(1, 2, 3)]
""",
    "tests/test_f.py": r"""
import helper
from calc import add


def test_f():
    for a, b, c in helper.CASES:
        assert add(a, b) == c
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper
helper.CASES = []
""",
}
