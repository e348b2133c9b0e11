# SPDX-License-Identifier: Apache-2.0
"""stores into a helper of the tests by a mapping, in a copy of the repository"""
import forge_parts

VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul
from helpers import check


def test_mul():
    assert mul(2, 3) == 6


def test_sum():
    check(add(1, 2), 3)
""",
    "tests/helpers.py": r"""
def check(a, b):
    assert a == b
""",
}
FILES = {
    "calc.py": forge_parts.OVERWRITES + r"""overwrite("tests/helpers.py", b"    assert ", b"    1 or   ")
""",
}
NEEDS = ["--copy-repo"]
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
