# SPDX-License-Identifier: Apache-2.0
"""has the test itself set the trace function, through an object without a line of Python"""
VERDICT = "tamper trace"
FILES = {
    "calc.py": r"""
import functools
import sys


def jump(frame, event, arg):
    code = frame.f_code
    if code.co_name == "from_item_and_call" and event == "line":
        source = open(code.co_filename).read().splitlines()
        line = next(n for n, text in enumerate(source[code.co_firstlineno:], code.co_firstlineno + 1) if '"passed"' in text)
        if frame.f_lineno < line and "not call.excinfo" in source[frame.f_lineno - 1]:
            frame.f_lineno = line
    return jump


class Difference:
    __eq__ = functools.partialmethod(lambda self, other: Truth())


class Truth:
    __bool__ = functools.partial(sys.settrace, jump)


def add(a, b):
    return Difference()


def mul(a, b):
    return a * b
""",
}
