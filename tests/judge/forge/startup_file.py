# SPDX-License-Identifier: Apache-2.0
"""a sitecustomize.py for every interpreter that starts here"""
VERDICT = "unresolved"
NEEDS = ["--env", "PYTHONPATH=/testbed"]
FILES = {
    "sitecustomize.py": r"""
import os

os._exit(0)
""",
}
