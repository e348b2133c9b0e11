# SPDX-License-Identifier: Apache-2.0
"""marks a method of unittest as skipped while its module is made"""
VERDICT = "tamper outcome_call"
REPO = {
    "tests/__init__.py": r"""

""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a + b


def mul(a, b):
    return a + b

import sys

module = sys.modules["tests.test_calc"]


class Last:
    def __del__(self):
        module.T.test_mul.__unittest_skip__ = True


module.T = Last()
""",
}
NEEDS = ['--runner', 'unittest']
LISTS = ('tests.test_calc.T.test_add', 'tests.test_calc.T.test_mul')
