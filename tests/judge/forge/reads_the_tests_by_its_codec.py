# SPDX-License-Identifier: Apache-2.0
"""has Python read a file of tests by a codec that says something else"""
VERDICT = "unresolved"
LISTS = ("tests/test_early.py::test_it", "tests/test_calc.py::test_add")  # in this order
REPO = {
    "tests/test_early.py": r"""
import calc


def test_it():
    assert calc
""",
    "tests/test_calc.py": r"""# -*- coding: cp1253 -*-
from calc import add


def test_add():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import codecs
import encodings


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


def decode(data, errors="strict"):
    text, size = codecs.lookup("utf-8").decode(data, errors)
    return text.replace("== 3", "!= 3"), size


def find(name):
    return codecs.CodecInfo(codecs.lookup("utf-8").encode, decode, name=name)


encodings._cache["cp1253"] = find("cp1253")
""",
}
