# SPDX-License-Identifier: Apache-2.0
"""has a directory of tests look like an environment of Python when a conftest.py is read"""
VERDICT = "tamper test_replaced"
LISTS = ()
REPO = {
    "conftest.py": r"""
import calc
assert calc
""",
    "more/test_other.py": r"""
def test_other():
    pass
""",
}
FILES = {
    "calc.py": r"""
import os

open("tests/pyvenv.cfg", "w").close()
os.makedirs("tests/bin", exist_ok=True)
open("tests/bin/activate", "w").close()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
