# SPDX-License-Identifier: Apache-2.0
"""has unittest call no method, once"""
VERDICT = "tamper test_replaced"
LISTS = ("tests.test_u.T.test_u", "tests.test_u.T.test_v")
NEEDS = ["--runner", "unittest"]
REPO = {
    "tests/test_u.py": r"""
import unittest
from calc import add


class T(unittest.TestCase):
    def test_u(self):
        self.assertEqual(add(1, 2), 3)

    def test_v(self):
        self.assertEqual(1, 1)
""",
    "tests/__init__.py": r"""

""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import unittest.case
own = unittest.case.TestCase._callTestMethod


def fake(self, m): unittest.case.TestCase._callTestMethod = own
unittest.case.TestCase._callTestMethod = fake
""",
}
