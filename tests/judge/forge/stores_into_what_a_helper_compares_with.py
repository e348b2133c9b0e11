# SPDX-License-Identifier: Apache-2.0
"""stores into what a helper of the tests compares with by a mapping, in a copy of the repository"""
import forge_parts

VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul
from helpers import LIMIT, check


def test_mul():
    assert mul(2, 3) == 6


def test_sum():
    check(add(1, 2))
""",
    "tests/helpers.py": r"""
LIMIT = 3


def check(a):
    assert a == LIMIT
""",
}
FILES = {
    "calc.py": forge_parts.OVERWRITES + r"""overwrite("tests/helpers.py", b"LIMIT = 3", b"LIMIT =-1")
""",
}
NEEDS = ["--copy-repo"]
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
