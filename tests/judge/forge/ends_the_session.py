# SPDX-License-Identifier: Apache-2.0
"""ends the session early by pytest.exit with code 0"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import pytest
    pytest.exit("done", returncode=0)


def mul(a, b):
    return a * b
""",
}
