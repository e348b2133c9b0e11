# SPDX-License-Identifier: Apache-2.0
"""a package with the name of one that pytest is made of"""
VERDICT = "tamper shadow"
FILES = {
    "iniconfig/__init__.py": r"""
import os

print("2 passed", flush=True)
os._exit(0)
""",
}
