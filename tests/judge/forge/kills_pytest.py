# SPDX-License-Identifier: Apache-2.0
"""kills its own process, and the parents of it"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    import signal
    os.kill(os.getpid(), signal.SIGKILL)


def mul(a, b):
    return a * b
""",
}
