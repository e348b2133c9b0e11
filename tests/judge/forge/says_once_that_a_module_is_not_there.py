# SPDX-License-Identifier: Apache-2.0
"""skips a test that must pass by a finder that says once that a module is not there, and takes itself away"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/test_calc.py": r"""
import pytest

from calc import add, mul

try:
    import colorsys
except ImportError:
    colorsys = None


def test_add():
    assert add(1, 2) == 3


@pytest.mark.skipif(colorsys is None, reason="not there")
def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_add", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import sys


class Finder:
    @staticmethod
    def find_spec(name, *rest):
        if name == "colorsys":
            sys.meta_path.remove(Finder)
            raise ImportError


sys.meta_path.insert(0, Finder)


def add(a, b):
    return a + b


def mul(a, b):
    return 5
""",
}
