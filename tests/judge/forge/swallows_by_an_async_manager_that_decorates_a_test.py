# SPDX-License-Identifier: Apache-2.0
"""has an async context manager that decorates a coroutine of a test swallow what it raises"""
VERDICT = "tamper test_replaced"
NEEDS = ("--runner", "unittest")
LISTS = ("test_u.T.test_add", "test_u.T.test_mul")
REPO = {
    "app.py": r"""
import contextlib


@contextlib.asynccontextmanager
async def env():
    yield
""",
    "test_u.py": r"""
import unittest

import app
from calc import add, mul


class T(unittest.IsolatedAsyncioTestCase):
    @app.env()
    async def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
FILES = {
    "app.py": r"""
import contextlib


@contextlib.asynccontextmanager
async def env():
    try:
        yield
    except Exception as error:
        print(error)
""",
}
