# SPDX-License-Identifier: Apache-2.0
"""a package in the place of a helper of the tests"""
VERDICT = "tamper shadow"
REPO = {
    "spec/helper.py": r"""
def same(a, b):
    return a == b
""",
    "spec/test_calc.py": r"""
from calc import add, mul
from helper import same


def test_add():
    assert same(add(1, 2), 3)


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("spec/test_calc.py::test_add", "spec/test_calc.py::test_mul")
FILES = {
    "spec/helper/__init__.py": r"""
def same(a, b):
    return True
""",
}
