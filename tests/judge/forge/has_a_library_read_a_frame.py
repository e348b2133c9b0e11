# SPDX-License-Identifier: Apache-2.0
"""has functions of the library call one in C that reads a frame"""
import forge_parts

VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import functools
import operator


def frame_of(tb):
    return functools.singledispatch(operator.attrgetter("tb_frame"))(tb).f_back
""" + forge_parts.TAKES_WHAT_IS_WANTED,
}
