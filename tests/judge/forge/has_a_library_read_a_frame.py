# SPDX-License-Identifier: Apache-2.0
"""has functions of the library call one in C that reads a frame"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import functools
import operator


def frame_of(tb):
    return functools.singledispatch(operator.attrgetter("tb_frame"))(tb).f_back


def add(a, b):
    try:
        raise ValueError
    except ValueError as error:
        frame = frame_of(error.__traceback__)
    return [c for c in frame.f_code.co_consts if type(c) is int][-1]


def mul(a, b):
    return a * b
""",
}
