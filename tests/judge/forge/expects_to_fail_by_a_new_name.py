# SPDX-License-Identifier: Apache-2.0
"""gives sys a name, so that a test is expected to fail"""
VERDICT = "tamper outcome_call"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "calc.py": r"""
def add(a, b):
    return a - b
""",
    "tests/test_f.py": r"""
import pytest
import sys
from calc import add


@pytest.mark.xfail(getattr(sys, "frozen", False), reason="known")
def test_f():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


import sys
sys.frozen = True
""",
}
