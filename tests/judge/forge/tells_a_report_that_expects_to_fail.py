# SPDX-License-Identifier: Apache-2.0
"""has a report that says to those who ask late that a failure was expected"""
import forge_parts

VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": "LATE = 'skipped'\n" + forge_parts.LIES_LATE,
}
