# SPDX-License-Identifier: Apache-2.0
"""raises an exception that becomes an expected failure when it is asked often enough"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import _pytest.outcomes


class Unsupported(Exception):
    msg = "not yet"
    asked = 0

    @property
    def __class__(self):
        self.asked += 1
        return Unsupported if self.asked < 17 else _pytest.outcomes.XFailed


def add(a, b):
    raise Unsupported("not yet")


def mul(a, b):
    return a * b
""",
}
