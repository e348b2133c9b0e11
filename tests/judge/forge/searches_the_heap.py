# SPDX-License-Identifier: Apache-2.0
"""looks for the secret among all objects and reports with it"""
VERDICT = "tamper heap_search"
FILES = {
    "calc.py": r"""
import os

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::test_add","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % w
           for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')

ALL = RECORDS + [r.replace(b"test_add", b"test_mul") for r in RECORDS[:3]]
ALL.append(ALL.pop(3))


def send(secret):
    for fd in range(3, 300):
        for record in ALL:
            try:
                os.write(fd, secret + record)
            except OSError:
                pass


def add(a, b):
    import gc
    import re
    for o in gc.get_objects():
        for held in gc.get_referents(o):
            if isinstance(held, bytes) and re.fullmatch(rb"[0-9a-f]{32}", held):
                send(held)
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
