# SPDX-License-Identifier: Apache-2.0
"""has the hooks of the harness, and the one that calls tests, left out as those of a conftest.py that is elsewhere"""
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
import _pytest.python

manager = session.config.pluginmanager


class Fake:
    def __init__(self, plugin, *names):
        self.plugin = plugin
        self.__dict__.update(dict.fromkeys(names))

    def __hash__(self):
        return hash(self.plugin)

    def __eq__(self, other):
        return other is self.plugin


harness = [p for p in manager.get_plugins() if "Csbx" in type(p).__name__][0]
manager._conftest_plugins.add(Fake(harness, "pytest_runtest_makereport", "pytest_runtest_call", "pytest_pyfunc_call"))
manager._conftest_plugins.add(Fake(_pytest.python, "pytest_pyfunc_call"))


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
