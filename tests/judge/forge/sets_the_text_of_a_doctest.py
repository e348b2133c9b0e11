# SPDX-License-Identifier: Apache-2.0
"""gives a function of another file another docstring before the doctests are collected"""
VERDICT = "tamper test_replaced"
REPO = {
    "pkg/__init__.py": r"""
from . import more, ops
""",
    "pkg/more.py": r"""
X = 1
""",
    "pkg/ops.py": r"""
def add(a, b):
    '''
    >>> add(1, 2)
    3
    '''
    return a - b
""",
}
LISTS = ("pkg/ops.py::pkg.ops.add", "tests/test_calc.py::test_mul")
ARGS = ["--doctest-modules"]
FILES = {
    "pkg/more.py": r"""
from . import ops
ops.add.__doc__ = '''
    >>> 1
    1
    '''
""",
}
