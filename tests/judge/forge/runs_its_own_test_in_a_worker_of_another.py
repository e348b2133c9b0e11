# SPDX-License-Identifier: Apache-2.0
"""--isolate with workers of xdist, which would run a whole file"""
VERDICT = "unresolved"
REPO = {
    "tests/test_calc.py": r"""
import os
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert add(1, 2) == 3 or os.path.exists("/tmp/seen")
""",
}
NEEDS = ["--isolate"]
ARGS = ["-n1"]
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    open("/tmp/seen", "w").close()
    return a * b
""",
}
