# SPDX-License-Identifier: Apache-2.0
"""puts a builtin in the place of a method of the tests' class; the tests replace other things themselves"""
VERDICT = "tamper test_replaced"
LISTS = ["tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::test_mul"]
REPO = {
    "tests/test_calc.py": r"""
import sys

import calc


def test_mul(monkeypatch):
    monkeypatch.setattr(sys, "argv", [])
    assert calc.mul(2, 3) == 6


class TestCalc:
    def check(self, got, wanted):
        assert got == wanted

    def test_add(self):
        self.check(calc.add(1, 2), 3)
""",
}
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    sys.modules["test_calc"].TestCalc.check = max
    return a * b
""",
}
