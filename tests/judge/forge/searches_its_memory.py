# SPDX-License-Identifier: Apache-2.0
"""reads the secret from its own memory file"""
VERDICT = "tamper memory"
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
    import re
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            first, last = (int(x, 16) for x in line.split()[0].split("-"))
            if "rw" not in line or last - first > 1 << 26:
                continue
            try:
                memory.seek(first)
                data = memory.read(last - first)
            except (OSError, ValueError):
                continue
            for m in set(re.findall(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", data)):
                send(m)
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
