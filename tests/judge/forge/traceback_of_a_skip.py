# SPDX-License-Identifier: Apache-2.0
"""raises a SkipTest with a traceback that ends in the tests' module"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import signal
import types
import unittest
frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))
signal.raise_signal(signal.SIGUSR1)
f = frames[0]
while not f.f_code.co_filename.endswith("test_calc.py"):
    f = f.f_back
def add(a, b):
    return a + b
def mul(a, b):
    raise unittest.SkipTest("soon").with_traceback(types.TracebackType(None, f, f.f_lasti, f.f_lineno))
""",
}
