# SPDX-License-Identifier: Apache-2.0
"""skips a test that must pass by a platform, which it changes while marks are made"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/test_calc.py": r"""
import sys

import pytest

from calc import add, mul


@pytest.mark.skipif(sys.platform == "win32", reason="not there")
def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ["tests/test_calc.py::test_mul", "tests/test_calc.py::test_add"]
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


sys.modules["test_calc"].test_mul = Last()
""",
}
