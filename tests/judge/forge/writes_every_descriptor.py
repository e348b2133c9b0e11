# SPDX-License-Identifier: Apache-2.0
"""writes records of the right form to every descriptor, and ends"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
import os

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::test_add","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % w
           for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')


def add(a, b):
    for fd in range(3, 1024):
        for record in RECORDS:
            for secret in (b"", b"0" * 32):
                try:
                    os.write(fd, secret + record)
                except OSError:
                    pass
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
