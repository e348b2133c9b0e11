# SPDX-License-Identifier: Apache-2.0
"""Turns the channel's options, shuts it down by halves, and fills it without reading."""
import os
import socket


def f(n):
    s = socket.socket(fileno=os.dup(3))
    for level in (socket.SOL_SOCKET,):
        for name in range(1, 80):
            try:
                s.setsockopt(level, name, 1)
            except OSError:
                pass
    s.setblocking(False)
    try:
        while n % 2:
            s.send(b"\0" * 65536)
    except OSError:
        pass
    s.shutdown(n % 3)
    return n
