# SPDX-License-Identifier: Apache-2.0
"""gives a test of unittest a list of failures that nothing can be added to"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ("tests/test_calc.py::TestClass::test_add", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import holder


def item(name):
    import _pytest.assertion.util
    session = holder.session.config.pluginmanager.get_plugin("session")
    return [i for i in session.items if i.name == name][0]


class Failures(list):
    def append(self, failure):
        pass


def add(a, b):
    import os
    import _pytest.assertion.util
    session = holder.session.config.pluginmanager.get_plugin("session")
    for test in session.items:
        if test.nodeid == os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]:
            test._excinfo = Failures()
    return a - b


def mul(a, b):
    return a * b
""",
}
