# SPDX-License-Identifier: Apache-2.0
"""puts a name of its own into the module of the tests"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import sys

import pytest

sys.modules["test_calc"].AssertionError = pytest.xfail.Exception


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
