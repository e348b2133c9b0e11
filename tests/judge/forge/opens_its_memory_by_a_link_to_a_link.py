# SPDX-License-Identifier: Apache-2.0
"""opens its memory by a link to a link beside it, which another program has made"""
import forge_parts

VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import os, subprocess, sys, types, io, pathlib


def _open():
    os.makedirs('/tmp/d', exist_ok=True)
    subprocess.call(['ln', '-sf', '/proc/self/mem', '/tmp/d/x'])
    subprocess.call(['ln', '-sf', 'x', '/tmp/d/y'])
    return os.open('/tmp/d/y', os.O_RDWR)


""" + forge_parts.FLIPS_ASSERTIONS,
}
