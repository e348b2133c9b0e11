# SPDX-License-Identifier: Apache-2.0
"""swallows what a test raises, and has a report that says another thing to those who ask late"""
import forge_parts

VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": "LATE = 'passed'\n" + forge_parts.LIES_LATE,
}
