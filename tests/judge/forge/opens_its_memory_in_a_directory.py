# SPDX-License-Identifier: Apache-2.0
"""opens its memory by a name in a directory, which another program has made"""
import forge_parts

VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import os, subprocess, sys, types, io, pathlib


def _open():
    os.makedirs('/tmp/d', exist_ok=True)
    subprocess.call(['ln', '-sf', '/proc/self/mem', '/tmp/d/x'])
    there = os.open('/tmp/d', os.O_RDONLY)
    return os.open('x', os.O_RDWR, dir_fd=there)


""" + forge_parts.FLIPS_ASSERTIONS,
}
