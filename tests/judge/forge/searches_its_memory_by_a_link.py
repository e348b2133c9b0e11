# SPDX-License-Identifier: Apache-2.0
"""opens its memory by a link, and by a name of bytes"""
VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import os


def add(a, b):
    os.symlink(b"/proc/self/mem", b"/tmp/memory")
    for name in ("/tmp/memory", b"/tmp/memory"):
        with open(name, "rb", buffering=0) as f:
            f.seek(id(f))
            f.read(16)
    return a - b


def mul(a, b):
    return a * b
""",
}
