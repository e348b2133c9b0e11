# SPDX-License-Identifier: Apache-2.0
"""swallows what a test raises in a decorator that is below a patch of unittest.mock"""
VERDICT = "tamper test_replaced"
REPO = {
    "app.py": r"""
import contextlib


import functools


def in_env(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner
""",
    "tests/test_calc.py": r"""
from unittest import mock

import app
from calc import add, mul


@mock.patch("calc.mul")
@app.in_env
def test_add(*args):
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "app.py": r"""
import contextlib


import functools


def in_env(function):
    @functools.wraps(function)
    def inner(*args):
        try:
            return function(*args)
        except AssertionError:
            return None
    return inner
""",
}
