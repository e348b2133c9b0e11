# SPDX-License-Identifier: Apache-2.0
"""replaces the function of a test that is collected already"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import _pytest.python

init = _pytest.python.Function.setup


def setup(self):
    self.obj = lambda: None
    init(self)


_pytest.python.Function.setup = setup


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
