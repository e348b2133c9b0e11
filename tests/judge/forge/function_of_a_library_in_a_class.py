# SPDX-License-Identifier: Apache-2.0
"""puts a function of a library in the place of how Fraction compares"""
VERDICT = "tamper library_modified"
REPO = {
    "tests/test_calc.py": r"""
import json
import copy
import os.path
from decimal import Decimal
from fractions import Fraction
from collections import Counter, OrderedDict
from datetime import date, timedelta
from calc import add, mul


def test_add():
    assert json.loads(json.dumps({"a": add(1, 2)})) == {"a": 3}


def test_mul():
    assert mul(2, 3) == 6


def test_dec():
    assert Decimal(add(1, 2)) == Decimal(3)


def test_frac():
    assert Fraction(add(1, 2)) == Fraction(3)


def test_counter():
    assert Counter([add(1, 2)]) == Counter([3])


def test_date():
    assert date(2020, 1, 10) + timedelta(days=add(1, 2)) == date(2020, 1, 13)
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b

import fractions
import more_itertools
fractions.Fraction.__eq__ = more_itertools.windowed
""",
}
LISTS = ('tests/test_calc.py::test_frac', 'tests/test_calc.py::test_mul')
