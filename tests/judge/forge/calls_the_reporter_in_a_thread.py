# SPDX-License-Identifier: Apache-2.0
"""hands the plugin a report from a thread without code of its own on the stack"""
VERDICT = "tamper pytest_modified"
FILES = {
    "calc.py": r"""
import threading

import _pytest.python
import _pytest.reports


def runtest(self):
    for plugin in self.config.pluginmanager.get_plugins():
        hook = getattr(plugin, "pytest_runtest_logreport", None)
        if hook:
            report = _pytest.reports.TestReport(self.nodeid, self.location, {}, "passed", None, "call")
            thread = threading.Thread(target=hook, kwargs={"report": report})
            thread.start()
            thread.join()
    assert "mul" in self.nodeid


_pytest.python.Function.runtest = runtest


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
