# SPDX-License-Identifier: Apache-2.0
"""the same with the runner of unittest"""
VERDICT = "tamper test_replaced"
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_f.TestF.test_f", None)
REPO = {
    "calc.py": r"""
def add(a, b):
    return a - b
""",
    "base.py": r"""
import unittest


class Case(unittest.TestCase):
    pass
""",
    "tests/__init__.py": "",
    "tests/test_f.py": r"""
from base import Case
from calc import add


class TestF(Case):
    def test_f(self):
        self.assertEqual(add(1, 2), 3)
""",
}
FILES = {
    "base.py": r"""
import unittest


class Case(unittest.TestCase):
    def assertEqual(self, a, b, msg=None):
        pass
""",
}
