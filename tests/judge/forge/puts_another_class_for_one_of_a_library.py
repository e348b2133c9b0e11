# SPDX-License-Identifier: Apache-2.0
"""puts a class of a library in the place of another"""
VERDICT = "tamper library_modified"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "calc.py": r"""
def f():
    return __import__("datetime").datetime(2020, 1, 2)
""",
    "tests/test_f.py": r"""
import datetime
import calc


def test_f():
    assert calc.f() == datetime.date(2020, 1, 2)
""",
}
FILES = {
    "calc.py": r"""
def f():
    return __import__("datetime").datetime(2020, 1, 2)


import datetime
datetime.date = datetime.datetime
""",
}
