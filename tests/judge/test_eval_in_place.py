# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: what a function does to its arguments, as asserting code sees it: as in one process, where the call returned None."""
import sys
import types

import pytest
from test_eval_told import cause, judge
from test_eval_told_by_hand import WRITE

CODE = """
import collections, array, decimal
def reverse(x): x.reverse()
def move_zeroes(nums):
    at = 0
    for n in nums:
        if n:
            nums[at], at = n, at + 1
    nums[at:] = [0] * (len(nums) - at)
def rotate(m): m[:] = [list(row) for row in zip(*m[::-1])]
def swap_rows(m): m[0], m[1] = m[1], m[0]
def transpose(m):
    for i in range(len(m)):
        for j in range(i): m[i][j], m[j][i] = m[j][i], m[i][j]
def empty(x): x.clear()
def put(d, key, value): d[key] = value
def by_name(*, into, what): into.append(what)
def add(s, *more): s.update(more)
def append(x, value): x.append(value)
def both(a, b): a.append(b); b.append(1)
def itself(x): x.append(x)
def twice(a, b):
    new = [1]
    a.append(new)
    b.append(new)
def take_out(m):
    row = m.pop()
    row.append("out")
def inner(t): t[0].append(1)
def count(c, text): c.update(text)
def factory(d): d.default_factory = None; d["a"].append(1)
def last(d): d.move_to_end(next(iter(d)))
def bytes_of(b): b[0] = 65; b += b"!"
def numbers(a): a.append(7); a[0] = 5
def nothing(*args, **kwargs): pass
def same_again(x): x.append(1); x.pop()
def other(x): x[0] = list(x[0])
def kinds(x): x[:] = [decimal.Decimal("1.5"), (1, {2}), frozenset([3]), b"x", 1 + 2j, None, float("nan"), -0.0, range(3), {"k": [1]}]
def signs(x): x[0] = -0.0
def true(x): x[0] = True
def big(x): x.append(10 ** 1000)
async def later(x): x.append(1)
def keys(d): d[(1, "a")] = d.pop("a"); d[frozenset([1])] = 2
def view(v, d): d["new"] = [x for x in v]
def cleared(x): x.clear(); return []
def sorted_too(x): x.sort(); return x
def raising(x): x.append(1); raise ValueError("own")
def first_row(m): return m[0]
def wrap(x): return {"it": [x, x]}
def raise_it(x): raise ValueError(x)
"""
# Each holds in one process.
HONEST = [
    "x = [1, 2, 3]; assert reverse(x) is None; assert x == [3, 2, 1]",
    "x = [0, 1, 0, 3]; y = x; move_zeroes(x); assert y is x and x == [1, 3, 0, 0]",
    "m = [[1, 2], [3, 4]]; old = m[0]; rotate(m); assert m == [[3, 1], [4, 2]] and old == [1, 2] and old is not m[0]",
    "m = [[1], [2]]; a, b = m; swap_rows(m); assert m[0] is b and m[1] is a and (a, b) == ([1], [2])",
    "m = [[1], [1]]; a, b = m; swap_rows(m); assert m[0] is b and m[1] is a",
    "m = [[1, 2], [3, 4]]; a = m[0]; transpose(m); assert m == [[1, 3], [2, 4]] and m[0] is a",
    "row = [1, 2]; m = [row, row]; transpose(m); assert m[0] is row is m[1]",
    "row = [3]; m = [row, row]; reverse(m); assert m[0] is m[1] is row; m[0].append(1); assert m == [[3, 1], [3, 1]]",
    "for x in ([1], {1: 2}, {1}, bytearray(b'x'), collections.deque([1]), collections.Counter('a'), collections.OrderedDict(a=1)):\n"
    "    kind = type(x); empty(x); assert not x and type(x) is kind",
    "d = {}; put(d, 'a', [1]); put(d, 'b', d['a']); assert d == {'a': [1], 'b': [1]} and d['a'] is d['b'] and list(d) == ['a', 'b']",
    # Gone through while it is changed: from a dict with holes, and where the order is kept.
    "for d in (dict(a=1, b=2, c=3, e=4), collections.OrderedDict(a=1, b=2, c=3, e=4), collections.Counter(a=1, b=2, c=3, e=4)):\n"
    "    del d['a']\n    for key, old in d.items(): put(d, key, old * 2)\n    assert dict(d) == {'b': 4, 'c': 6, 'e': 8}",
    "d = {(1, 'x'): 1, (2, 'y'): 2}; del d[(1, 'x')]; d[(3, 'z')] = 3\nfor key in d: put(d, key, 0)\nassert set(d.values()) == {0} and len(d) == 2",
    "d = collections.deque([1, 2, 3])\nfor n, one in enumerate(d): put(d, n, one + 1)\nassert list(d) == [2, 3, 4]",
    "x = []; y = {}; by_name(into=x, what=y); assert x[0] is y; by_name(what=1, into=x); assert x == [{}, 1]",
    "s = {1}; add(s, 'a', (2, 3), frozenset([4])); assert s == {1, 'a', (2, 3), frozenset([4])}",
    "x = [1]; append(x, x); assert x[1] is x and len(x) == 2",
    "x = [1]; itself(x); assert x[1] is x and len(x) == 2; itself(x); assert x[2] is x",
    "a, b = [], []; both(a, b); assert a[0] is b and b == [1]",
    "a, b = [], []; twice(a, b); assert a == b == [[1]] and a[0] is b[0]",
    "a = []; twice(a, a); assert len(a) == 2 and a[0] is a[1]",
    "row = [2]; m = [[1], row]; take_out(m); assert m == [[1]] and row == [2, 'out']",
    "t = ([], 1); inner(t); assert t == ([1], 1)",
    "P = collections.namedtuple('P', 'x y'); p = P([], 1); inner(p); assert p.x == [1]",
    "d = collections.deque([1, 2], 2); append(d, 3); assert d == collections.deque([2, 3]) and d.maxlen == 2",
    "d = collections.deque([[1]]); row = d[0]; inner(d); assert row == [1, 1] and d[0] is row",
    "c = collections.Counter('ab'); count(c, 'bc'); assert c == {'a': 1, 'b': 2, 'c': 1} and type(c) is collections.Counter",
    "d = collections.defaultdict(list); factory(d) if 0 else put(d, 1, 2); assert d == {1: 2} and d[5] == []",
    "d = collections.defaultdict(list, a=[]); factory(d); assert d == {'a': [1]} and d.default_factory is None",
    "d = collections.OrderedDict(a=1, b=2); last(d); assert list(d) == ['b', 'a'] and type(d) is collections.OrderedDict",
    "b = bytearray(b'xy'); bytes_of(b); assert b == b'Ay!' and type(b) is bytearray",
    "a = array.array('i', [1, 2]); numbers(a); assert a.tolist() == [5, 2, 7] and a.typecode == 'i'",
    "x = [[1]]; row = x[0]; other(x); assert x == [[1]] and x[0] is not row",
    "x = [0]; kinds(x); assert repr(x) == repr([decimal.Decimal('1.5'), (1, {2}), frozenset([3]), b'x', 1 + 2j, None, float('nan'), -0.0, "
    "range(3), {'k': [1]}])",
    "x = [0.0]; signs(x); assert str(x[0]) == '-0.0'",
    "x = [1]; true(x); assert x[0] is True",
    "x = []; big(x); assert x == [10 ** 1000]; append(x, 1); assert x == [10 ** 1000, 1]",
    "d = {'a': [1]}; inner_one = d['a']; keys(d); assert d == {(1, 'a'): [1], frozenset([1]): 2} and d[(1, 'a')] is inner_one",
    "d = {'a': [1]}; row = d['a']; view(d.values(), d); assert d['new'] == [[1]] and d['new'][0] is row",
    "d = {'a': [1]}; row = d['a']; both(row, []); assert d == {'a': [1, [1]]}",
    "import asyncio; x = []; asyncio.run(later(x)); assert x == [1]",
    "import asyncio; xs = [[] for _ in range(9)]\nasync def go(): await asyncio.gather(*map(later, xs))\nasyncio.run(go()); assert xs == [[1]] * 9",
    "import threading; xs = [[n] for n in range(9)]; ts = [threading.Thread(target=append, args=(x, 1)) for x in xs]\n"
    "for t in ts: t.start()\nfor t in ts: t.join()\nassert xs == [[n, 1] for n in range(9)]",
    "x = [1, lambda: 1][:1]; same_again(x); nothing(x, {}, a=[x]); assert x == [1]",
    "x = [3, 1]; m = [x]; assert first_row([1]) == 1; reverse(x); reverse(m); assert m == [[1, 3]]",
    "x = list(range(100000)); reverse(x); assert x == list(range(99999, -1, -1))",
    "x = [[n] for n in range(3000)]; rows = x[:]; reverse(x); assert all(a is b for a, b in zip(x, rows[::-1]))",
]
# With --in-place alone.
EVERY = [
    "x = [2, 1]; assert sorted_too(x) is x and x == [1, 2]",
    "x = [2, 1]; assert cleared(x) == [] and x == []",
    "x = []\ntry:\n    raising(x)\nexcept ValueError as e:\n    assert str(e) == 'own'\nassert x == [1]",
    "m = [[1]]; assert first_row(m) is m[0] and m == [[1]]",
    "x = [1]; d = wrap(x); assert d['it'][0] is x is d['it'][1] and d == {'it': [[1], [1]]}",
    "x = [1]\ntry:\n    raise_it(x)\nexcept ValueError as e:\n    assert e.args[0] is x",
    "x = collections.deque([1]); assert wrap(x)['it'][1] is x",
]
BY_DEFAULT = [  # and otherwise the arguments stay as they were
    "x = [2, 1]; assert sorted_too(x) == [1, 2] and x == [2, 1] and sorted_too(x) is not x",
    "x = [2, 1]; assert cleared(x) == [] and x == [2, 1]",
    "x = []\ntry:\n    raising(x)\nexcept ValueError:\n    pass\nassert x == []",
]
HEAD = "from solution import *\nimport array, collections, decimal\n"


def in_one_process(code, check):
    solution = types.ModuleType("solution")
    exec(compile(code, "solution", "exec"), vars(solution))
    before = sys.modules.get("solution")
    sys.modules["solution"] = solution
    try:
        exec(compile(check, "check", "exec"), {"__name__": "check"})
    finally:
        sys.modules["solution"] = before
        if before is None:
            del sys.modules["solution"]


@pytest.mark.parametrize("check", HONEST + EVERY)
def test_the_checks_hold_in_one_process(check):
    in_one_process(CODE, HEAD + check)


def test_what_a_call_that_returned_none_did_to_its_arguments(csbx, python_image):
    judge(csbx, python_image, [(CODE, HEAD + check, True) for check in HONEST])


def test_every_call_where_that_was_asked_for(csbx, python_image):
    judge(csbx, python_image, [{"code": CODE, "check": HEAD + check, "in_place": True, "want": True} for check in HONEST + EVERY])


def test_other_calls_leave_arguments_as_they_were(csbx, python_image):
    judge(csbx, python_image, [(CODE, HEAD + check, True) for check in BY_DEFAULT])
    judge(csbx, python_image, [(CODE, HEAD + check, False) for check in EVERY])
    judge(csbx, python_image, [{"code": CODE, "check": HEAD + check, "in_place": True, "want": False} for check in BY_DEFAULT])


def test_a_wrong_function_fails(csbx, python_image):
    code = "def sort(x): x[:] = []\ndef swap(m): m[0], m[1] = list(m[1]), list(m[0])\n"
    for check in ("x = [2, 1]; sort(x); assert x == [1, 2]", "m = [[1], [2]]; a = m[0]; swap(m); assert m[1] is a"):
        record, = judge(csbx, python_image, [(code, "from solution import *\n" + check, False)]).values()
        assert cause(record)[0] == "AssertionError"


UNTOLD = """
class P:
    def __repr__(self): return "P!"
    def __eq__(self, other): print("LEAK"); return True
    def __hash__(self): print("LEAK"); return 1
class Half(list):
    def __eq__(self, other): return True
def fill(x, y): x.append(P())
def fill_key(d): d[P()] = 1
def fill_set(s): s.add(P())
def half(x): x.append(Half([1]))
def deep(x):
    for _ in range(200): x[:] = [x[:]]
def large(x): x.append(b"x" * 9000000)
def many(x): x[:] = [1] * 1100000
"""


def test_content_that_cannot_be_told(csbx, python_image):
    """As in what a call returns: of such a value all uses fail; of one that is too large, or is a key, the call does."""
    head = "from solution import *\n"
    rows = [(UNTOLD, head + check, want) for check, want in [
        ("x, y = [1], [2]; fill(x, y); assert y == [2] and len(x) == 2 and repr(x[1]) == 'P!'", True),
        ("x = []; fill(x, 0); assert x == [5]", False), ("x = []; fill(x, 0); assert x != [5]", False),
        ("d = {}; fill_key(d)", False), ("s = set(); fill_set(s)", False),
        ("x = []; half(x); assert x == [[1]]", False), ("x = []; half(x); assert list.__len__(x[0]) == 1", True),
        ("x = []; deep(x)", False), ("x = []; large(x)", False), ("x = []; many(x)", False)]]
    for n, record in judge(csbx, python_image, rows).items():
        assert rows[n][2] or cause(record)[0] == "CallFailed", (rows[n], record)
        assert "LEAK" not in record["check"]["result"]["stdout"], record


TREE = """
import decimal
class Node:
    def __init__(self, value): self.value, self.left, self.right = value, None, None
    def __repr__(self): return "Node(%s)" % self.value
class Stack(list):
    pass
class Slots:
    __slots__ = "items", "by"
    def __init__(self): self.items, self.by = [], {"a": 1}
def node(value): return Node(value)
def stack(*items): return Stack(items)
def slots(): return Slots()
def insert(root, value):
    while True:
        side = "left" if value < root.value else "right"
        if getattr(root, side) is None:
            setattr(root, side, Node(value))
            return
        root = getattr(root, side)
def insert_too(root, value): insert(root, value); return root
def find(root, value): return None if root is None or root.value == value else find(root.left, value)
def size(root): return 0 if root is None else 1 + size(root.left) + size(root.right)
def show(root): vars(root); root.value = root.value + 0
def collect(root, into): into.append(root.value)
def hold(x): return Holder(x)
class Holder:
    def __init__(self, x): self.x = x
def push_held(h, value): h.x.append(value)
def held(h): return h.x
def push(stack, value): stack.append(value)
def peek(stack): return stack[-1]
def rename(s): s.by = {"b": 1}
def rekey(s): s.by["b"] = s.by.pop("a")
def names(s): return sorted(s.by)
def nothing(*args): pass
def parent(value, left): one = Node(value); one.left = left; return one
def raise_all(root):
    while root is not None: root.value += 1; root = root.left
class Counter:
    def __init__(self):
        n = 0
        def inc():
            nonlocal n
            n += 1
        self.inc, self.get = inc, lambda: n
def counter(): return Counter()
def bump(c): c.inc()
def value(c): return c.get()
class Context:
    def __init__(self): self.own = decimal.Context(28)
def context(): return Context()
def digits(c): c.own.prec = 5
def precision(c): return c.own.prec
class Cell:
    def __init__(self):
        def read(into=[]): return into
        self.read = read
def cell(): return Cell()
def fill_cell(c, x): c.read().append(x)
def peek_cell(c): return c.read()
class Bound:
    def __init__(self): self.add, self.size = (lambda x: (x.append, x.__len__))([0])
def bound(): return Bound()
def grow(b): b.add(1)
def grown(b): return b.size()
"""
OBJECTS = [
    ("t = node(5); assert find(t, 5) is None and size(t) == 1", True),
    ("t = node(5); show(t); assert size(t) == 1", True),
    ("t = node(5); x = []; collect(t, x); assert x == [5] and size(t) == 1", True),
    ("t = node(5); t = insert_too(t, 3); t = insert_too(t, 4); assert size(t) == 3", True),
    ("s = slots(); nothing(s); assert names(s) == ['a']", True),
    ("s = stack(1, 2); nothing(s); assert peek(s) == 2 and s == [1, 2]", True),
    ("x = [1]; h = hold(x); nothing(h, x); assert held(h) == [1]", True),
    ("x = [1]; h = hold(x); y = []; collect(node(3), y); assert y == [3] and x == [1] and held(h) == [1]", True),
    # Such a call cannot be judged: the object is no longer what the snippet would make.
    ("t = node(5); insert(t, 3); nothing()", False),
    ("a = node(1); b = parent(2, a); raise_all(b); assert find(a, 1) is None", False),
    ("x = [1]; h = hold(x); push_held(h, 2); assert x == [1]", False),
    ("c = counter(); bump(c); assert value(c) == 0", False), ("c = context(); digits(c); assert precision(c) == 28", False),
    ("c = cell(); fill_cell(c, 3); assert peek_cell(c) == []", False), ("b = bound(); grow(b); assert grown(b) == 1", False),
    ("t = node(5); insert(t, 3); assert size(t) == 1", False),
    ("t = node(5); insert(t, 3); assert size(t) == 2", False),
    ("t = node(5); insert(t, 3); assert repr(t) == 'Node(5)'", False),
    ("t = node(5); insert(t, 3); nothing([t])", False),
    ("t = node(5); u = insert_too(t, 1); insert(t, 3); assert size(u) == 2", False),
    ("s = slots(); rename(s); names(s)", False), ("s = slots(); rekey(s); names(s)", False),
    ("s = stack(1, 2); push(s, 3); assert s == [1, 2]", False), ("s = stack(1, 2); push(s, 3); assert len(s) == 3", False),
    ("x = [1]; h = hold(x); push_held(h, 2); held(h)", False),
    ("x = [1]; h = hold(x); nothing(); x.append(2); held(h)", False),
    ("x = [1]; h = hold(x); collect(node(2), x); held(h)", False),
]


def test_objects_of_the_snippet_that_a_call_changed(csbx, python_image):
    """They are none any more, whatever uses them: never as they were before the call."""
    rows = [(TREE, "from solution import *\n" + check, want) for check, want in OBJECTS]
    for n, record in judge(csbx, python_image, rows).items():
        assert rows[n][2] or cause(record)[0] == "CallFailed", (rows[n], record)


def test_objects_of_the_snippet_where_every_call_gives_back(csbx, python_image):
    """The same; one that comes back is the one that was there."""
    rows = [{"code": TREE, "check": "from solution import *\n" + check, "in_place": True, "want": want} for check, want in OBJECTS
            if "insert_too" not in check]
    rows += [{"code": TREE + "def same(x): return x\n", "check": "from solution import *\n" + check, "in_place": True, "want": want} for check, want in [
        ("t = node(5); assert same(t) is t and size(t) == 1", True), ("x = [1]; h = hold(x); assert held(h) == [1] and x == [1]", True),
        ("t = node(5); u = insert_too(t, 3); assert u is t", False), ("t = node(5); u = insert_too(t, 3); size(u)", False)]]
    for n, record in judge(csbx, python_image, rows).items():
        assert rows[n]["want"] or cause(record)[0] == "CallFailed", (rows[n], record)


# Answers that are written by hand (cmd/harness/PROTOCOL.md). Of f(x, ...) the list of arguments is number 1, x is 2.
HAND = WRITE + """
def ref(n): return x("argument", i(n))
def gave(changes, value=b"N", awaited=b"F"): answer((s("R"), s("x"), value, b"N", awaited, changes))
def one(n, new): gave(l(t(i(n), new)))
def f(*args, **kwargs):
    ANSWER
"""
BY_HAND = [
    ("one(2, l(i(2)))", "x = [1]; f(x); assert x == [2]", True),
    ("gave(l())", "x = [1]; assert f(x) is None and x == [1]", True),
    ("one(2, l(ref(2)))", "x = [1]; f(x); assert x[0] is x", True),
    ("one(2, l(ref(1)))", "x = [1]; f(x)", False),  # the list of arguments
    ("one(0, l())", "x = [1]; f(x)", False), ("one(1, l())", "x = [1]; f(x)", False), ("one(3, l())", "x = [1]; f(x)", False),
    ("one(3, d(a=i(1)))", "x = [1]; f(x, a=2)", False),  # the dict of those with names
    ("one(-1, l())", "x = [1]; f(x)", False), ("one(2**70, l())", "x = [1]; f(x)", False),
    ("gave(l(t(b'T', l())))", "x = [1]; f(x)", False), ("gave(l(t(ref(2), l())))", "x = [1]; f(x)", False),
    ("gave(l(t(i(2), l()), t(i(2), l(i(1)))))", "x = [1]; f(x)", False),
    ("gave(l(l(i(2), l())))", "x = [1]; f(x)", False), ("gave(l(i(2)))", "x = [1]; f(x)", False), ("gave(l(t(i(2))))", "x = [1]; f(x)", False),
    ("gave(d())", "x = [1]; f(x)", False), ("gave(b'N')", "x = [1]; f(x)", False), ("gave(i(2))", "x = [1]; f(x)", False),
    ("one(2, t(i(2)))", "x = [1]; f(x)", False), ("one(2, d())", "x = [1]; f(x)", False), ("one(2, b'N')", "x = [1]; f(x)", False),
    ("one(2, ref(2))", "x = [1]; f(x)", False), ("one(2, ref(3))", "x = [1]; f(x, [2])", False),
    ("one(2, subclass(made_class('list', ('=F', 'builtins.list', 'builtins.object')), l()))", "x = [1]; f(x)", False),
    ("one(2, x('bytearray', b'b1:a'))", "x = [1]; f(x)", False), ("one(2, x('defaultdict', t(b'N', b'd0:')))", "x = {}; f(x)", False),
    ("one(2, x('OrderedDict', b'd0:'))", "x = {}; f(x)", False), ("one(2, x('Counter', d(a=i(1))))", "x = {}; f(x)", False),
    ("one(2, x('defaultdict', t(function('leak'), b'd0:')))", "import collections; x = collections.defaultdict(list); f(x)", None),
    ("one(2, x('defaultdict', t(x('Decimal', s('1')), b'd0:')))", "import collections; x = collections.defaultdict(list); f(x)", False),
    ("one(2, x('deque', t(l(i(1)), i(1))))", "import collections; x = collections.deque([], 2); f(x)", False),
    ("one(2, x('deque', t(l(), b'N')))", "import collections; x = collections.deque([], 2); f(x)", False),
    ("one(2, x('array', t(s('d'), l())))", "import array; x = array.array('i'); f(x)", False),
    ("one(2, x('array', t(s('i'), l(s('a')))))", "import array; x = array.array('i'); f(x)", False),
    ("one(2, b'e1:' + l())", "x = {1}; f(x)", False), ("one(2, b'd1:' + l() + i(1))", "x = {}; f(x)", False),
    ("one(2, b'd1:' + ref(2) + i(1))", "x = {}; f(x)", False),
    ("one(2, b'e1:' + subclass(made_class(__eq__=builtin('repr'), __hash__=builtin('int'))))", "x = set(); f(x)", False),
    ("one(2, b'd1:' + subclass(made_class(__hash__=function('leak'))) + i(3))", "x = {}; f(x)", False),
    ("one(2, x('Fraction', t(i(1), i(2))))", "import fractions; x = fractions.Fraction(1); f(x)", False),
    ("one(2, x('frozenset', b'e0:'))", "x = frozenset([1]); f(x)", False),
    ("one(2, l())", "f(1)", False), ("one(2, l())", "x = [1]; assert g([2]) is None and x == [1]; f()", False),
    ("gave(l(t(i(2), l())), value=l())", "x = [1]; f(x)", False),  # of a call that returned something
    ("gave(l(), value=i(1))", "x = [1]; f(x)", False), ("gave(l(), value=ref(2))", "x = [1]; f(x)", False),
    ("returned(ref(2))", "x = [1]; f(x)", False), ("returned(l(ref(2)))", "x = [1]; f(x)", False),
    ("answer((s('E'), s('E'), s('ValueError'), s('m'), i(0), b'N', b'N', b'F', l(t(i(2), l()))))", "x = [1]\ntry:\n    f(x)\nexcept ValueError:\n    pass", False),
    ("raised(s('ValueError'), t(ref(2)))", "x = [1]\ntry:\n    f(x)\nexcept ValueError:\n    pass", False),
    ("answer((s('T'), s('x'), s('why'), b'N', b'F', l(t(i(2), l()))))", "x = [1]; f(x)", False),
    ("gave(l(t(i(2), l())), awaited=l())", "x = [1]; f(x); assert x == []", True),
]


def test_answers_by_hand(csbx, python_image):
    """They change arguments of that call alone, of a type that is known and to one that is told, or they are no answer."""
    rows = [(HAND.replace("ANSWER", code) + "def g(x): pass\n", "from solution import f, g\n" + check, want) for code, check, want in BY_HAND]
    for n, record in judge(csbx, python_image, rows).items():
        assert rows[n][2] is not False or cause(record)[0] == "CallFailed", (rows[n], record)
        assert "LEAK" not in record["check"]["result"]["stdout"], record


def test_arguments_in_an_answer_by_hand(csbx, python_image):
    """With --in-place a value may be an argument, of the call that it is the answer to."""
    rows = [{"code": HAND.replace("ANSWER", code), "check": "from solution import f\n" + check, "in_place": True, "want": want} for code, check, want in [
        ("gave(l(), value=ref(2))", "x = [1]; assert f(x) is x", True), ("gave(l(), value=ref(1))", "x = [1]; f(x)", False),
        ("returned(ref(2))", "x = [1]; f(x)", False), ("gave(l(), value=ref(3))", "x = [1]; f(x)", False),
        ("gave(l(t(i(2), l())), value=i(5))", "x = [1]; assert f(x) == 5 and x == []", True),
        ("answer((s('E'), s('E'), s('ValueError'), s('m'), i(0), b'N', b'N', b'F', l(t(i(2), l()))))",
         "x = [1]\ntry:\n    f(x)\nexcept ValueError:\n    assert x == []", True)]]
    for n, record in judge(csbx, python_image, rows).items():
        assert rows[n]["want"] or cause(record)[0] == "CallFailed", (rows[n], record)


def test_forks_of_a_check(csbx, python_image):
    """Each has its own arguments."""
    asserting = """
from solution import f
import os
x = [1]
pid = os.fork()
f(x, pid)
assert x == [1, pid]
if pid:
    assert os.waitpid(pid, 0)[1] == 0
else:
    os._exit(0)
"""
    judge(csbx, python_image, [("def f(x, n): x.append(n)", asserting, True)])


def test_cases_and_the_option_itself(csbx, python_image):
    """A case is about what a call returns. --in-place is for checks."""
    (csbx.work / "code.py").write_text("def f(x): x.append(1); return x")
    (csbx.work / "check.py").write_text("from solution import f\nx = []\nassert f(x) is x and x == [1]\n")
    assert csbx.run("eval", "--image", python_image, "--in-place", "--check", csbx.work / "check.py", csbx.work / "code.py").returncode == 0
    assert csbx.run("eval", "--image", python_image, "--check", csbx.work / "check.py", csbx.work / "code.py").returncode == 1
    p = csbx.run("eval", "--image", python_image, "--in-place", csbx.work / "code.py")
    assert p.returncode == 125 and "--in-place: needs --check" in p.stderr, p
    line = {"code": "def f(x): x.append(1)", "function": "f", "in_place": True, "cases": [{"args": [[1]], "expected": None}], "want": True}
    judge(csbx, python_image, [line])


OVERLAPPING = [
    "async def main(): await asyncio.gather(*[add(out, n) for n in range(5)])\nasyncio.run(main()); assert len(out) == 5",
    "ts = [threading.Thread(target=append, args=(out, n)) for n in range(8)]\nfor t in ts: t.start()\nfor t in ts: t.join()\nassert len(out) == 8",
    "async def main():\n    one = add(out, 0); out.append(7); await one\nasyncio.run(main()); assert len(out) == 2"]


def test_calls_that_overlap(csbx, python_image):
    """The change of one would be lost by the other: it is seen, or that call fails."""
    code = "async def add(x, n): x.append(n)\ndef append(x, n): x.append(n)\n"
    rows = [(code, "import asyncio, threading\nfrom solution import add, append\nout = []\n" + check, None) for check in OVERLAPPING]
    for n, record in judge(csbx, python_image, rows).items():
        assert record["check"]["passed"] or cause(record)[0] == "CallFailed", (rows[n], record)
