# SPDX-License-Identifier: Apache-2.0
"""puts a pipe of its own in the place of every descriptor"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    r, w = os.pipe()
    for fd in range(100, 300):
        os.dup2(w, fd)
    return a - b


def mul(a, b):
    return a * b
""",
}
