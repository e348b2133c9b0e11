# SPDX-License-Identifier: Apache-2.0
"""replaces a method by code that claims to be of an installed package"""
VERDICT = "tamper pytest_modified"
FILES = {
    "calc.py": r"""
import os

import _pytest.reports

CODE = "def make(cls, item, call):\n    call.excinfo = None\n    return made(cls, item, call)\n"
scope = {"made": _pytest.reports.TestReport.from_item_and_call.__func__}
exec(compile(CODE, os.path.join(os.path.dirname(_pytest.__file__), "..", "attr", "_make.py"), "exec"), scope)
_pytest.reports.TestReport.from_item_and_call = classmethod(scope["make"])


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
