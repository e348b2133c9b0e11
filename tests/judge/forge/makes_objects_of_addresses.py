# SPDX-License-Identifier: Apache-2.0
"""makes an object of an address by the private part of ctypes"""
VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import _ctypes

known = _ctypes.PyObj_FromPtr(id(_ctypes))


def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
