# SPDX-License-Identifier: Apache-2.0
"""adds a mark to the next test, where conftest.py adds some as well"""
VERDICT = "tamper report_call"
KEEPS_SESSION = True
REPO = {
    "tests/conftest.py": r"""
import pytest


def pytest_collection_modifyitems(config, items):
    for i in items:
        if "slow" in i.keywords:
            i.add_marker(pytest.mark.skip(reason="slow"))
""",
}
FILES = {
    "calc.py": r"""
import holder
import sys
session = holder.session

import pytest


def add(a, b):
    for item in session.items:
        if item.name == "test_mul":
            item.add_marker(pytest.mark.skip(reason="known"))
    return a + b


def mul(a, b):
    return a + b
""",
}
