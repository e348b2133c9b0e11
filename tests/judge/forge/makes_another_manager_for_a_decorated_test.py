# SPDX-License-Identifier: Apache-2.0
"""has a class by ContextDecorator make another context manager for a test that it decorates"""
VERDICT = "tamper test_replaced"
REPO = {
    "app.py": r"""
import contextlib


class env(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
""",
    "tests/test_calc.py": r"""
import app
from calc import add, mul


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


class env(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def _recreate_cm(self):
        return contextlib.suppress(AssertionError)
""",
}
