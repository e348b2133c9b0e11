# SPDX-License-Identifier: Apache-2.0
"""puts a function of the library that never fails in the place of a case's assertEqual()"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ["tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::TestCalc::test_mul"]
REPO = {
    "tests/test_calc.py": r"""
import unittest

import calc


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertRaises(TypeError, calc.add, None, 1)
        self.assertEqual(calc.add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(calc.mul(2, 3), 6)
""",
}
FILES = {
    "calc.py": r"""
import holder
import heapq

import _pytest.assertion.util


def add(a, b):
    session = holder.session.config.pluginmanager.getplugin("session")
    for item in session.items:
        case = item.__dict__.get("_testcase") or item.__dict__.get("_instance")
        if case:
            case.__dict__["assertEqual"] = heapq.merge
    return a - b


def mul(a, b):
    return a * b
""",
}
