# SPDX-License-Identifier: Apache-2.0
"""Honest code that does things in its own way passes, and code that is wrong in a way hard to see does not."""
import json
import os
import subprocess
import sys

import pytest

DEEP = "def f(n):\n    x = []\n    for _ in range(n): x = [x]\n    return x\n"
OWN_EQUALITY = """
class S(str):
    def __eq__(self, other): return self is other
    __hash__ = object.__hash__
def f(nan): return {float("nan"), float("nan")} if nan else {S("a"), S("a")}
"""
TYPES = """
import collections, enum, fractions
P = collections.namedtuple("P", "x")
class C(enum.IntEnum):
    A = 1
dict_class = type("dict", (), {})
def f(text): return eval(text)
"""
LEAVES_A_PROCESS = """
import os, time
def f(x):
    if not os.fork():
        os.setsid()
        time.sleep(600)
    return x
"""


def of(expected_type, text, passes=True):
    return {"args": [text], "expected_type": expected_type}, passes


# name, code, function, (case, whether it passes)...
CASES = [
    ("an exception's own class", "import json\nclass E(KeyError): pass\nclass E2(E): pass\ndef f(s):\n    if s == 'own': raise E2(s)\n"
     "    return json.loads(s)\n", "f", ({"args": ["{"], "expected_exception": "ValueError"}, True),
     ({"args": ["{"], "expected_exception": "JSONDecodeError"}, True), ({"args": ["own"], "expected_exception": "LookupError"}, True),
     ({"args": ["own"], "expected_exception": "ValueError"}, False), ({"args": ["own"], "expected_exception": "Exception"}, True)),
    ("one that claims to be all", "class X(ValueError, KeyError, OverflowError): pass\nclass KeyError(X): pass\ndef f(kind): raise kind and KeyError or X",
     "f", ({"args": [0], "expected_exception": "KeyError"}, False), ({"args": [0], "expected_exception": "OverflowError"}, False),
     ({"args": [1], "expected_exception": "ValueError"}, False)),
    ("a function of C", "f = {1: 2}.__getitem__", "f", ({"args": [1], "expected": 2}, True), ({"args": [5], "expected_exception": "KeyError"}, True)),
    ("no function", "f = 5", "f", ({"args": [1], "expected_exception": "TypeError"}, False), ({"expected_exception": "LookupError"}, False)),
    ("no such function", "pass", "f", ({"expected_exception": "NameError"}, False), ({"expected_exception": "LookupError"}, False)),
    ("no such method", "class S: pass", "S.f", ({"expected_exception": "AttributeError"}, False), ({"expected_exception": "Exception"}, False)),
    ("no instance", "class S:\n    def __init__(self, x): pass\n    def f(self): raise TypeError", "S.f",
     ({"expected_exception": "TypeError"}, False)),
    ("a method behind a cache", "from functools import lru_cache\nclass S:\n    @lru_cache(None)\n    def f(self, n):\n"
     "        return n if n < 2 else self.f(n - 1) + self.f(n - 2)\n", "S.f", ({"args": [10], "expected": 55}, True)),
    ("a method of a base", "class B:\n    def f(self, n): return n\nclass S(B): pass", "S.f", ({"args": [1], "expected": 1}, True)),
    ("a static method", "class S:\n    def __init__(self, x): pass\n    @staticmethod\n    def f(n): return n", "S.f", ({"args": [1], "expected": 1}, True)),
    ("a class method", "class S:\n    @classmethod\n    def f(cls, n): return cls.__name__ * n", "S.f", ({"args": [2], "expected": "SS"}, True)),
    ("a class within a class", "class S:\n    class T:\n        def f(self): return 1", "S.T.f", ({"expected": 1}, True)),
    ("a coroutine", "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    if x: raise ValueError\n    return x\n", "f",
     ({"args": [0], "expected": 0}, True), ({"args": [1], "expected_exception": "ValueError"}, True), ({"args": [0], "expected": 1}, False)),
    ("large numbers", "def f(n): return n + 1", "f", ({"args": [10 ** 4300], "expected": 10 ** 4300 + 1}, True),
     ({"args": [10 ** 30000], "expected": 10 ** 30000}, False)),
    ("the limit of digits", "def f(n): return len(str(10 ** n))", "f", ({"args": [5000], "expected_exception": "ValueError"}, True)),
    ("an answer of many digits", "def f(n): return 10 ** n", "f", ({"args": [120000], "expected_type": "int"}, True)),
    ("equal by its own rules", OWN_EQUALITY, "f", ({"args": [0]}, True), ({"args": [1], "expected_type": "set"}, True),
     ({"args": [0], "expected": {"$set": ["a"]}}, False), ({"args": [0], "expected": ["a"], "compare": "set"}, False)),
    ("too deep to be told", DEEP, "f", ({"args": [50]}, True), ({"args": [150]}, True), ({"args": [100000], "expected_type": "list"}, True),
     ({"args": [150], "expected_type": "dict"}, False), ({"args": [150], "expected": []}, False),
     ({"args": [150], "expected_exception": "ValueError"}, False), ({"args": [150], "expected": "", "compare": "stdout"}, True)),
    ("names of types", TYPES, "f", of("OrderedDict", "collections.OrderedDict()"), of("dict", "collections.OrderedDict()"),
     of("frozenset", "frozenset()"), of("bytearray", "bytearray()"), of("P", "P(1)"), of("tuple", "P(1)"), of("C", "C.A"), of("int", "C.A"),
     of("int", "True", False), of("dict", "dict_class()", False), of("set", "frozenset()"), of("Fraction", "fractions.Fraction(1)")),
    ("much is printed", "import os\ndef f(n, tail=''): print('x' * n, end=tail)", "f",
     ({"args": [2000000], "expected": "x" * 1048576, "compare": "stdout"}, False),
     ({"args": [2000000], "expected": "x" * 2000000, "compare": "stdout"}, True),
     ({"args": [9000000], "expected": "x" * 7000000, "compare": "stdout"}, False)),
    ("bytes are printed", "import os\ndef f(): os.write(1, b'\\xff')", "f", ({"expected": {"$bytes": "/w=="}, "compare": "stdout"}, True),
     ({"expected": "\ufffd", "compare": "stdout"}, False)),
    ("a process is left", LEAVES_A_PROCESS, "f", ({"args": [1], "expected": 1}, True), ({"args": [2], "expected": 2}, True)),
    ("a program that leaves", "import sys\nn = int(input())\nprint(n)\nif n < 3: sys.exit(n)\nexit()", None, ({"stdin": "0", "expected": "0"}, True),
     ({"stdin": "5", "expected": "5"}, True), ({"stdin": "5", "expected": "6"}, False), ({"stdin": "1", "expected": "1"}, False)),
]


@pytest.fixture(autouse=True)
def digits():
    """Numbers of many digits, here too."""
    limit = getattr(sys, "get_int_max_str_digits", int)()
    set_limit = getattr(sys, "set_int_max_str_digits", bool)
    set_limit(0)
    yield
    set_limit(limit)


@pytest.fixture
def records(csbx, python_image):
    """records(lines, options...) -> result objects by id, of one batch."""
    def run(lines, *options):
        (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
        p = csbx.run("eval", "--image", python_image, "-j", "2", "--timeout", "60", *options, "--batch", csbx.work / "in", timeout=600)
        assert p.returncode == 0 and p.stderr == "", p.stderr
        return {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}
    return run


def test_cases(records):
    done = records([{"id": name, "code": code, "function": function, "cases": [c for c, _ in cases]} for name, code, function, *cases in CASES])
    got = {name: [c["passed"] for c in done[name]["cases"]] for name, *_ in CASES}
    assert got == {name: [passes for _, passes in cases] for name, _, _, *cases in CASES}, \
        {name: [c["detail"] for c in done[name]["cases"]] for name in got}
    assert done["a process is left"]["wall_s"] < 60
    assert done["no function"]["cases"][0]["detail"] == "f is no function, but of type int"


WANTS_AN_EXCEPTION = """
from solution import f
try:
    f(1)
except Exception:
    pass
else:
    raise AssertionError
"""
CHECKS = [
    ("another class of exception", "import json\nclass E(OSError): pass\ndef f(s):\n    if not s: raise E('x')\n    return json.loads(s)\n",
     "from solution import f\nfor text, kind in (('{', ValueError), ('', OSError)):\n    try:\n        f(text)\n    except kind:\n        pass\n"
     "    else:\n        raise AssertionError\n", True),
    ("an end of iteration", "def f(x): raise StopIteration", "from solution import f\nassert all(map(lambda x: f(x) == x, [1, 2]))", False),
    ("nothing is called", "def f(): return 1", "assert True", False),
    ("nothing is called, and it loads slowly", "import time\ntime.sleep(2)\ndef f(): return 1", "assert True", False),
    ("the snippet does not load", "1 / 0", "import solution", False),
    ("nobody waits for a snippet that does not load", "import time\ntime.sleep(2)\n1 / 0", "assert True", False),
    ("raises as it should", "def f(n): raise ValueError(n)", WANTS_AN_EXCEPTION, True),
    ("there is no such function", "def g(n): raise ValueError(n)", WANTS_AN_EXCEPTION, False),
    ("it does not load", "1/0", WANTS_AN_EXCEPTION, False),
    ("a class of tests", "def f(): return 2", "from solution import f\nclass TestF:\n    def setup_method(self): self.x = 1\n"
     "    def test_one(self):\n        assert f() == self.x\n", False),
    ("a class of tests that pass", "def f(): return 1", "from solution import f\nclass TestF:\n    def setup_method(self): self.x = 1\n"
     "    def test_one(self):\n        assert f() == self.x\n", True),
    ("unittest", "def f(): return 2", "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(f(), 1)\n", False),
    ("unittest.main", "def f(): return 1", "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(f(), 1)\n"
     "if __name__ == '__main__':\n    unittest.main()\n", True),
    ("unittest.main that fails", "def f(): return 2", "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n"
     "    def test(self): self.assertEqual(f(), 1)\nif __name__ == '__main__':\n    unittest.main()\n", False),
    ("asynchronous tests", "async def f(): return 2", "from solution import f\nasync def test_f():\n    assert f() == 1\n", False),
    ("large numbers", "def f(n): return n + 1", "from solution import f\nassert f(10 ** 4300) == 10 ** 4300 + 1", True),
]


def test_checks(records):
    done = records([{"id": name, "code": code, "check": check} for name, code, check, _ in CHECKS])
    assert {n: done[n]["check"]["passed"] for n, *_ in CHECKS} == {n: passes for n, _, _, passes in CHECKS}, \
        {n: done[n]["feedback"] for n, *_ in CHECKS}
    assert done["unittest"]["feedback"] == ["The check failed: AssertionError: 2 != 1."]
    for name in "nothing is called", "nothing is called, and it loads slowly":
        assert done[name]["feedback"][0].startswith("The check has not passed: it called no function of the snippet (it imports them from ")
    assert "ZeroDivisionError" in done["nobody waits for a snippet that does not load"]["feedback"][0]


# name, code, what the program prints, whether it completes
SCRIPTS = [
    ("closed descriptors", "import os\nos.closerange(3, 300)\nprint('x')", "x\n", False),
    ("another file in its place", "import atexit, os\nos.closerange(3, 300)\nfd = os.open('out', os.O_RDWR | os.O_CREAT)\nassert fd == 3\n"
     "atexit.register(lambda: print(open('out', 'rb').read()))", "b''\n", False),
    ("carriage returns", "def f():\r\n    return 1\r\nprint(f())\r\n", "1\n", True),
    ("a byte order mark and form feeds", "\ufeff\x0cdef f():\n\x0c    return 1\nprint(f())\n\x0c", "1\n", True),
    ("another encoding", "# coding: latin-1\nprint(len('é'))", "2\n", True),
    ("ten megabytes", "x = '" + "a" * 10_000_000 + "'\nprint(len(x))", "10000000\n", True),
]
LINTED = [
    ("a long sum", "print(len(" + " + ".join(["'a'"] * 1200) + "))", "exited"),
    ("many branches", "x = 5\nif x == 0: pass\n" + "".join(f"elif x == {i}: pass\n" for i in range(1, 600)), "exited"),
    ("no source", "print(1)\0", "exited"),
    ("what is looked for", "x = (" + " + ".join(["'a'"] * 1200) + " + exec('1'))", "policy_violation"),
]


def test_scripts(records):
    done = records([{"id": n, "code": code} for n, code, *_ in SCRIPTS])
    for name, _, prints, completes in SCRIPTS:
        r = done[name]
        assert (r["stdout"], r["stderr"], r["exit_code"], r["completed"]) == (prints, "", 0, completes), (name, r["stderr"], r["feedback"])
    done = records([{"id": n, "code": code} for n, code, _ in LINTED], "--deny-call", "exec")
    assert {n: done[n]["status"] for n, *_ in LINTED} == {n: status for n, _, status in LINTED}


def test_what_answers_take_is_given_back(csbx, python_image):
    """A case's value is gone from csbx's own memory when it is judged: each of these is 25 MB there."""
    (csbx.work / "cases").write_text(json.dumps([{"args": [i]} for i in range(16)]), encoding="utf-8")
    (csbx.work / "snippet").write_text("def f(i): return [None] * 1000000", encoding="utf-8")
    p = csbx.popen("eval", "--image", python_image, "--json=result", "--timeout", "60", "--function", "f", "--cases", csbx.work / "cases",
                   csbx.work / "snippet", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    assert p.returncode == 0 and json.loads((csbx.work / "result").read_text(encoding="utf-8"))["all_passed"]
    assert usage.ru_maxrss < 250 << 10
