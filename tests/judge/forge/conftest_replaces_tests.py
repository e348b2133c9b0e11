# SPDX-License-Identifier: Apache-2.0
"""a conftest.py that puts other tests in their place"""
VERDICT = "tamper conftest"
FILES = {
    "tests/conftest.py": r"""
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = lambda: None
""",
}
