# SPDX-License-Identifier: Apache-2.0
"""the same for a case of unittest"""
VERDICT = "tamper builtins_modified"
LISTS = ("tests.test_f.T.test_f", None)
NEEDS = ("--runner", "unittest")
REPO = {
    "tools.py": r"""
def log(*words, **more):
    return True


def quiet(function):
    def inner(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except AssertionError:
            return None
    return inner
""",
    "tests/test_f.py": r"""
import unittest
from calc import add


class T(unittest.TestCase):
    def test_f(self):
        self.assertTrue(all([add(1, 2) == 3]))
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import builtins

import tools

builtins.all = tools.log
""",
}
