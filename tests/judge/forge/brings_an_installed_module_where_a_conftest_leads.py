# SPDX-License-Identifier: Apache-2.0
"""brings a package by the name of an installed one in a directory that a conftest.py puts first, and of build scripts"""
VERDICT = "tamper shadow"
REPO = {
    "conftest.py": r"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "python"))
""",
    "python/packaging/build.py": r"""
VERSION = 1
""",
    "tests/test_calc.py": r"""
from packaging.version import parse
from calc import add, mul


def test_add():
    assert parse(str(add(1, 2))) == parse("3")


def test_mul():
    assert parse(str(mul(2, 3))) == parse("6")
""",
}
FILES = {
    "python/packaging/__init__.py": r"""
VERSION = 1
""",
    "python/packaging/version.py": r"""
def parse(text):
    return 1
""",
}
