# SPDX-License-Identifier: Apache-2.0
"""the same with a list of a class"""
VERDICT = "tamper test_replaced"
LISTS = ("tests/test_f.py::TestF::test_f", None)
REPO = {
    "tests/helper.py": r"""
class Base:
    CASES = [(1, 2, 3)]
""",
    "tests/test_f.py": r"""
import helper
from calc import add


class TestF(helper.Base):
    def test_f(self):
        for a, b, c in self.CASES:
            assert add(a, b) == c
""",
}
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import helper
helper.Base.CASES = []
""",
}
