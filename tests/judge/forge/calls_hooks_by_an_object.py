# SPDX-License-Identifier: Apache-2.0
"""has an object that is no method call the hooks that run a test and make its report"""
VERDICT = "tamper report_call"
KEEPS_SESSION = True
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "tests/test_f.py": r"""
from calc import add


def test_f():
    assert add(1, 2) == 3
""",
}
FILES = {
    "calc.py": r"""
import holder
import sys

session = holder.session

manager = session.config.pluginmanager


class Caller:
    def __call__(self, name, impls, kwargs, is_first):
        if name == "pytest_pyfunc_call":
            return True
        return manager._inner_hookexec(name, [i for i in impls if "Csbx" not in type(i.plugin).__name__], kwargs, is_first)


for hook in manager.hook.pytest_pyfunc_call, manager.hook.pytest_runtest_makereport:
    hook._hookexec = Caller()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
