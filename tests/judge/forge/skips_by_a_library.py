# SPDX-License-Identifier: Apache-2.0
"""lets the standard library raise what skips a test"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import unittest


def add(a, b):
    return a - b


def mul(a, b):
    unittest.TestCase().skipTest("not today")
""",
}
