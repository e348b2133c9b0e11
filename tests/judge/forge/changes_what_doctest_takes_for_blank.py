# SPDX-License-Identifier: Apache-2.0
"""has doctest take the expected line for the mark of a blank one"""
VERDICT = "tamper pytest_modified"
LISTS = ("words.py::words.f", "tests/test_calc.py::test_mul")
ARGS = ("--doctest-modules",)
REPO = {
    "words.py": r'''
import calc


def f():
    """
    >>> calc.add(1, 2)
    3
    """
''',
}
FILES = {
    "calc.py": r"""
import doctest


class Blank:
    def __repr__(self):
        return ""


def add(a, b):
    doctest.BLANKLINE_MARKER = "3"
    return Blank()


def mul(a, b):
    return a * b
""",
}
