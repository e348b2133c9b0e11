# SPDX-License-Identifier: Apache-2.0
"""a module named pytest"""
VERDICT = "unresolved"
FILES = {
    "pytest.py": r"""
import os


def main(*args, **kw):
    print("2 passed")
    os._exit(0)


def hookimpl(*args, **kw):
    return args[0] if args else lambda f: f


__version__ = "7.2.1"
""",
}
