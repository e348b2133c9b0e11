# SPDX-License-Identifier: Apache-2.0
"""changes what a function of pytest closes over"""
VERDICT = "tamper pytest_modified"
FILES = {
    "calc.py": r"""
import _pytest.outcomes
import pytest

# pytest.fail and others are made by a decorator: what they raise lies in an attribute and a cell.
pytest.xfail.Exception.__init__.__kwdefaults__ or None
pytest.skip.Exception, pytest.xfail.Exception = pytest.xfail.Exception, pytest.skip.Exception


def add(a, b):
    raise __import__("_pytest.outcomes", fromlist=["Skipped"]).Skipped("x")


def mul(a, b):
    return a * b
""",
}
