# SPDX-License-Identifier: Apache-2.0
"""has the tests' directory hold a module that the repository has in its own: pytest imports from there first"""
VERDICT = "tamper shadow"
FILES = {
    "tests/calc.py": r"""
from operator import add, mul
""",
}
