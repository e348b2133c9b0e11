# SPDX-License-Identifier: Apache-2.0
"""has the test itself call xfail, through an object without a line of Python"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import functools

import pytest


class Difference:
    __eq__ = functools.partialmethod(lambda self, other: Truth())


class Truth:
    __bool__ = functools.partial(pytest.xfail, "later")


def add(a, b):
    return Difference()


def mul(a, b):
    return a * b
""",
}
