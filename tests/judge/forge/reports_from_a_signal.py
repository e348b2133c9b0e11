# SPDX-License-Identifier: Apache-2.0
"""has the interpreter call the reporter between two lines of pytest"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import functools
import signal

import _pytest.assertion.util
import _pytest.reports


def add(a, b):
    config = _pytest.assertion.util._config
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "CsbxReporter":
            report = _pytest.reports.TestReport("tests/test_calc.py::test_add", ("", 0, ""), {}, "passed", None, "call", duration=0)
            signal.signal(signal.SIGALRM, functools.partial(lambda f, r, *rest: f(r), plugin.pytest_runtest_logreport, report))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return a - b


def mul(a, b):
    return a * b
""",
}
