# SPDX-License-Identifier: Apache-2.0
"""changes what the harness calls, and has the loop call it once more, beside a coroutine that fails"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ["tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::TestCalc::test_mul"]
REPO = {
    "tests/__init__.py": "",
    "tests/test_calc.py": r"""
import asyncio
import unittest

import calc


async def nothing():
    pass


class TestCalc(unittest.IsolatedAsyncioTestCase):
    async def test_add(self):
        got = calc.add(1, 2)
        await asyncio.sleep(0)
        self.assertEqual(got, 3)

    async def test_mul(self):
        self.assertEqual(calc.mul(2, 3), 6)
""",
}
FILES = {
    "calc.py": r"""
import holder
import asyncio
import sys

import _pytest.assertion.util


class Result:
    def __getattr__(self, name):
        return lambda *args: None


def add(a, b):
    session = holder.session.config.pluginmanager.getplugin("session")
    for item in session.items:
        case = item.__dict__.get("_testcase") or item.__dict__.get("_instance")
        if case and case._outcome:
            case._outcome.result = Result()
            case._outcome.expecting_failure = True
            called = case.test_add
            for name, cell in zip(called.__code__.co_freevars, called.__closure__):
                if name == "function":
                    cell.cell_contents = sys.modules["tests.test_calc"].nothing
            asyncio.get_running_loop().create_task(called())
    return a - b


def mul(a, b):
    return a * b
""",
}
