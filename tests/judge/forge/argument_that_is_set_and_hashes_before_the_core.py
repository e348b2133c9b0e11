# SPDX-License-Identifier: Apache-2.0
"""has the name of an attribute that is set hashed before the core runs"""
import forge_parts

VERDICT = "unresolved"
FILES = {"calc.py": forge_parts.silenced_by('"object.__setattr__", None, e, None')}
