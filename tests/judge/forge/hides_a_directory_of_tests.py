# SPDX-License-Identifier: Apache-2.0
"""has a directory of tests look like an environment of Python, which pytest does not enter"""
VERDICT = "tamper test_replaced"
LISTS = ()
REPO = {
    "more/test_other.py": r"""
def test_other():
    pass
""",
}
FILES = {
    "tests/bin/activate": "x\n",
}
