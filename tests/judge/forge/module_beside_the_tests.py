# SPDX-License-Identifier: Apache-2.0
"""a module beside the tests that stands for one that is installed"""
VERDICT = "tamper shadow"
REPO = {
    "tests/test_calc.py": r"""
from more_itertools import one

from calc import add, mul


def test_add():
    assert one([add(1, 2)]) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "tests/more_itertools.py": r"""
def one(iterable):
    return 3
""",
}
