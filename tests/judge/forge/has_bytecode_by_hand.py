# SPDX-License-Identifier: Apache-2.0
"""loads bytecode that no compiler made: such code reads any memory"""
VERDICT = "tamper code_change"
FILES = {
    "calc.py": r"""
import marshal


def template():
    return 1


DATA = marshal.dumps(template.__code__).replace(b"\xe9\x01\x00\x00\x00", b"\xe9\x03\x00\x00\x00")


def add(a, b):
    template.__code__ = marshal.loads(DATA)
    return template()


def mul(a, b):
    return a * b
""",
}
