# SPDX-License-Identifier: Apache-2.0
"""a function of the library becomes the hook that calls tests"""
VERDICT = "tamper report_hook"
KEEPS_SESSION = True
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util
import getpass
import os


class P:
    pass


os.environ["USER"] = "x"


def add(a, b):
    return a - b


def mul(a, b):
    p = P()
    p.pytest_pyfunc_call = getpass.getuser
    s = holder.session.config.pluginmanager.register(p)
    return a * b
""",
}
