# SPDX-License-Identifier: Apache-2.0
"""leaves the harness the last reference to an object; its finalizer raises a signal, whose handler is given the harness's frame"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os
import signal

import _pytest.outcomes

IDS = ("tests/test_calc.py::test_add", "tests/test_calc.py::test_mul")


def look(number, frame):
    while frame is not None:
        if frame.f_code.co_name == "_core":
            speak(frame.f_locals["post"].send, frame.f_locals["encode"])
        frame = frame.f_back


def speak(send, encode):
    for one in IDS:
        for when in ("setup", "call", "teardown"):
            if (one, when) != (IDS[0], "setup"):
                send(encode({"t": "report", "id": one, "alt": None, "when": when, "outcome": "passed", "xfail": False,
                             "part": False, "ms": 0}))
    send(encode({"t": "finish", "status": 0, "collected": 2, "failed": 0, "session_failed": 0}))
    send(encode({"t": "done", "status": 0, "wall_ms": 9}))
    os._exit(0)


class Last:
    def __del__(self):
        signal.signal(signal.SIGUSR1, look)
        signal.raise_signal(signal.SIGUSR1)


def add(a, b):
    vars(_pytest.outcomes)["__doc__"] = Last()
    return a - b


def mul(a, b):
    vars(_pytest.outcomes)["__doc__"] = ""
    return a * b
""",
}
