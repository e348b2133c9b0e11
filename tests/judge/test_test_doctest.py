# SPDX-License-Identifier: Apache-2.0
"""Doctests, and tests in an encoding of their own, that a right patch repairs: nothing of it is tampering."""
import repositories

FILES = {
    "calc.py": r'''
def add(a, b):
    """
    >>> add(1, 2)
    3
    >>> add(two, "x")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    TypeError: unsupported operand ...
    >>> print("a\n\nb")
    a
    <BLANKLINE>
    b
    >>> add(1, 1)  # doctest: +LATER
    2
    """
    return a + b
''',
    "words.py": r'''
import calc


def f():
    """
    >>> calc.mul(2, 3)
    6
    """
''',
    "conftest.py": r"""
import doctest

import pytest

doctest.register_optionflag("LATER")
doctest.ELLIPSIS_MARKER = "..."


@pytest.fixture(autouse=True)
def names(doctest_namespace):
    doctest_namespace["two"] = 2
""",
    "docs/use.txt": ">>> from calc import add\n>>> add(two, 2)\n4\n",
    "tests/test_greek.py": "# -*- coding: cp1253 -*-\nfrom calc import mul\n\n\ndef test_greek():\n    assert mul('a', 2) == 'aa'\n",
}
WRONG = FILES["calc.py"] + "\n\ndef mul(a, b):\n    return a + b\n"


def test_doctests(csbx, suite_image):
    files = {**FILES, "calc.py": WRONG}
    judge = repositories.Judge(csbx, suite_image, {name: text.lstrip("\n") for name, text in files.items()})
    right = judge.patch(files={"calc.py": (FILES["calc.py"] + "\n\ndef mul(a, b):\n    return a * b\n").lstrip("\n")})
    ids = ("words.py::words.f", "tests/test_greek.py::test_greek"), ("docs/use.txt::use.txt",)
    lists = [x for name, of in zip(("--fail-to-pass", "--pass-to-pass"), ids) for i in of for x in (name, i)]
    args = ("--doctest-modules", "--doctest-glob=*.txt")
    r = judge("--strict", "--patch", right, *lists, args=args, code=0)
    assert r["resolved"] and r["tamper"] == [] and len(r["tests"]) == 3, r
    assert judge(*lists, args=args, code=1)["fail_to_pass"]["failure"] == list(ids[0])
