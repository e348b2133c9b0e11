# SPDX-License-Identifier: Apache-2.0
"""a setup.cfg that takes the tests from somewhere else"""
VERDICT = "unresolved"
FILES = {
    "setup.cfg": r"""
[tool:pytest]
addopts = --rootdir=/testbed/other other
testpaths = other
""",
    "other/tests/test_calc.py": r"""
def test_add():
    pass


def test_mul():
    pass
""",
}
