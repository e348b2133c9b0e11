# SPDX-License-Identifier: Apache-2.0
"""a package and a compiled module that an interpreter imports when it starts"""
VERDICT = "tamper startup"
FILES = {
    "usercustomize/__init__.py": r"""
import builtins
builtins.marked = True
""",
}
