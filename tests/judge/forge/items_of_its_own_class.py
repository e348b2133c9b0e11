# SPDX-License-Identifier: Apache-2.0
"""has items made of a class of its own, by the frame of the collector"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b

import signal
import sys
frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))


def stack():
    frames.clear()
    signal.raise_signal(signal.SIGUSR1)
    f = frames.pop()
    while f is not None:
        yield f
        f = f.f_back

import pytest


class Function(pytest.Function):
    def runtest(self):
        pass


for f in stack():
    me = f.f_locals.get("self")
    if type(me) is pytest.Module:
        me._genfunctions = lambda name, obj: [Function.from_parent(me, name=name, callobj=obj)]
        break
""",
}
