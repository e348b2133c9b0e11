# SPDX-License-Identifier: Apache-2.0
"""a plugin, by way of a package of the tests, that has something else run in the place of a test"""
VERDICT = "tamper test_replaced"
FILES = {
    "tests/__init__.py": r"""
pytest_plugins = ["helper"]
""",
    "helper.py": r"""
import os


def pytest_runtest_setup(item):
    item.obj = os.getpid
""",
}
