# SPDX-License-Identifier: Apache-2.0
"""has a thread of a library change the code of a test"""
VERDICT = "tamper code_change"
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_sum():
    assert add(1, 2) == 3
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import sys
from concurrent.futures import ThreadPoolExecutor


def add(a, b):
    return a - b


def mul(a, b):
    tests = sys.modules["test_calc"]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(setattr, tests.test_sum, "__code__", tests.test_mul.__code__).result()
    return a * b
""",
}
