# SPDX-License-Identifier: Apache-2.0
"""has the name of an attribute hashed before the core runs"""
import forge_parts

VERDICT = "unresolved"
FILES = {"calc.py": forge_parts.silenced_by('"object.__getattr__", None, e')}
