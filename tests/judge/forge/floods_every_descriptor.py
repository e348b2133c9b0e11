# SPDX-License-Identifier: Apache-2.0
"""floods the channel before the failure is reported"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    for fd in range(200, 210):
        try:
            for i in range(20000):
                os.write(fd, b"x" * 100)
        except OSError:
            pass
    return a - b


def mul(a, b):
    return a * b
""",
}
