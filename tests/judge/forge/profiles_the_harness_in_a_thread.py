# SPDX-License-Identifier: Apache-2.0
"""has a thread, which a library gives a profile function, call a function of the harness, and takes the channel from its frame"""
VERDICT = "tamper trace"
FILES = {
    "calc.py": r"""
import os
import pathlib
import threading

import _pytest.assertion.rewrite as rewrite
import _pytest.assertion.util as util

IDS = ("tests/test_calc.py::test_add", "tests/test_calc.py::test_mul")


def speak(send, encode):
    for one in IDS:
        for when in ("setup", "call", "teardown"):
            if (one, when) != (IDS[0], "setup"):
                send(encode({"t": "report", "id": one, "alt": None, "when": when, "outcome": "passed", "xfail": False,
                             "part": False, "ms": 0}))
    send(encode({"t": "finish", "status": 0, "collected": 2, "failed": 0, "session_failed": 0}))
    send(encode({"t": "done", "status": 0, "wall_ms": 9}))
    os._exit(0)


def look(frame, event, arg):
    if event == "call" and frame.f_code.co_name == "_core":
        speak(frame.f_locals["post"].send, frame.f_locals["encode"])


def add(a, b):
    threading.setprofile(look)
    thread = threading.Thread(target=rewrite._rewrite_test, args=(pathlib.Path(__file__), util._config))
    thread.start()
    thread.join()
    return a - b


def mul(a, b):
    return a * b
""",
}
