# SPDX-License-Identifier: Apache-2.0
"""looks for the secret and the channel in the frames below it"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import os

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::test_add","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % w
           for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')
import json
import sys


def add(a, b):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if callable(value) and getattr(value, "__name__", "") in ("ask", "send"):
                for record in RECORDS:
                    value("send", json.loads(record))
        frame = frame.f_back
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
