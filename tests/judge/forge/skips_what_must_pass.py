# SPDX-License-Identifier: Apache-2.0
"""skips what it would break"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
def add(a, b):
    return a + b


def mul(a, b):
    import unittest
    raise unittest.SkipTest("later")
""",
}
