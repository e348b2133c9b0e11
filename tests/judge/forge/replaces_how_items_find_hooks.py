# SPDX-License-Identifier: Apache-2.0
"""an attribute of the session by which items find hooks"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import _pytest.assertion.util

seen = []


def add(a, b):
    session = holder.session.config.pluginmanager.getplugin("session")
    first = session.gethookproxy(session.path)

    class Proxy:
        def __getattr__(self, name):
            return getattr(first, name)

        def pytest_runtest_makereport(self, item, call):
            call.excinfo = None
            return first.pytest_runtest_makereport(item=item, call=call)
    session.gethookproxy = lambda path: Proxy()
    return a - b


def mul(a, b):
    return a * b
""",
}
