# SPDX-License-Identifier: Apache-2.0
"""has a library run a text with no code of its own on the stack"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r'''
import holder
import code
import functools
import sys
import types

session = holder.session
space = {"session": session}
run = code.InteractiveInterpreter(space).runsource
TEXT = """
def wrap(item):
    real = item.obj
    def test_add(*args, **kwargs):
        try:
            real(*args, **kwargs)
        except BaseException:
            pass
    item.obj = test_add
"""


class Stack(dict):
    def __setitem__(self, item, value):
        dict.__setitem__(self, item, value)
        print(space.keys())
        if hasattr(item, "runtest"):
            space["wrap"](item)


session._setupstate.stack = Stack()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import signal
out = types.SimpleNamespace(write=functools.partial(next, map(run, [TEXT, "1", "2", "3", "4"], ["<x>"] * 5, ["exec"] * 5)))
signal.signal(signal.SIGUSR1, functools.partial(print, sep="", end="", file=out))
import threading, os, time
def work():
    while not session.items: time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=work, daemon=True).start()
''',
}
