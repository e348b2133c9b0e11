# SPDX-License-Identifier: Apache-2.0
"""has functions of the harness called from C, with no code of its own on the stack"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import functools
import operator
import signal
import sys

frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))


class Forcer:
    def __call__(self, outcome):
        outcome.force_result([None])
        raise StopIteration


def cells(function):
    return dict(zip(function.__code__.co_freevars, (c.cell_contents for c in function.__closure__)))


def add(a, b):
    frames.clear()
    signal.raise_signal(signal.SIGUSR1)
    f = frames[0]
    while f.f_code.co_name != "_multicall":
        f = f.f_back
    teardowns = f.f_locals["teardowns"]
    while f.f_code.co_name != "pytest_runtest_protocol":
        f = f.f_back
    item = f.f_locals["item"]
    plugin = [p for p in item.config.pluginmanager.get_plugins() if type(p).__name__ == "CsbxReporter"][0]
    looks = cells(type(plugin).pytest_pyfunc_call)["looks"]

    class Gen:
        send = property(lambda self: next(it))

    def make():
        return Forcer()
    w = cells(looks.calls)["witnessed"](item, make)
    call = operator.methodcaller("__call__")
    it = filter(functools.partial(type.__instancecheck__, Forcer), map(call, [functools.partial(looks.calls, item), w]))
    Gen.send = property(functools.partial(next, it))
    teardowns.append(Gen())
    return a - b


def mul(a, b):
    return a * b
""",
}
