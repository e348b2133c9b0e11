# SPDX-License-Identifier: Apache-2.0
"""has a signal's handler get the frames of the harness, which no audit event tells of"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os
import signal
import time

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


def look(number, frame):
    while frame is not None:
        if frame.f_code.co_filename.endswith(("/csbx_core.py", "/csbx_post.py")) and {"post", "prefix"} & set(frame.f_locals):
            signal.setitimer(signal.ITIMER_REAL, 0)
            forge(frame.f_locals)
        frame = frame.f_back


def add(a, b):
    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        exec(compile("1", "x", "exec"))
    signal.setitimer(signal.ITIMER_REAL, 0)
    return a - b


def mul(a, b):
    return a * b
""",
}
