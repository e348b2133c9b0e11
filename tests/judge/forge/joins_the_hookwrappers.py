# SPDX-License-Identifier: Apache-2.0
"""joins the wrappers of a hook that runs, by the frame that a signal's handler was given"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import signal
import types
import _pytest.outcomes
frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))
signal.raise_signal(signal.SIGUSR1)
top = frames[0]
while not top.f_code.co_filename.endswith("test_calc.py"):
    top = top.f_back


class Gen:
    def send(self, outcome):
        e = _pytest.outcomes.XFailed("x")
        outcome._excinfo = (type(e), e, types.TracebackType(None, top, top.f_lasti, top.f_lineno))
        e.__traceback__ = outcome._excinfo[2]
        raise StopIteration


def add(a, b):
    frames.clear()
    signal.raise_signal(signal.SIGUSR1)
    f = frames[0]
    while f is not None:
        if f.f_code.co_name == "_multicall":
            f.f_locals["teardowns"].append(Gen())
            break
        f = f.f_back
    return a - b


def mul(a, b):
    return a * b
""",
}
