# SPDX-License-Identifier: Apache-2.0
"""the directory that ids are relative to gives a test the id of another"""
VERDICT = "unresolved"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_more():
    assert mul(3, 3) == 9


def test_add():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import _pytest.assertion.util
import pathlib
import sys
config = [h for h in sys.meta_path if hasattr(h, "session")][0].config


class P(pathlib.PosixPath):
    def __truediv__(self, other):
        other = {"tests/test_calc.py::test_more": "tests/test_calc.py::test_add", "tests/test_calc.py::test_add": "x"}.get(other, other)
        return pathlib.Path(config.invocation_params.dir, other)

    def __eq__(self, other):
        return False
    __hash__ = None


config._rootpath = P(config._rootpath)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
