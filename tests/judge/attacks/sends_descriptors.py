# SPDX-License-Identifier: Apache-2.0
"""Sends csbx descriptors along with an answer, as many as go, and bytes out of band."""
import array
import os
import socket


def f(n):
    s = socket.socket(fileno=os.dup(3))
    fds = array.array("i", [0] * 250)
    for _ in range(50):
        try:
            s.sendmsg([b"A" + bytes(15)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)], socket.MSG_DONTWAIT)
            s.send(b"x", socket.MSG_OOB | socket.MSG_DONTWAIT)
        except OSError:
            break
    return n
