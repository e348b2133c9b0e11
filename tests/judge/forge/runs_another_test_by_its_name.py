# SPDX-License-Identifier: Apache-2.0
"""puts another test in the place of one while the tests' module is still being made"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


class Last:
    def __del__(self):
        module = sys.modules["test_calc"]
        module.test_add = module.test_mul


sys.modules["test_calc"].TestClass = Last()
""",
}
