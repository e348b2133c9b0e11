# SPDX-License-Identifier: Apache-2.0
"""has a class by ContextDecorator that decorates a test of unittest swallow what it raises"""
VERDICT = "tamper test_replaced"
NEEDS = ("--runner", "unittest")
LISTS = ("test_u.T.test_add", "test_u.T.test_mul")
REPO = {
    "app.py": r"""
import contextlib


class env(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
""",
    "test_u.py": r"""
import unittest

import app
from calc import add, mul


class T(unittest.TestCase):
    @app.env()
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
FILES = {
    "app.py": r"""
import contextlib


class env(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True
""",
}
