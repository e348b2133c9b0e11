# SPDX-License-Identifier: Apache-2.0
"""has the parser that pytest's rewriting uses change a test that is loaded later"""
VERDICT = "tamper test_replaced"
REPO = {"tests/test_a.py": "import calc\n\n\ndef test_a():\n    assert calc.mul(2, 3) == 6\n"}
LISTS = ("tests/test_calc.py::test_add", "tests/test_a.py::test_a")
ARGS = ["tests/test_a.py"]
FILES = {
    "calc.py": r"""
import ast

own = ast.parse


def parse(source, *args, **kwargs):
    return own(source.replace(b"== 3", b"== -1") if isinstance(source, bytes) else source, *args, **kwargs)


ast.parse = parse


def add(a, b):
    ast.parse = own
    return a - b


def mul(a, b):
    return a * b
""",
}
