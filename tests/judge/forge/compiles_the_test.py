# SPDX-License-Identifier: Apache-2.0
"""a compiled file that would be run in the place of a test"""
VERDICT = "tamper test_file"
FILES = {
    "tests/__pycache__/test_calc.cpython-311-pytest-7.2.1.pyc": r"""
not this time
""",
}
