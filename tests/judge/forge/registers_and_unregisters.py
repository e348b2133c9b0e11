# SPDX-License-Identifier: Apache-2.0
"""a plugin that is gone before the session ends"""
VERDICT = "tamper report_hook"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util
import pytest


class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        call.excinfo = None
        if call.when == "teardown":
            holder.session.config.pluginmanager.unregister(self)


def add(a, b):
    holder.session.config.pluginmanager.register(Plugin())
    return a - b


def mul(a, b):
    return a * b
""",
}
