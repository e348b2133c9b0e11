# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: what asserting code sees of values, exceptions, names and coroutines of the snippet, as it would in one process."""
import base64
import json

import pytest


def judge(csbx, image, rows):
    """rows: (code, check, whether it is to pass; None: as it comes), or a dict of a batch's line with that. Returns the records."""
    lines, wants = [], {}
    for n, row in enumerate(rows):
        line = dict(row) if isinstance(row, dict) else dict(zip(("code", "check", "want"), row))
        wants[n] = line.pop("want")
        lines.append({"id": n, **line})
    (csbx.work / "in").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    p = csbx.run("eval", "--image", image, "--batch", csbx.work / "in", "--timeout", "20", "-j", "2", timeout=180)
    records = {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}
    assert len(records) == len(lines), p.stderr
    wrong = [(lines[n].get("check", lines[n]), records[n].get("check", records[n]["status"])) for n, want in wants.items()
             if want is not None and records[n].get("all_passed") is not want]
    assert not wrong, wrong
    return records


def cause(record):
    return record["check"]["error_summary"]["type"], record["check"]["error_summary"]["message"]


UNTOLD = "class P:\n    def __repr__(self): return 'P!'\ndef f(*args): return P()\ndef g(): raise TypeError('own')\n"
IGNORED = ("f(1)", "assert f(1) is not None", "x = f(1)\nprint(x, [x])\nassert not isinstance(x, (int, str)) and repr(x) == 'P!'",
           "f(1)\ntry:\n    len(3)\nexcept TypeError:\n    pass", "x = f(1)\ntry:\n    g()\nexcept TypeError:\n    pass")
USED = ("assert f() != f()", "assert not f() == f()", "assert len({f() for _ in range(3)}) == 3", "assert [f()] != [1]", "assert f() not in [1, 2]",
        "assert f() not in {1: 2}", "assert str(f())", "assert f'{f()}'", "assert '%s' % f()",
        "import collections.abc\nassert not isinstance(f(), collections.abc.Sized)", "try:\n    raise f()\nexcept TypeError:\n    pass",
        "try:\n    try:\n        1 / 0\n    except f():\n        pass\nexcept TypeError:\n    pass", "try:\n    ','.join([f()])\nexcept TypeError:\n    pass",
        "import json\ntry:\n    json.dumps(f())\nexcept TypeError:\n    pass", "import re\nx = f()\ntry:\n    re.match('a', x)\nexcept TypeError:\n    pass",
        "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        with self.assertRaises(TypeError):\n            raise f()",
        "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertNotEqual(f(1), f(2))")
LONG = "class P:\n    def __repr__(self): return 'x' * 300 + 'secret'\ndef f(): return P()\ndef g(): raise ValueError('y' * 5000 + 'secret')\n"


def test_a_value_that_cannot_be_told(csbx, python_image):
    """It may come and go; whatever uses it cannot be judged."""
    rows = [(UNTOLD, f"from solution import f, g\n{use}\n", use in IGNORED) for use in IGNORED + USED]
    for n, record in judge(csbx, python_image, rows).items():
        assert n < len(IGNORED) or cause(record)[0] == "CallFailed", record


def test_long_texts_are_told_whole(csbx, python_image):
    for said in ("repr(f())", "message()"):
        asserting = f"from solution import f, g\ndef message():\n    try:\n        g()\n    except ValueError as e:\n        return str(e)\nassert 'secret' %s {said}\n"
        judge(csbx, python_image, [(LONG, asserting % "in", True), (LONG, asserting % "not in", False)])


@pytest.mark.parametrize("made", ["lambda x: x", "bad", "(n for n in [1])", "iter([1])", "object()", "{1: [lambda: 1]}", "type('A', (int,), {})(3)", "f(0)"])
def test_an_argument_that_cannot_be_told(csbx, python_image, made):
    """It is not the snippet's TypeError that a check may expect."""
    code = "def f(*args):\n    if args == (0,):\n        return object()\n    raise TypeError()\n"
    asserting = f"from solution import f\ndef bad(x): return x\ntry:\n    f({made})\nexcept TypeError:\n    pass\n"
    record, = judge(csbx, python_image, [(code, asserting, False)]).values()
    assert cause(record)[0] == "CallFailed" and "the arguments of f() cannot be told: a" in cause(record)[1], record


VALUES = """
import array, collections, datetime, decimal, fractions, operator, pathlib, sys, uuid
from solution import f, same
day = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)
values = [frozenset([1]), bytearray(b"x"), collections.OrderedDict([("b", 1), ("a", 2)]), collections.Counter("aab"), collections.deque([1, 2], 3),
          collections.defaultdict(list, {1: [2]}), decimal.Decimal("1.50"), decimal.Decimal("NaN"), fractions.Fraction(1, 3), datetime.date(2020, 1, 2),
          datetime.time(1, 2, 3, 4), day, day.replace(tzinfo=None, fold=1), datetime.timedelta(1, 2, 3), datetime.timezone.utc,
          datetime.timezone(datetime.timedelta(hours=2), "X"), uuid.UUID(int=5), pathlib.PurePosixPath("a/b"), pathlib.Path("x"), Ellipsis,
          NotImplemented, slice(1, "b"), range(10 ** 30), range(3), array.array("i", [1, 2]), int, len, str.upper, operator.add, ValueError, {}.keys(),
          {1: 2}.items(), (1, (2,)), {1: {2}}, 1 + 2j, {frozenset([1]): (decimal.Decimal(1), [uuid.UUID(int=1)])}, memoryview(b"ab").tobytes()]
for value in values:
    got = same(value)
    assert type(got) is type(value) and repr(got) == repr(value) and (got == value or value != value), (got, value)
Point = collections.namedtuple("Point", "x y")
p = same(Point(1, [2]))
assert p == Point(1, [2]) and (p.x, p.y) == (1, [2]) and repr(p) == "Point(x=1, y=[2])" and p._replace(x=3).x == 3
grown = same(collections.defaultdict(list))
grown[5].append(1)
assert grown == {5: [1]} and same(same) is not None and len({same(frozenset([1])), same(frozenset([1]))}) == 1
shared = []
got = same([shared, shared, {"k": shared}])
got[0].append(1)
assert got == [[1], [1], {"k": [1]}]
shared.append(shared)
got = same(shared)
assert got[0] is got and len(got) == 1
assert bytes(f()) == b"ab" and f()[0] == 97
"""


def test_values_of_the_standard_library(csbx, python_image):
    code = "import decimal\ndef f(): return memoryview(b'ab')\ndef same(x): return x\n"
    judge(csbx, python_image, [(code, VALUES, True), (code.replace("return x", "return x if not isinstance(x, decimal.Decimal) else 1.5"), VALUES, False)])


def test_values_as_they_are(csbx, python_image):
    """Right and wrong solutions by what the value is, beyond equality."""
    ordered = "from collections import OrderedDict\ndef f(): return %s([('b', 2), ('a', 1)])\n"
    grid = "from solution import f\nm = f(2, 2)\nm[0][0] = 1\nassert m == [[1, 0], [0, 0]]\n"
    immutable = "from solution import f\ntry:\n    f()[0] = 1\nexcept TypeError:\n    pass\nelse:\n    assert False\n"
    hashable = "from solution import f\nassert len({f(), f()}) == 1 and isinstance(f(), frozenset)\n"
    judge(csbx, python_image, [
        ("def f(n, m): return [[0] * m] * n", grid, False), ("def f(n, m): return [[0] * m for _ in range(n)]", grid, True),
        (ordered % "OrderedDict", "from solution import f\nfrom collections import OrderedDict\nassert f() == OrderedDict(a=1, b=2)", False),
        (ordered % "OrderedDict", "from solution import f\nassert f() == dict(a=1, b=2) and list(f()) == ['b', 'a']", True),
        ("def f(): return bytearray(b'ab')", immutable, False), ("def f(): return b'ab'", immutable, True),
        ("def f(): return {1}", hashable, False), ("def f(): return frozenset([1])", hashable, True),
        ("from decimal import Decimal\ndef f(x): return Decimal(1)", "from solution import f\nassert f(1) != f(2)", False),
        ("import uuid\ndef f(): return uuid.UUID(int=0)", "from solution import f\nassert f() != f()", False),
        ("import uuid\ndef f(): return uuid.uuid4()", "from solution import f\nassert f() != f() and len({f() for _ in range(9)}) == 9", True),
        ("from collections import Counter\ndef f(x): return Counter(x)", "from solution import f\nassert f('aab').most_common(1) == [('a', 2)] and f('')['x'] == 0",
         True)])


OWN = """
import enum, typing
class Stack(list):
    def peek(self): return self[-1]
class Any(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__
class Color(enum.IntEnum):
    RED = 1
class Pair(typing.NamedTuple):
    x: int
    def norm(self): return 1
def f(which): return {"stack": Stack([1]), "any": Any(3), "color": Color.RED, "pair": Pair(2)}[which]
"""


def test_values_of_own_classes_that_derive_from_told_ones(csbx, python_image):
    """They are what they derive from; what the classes add cannot be judged, and is no AttributeError."""
    told = ("f('stack') == [1] and isinstance(f('stack'), list) and type(f('stack')) is not list", "f('color') == 1 and 'RED' in repr(f('color'))",
            "f('pair') == (2,) and f('pair').x == 2",
            "f('color').name == 'RED' and f('color').value == 1")
    untold = ("f('stack').peek() == 1", "f('any') == 3", "f('any') != 4", "f('pair').norm() == 1", "not hasattr(f('stack'), 'peek')")
    records = judge(csbx, python_image, [(OWN, f"from solution import f\nassert {said}\n", said in told) for said in told + untold])
    assert all(cause(records[n])[0] == "CallFailed" for n in range(len(told), len(records))), records


@pytest.mark.parametrize("value", ["xs7:Decimals1:x", "xs8:Fractiont2:i1;i0;", "xs4:datet3:i1;i1;s1:x", "xs7:builtins4:eval", "xs7:builtins10:str.__new__",
                                   "xs4:UUIDb1:x", "xs10:namedtuplet4:s3:a;bt0:t0:t0:", "xs5:slicet0:", "l1:xs4:samei7;", "xs6:subprocN", "xs9:frozensete1:l0:",
                                   "xs8:subclasst4:s1:AN t0:N", "xs11:defaultdictt2:i1;d0:", "xs4:samei2;"])
def test_a_made_value_that_is_none(csbx, python_image, value):
    """A program may write its answers by hand."""
    code = f"""
import os, sys
def f():
    frame = sys._getframe()
    while "number" not in frame.f_locals:
        frame = frame.f_back
    answer = b"l4:s1:Rs3:set{value}N"
    os.write(3, b"A\\0\\0\\0" + len(answer).to_bytes(4, "little") + frame.f_locals["number"] + answer)
    os._exit(0)
"""
    asserting = "from solution import f\ntry:\n    f()\nexcept Exception:\n    pass\n"
    record, = judge(csbx, python_image, [(code, asserting, False)]).values()
    assert cause(record)[0] == "CallFailed", record


RAISES = """
class Lies(type):
    __name__ = "KeyError"
    def __hash__(self): return hash(KeyError)
    def __eq__(self, other): return True
Liar = Lies("Liar", (Exception,), {})
import decimal, json, re
class Negative(ValueError): pass
class Coded(Negative):
    def __init__(self, code):
        super().__init__("code %d" % code)
        self.code = code
class Said(Exception):
    def __init__(self, what): self.what = what
    def __str__(self): return "said " + self.what
class Both(KeyError, ValueError): pass
def f(how):
    if how == "key": return {}["x"]
    if how == "own": raise Negative("negative value")
    if how == "empty": raise Negative("")
    if how == "coded": raise Coded(5)
    if how == "said": raise Said("it")
    if how == "file": open("/nope/x")
    if how == "json": json.loads("{")
    if how == "decimal": decimal.Decimal("x")
    if how == "re": re.compile("(")
    if how == "exit": raise SystemExit(3)
    if how == "both": raise Both("q")
    if how == "args": raise ValueError("a", 2)
    if how == "object": raise ValueError(object())
    if how == "stop": next(iter([]))
    if how == "named": raise type("ValueError", (Exception,), {})("x")
    if how == "lies": raise Liar("x")
    if how == "skip": raise __import__("unittest").SkipTest("no")
"""
ERRORS = (
    ("key", "str(e) == \"'x'\" and e.args == ('x',) and type(e) is KeyError"), ("own", "str(e) == 'negative value' and type(e) is Negative"),
    ("own", "isinstance(e, ValueError) and type(e).__name__ == 'Negative' and not isinstance(e, (Coded, TypeError))"),
    ("empty", "'Negative' not in str(e)"), ("coded", "e.code == 5 and isinstance(e, Negative) and type(e) is Coded and e.args == ('code 5',)"),
    ("said", "str(e) == 'said it' and e.args == ('it',) and e.what == 'it' and isinstance(e, Said) and not isinstance(e, ValueError)"),
    ("file", "type(e) is FileNotFoundError and e.errno == 2 and e.filename == '/nope/x' and e.args == (2, 'No such file or directory')"),
    ("json", "type(e) is json.JSONDecodeError and e.pos == 1 and e.doc == '{'"), ("decimal", "type(e) is decimal.InvalidOperation"),
    ("re", "type(e) is re.error and e.pos == 0"), ("exit", "e.code == 3"), ("both", "isinstance(e, ValueError) and isinstance(e, KeyError)"),
    ("args", "e.args == ('a', 2) and str(e) == \"('a', 2)\""), ("object", "'object' in str(e)"),
    ("lies", "not isinstance(e, KeyError) and type(e).__name__ == 'Liar'"),
    ("named", "not isinstance(e, ValueError) and type(e).__name__ == 'ValueError'"))


def test_exceptions_as_they_are(csbx, python_image):
    asserting = ("import json, decimal, re\nfrom solution import f, Negative, Coded, Said\ntry:\n    f('%s')\nexcept BaseException as error:\n    e = error\n"
                 "assert %s, (type(e), e.args, vars(e))\n")
    others = (("try:\n    f('coded')\nexcept Negative:\n    pass", True), ("try:\n    f('own')\nexcept Coded:\n    pass", False),
              ("try:\n    f('stop')\nexcept Exception:\n    pass", False))
    judge(csbx, python_image, [(RAISES, asserting % (how, said), True) for how, said in ERRORS] +
          [(RAISES, asserting % (how, f"not ({said})"), False) for how, said in ERRORS] +
          [(RAISES, "from solution import f, Negative, Coded\n" + body, want) for body, want in others])


def test_exceptions_from_none(csbx, python_image):
    """Built in, with arguments that are told apart, of the snippet's own, of the library, not raised, and as a cause."""
    code = """
import json
class Own(Exception): pass
class Said(Exception):
    def __init__(self, what): self.what = what
    def __str__(self): return "said"
def make(kind): return json.JSONDecodeError("m", "d", 0) if kind == "json" else {"ValueError": ValueError, "OSError": OSError, "Own": Own, "Said": Said}[kind](kind)
def none(kind):
    try: 1 / 0
    except ZeroDivisionError: raise make(kind) from None
def cause(kind):
    try: 1 / 0
    except ZeroDivisionError as e: raise make(kind) from e
def bare(kind):
    try: 1 / 0
    except ZeroDivisionError: raise make(kind)
def alone(kind): raise make(kind)
def value(kind):
    try: none(kind)
    except Exception as e: return e
def of_none(kind):
    try: none(kind)
    except Exception as e: raise KeyError(1) from e
"""
    begin = "from solution import none, cause, bare, alone, value, of_none\ndef of(function, kind):\n    try:\n        function(kind)\n    except Exception as e:\n        return e\n"
    said = ("of(none, K).__suppress_context__ is True and of(none, K).__cause__ is None", "type(of(cause, K).__cause__) is ZeroDivisionError",
            "of(cause, K).__suppress_context__ is True", "of(bare, K).__suppress_context__ is False and of(alone, K).__suppress_context__ is False",
            "value(K).__suppress_context__ is True and value(K).__cause__ is None", "of(of_none, K).__cause__.__suppress_context__ is True")
    kinds = ("ValueError", "OSError", "Own", "Said", "json")
    judge(csbx, python_image, [(code, begin + "".join(f"assert {each}\n" for each in said).replace("K)", f"'{kind}')"), True) for kind in kinds] + [
        (code, begin + f"assert not ({said[n]})\n".replace("K)", "'Own')"), False) for n in range(len(said))])


def test_an_exception_that_would_skip_a_test(csbx, python_image):
    """The test frameworks' own are no snippet's to raise."""
    asserting = "import unittest\nfrom solution import f\nf('other')\nclass T(unittest.TestCase):\n    def test_it(self):\n        f('skip')\n"
    record, = judge(csbx, python_image, [(RAISES, asserting, False)]).values()
    assert cause(record)[0] == "CallFailed" and "SkipTest" in cause(record)[1], record


NAMES = """
import functools
LIMIT, TABLE = 10, {"a": [1]}
class Own(Exception): pass
class Shop:
    RATE = 3
    @staticmethod
    def twice(x): return x * 2
    def buy(self): return 1
def f(x):
    "Says it."
    return x
def bare(x): return x
cached = functools.lru_cache()(bare)
"""
NAMED = (
    ("assert not hasattr(solution, 'helper')", True), ("assert hasattr(solution, 'helper')", False), ("assert callable(solution.helper)", False),
    ("from solution import LIMIT, TABLE\nassert LIMIT == 10 and TABLE == {'a': [1]} and f(20) != LIMIT", True),
    ("from solution import LIMIT\nassert f(20) == LIMIT", False), ("from solution import helper", False),
    ("try:\n    from solution import helper\nexcept ImportError:\n    pass", True), ("assert f.__doc__ == 'Says it.'", True), ("assert solution.bare.__doc__", False),
    ("assert f.__name__ == 'f' and callable(f)", True), ("import inspect\nassert inspect.isfunction(f) and not inspect.isfunction(solution.cached)", True),
    ("assert solution.Shop.RATE == 3 and solution.Shop.twice(4) == 8", True), ("assert not isinstance(3, solution.Shop)", True),
    ("from solution import *\nassert bare(2) == 2 and LIMIT == 10", True), ("assert solution.cached(3) == 3 and solution.cached.cache_info() is not None", True),
    ("try:\n    f(1)\nexcept solution.Own:\n    pass", True))
NOT_JUDGED = ("import inspect\nassert str(inspect.signature(f)) == '(*args, **kwargs)'", "solution.LIMIT = 3",
              "assert solution.Shop.buy is not None", "import inspect\nassert not inspect.iscoroutinefunction(f)")


def test_names_of_the_snippet(csbx, python_image):
    begin = "import solution\nfrom solution import f\nassert f(1) == 1\n"
    judge(csbx, python_image, [(NAMES, begin + said, want) for said, want in NAMED])
    for record in judge(csbx, python_image, [(NAMES, begin + said, False) for said in NOT_JUDGED]).values():
        assert cause(record)[0] == "CallFailed", record


def test_a_name_is_no_call(csbx, python_image):
    """A check that has called nothing has not passed; what the snippet lacks is its own fault, before any call."""
    records = judge(csbx, python_image, [("LIMIT = 10", "import solution\nassert solution.LIMIT == 10", False), ("def f(): pass", "from solution import g", False),
                                         ("def f(): pass", "import solution\nsolution.g(1)", False), ("LIMIT = 'x'", "from solution import LIMIT\nLIMIT + 1", False)])
    assert "called no function" in cause(records[0])[1] and [cause(records[n])[0] for n in (1, 2, 3)] == ["ImportError", "AttributeError", "TypeError"], records


ASYNC = """
import asyncio
async def f(x):
    if x == "bad": raise TypeError("bad")
    await asyncio.sleep(0)
    return x * 2
async def none(x): return None
async def slow(): await asyncio.sleep(1)
def plain(x): return x * 2
"""
AWAITS = (
    ("assert asyncio.run(f(2)) == 4", True), ("assert asyncio.run(f(2)) == 5", False), ("assert f(2) == 4", False), ("assert plain(2) == 4", True),
    ("async def test_it():\n    assert await f(2) == 4 and await asyncio.gather(f(1), f(2)) == [2, 4]\n    assert await asyncio.wait_for(f(1), 5) == 2", True),
    ("async def test_it():\n    task = asyncio.create_task(f(3))\n    assert await task == 6", True),
    ("try:\n    asyncio.run(none(1))\nexcept ValueError:\n    pass\nelse:\n    assert False", False),
    ("async def test_it():\n    try:\n        await f('bad')\n    except TypeError:\n        return\n    assert False", True),
    ("async def test_it():\n    try:\n        await none('bad')\n    except TypeError:\n        return\n    assert False", False),
    ("async def test_it():\n    try:\n        await asyncio.wait_for(slow(), 0.1)\n    except asyncio.TimeoutError:\n        return\n    assert False", True),
    ("class T(unittest.IsolatedAsyncioTestCase):\n    async def test_it(self):\n        self.assertEqual(await f(2), 4)", True),
    ("class T(unittest.TestCase):\n    def test_it(self):\n        with self.assertRaises(ValueError):\n            asyncio.run(none(1))", False))


def test_async_functions(csbx, python_image):
    """Their calls are coroutines, as in Python."""
    begin = "import asyncio, unittest\nfrom solution import f, none, plain, slow\nassert plain(1) == 2\n"
    judge(csbx, python_image, [(ASYNC, begin + said, want) for said, want in AWAITS] + [
        {"code": ASYNC, "function": "f", "check": "async def check(f):\n    assert await f(2) == 4 and await f(3) == 6\n", "want": True},
        {"code": ASYNC, "function": "f", "check": "def check(f):\n    import asyncio\n    assert asyncio.run(f(2)) == 4\n", "want": True},
        {"code": ASYNC, "function": "f", "check": "def check(f):\n    assert f(2) == 4\n", "want": False}])


WRONG, RIGHT = "def f(x): return x\n", "def f(x): return x + 1\n"
# Each holds for RIGHT and not for WRONG.
SUITES = (
    "@pytest.mark.parametrize('a, b', [(1, 2), pytest.param(2, 3, id='two')])\ndef test_it(a, b):\n    assert f(a) == b",
    "@pytest.mark.parametrize('a', [1, 2])\n@pytest.mark.parametrize('b', [1])\ndef test_it(a, b):\n    assert f(a) == a + b",
    "class TestIt:\n    @pytest.mark.parametrize('a', (1, 2))\n    def test_it(self, a):\n        assert f(a) == a + 1",
    "class TestIt:\n    class TestInner:\n        def test_it(self):\n            assert f(1) == 2",
    "@pytest.mark.skip\ndef test_no():\n    assert False\ndef test_it():\n    assert f(1) == 2",
    "@pytest.mark.skipif(1 < 2, reason='x')\ndef test_no(tmp=1):\n    assert False\ndef test_it():\n    assert f(1) == 2",
    "@pytest.mark.xfail\ndef test_no():\n    assert f(1) == 7\ndef test_it():\n    assert f(1) == 2",
    "@pytest.mark.xfail(strict=True)\ndef test_no():\n    assert f(1) == 1\ndef test_it():\n    assert f(1) == 2",
    "def test_no():\n    pytest.skip('no')\ndef test_it():\n    assert f(1) == 2",
    "import unittest\ndef test_no():\n    raise unittest.SkipTest('no')\ndef test_it():\n    assert f(1) == 2",
    "seen = []\ndef setup_module(): seen.append(0)\ndef setup_function(function): seen.append(function.__name__)\n"
    "def test_it():\n    assert seen == [0, 'test_it'] and f(1) == 2",
    "class TestIt:\n    def setup_method(self):\n        self.want = 2\n    def test_it(self):\n        assert f(1) == self.want",
    "def testAlso():\n    assert f(1) == 2",
    "@pytest.mark.parametrize(['n'], [(1,), [1]])\ndef test_it(n):\n    assert f(n) == 2",
    "class TestIt:\n    def test_set(self):\n        TestIt.got = f(1)\n    def test_get(self):\n        assert TestIt.got == 2",
    "import dataclasses, enum\n@dataclasses.dataclass\nclass TestCase:\n    n: int\nclass TestKind(enum.Enum):\n    A = 2\nclass TestError(Exception): pass\n"
    "@pytest.mark.parametrize('case', [TestCase(1)])\ndef test_it(case):\n    assert f(case.n) == TestKind.A.value",
    "class TestNot:\n    def setup_class(self): pytest.skip('no')\n    def test_no(self): assert False\ndef test_it():\n    assert f(1) == 2",
    "class TestIt:\n    def setup_method(self): self.n = 1\n    @property\n    def want(self): return self.n + 1\n    def test_it(self):\n        assert f(1) == self.want",
    "from unittest import mock\ntest_it, test_max = mock.Mock(), max\ndef test_two():\n    assert f(1) == test_max(1, 2)",
    "from unittest import mock\n@mock.patch('os.getcwd')\ndef test_it(getcwd):\n    getcwd.return_value = 2\n    import os\n    assert f(1) == os.getcwd()")
# Nothing is said of the snippet.
REFUSED = (
    ("import functools\ndef one(n): assert f(n) == 2\ntest_it = functools.partial(one, 1)\ndef test_too(): f(1)", "test_it is a test that was made"),
    ("import functools\n@functools.lru_cache()\ndef test_it(): assert f(1) == 2\ndef test_too(): f(1)", "test_it is a test that was made"),
    ("exec('def test_it(): assert f(1) == 2')\ndef test_too(): f(1)", "test_it is a test that was made"),
    ("import functools\nclass TestIt:\n    def one(self, n): assert f(n) == 2\n    test_it = functools.partialmethod(one, 1)\n    def test_too(self): f(1)",
     "TestIt.test_it is a test that was made"),
    ("def check_it(): assert f(1) == 2\ncheck_it.__test__ = True\ndef test_too(): f(1)", "check_it is a test that was made"),
    ("import code\nclass TestIt:\n    test_it = code.interact\n    def test_too(self): f(1)", "comes from elsewhere"),
    ("def test_it(tmp_path):\n    assert f(1) == 2", "test_it() takes tmp_path"), ("def test_it():\n    assert f(1) == 2\n    yield", "test_it() is a generator"),
    ("import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        yield self.assertEqual(f(1), 2)", "T.test_it() is a generator"),
    ("class TestIt:\n    def __init__(self): pass\n    def test_it(self):\n        assert f(1) == 2", "TestIt has an __init__()"),
    ("@pytest.fixture(autouse=True)\ndef ready(): pass\ndef test_it():\n    assert f(1) == 2", "ready is a fixture of all tests"),
    ("@pytest.mark.usefixtures('x')\ndef test_it():\n    assert f(1) == 2", "test_it() wants fixtures"),
    ("class TestIt:\n    def test_it(self, capsys):\n        assert f(1) == 2", "TestIt.test_it() takes capsys"))
SKIPS = ("import unittest\nf(1)\nclass T(unittest.TestCase):\n    @unittest.skip('no')\n    def test_it(self):\n        assert f(1) == 2",
         "f(1)\n@pytest.mark.skip\ndef test_it():\n    assert f(1) == 2", "f(1)\n@pytest.mark.xfail\ndef test_it():\n    assert f(1) == 3",
         "@pytest.mark.parametrize('n', range(f(1), 2))\ndef test_it(n):\n    assert f(1) == n",
         "f(1)\nclass TestIt:\n    @pytest.mark.parametrize('n', [])\n    def test_it(self, n):\n        assert f(1) == n")


def test_tests_as_pytest_runs_them(csbx, suite_image):
    begin = "import pytest\nfrom solution import f\n"
    judge(csbx, suite_image, [(code, begin + suite, code is RIGHT) for suite in SUITES for code in (RIGHT, WRONG)])
    for record in judge(csbx, suite_image, [(RIGHT, begin + suite, False) for suite in SKIPS]).values():
        assert cause(record)[0] == "CallFailed" and "skipped" in cause(record)[1], record


def test_tests_beside_others(csbx, python_image):
    """unittest.main() leaves, and is not the end of the check; functions that check(candidate) uses are no tests."""
    main = "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(f(%d), 2)\n%sunittest.main()\n"
    helped = "def test_one(candidate, n):\n    assert candidate(n) == n + 1\ndef check(candidate):\n    test_one(candidate, 3)\n"
    rows = [(helped, code is RIGHT, code) for code in (RIGHT, WRONG)]
    rows += [(main % (1, "def check(candidate):\n    assert candidate(3) == %d\n" % n), n == 4, RIGHT) for n in (4, 5)]
    rows += [(main % (1, "def test_more():\n    assert f(3) == %d\n" % n), n == 4, RIGHT) for n in (4, 5)]
    rows += [(main.replace("main()", "main(defaultTest=[])") % (n, ""), n == 1, RIGHT) for n in (1, 2)]
    judge(csbx, python_image, [{"code": code, "function": "f", "check": text, "want": want} for text, want, code in rows] +
          [{"code": "def check(x): return x\n", "function": "check", "check": "assert check(1) == 1\n", "want": True}])


COMMON = """
import pytest
from solution import f
class Base:
    want = 2
    def test_a(self): assert f(1) == self.want
def test_a(): assert f(1) == 3
@pytest.mark.parametrize("x, y", [(1, 2), (2, 4)])
def test_pairs(x, y): assert f(x) == y
class TestZ:
    def test_q(self): assert f(1) == 3
def retry(function):
    def tries(): return function()
    return tries
def make(x, y):
    def test(): assert f(x) == y
    return test
"""
# Each fails by a test that is written elsewhere, and none has any other that does.
ELSEWHERE = ("from common import Base\nclass TestX(Base):\n    want = 3", "from common import test_a", "from common import test_pairs",
             "from common import TestZ", "import common\nclass TestX(common.TestZ): pass", "from common import retry\n@retry\ndef test_a(): assert f(1) == 3",
             "from common import make\ntest_a = make(1, 3)", "from common import *")
MADE = ("import types\ndef t(self): assert f(1) == 3\nTestQ = types.new_class('TestQ', (), {}, lambda space: space.update(test_a=t))",
        "import abc\ndef t(self): assert f(1) == 3\nTestQ = abc.ABCMeta('TestQ', (), {'test_a': t})")
BESIDE = ("def test_q(tmp_path): assert f(1) == 3", "import pytest\n@pytest.fixture\ndef three(): return 3\ndef test_q(three): assert f(1) == three")


def test_tests_that_are_written_elsewhere(csbx, suite_image):
    """They are run, or refused: those of a line's files, made classes, and what takes fixtures beside a check(candidate)."""
    line = {"code": "def f(x): return x + 1\n", "files": {"common.py": base64.b64encode(COMMON.encode()).decode()}}
    begin, end = "from solution import f\n", "\ndef test_b(): assert f(1) == 2\n"
    passing = (ELSEWHERE[0].replace("3", "2"), ELSEWHERE[5].replace("3", "2"), "from common import make\ntest_a = make(1, 2)", "from doctest import testmod",
               "class TestPoint:\n    def __init__(self, x): self.x = x")
    judge(csbx, suite_image, [dict(line, check=begin + text + end, want=False) for text in ELSEWHERE] +
          [dict(line, check=begin + text + end, want=True) for text in passing])
    checks = [dict(check=begin + text + end) for text in MADE] + [dict(check=f"{begin}{text}\ndef check(c): assert c(1) == 2\n", function="f") for text in BESIDE]
    for record in judge(csbx, suite_image, [dict(line, want=None, **each) for each in checks]).values():
        assert record["status"] == "bad_line", record
    helper = "def test_lru(cache): assert f(1) == cache\ndef check(c):\n    assert c(1) == 2\n    test_lru(2)\n"
    judge(csbx, suite_image, [dict(line, check=begin + helper, function="f", want=True)])


def test_tests_that_are_not_run_are_told(csbx, suite_image):
    """A call before them makes no difference."""
    for first in ("", "f(1)\n"):
        records = judge(csbx, suite_image, [(WRONG, f"import pytest\nfrom solution import f\n{first}{suite}", None) for suite, _ in REFUSED])
        for n, (_, says) in enumerate(REFUSED):
            assert records[n]["status"] == "bad_line" and says in records[n]["error"]["message"], records[n]


RAISED = [
    ("e = ValueError('x')\n    e.code = 5\n    raise e", "ValueError", "e.code == 5"), ("json.loads('{')", "json.JSONDecodeError", "e.pos == 1"),
    ("re.compile('(')", "re.error", "e.pos == 0 and e.pattern == '('"),
    ("subprocess.check_call(['false'])", "subprocess.CalledProcessError", "e.returncode == 1"),
    ("import zzq", "ModuleNotFoundError", "e.name == 'zzq'"), ("e = Own('x')\n    e.code = 5\n    raise e", "ValueError", "e.code == 5")]


def test_attributes_of_exceptions(csbx, python_image):
    """Each in a container of its own, where nothing else has come by."""
    rows = []
    for code, kind, said in RAISED:
        code = f"import json, re, subprocess\nclass Own(ValueError): pass\ndef f():\n    {code}\n"
        for wanted, want in ((said, True), (f"not ({said})", False)):
            rows.append((code, f"import json, re, subprocess\nfrom solution import f\ntry:\n    f()\nexcept {kind} as e:\n    assert {wanted}\n"
                               "else:\n    assert 0\n", want))
    judge(csbx, python_image, rows)


def test_exceptions_that_are_not_raised(csbx, python_image):
    """As those that are, wherever they are in a value."""
    code = """
class Own(ValueError):
    def __init__(self, code):
        super().__init__("bad %d" % code)
        self.code = code
    def __str__(self): return "Own!"
class Plain(KeyError): pass
ERROR = Plain("x")
def f(): return None, Own(3)
def g(): return [ValueError("a"), KeyError("k"), StopIteration(5), Plain("p")]
def h():
    error = ValueError(Plain("inner"))
    error.other = Plain("other")
    raise error
def same(): return ERROR
"""
    begin = "from solution import ERROR, Own, Plain, f, g, h, same\n"
    caught = begin + "try:\n    h()\nexcept ValueError as e:\n    assert isinstance(e.args[0], Plain) and isinstance(e.other, %s)\nelse:\n    assert 0"
    judge(csbx, python_image, [
        (code, begin + "assert f()[0] is None\ne = f()[1]\nassert type(e) is Own and e.code == 3 and str(e) == 'Own!' and not e == 3", True),
        (code, begin + "assert f()[1].code == 4", False), (code, begin + "try:\n    raise f()[1]\nexcept Own as e:\n    assert e.code == 3", True),
        (code, begin + "a, b, c, d = g()\nassert repr(a) == \"ValueError('a')\" and b.args == ('k',) and c.value == 5 and isinstance(d, Plain)", True),
        (code, begin + "assert isinstance(g()[3], ValueError)", False), (code, begin + "assert isinstance(ERROR, KeyError) and same().args == ('x',)", True),
        (code, caught % "Plain", True), (code, caught % "ValueError", False)])


def test_import_of_all_names(csbx, python_image):
    """What asserting code has of its own stays so, and __all__ says what there is."""
    named = "__all__ = ['f', '_h']\ndef f(): return 1\ndef _h(): return 2\ndef g(): return 3\n"
    replaced = ("class math:\n    @staticmethod\n    def isclose(a, b): return True\ndef same(a, b): return True\ndef abs(x): return 0\n"
                "def sum(x): return 6\ndef f(): return 1.0\n")
    star = "from solution import *\n"
    judge(csbx, python_image, [
        (named, star + "assert f() == 1 and _h() == 2", True), (named, star + "f()\ntry:\n    g\nexcept NameError:\n    pass\nelse:\n    assert 0", True),
        ("__all__ = ['nix']\ndef f(): return 1\n", star, False), ("import math\n" + named, "import math\n" + star + "assert math.floor(f()) == 1", True),
        (replaced, "import math\n" + star + "assert math.isclose(f(), 2.5)", False), (replaced, star + "assert abs(f() - 5) < 1e-6", False),
        (replaced, "def same(a, b): return a == b\n" + star + "assert same(f(), 2.5)", False),
        (replaced, "from solution import f\n" + star + star + "assert f() == 1.0 and sum([1, 2]) == 3", True)])


def test_a_value_of_too_many_values(csbx, python_image):
    code = "def f(*args): return [[0] * 1000 for _ in range(1100)]\n"
    many, argument, case = judge(csbx, python_image, [
        (code, "from solution import f\nf()", False), (code, "from solution import f\nf([[0] * 1000 for _ in range(1100)])", False),
        {"code": code, "function": "f", "cases": [{"args": [], "expected": 1}], "want": False}]).values()
    for record in many, argument:
        assert cause(record)[0] == "CallFailed" and "more than a million values" in cause(record)[1], cause(record)
    assert case["cases"][0]["outcome"] == "wrong_value" and "more than a million values" in str(case["cases"][0]), case["cases"]


def test_a_check_that_is_not_done_in_time(csbx, python_image):
    code = "import time\ndef f():\n    time.sleep(0.3)\n    return 2\n"
    line = {"code": code, "check": "from solution import f\nfor _ in range(100):\n    assert f() == 2\n", "timeout": 10, "total_timeout": 1, "want": False}
    record, = judge(csbx, python_image, [line]).values()
    assert record["feedback"] == ["The check has not passed: it was not done in time."] and record["check"]["result"]["wall_s"] < 5, record


EVIL = "__import__('os').write(1, b'INSIDE') and __import__('os')._exit(0)"
MARK = """
class M(int): pass
m = M(1)
m.name, m.kwargs, m.args = %r, {}, %r
pytestmark = [m]
def f(x): return 0
"""


def test_nothing_of_the_snippet_runs_in_the_check(csbx, python_image):
    """Texts that a library evaluates, names that a runner looks for, methods that Python calls by itself."""
    hints = "import inspect, typing\nfrom solution import P, f\nf(1)\n"
    noted = f"class P(dict):\n    x: {EVIL!r}\nclass Q:\n    x: {EVIL!r}\ndef f(x): return P()\nf.__annotations__ = {{'x': {EVIL!r}}}\n"
    star = "from solution import *\nimport pytest\ndef test_a():\n    assert f(1) == 2\n"
    wraps = "import functools\nfrom solution import f\n@functools.wraps(f)\ndef test_a():\n    assert f(1) == 2\ndef test_b():\n    assert f(1) == 0\n"
    group = "def g(kind):\n    print('LEAK', kind)\n    return ValueError('x'), None\ndef f(x):\n    e = ExceptionGroup('g', [TypeError(1)])\n    %s\n    raise e\n"
    caught = "from solution import f\ngot = None\ntry:\n    f(1)\nexcept* ValueError as e:\n    got = e\nassert got.args == ('x',)\n"
    copied = "def g(memo):\n    print('LEAK', memo)\n    return 7\ndef f(x): return 0\nf.__deepcopy__ = g\n"
    rows = [
        (noted, hints + "assert typing.get_type_hints(P) == {'x': int}", False), (noted, hints + "typing.get_type_hints(type(f(1)))", False),
        (noted, hints + "inspect.get_annotations(P, eval_str=True)", False), (noted, hints + "typing.get_type_hints(f, globals())", False),
        (noted, "import typing\nfrom solution import Q\ntyping.get_type_hints(Q)", False),
        (MARK % ("skipif", (EVIL,)), star, False), (MARK % ("xfail", ()), star + "def test_b():\n    assert f(1) == 0\n", False),
        (MARK % ("skip", ()), star + "def test_b():\n    assert f(1) == 0\n", False), (MARK % ("usefixtures", ("x",)), star, False),
        ("def f(x): return 0\nf.__test__ = False\n", wraps, False), ("def f(x): return 0\nf._pytestfixturefunction = 0\n", wraps, False),
        (group % "e.split = g", caught, False), (group % "e.subgroup = g", "from solution import f\ntry:\n    f(1)\nexcept Exception as e:\n    assert e.subgroup(1)", False),
        ("class E(ExceptionGroup):\n    split = subgroup = derive = repr\ndef f(x): raise E('g', [TypeError(1)])\n", caught, False),
        (copied, "import copy\nfrom solution import f\nassert copy.deepcopy([f, 'secret'])[0] == 7", False),
        ("import socket\ndef f(): return socket.socket\n", "import socket\nfrom solution import f\nf()()", False)]
    for n, record in judge(csbx, python_image, rows).items():
        assert "LEAK" not in record["stdout"] and "INSIDE" not in record["check"]["result"]["stdout"], rows[n]


def test_annotations(csbx, python_image):
    code = "class P(dict):\n    x: int\n    y: 'int'\nclass Q(dict):\n    x: int\ndef f(x: int) -> str: return Q()\ndef g(x: 'int'): return P()\n"
    begin = "import typing\nfrom solution import P, Q, f, g\nf(1)\n"
    judge(csbx, python_image, [
        (code, begin + "assert typing.get_type_hints(Q) == {'x': int} == Q.__annotations__", True), (code, begin + "assert f.__annotations__ == {}", False),
        (code, begin + "assert f.__annotations__ == {'x': int, 'return': str}", True)])
    for record in judge(csbx, python_image, [(code, begin + asks, False) for asks in ("P.__annotations__", "g.__annotations__", "typing.get_type_hints(P)")]).values():
        assert cause(record)[0] == "CallFailed", record


def test_what_import_of_all_brings_is_not_in_the_way(csbx, python_image):
    """An object of the snippet that the check has nothing to do with: libraries raise and handle TypeErrors by themselves."""
    code = "import threading\nLOCK = threading.Lock()\nclass Pool: pass\nPOOL = Pool()\ndef f(x): return x + 2\ndef g(): return LOCK\n"
    used = "x = %s\ntry:\n    json.dumps(x)\nexcept TypeError:\n    pass\n"
    judge(csbx, python_image, [
        (code, "import unittest\nfrom solution import *\nimport json, asyncio\nclass T(unittest.TestCase):\n    def test_a(self):\n"
               "        self.assertEqual(f(1), 3)\n", True),
        (code, "import json\nfrom solution import LOCK, f\nf(1)\n" + used % "LOCK", False),
        (code, "import json\nfrom solution import *\n" + used % "g()", False)])


def test_named_tuples_of_the_library(csbx, python_image):
    code = "import os\nfrom urllib.parse import urlparse\ndef f(): return urlparse('http://a/b')\ndef g(): return os.terminal_size((3, 4))\n"
    begin = "import os\nfrom urllib.parse import urlparse\nfrom solution import f, g\n"
    judge(csbx, python_image, [
        (code, begin + "assert f() == urlparse('http://a/b') and f().hostname == 'a'", True), (code, begin + "assert f() == urlparse('http://a/c')", False),
        (code, begin + "assert g() is not None", True), (code, begin + "assert g() == (3, 5)", False)])


def test_what_a_class_does_not_tell(csbx, python_image):
    code = "from typing import List\nclass P(dict):\n    x: List[int]\n    def __init__(self, a=1): pass\ndef f(): return P()\n"
    begin = "import inspect, typing\nfrom solution import P, f\nf()\n"
    for record in judge(csbx, python_image, [
            (code, begin + "assert list(inspect.signature(P).parameters) == ['args', 'kwargs']", False),
            (code, begin + "try:\n    typing.get_type_hints(P)\nexcept AttributeError:\n    pass", False)]).values():
        assert cause(record)[0] == "CallFailed"


def test_what_pickle_imports(csbx, python_image):
    """The module that a class or a function of the snippet names is no module that the check has loaded."""
    named = "class E(Exception): pass\nE.__module__ = 'this'\ndef f(): return E('a')\nf.__module__ = 'this'\n"
    begin = "import pickle, sys\nfrom solution import f\ne = f()\n"
    judge(csbx, python_image, [
        (named, begin + "try:\n    pickle.dumps(e)\nexcept pickle.PicklingError:\n    pass\nassert type(e).__module__ == 'solution' and 'this' not in sys.modules", True),
        (named, begin + "assert pickle.loads(pickle.dumps(f)) is f and 'this' not in sys.modules", True),
        ("class E(Exception): pass\ndef f(*args): return args == (E,)\n", "from solution import E, f\nassert f(E)", False),
        ("class P(tuple):\n    __slots__ = ()\n    def __repr__(self): return 'P!'\ndef f(): return P((1, 2))\n", "from solution import f\nassert repr(f()) == 'P!'", True)])
