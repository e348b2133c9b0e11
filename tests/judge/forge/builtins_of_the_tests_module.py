# SPDX-License-Identifier: Apache-2.0
"""gives the module of the tests builtins of its own"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import builtins
import sys

import pytest

sys.modules["test_calc"].__dict__["__builtins__"] = dict(vars(builtins), AssertionError=pytest.xfail.Exception)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
