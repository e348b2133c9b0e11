# SPDX-License-Identifier: Apache-2.0
"""has a later test look like one that is waited for, and swallows what it raises"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import functools, sys
import pluggy._callers as pc
real = pc._Result


def agen():
    import ast, glob, os
    import asyncio.tasks as t
    return t.__sleep0.__code__


def fake(results, excinfo):
    if excinfo is not None and excinfo[0] is AssertionError:
        pc._Result = real
        return real([True], None)
    return real(results, excinfo)


def add(a, b):
    pc._Result = fake
    return a - b


def mul(a, b):
    f = sys.modules["test_calc"].test_add
    p = functools.partial(f)
    p.__code__ = agen()
    f.__func__ = p
    return a * b
""",
}
