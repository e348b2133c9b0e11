# SPDX-License-Identifier: Apache-2.0
"""changes the file that a test is a link to"""
VERDICT = "tamper test_replaced"
REPO = {
    "docs/usage.txt": r"""
>>> from calc import add
>>> add(1, 2)
3
""",
    "tests/test_calc.py": r"""
from calc import mul


def test_mul():
    assert mul(2, 3) == 6
""",
}
LINKS = {"tests/usage.txt": "../docs/usage.txt"}
ARGS = ("--doctest-glob=*.txt",)
LISTS = ("tests/usage.txt::usage.txt", "tests/test_calc.py::test_mul")
FILES = {
    "docs/usage.txt": r"""
>>> from calc import add
>>> add(1, 2)
-1
""",
}
