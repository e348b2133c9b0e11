# SPDX-License-Identifier: Apache-2.0
"""the same with a dict"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/helper.py": r"""
EXPECTED = {'add': 3}
""",
    "tests/test_f.py": r"""
import helper
from calc import add


def test_f():
    assert add(1, 2) == helper.EXPECTED['add']
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper
helper.EXPECTED = {'add': -1}
""",
}
