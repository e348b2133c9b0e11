# SPDX-License-Identifier: Apache-2.0
"""raises an exception that becomes a skip where pluggy raises it again"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import _pytest.outcomes


class Error(Exception):
    def with_traceback(self, tb):
        return _pytest.outcomes.Skipped("soon")


def add(a, b):
    return a + b


def mul(a, b):
    raise Error("not yet")
""",
}
