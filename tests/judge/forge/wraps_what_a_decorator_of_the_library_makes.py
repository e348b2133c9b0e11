# SPDX-License-Identifier: Apache-2.0
"""wraps what a decorator of the library makes of a test in a context manager that swallows"""
import forge_parts

VERDICT = "tamper test_replaced"
REPO = {
    "tests/test_calc.py": r"""
import unittest.mock
from calc import add, mul


@unittest.mock.patch("os.getpid")
def test_sum(getpid):
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_sum", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": forge_parts.SWALLOWS + r"""import unittest.mock

real = unittest.mock.patch


def once(*args, **more):
    unittest.mock.patch = real
    return lambda test: quiet()(real(*args, **more)(test))


unittest.mock.patch = once
""",
}
