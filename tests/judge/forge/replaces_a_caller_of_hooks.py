# SPDX-License-Identifier: Apache-2.0
"""an object of its own in the place of what calls a hook"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util


def item(name):
    session = holder.session.config.pluginmanager.getplugin("session")
    return [i for i in session.items if i.name.startswith(name)][0]


class Caller:
    def __init__(self, first):
        self.first = first

    def __getattr__(self, name):
        return getattr(self.first, name)

    def __call__(self, **words):
        words["call"].excinfo = None
        return self.first(**words)


def add(a, b):
    hook = item("test_add").config.hook
    hook = getattr(hook, "_hook_relay", None) or item("test_add").config.pluginmanager.hook
    hook.pytest_runtest_makereport = Caller(hook.pytest_runtest_makereport)
    return a - b


def mul(a, b):
    return a * b
""",
}
