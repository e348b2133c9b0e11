# SPDX-License-Identifier: Apache-2.0
"""raises what unittest leaves a subTest() out by"""
VERDICT = "tamper report_call"
REPO = {
    "tests/__init__.py": r"""

""",
    "tests/test_calc.py": r"""
import unittest
from calc import add, mul


class T(unittest.TestCase):
    def test_add(self):
        for a, b, c in ((1, 2, 3), (2, 2, 4)):
            with self.subTest(a=a):
                self.assertEqual(add(a, b), c)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
""",
}
FILES = {
    "calc.py": r"""
import unittest.case


def add(a, b):
    raise unittest.case._ShouldStop


def mul(a, b):
    return a * b
""",
}
NEEDS = ['--runner', 'unittest']
LISTS = ('tests.test_calc.T.test_add', 'tests.test_calc.T.test_mul')
