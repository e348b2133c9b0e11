# SPDX-License-Identifier: Apache-2.0
"""empties the list of failures of a test of unittest, behind the failure"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
LISTS = ("tests/test_calc.py::TestClass::test_add", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import holder
import sys


def mul(a, b):
    return a * b


config = holder.session.config


def session():
    return holder.session


def add(a, b):
    it = [i for i in session().items if i.name == 'test_add' and i.cls][0]
    it._testcase.addCleanup(lambda: it._excinfo.clear())
    return a - b
""",
}
