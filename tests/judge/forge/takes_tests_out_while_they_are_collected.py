# SPDX-License-Identifier: Apache-2.0
"""takes tests of an earlier file out of the list of what was collected"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ("tests/test_a.py", "tests/test_calc.py")
REPO = {
    "tests/test_a.py": r"""
def test_add():
    from calc import add
    assert add(1, 2) == 3


def test_one():
    assert 1
""",
    "tests/test_calc.py": r"""
from calc import mul


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import holder
import sys

session = holder.session

session.items[:] = [item for item in session.items if item.name != "test_add"]


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
