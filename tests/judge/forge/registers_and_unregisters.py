# SPDX-License-Identifier: Apache-2.0
"""a plugin that is gone before the session ends"""
VERDICT = "tamper report_hook"
FILES = {
    "calc.py": r"""
import _pytest.assertion.util
import pytest


class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        call.excinfo = None
        if call.when == "teardown":
            _pytest.assertion.util._config.pluginmanager.unregister(self)


def add(a, b):
    _pytest.assertion.util._config.pluginmanager.register(Plugin())
    return a - b


def mul(a, b):
    return a * b
""",
}
