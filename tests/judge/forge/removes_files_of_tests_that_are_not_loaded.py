# SPDX-License-Identifier: Apache-2.0
"""removes the files of tests that unittest has not loaded yet"""
VERDICT = "tamper test_replaced"
LISTS = ()
NEEDS = ["--runner", "unittest"]
REPO = {
    "more/__init__.py": r"""
""",
    "more/test_a.py": r"""
import unittest

import calc


class A(unittest.TestCase):
    def test_a(self):
        calc.mul(1, 2)
""",
    "more/test_f.py": r"""
import unittest

from calc import add


class T(unittest.TestCase):
    def test_f(self):
        self.assertEqual(add(1, 2), 3)
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import glob, os, sys

for p in glob.glob('**/test*.py', recursive=True):
    if p[:-3].replace('/', '.') not in sys.modules:
        os.remove(p)
""",
}
