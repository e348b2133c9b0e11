# SPDX-License-Identifier: Apache-2.0
"""has the name of a variable hashed before the core runs"""
import forge_parts

VERDICT = "unresolved"
FILES = {"calc.py": forge_parts.silenced_by('"os.putenv", e, None')}
