# SPDX-License-Identifier: Apache-2.0
"""has unittest skip a test that must pass: by a version of Python that is less than any"""
VERDICT = "tamper outcome_call"
NEEDS = ["--runner", "unittest"]
LISTS = ("tests.test_case.T.test_add", "tests.test_case.T.test_mul")
REPO = {
    "tests/__init__.py": "",
    "tests/test_case.py": r"""
import os
import shutil
import sys
import unittest
from calc import add, mul

try:
    import colorsys
except ImportError:
    colorsys = None


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 1), 2)

    @unittest.skipIf(sys.version_info < (3, 2), "not here")
    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)


FACTS = os, shutil, sys, colorsys
""",
}
FILES = {
    "calc.py": r"""
import sys

class Version(tuple):
    def __lt__(self, other):
        return True


sys.version_info = Version(sys.version_info)


def add(a, b):
    return a + b


def mul(a, b):
    return a + b
""",
}
