# SPDX-License-Identifier: Apache-2.0
"""likewise, of a package's tests, which import it by a dot"""
VERDICT = "tamper test_replaced"
REPO = {
    "tests/__init__.py": r"""""",
    "tests/test_calc.py": r"""
from calc import add, mul
from .helper import same


def test_add():
    same(add(1, 2), 3)


def test_mul():
    same(mul(2, 3), 6)
""",
    "tests/helper.py": r"""
def same(a, b):
    assert a == b
""",
}
FILES = {
    "calc.py": r"""
import sys
import types

fake = types.ModuleType("tests.helper")
fake.same = lambda a, b: None
sys.modules["tests.helper"] = fake


class Mul:
    def __call__(self, a, b):
        return a * b

    def __getattr__(self, name):  # pytest asks for attributes when it collects
        if sys.modules.get("tests.helper") is fake:
            del sys.modules["tests.helper"]
            import tests.helper  # noqa: F401
        raise AttributeError(name)


def add(a, b):
    return a - b


mul = Mul()
""",
}
