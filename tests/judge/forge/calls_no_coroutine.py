# SPDX-License-Identifier: Apache-2.0
"""changes how unittest calls tests that are coroutines, before they are collected"""
VERDICT = "tamper test_replaced"
LISTS = ["tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::test_mul"]
REPO = {
    "tests/test_calc.py": r"""
import unittest

import calc


class TestCalc(unittest.IsolatedAsyncioTestCase):
    async def test_add(self):
        self.assertEqual(calc.add(1, 2), 3)


def test_mul():
    assert calc.mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import heapq
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        sys.modules["test_calc"].TestCalc._callMaybeAsync = heapq.merge


sys.modules["test_calc"].test_mul = Last()
""",
}
