# SPDX-License-Identifier: Apache-2.0
"""Answers in atexit, __del__, signal handlers and timers."""
import atexit
import os
import signal


class Last:
    def __del__(self):
        os.write(1, b"TOKEN")


last = Last()
atexit.register(os.write, 3, b"A" + bytes(15))


def f(n):
    signal.signal(signal.SIGALRM, lambda *a: os.write(3, b"E" + bytes(15)))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    for k in range(1, 65):
        try:
            signal.signal(k, lambda *a: None)
        except (OSError, ValueError):
            pass
    return last
