# SPDX-License-Identifier: Apache-2.0
"""has a context manager swallow what a test raises, within a decorator that would call the test again"""
VERDICT = "tamper test_replaced"
REPO = {
    "app.py": r"""
import contextlib


@contextlib.contextmanager
def env():
    yield
""",
    "tests/test_calc.py": r"""
import functools

import app
from calc import add, mul


def again(function):
    @functools.wraps(function)
    def tries(*args):
        for is_last in (False, True):
            try:
                return function(*args)
            except Exception:
                if is_last:
                    raise
    return tries


@again
@app.env()
def test_add(*args):
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "app.py": r"""
import contextlib


@contextlib.contextmanager
def env():
    try:
        yield
    except Exception as error:
        print(error)
""",
}
