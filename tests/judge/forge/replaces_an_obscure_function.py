# SPDX-License-Identifier: Apache-2.0
"""replaces a function that no short list has"""
VERDICT = "tamper pytest_modified"
FILES = {
    "calc.py": r"""
import _pytest.fixtures
import _pytest.runner

init = _pytest.runner.CallInfo.__init__


def changed(self, *args, **kw):
    init(self, *args, **kw)
    object.__setattr__(self, "excinfo", None)


_pytest.runner.CallInfo.__init__ = changed


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
