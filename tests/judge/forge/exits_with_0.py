# SPDX-License-Identifier: Apache-2.0
"""ends the process with exit code 0 from inside the test"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
