# SPDX-License-Identifier: Apache-2.0
"""marks the test that runs as expected to fail, without a call"""
VERDICT = "tamper outcome_call"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util
import pytest


def add(a, b):
    session = holder.session.config.pluginmanager.getplugin("session")
    for item in session.items:
        if item.name == "test_add":
            item.own_markers.append(pytest.mark.xfail.mark)
    return a - b


def mul(a, b):
    return a * b
""",
}
