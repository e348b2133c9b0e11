# SPDX-License-Identifier: Apache-2.0
"""makes a failed assertion an expected failure"""
VERDICT = "tamper builtins_modified"
FILES = {
    "calc.py": r"""
import builtins

import pytest

builtins.AssertionError = pytest.xfail.Exception


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
