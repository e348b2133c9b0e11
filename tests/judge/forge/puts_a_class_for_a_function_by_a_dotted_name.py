# SPDX-License-Identifier: Apache-2.0
"""puts a class in the place of a function of a library, which a test calls by a dotted name"""
VERDICT = "tamper library_modified"
LISTS = ("tests/test_f.py::test_f", None)
REPO = {
    "calc.py": r"""
def f():
    return "http://b/"
""",
    "tests/test_f.py": r"""
import urllib.parse

import calc


def test_f():
    assert urllib.parse.urlparse(calc.f()) == urllib.parse.urlparse("http://a/")
""",
}
FILES = {
    "calc.py": r"""
def f():
    return "http://b/"


import urllib.parse
urllib.parse.urlparse = bool
""",
}
