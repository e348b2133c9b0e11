# SPDX-License-Identifier: Apache-2.0
"""has the name of an import hashed before the core runs, beneath its frames"""
import forge_parts

VERDICT = "unresolved"
FILES = {"calc.py": forge_parts.silenced_by('"import", e, None')}
