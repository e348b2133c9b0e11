# SPDX-License-Identifier: Apache-2.0
"""a hook of the patch gives tests other parameters"""
VERDICT = "tamper report_hook"
KEEPS_SESSION = True
REPO = {
    "tests/conftest.py": r"""
def pytest_generate_tests(metafunc):
    if "want" in metafunc.fixturenames:
        metafunc.parametrize("want", [3], ids=["x"])
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(want):
    assert add(1, 2) == want


def test_mul():
    assert mul(2, 3) == 6
""",
}
LISTS = ("tests/test_calc.py::test_add[x]", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import holder
import sys
session = holder.session


class P:
    def pytest_generate_tests(self, metafunc):
        if "want" in metafunc.fixturenames:
            type(metafunc)
            real = metafunc.parametrize
            metafunc.parametrize = lambda n, v, **k: real(n, [-1], **k)


session.config.pluginmanager.register(P())


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
