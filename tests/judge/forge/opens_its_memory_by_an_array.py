# SPDX-License-Identifier: Apache-2.0
"""opens its memory by an array of bytes"""
import forge_parts

VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import os, sys, types, io, pathlib


def _open():
    return os.open(bytearray(b'/proc/self/mem'), os.O_RDWR)


""" + forge_parts.FLIPS_ASSERTIONS,
}
