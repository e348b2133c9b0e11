# SPDX-License-Identifier: Apache-2.0
"""has the harness make text of a path, and looks for the secret meanwhile"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os
import sys

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::%s","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % (n, w)
           for n in (b"test_add", b"test_mul") for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')


def forge(space):
    for record in RECORDS:
        if "post" in space:
            space["post"].send(record)
        else:
            os.write(space["fd"], space["prefix"] + record)
    os._exit(0)


def look_around():
    frame = sys._getframe(1)
    while frame is not None:
        if "post" in frame.f_locals or "prefix" in frame.f_locals:
            forge(frame.f_locals)
        frame = frame.f_back


class Path(str):
    def __str__(self):
        look_around()
        return "x"


def add(a, b):
    open(Path("/dev/null"))
    return a - b


def mul(a, b):
    return a * b
""",
}
