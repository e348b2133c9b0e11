# SPDX-License-Identifier: Apache-2.0
"""replaces what makes reports where nothing is looked for: in the workers of xdist"""
VERDICT = "tamper unwatched"
NEEDS = ["--strict"]
ARGS = ["-n", "1"]
FILES = {
    "calc.py": r"""
import _pytest.reports

made = _pytest.reports.TestReport.from_item_and_call.__func__


def make(cls, item, call):
    call.excinfo = None
    return made(cls, item, call)


_pytest.reports.TestReport.from_item_and_call = classmethod(make)


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
