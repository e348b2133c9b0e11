# SPDX-License-Identifier: Apache-2.0
"""a module in the place of one of the standard library"""
VERDICT = "tamper shadow"
FILES = {
    "tempfile.py": r"""
print("who needs temporary files")
""",
    "calc.py": r"""
import tempfile

def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
