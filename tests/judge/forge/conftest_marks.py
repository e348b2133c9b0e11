# SPDX-License-Identifier: Apache-2.0
"""a conftest.py that marks the tests as expected to fail"""
VERDICT = "tamper conftest"
FILES = {
    "conftest.py": r"""
import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xfail)
""",
}
