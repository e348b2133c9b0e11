# SPDX-License-Identifier: Apache-2.0
"""raises a skip that loses its traceback"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import _pytest.outcomes


class Error(_pytest.outcomes.Skipped):
    def with_traceback(self, tb):
        return super().with_traceback(None)


def add(a, b):
    return a + b


def mul(a, b):
    raise Error("not yet")
""",
}
