# SPDX-License-Identifier: Apache-2.0
"""marks the next test of unittest, which must pass, to be skipped"""
VERDICT = "unresolved"
LISTS = ("tests.test_u.T.test_a", "tests.test_u.T.test_b")
NEEDS = ["--runner", "unittest"]
REPO = {
    "tests/test_u.py": r"""
import unittest
from calc import add


class T(unittest.TestCase):
    def test_a(self):
        add(1, 1)

    def test_b(self):
        self.assertEqual(add(1, 2), 3)
""",
    "tests/__init__.py": r"""

""",
}
FILES = {
    "calc.py": r"""
import sys


def mul(a, b):
    return a * b


def add(a, b):
    sys.modules['tests.test_u'].T.test_b.__unittest_skip__ = True
    return a - b
""",
}
