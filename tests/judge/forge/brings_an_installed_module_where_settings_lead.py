# SPDX-License-Identifier: Apache-2.0
"""brings a package by the name of an installed one where pythonpath has pytest look first"""
VERDICT = "tamper shadow"
REPO = {
    "pytest.ini": r"""
[pytest]
pythonpath = python .
""",
    "python/other.py": r"""
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
