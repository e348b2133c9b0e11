# SPDX-License-Identifier: Apache-2.0
"""marks a test as expected to fail while the tests' module is still being made"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import sys

import pytest


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        pytest.mark.xfail(sys.modules["test_calc"].test_add)


sys.modules["test_calc"].TestClass = Last()
""",
}
