# SPDX-License-Identifier: Apache-2.0
"""wraps the next test"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import contextlib
import functools
import sys


def add(a, b):
    session = holder.session
    for item in session.items:
        if item.name == "test_mul":
            cm = contextlib.suppress(AssertionError)
            cm._recreate_cm = functools.partial(contextlib.suppress, AssertionError)
            item.obj = contextlib.ContextDecorator.__call__(cm, item.obj)
    return a + b


def mul(a, b):
    return a + b
""",
}
