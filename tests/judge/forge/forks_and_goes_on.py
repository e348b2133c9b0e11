# SPDX-License-Identifier: Apache-2.0
"""lets a fork with the bug repaired go on with the session"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        os._exit(0)
    return a + b


def mul(a, b):
    return a * b
""",
}
