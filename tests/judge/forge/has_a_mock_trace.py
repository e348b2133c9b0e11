# SPDX-License-Identifier: Apache-2.0
"""has a mock of the library set a trace function, and looks for the secret in what it sees"""
VERDICT = "tamper trace"
FILES = {
    "calc.py": r"""
import functools
import os
import sys
from unittest.mock import Mock

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


def trace(frame, event, arg):
    if "post" in frame.f_locals or "prefix" in frame.f_locals:
        sys.settrace(None)
        forge(frame.f_locals)


class Truth:
    __bool__ = Mock(side_effect=functools.partial(sys.settrace, trace))


class Answer:
    def __eq__(self, other):
        return Truth()


def add(a, b):
    return Answer()


def mul(a, b):
    return a * b
""",
}
