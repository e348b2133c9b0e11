# SPDX-License-Identifier: Apache-2.0
"""replaces the running of tests for one test and puts it back"""
VERDICT = "tamper pytest_modified"
FILES = {
    "calc.py": r"""
import _pytest.python

run = _pytest.python.Function.runtest


def runtest(self):
    try:
        run(self)
    except AssertionError:
        pass


_pytest.python.Function.runtest = runtest


def add(a, b):
    return a - b


def mul(a, b):
    import _pytest.python
    _pytest.python.Function.runtest = run
    return a * b
""",
}
