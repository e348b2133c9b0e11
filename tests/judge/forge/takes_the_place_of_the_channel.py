# SPDX-License-Identifier: Apache-2.0
"""puts a socket of its own in the channel's place, and reads the secret from what the harness says"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os
import socket
import stat

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


taken = {}


def add(a, b):
    for n in range(199, 260):
        try:
            if not stat.S_ISSOCK(os.fstat(n).st_mode):
                continue
        except OSError:
            continue
        taken["fd"] = os.dup(n)
        own, taken["read"] = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        os.dup2(own.fileno(), n)
    return a - b


def mul(a, b):
    taken["prefix"] = taken["read"].recv(65536)[:32]
    forge(taken)
""",
}
