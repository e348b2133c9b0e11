# SPDX-License-Identifier: Apache-2.0
"""gives an object of unittest a method that compares nothing"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_calc.py::TestClass::test_add", "tests/test_calc.py::test_mul")
FILES = {
    "calc.py": r"""
import sys


def mul(a, b):
    return a * b


hook = [f for f in sys.meta_path if type(f).__name__ == "AssertionRewritingHook"]
config = hook[0].config if hook else None


def session():
    return hook[0].session


def add(a, b):
    it = [i for i in session().items if i.name == 'test_add' and i.cls][0]
    it._testcase._baseAssertEqual = lambda *a, **k: None
    return a - b
""",
}
