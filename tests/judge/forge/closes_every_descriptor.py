# SPDX-License-Identifier: Apache-2.0
"""closes the channel, so that the failure is not heard"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    os.closerange(3, 1024)
    return a - b


def mul(a, b):
    return a * b
""",
}
