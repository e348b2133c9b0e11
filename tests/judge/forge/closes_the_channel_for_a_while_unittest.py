# SPDX-License-Identifier: Apache-2.0
"""has a descriptor that cannot be written to in the channel's place, while the harness tells of what it sees"""
VERDICT = "tamper channel"
REPO = {
    "tests/__init__.py": "",
    "tests/test_unit.py": r"""
import unittest

from calc import add, mul


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertTrue(mul(2, 3) == 6)
""",
}
LISTS = ("tests.test_unit.T.test_add", "tests.test_unit.T.test_mul")
NEEDS = ["--runner", "unittest"]
FILES = {
    "calc.py": r"""
import os
import unittest.case

saved = os.dup(200)
os.dup2(os.open("/dev/null", os.O_RDONLY), 200)
unittest.case.TestCase.assertEqual = lambda *a, **k: None


def add(a, b):
    os.dup2(saved, 200)
    return a - b


def mul(a, b):
    return a * b
""",
}
