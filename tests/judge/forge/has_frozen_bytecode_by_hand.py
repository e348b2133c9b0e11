# SPDX-License-Identifier: Apache-2.0
"""has the importer of frozen modules load bytecode that no compiler made: such code reads any memory"""
VERDICT = "tamper code_change"
FILES = {
    "calc.py": r"""
import _imp
import marshal


def template():
    return 1


DATA = marshal.dumps(template.__code__)


def add(a, b):
    template.__code__ = _imp.get_frozen_object("template", DATA)
    return a + b


def mul(a, b):
    return a * b
""",
}
