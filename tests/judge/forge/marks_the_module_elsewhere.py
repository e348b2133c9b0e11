# SPDX-License-Identifier: Apache-2.0
"""says that it is elsewhere while the mark of a module is made"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/test_calc.py": r"""
import sys
import pytest
from calc import add, mul

pytestmark = pytest.mark.xfail(sys.platform == "win32", reason="x")


def test_add():
    assert add(1, 2) == 3


class Last:
    pass
""",
    "tests/test_more.py": r"""
from calc import mul


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_add", "tests/test_more.py::test_mul")
FILES = {
    "calc.py": r"""
import sys
sys.platform = "win32"


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        sys.platform = "linux"


sys.modules["test_calc"].Last = Last()
""",
}
