# SPDX-License-Identifier: Apache-2.0
"""has a context manager that a test enters return in its finally"""
VERDICT = "tamper test_support"
REPO = {
    "app.py": r"""
import contextlib


@contextlib.contextmanager
def env():
    yield
""",
    "tests/test_calc.py": r"""
import contextlib

import app
from calc import add, mul


def test_add():
    with contextlib.ExitStack() as stack:
        stack.enter_context(app.env())
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
    finally:
        return
""",
}
