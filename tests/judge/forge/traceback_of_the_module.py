# SPDX-License-Identifier: Apache-2.0
"""raises an expected failure with a traceback that ends in the tests' module, of a frame that a signal's handler was given"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import signal
import types
import _pytest.outcomes

frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))
signal.raise_signal(signal.SIGUSR1)
f = frames[0]
while not f.f_code.co_filename.endswith("test_calc.py"):
    f = f.f_back


def add(a, b):
    raise _pytest.outcomes.XFailed("soon").with_traceback(types.TracebackType(None, f, f.f_lasti, f.f_lineno))


def mul(a, b):
    return a * b
""",
}
