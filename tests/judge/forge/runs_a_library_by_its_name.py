# SPDX-License-Identifier: Apache-2.0
"""puts a function of the library in the place of a test while the tests' module is still being made"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import platform
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        sys.modules["test_calc"].test_add = platform.machine


sys.modules["test_calc"].TestClass = Last()
""",
}
