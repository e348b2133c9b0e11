# SPDX-License-Identifier: Apache-2.0
"""has a mock of the library raise the exception of xfail()"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
from unittest.mock import Mock

import pytest


class Answer:
    pass


Answer.__eq__ = Mock(side_effect=pytest.xfail.Exception("later"))


def add(a, b):
    return Answer()


def mul(a, b):
    return a * b
""",
}
