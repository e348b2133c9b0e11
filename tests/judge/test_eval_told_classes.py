# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: what asserting code sees of classes, functions and objects of the snippet. What it cannot see is a CallFailed."""
import json

from test_eval_told import cause, judge
from test_eval_told_by_hand import WRITE

CODE = """
import abc as _abc, collections as _collections, dataclasses as _dataclasses, enum as _enum, http as _http, time as _time, typing as _typing
class Color(_enum.Enum):
    RED = 1
    BLUE = 2
    def hello(self): return 1
class Num(_enum.IntEnum):
    ONE = 1
class Word(str, _enum.Enum):
    A = "a"
class Bits(_enum.Flag):
    A = 1
    B = 2
class Named(_enum.Enum):
    A = B = 1
    C = [2]
    def __str__(self): return "mine"
    def __format__(self, how): return "form"
class Says(_enum.EnumMeta):
    def __iter__(cls): return iter([7])
class Listed(_enum.Enum, metaclass=Says):
    A = 1
class Base(_abc.ABC):
    @_abc.abstractmethod
    def go(self): ...
class Impl(Base):
    def go(self): return 1
    @staticmethod
    def st(x): return x + 1
class Other: pass
class Stack(list):
    "Mine."
    LIMIT, _z = 3, 4
    def peek(self): return self[-1]
    def count(self, x): return 99
    @staticmethod
    def st(x): return x * 2
class Lower(dict):
    def get(self, key, default=None): return default
class Real(int):
    real = 7
class Hashed(str):
    def __hash__(self): return 1
class Copied(list):
    def __copy__(self): return ["wrong"]
    def __deepcopy__(self, memo): return ["wrong"]
class Shown(list):
    def __repr__(self): return "Shown!"
class Cnt(_collections.Counter): pass
class OD(_collections.OrderedDict): pass
class DD(_collections.defaultdict):
    def extra(self): return 1
class Dq(_collections.deque): pass
class Pair(_typing.NamedTuple):
    "Doc."
    x: int
    y: int = 3
    def norm(self): return 1
    def index(self): return 9
class Lies(_collections.namedtuple("Lies", "x y")):
    @property
    def x(self): return 99
    def _asdict(self): return {}
Point = _collections.namedtuple("Point", "x y")
class Meta(type):
    def __instancecheck__(cls, other): return True
class Strange(metaclass=Meta): pass
class Equal(type):
    def __eq__(self, other): return True
    def __hash__(self): return 1
class Same(metaclass=Equal): pass
Patched = _collections.namedtuple("Patched", "x y")
Patched.x = property(lambda self: 99)
class Said(Exception):
    def __str__(self): return "said " + self.args[0]
@_dataclasses.dataclass
class D:
    a: int = 1
class Boom(Exception):
    K = 7
    def __init__(self, c):
        super().__init__("m")
        self.c = c
    @property
    def p(self): return self.c + 1
    def m(self): return 5
    def __len__(self): return 0
    def __eq__(self, other): return True
    def __repr__(self): return "R"
class Simple(ValueError): pass
class Callee:
    def __call__(self, x): return x + 1
    def __eq__(self, other): return True
    def __len__(self): return 0
callee = Callee()
def color(n): return Color(n)
def name(c): return c.name if isinstance(c, Color) else "no"
def kept():
    x = Stack([1, 2])
    x.n, x.other = 3, object()
    return x
def get(what):
    Local = type("Local", (), {})
    return {"num": Num.ONE, "word": Word.A, "texts": [str(Num.ONE), f"{Num.ONE}", str(Word.A), f"{Word.A}"], "bits": Bits.A | Bits.B, "impl": Impl(), "stack": Stack([1, 2]), "lower": Lower(a=1), "real": Real(3),
            "hashed": Hashed("a"), "copied": Copied([1]), "shown": Shown([1]), "cnt": Cnt("aab"), "od": OD(a=1, b=2), "dd": DD(list, {1: [2]}),
            "dq": Dq([1, 2], 5), "pair": Pair(1), "lies": Lies(1, 2), "point": Point(1, 2), "strange": Strange(), "d": D(), "local": Local(),
            "cls": Impl, "ok": _http.HTTPStatus.OK, "now": _time.gmtime(0), "err": Boom, "counter": _collections.Counter, "gen": (n for n in [1]),
            "map": map(str, [1]), "patched": Patched(1, 2), "points": [Point(n, n) for n in range(5)], "fn": get, "set": few()}[what]
def few():
    s = set(range(100))
    for i in range(100):
        if i not in (33, 64): s.discard(i)
    return s
def same(x): return x
alias = same
short = lambda x: x
def boom(): raise Boom(3)
def say(): raise Said("it")
def chain():
    try: {}["k"]
    except KeyError as e: raise Simple("x") from e
"""
BEGIN = "import abc, collections, copy, dataclasses, http, inspect, io, pickle, time, types\nimport solution\nfrom solution import *\n"
BOOM = "try:\n    boom()\nexcept Boom as e:\n    assert "
# Each is so, and its contrary is not.
TRUE = (
    "color(1) is Color.RED and color(1) == Color.RED != color(2)", "color(1).name == 'RED' and color(2).value == 2",
    "color(1) in {Color.RED} and color(1) in (Color.RED, 1)", "name(Color.RED) == 'RED' and name(color(2)) == 'BLUE' and Color(1) is Color.RED",
    "isinstance(color(1), Color) and not isinstance(color(1), Num)", "type(color(1)) is Color and type(color(1)) == type(color(2))",
    "copy.deepcopy([color(1)]) == [Color.RED] and pickle.loads(pickle.dumps(color(1))) is Color.RED",
    "[c.name for c in Color] == ['RED', 'BLUE'] and len(Color) == 2 and list(Color) == [Color.RED, color(2)] and list(Num) == [1]",
    "Color['RED'] is color(1) and Named['B'] is Named.A and color(1) in Color and Num.ONE not in Color and max(Num) == 1",
    "list(reversed(Color))[0] is Color.BLUE and list(Named.__members__) == ['A', 'B', 'C'] and Color.__members__['RED'] is Color.RED",
    "[n.value for n in Named] == [1, [2]] and len(Bits) == 2 and {n.name: n.value for n in Num} == {'ONE': 1}",
    "str(color(1)) == 'Color.RED' == f'{Color.RED}' and str(Named.A) == 'mine' and f'{Named.C}' == 'form' and '%s' % Color.RED == 'Color.RED'",
    "str(get('num')) == get('texts')[0] and f'{get(\"num\")}' == get('texts')[1] and str(Word.A) == get('texts')[2] and f'{Word.A}' == get('texts')[3]",
    "copy.copy(get('num')) is get('num') and copy.deepcopy([get('word')])[0] is Word.A and pickle.loads(pickle.dumps(Num.ONE)) is Num.ONE",
    "get('num') is Num.ONE is Num(1) and get('word') is Word.A", "isinstance(get('map'), map) and type(get('map')) == map",
    "get('num') == 1 == Num.ONE and isinstance(get('num'), Num) and get('num').name == 'ONE'", "get('word') == 'a' and get('word') in {'a'}",
    "isinstance(get('num'), __import__('enum').IntEnum) and isinstance(get('word'), __import__('enum').Enum)",
    "isinstance(get('impl'), Base) and issubclass(Impl, Base) and not issubclass(Base, Impl) and not isinstance(get('d'), Base)",
    "issubclass(Base, abc.ABC) and isinstance(get('impl'), abc.ABC)", "inspect.isclass(Impl) and isinstance(Impl, type) and same(1) == 1",
    "get('cls') is Impl and type(get('impl')) is Impl and get('impl').__class__ is Impl and same(Impl) is Impl and {Impl: 1}[type(get('impl'))] == 1",
    "type(get('impl')) is not type(get('d')) and type(get('impl')) != D and get('cls') is not Other",
    "Impl.st(3) == 4 and Stack.st(3) == 6 and Stack.LIMIT == 3 and get('stack').LIMIT == 3 and get('stack')._z == 4 and same(Impl.st)(1) == 2",
    "isinstance(get('stack'), Stack) and type(get('stack')) is Stack and get('stack') == [1, 2] and type(get('stack')).__doc__ == 'Mine.'",
    "not hasattr(get('stack'), 'nope') and vars(get('stack')) == {} and kept().n == 3 and 'n' in vars(kept())",
    "pickle.loads(pickle.dumps(get('stack'))) == [1, 2] and type(copy.copy(get('stack'))) is Stack",
    "repr(get('shown')) == 'Shown!' and str(get('shown')) == 'Shown!'",
    "isinstance(get('cnt'), collections.Counter) and get('cnt').most_common(1) == [('a', 2)] and get('cnt')['z'] == 0",
    "isinstance(get('od'), collections.OrderedDict) and get('od').popitem(last=False) == ('a', 1) and get('od') == {'a': 1, 'b': 2}",
    "isinstance(get('dd'), collections.defaultdict) and get('dd')[5] == [] and get('dd') == {1: [2]}",
    "isinstance(get('dq'), collections.deque) and list(get('dq')) == [1, 2] and get('dq').maxlen == 5",
    "get('pair') == (1, 3) and get('pair').y == 3 and get('pair')._field_defaults == {'y': 3} and type(get('pair')).__doc__ == 'Doc.'",
    "get('pair').__annotations__ == {'x': int, 'y': int} and Pair(5) == (5, 3) == type(get('pair'))(5)",
    "type(get('pair')._replace(x=2)) is Pair and same(get('pair')).x == 1",
    "get('point') == Point(1, 2) and repr(get('point')) == 'Point(x=1, y=2)' and type(same(get('point'))) is Point and get('points')[3].x == 3",
    "isinstance(get('d'), D) and not isinstance(get('d'), (Impl, int)) and dataclasses.is_dataclass(get('d')) and get('strange') is not None",
    "type(get('local')).__name__ == 'Local' and type(get('d')).__module__ == 'solution'",
    "get('ok') is http.HTTPStatus.OK and same(http.HTTPStatus.NOT_FOUND) is http.HTTPStatus.NOT_FOUND",
    "isinstance(get('now'), time.struct_time) and get('now').tm_year == 1970", "isinstance(get('gen'), types.GeneratorType)",
    "type(get('gen')) == types.GeneratorType", "get('counter') is collections.Counter and get('err') is Boom", "list(get('set')) == [33, 64]",
    "get('fn') is get and get('fn') == get and get('fn') in (get,) and get('fn') in {get} and get('fn') != same and same(same) is alias",
    "pickle.loads(pickle.dumps(same)) is same and copy.deepcopy(same) is same and same(1) == 1", "same.__name__ == 'same' and same.__dict__ == {}",
    "short.__name__ == '<lambda>' and alias.__name__ == 'same' and same.__module__ == 'solution'", "callee(2) == 3 and callable(callee)",
    "same.__defaults__ is None", "'same' in vars(solution) and vars(solution)['same'] is same and same(1) == 1",
    "issubclass(Impl, Impl.__mro__[1]) and Impl.__bases__ == (Base,) and Impl.__name__ == 'Impl'")
TRUE_OF_BOOM = ("e.K == 7 and e.c == 3 and Boom.K == 7 and e.args == ('m',) and str(e) == 'm' and not hasattr(e, 'zz')",)
# Neither they nor their contrary pass.
UNTOLD = (
    "get('stack').peek() == 2", "get('stack').count(1) == 1", "hasattr(get('stack'), 'peek')", "get('lower').get('a') == 1", "kept().other == 1",
    "get('hashed') in {'a'}", "copy.copy(get('copied')) == [1]", "copy.deepcopy(get('copied')) == [1]", "get('dd').extra() == 1",
    "get('patched').x == 99", "Same == 3", "Same in {1}", "get('pair').norm() == 1", "get('pair').index(1) == 0", "get('lies').x == 1", "get('lies')._asdict() == {}", "color(1).hello() == 1",
    "1 in Color", "list(Listed) == [7]", "len(Impl) == 2", "f'{get(\"num\"):2}' == ' 1'", "str(get('bits')) == 'A'", "get('num').ONE", "get('bits') == 3", "isinstance(3, Strange)", "isinstance(get('d'), Strange)",
    "get('d') == D(1)", "get('d').a == 1", "type(get('local')) == type(get('local'))", "len({type(get('local')), type(get('local'))}) == 2",
    "isinstance(get('impl'), collections.abc.Iterable)", "callee == 3", "bool(callee)", "len(callee) == 0", "callee in [1]",
    "__import__('doctest').testmod(solution).failed == 0", "solution.__file__", "print(get('d'), file=io.StringIO()) is None")
UNTOLD_OF_BOOM = ("hasattr(e, 'p')", "e.m() == 5", "getattr(e, 'm', None) is None", "e == 1", "bool(e)", "repr(e) == 'R'", "Boom(4).c == 4")
REFUSED = ("class X(Impl): pass", "class X(Stack): pass", "Impl.x = 1", "b = io.StringIO()\nwith __import__('contextlib').redirect_stdout(b):\n    print(get('d'))",
           "x = get('shown')\nx.append(1)\nrepr(x)", "x = get('stack')\nx.count = 3")


def test_what_is_told(csbx, python_image):
    rows = [(CODE, f"{BEGIN}assert {said}\n", True) for said in TRUE] + [(CODE, f"{BEGIN}assert not ({said})\n", False) for said in TRUE]
    rows += [(CODE, f"{BEGIN}{BOOM}{said}\n", True) for said in TRUE_OF_BOOM] + [(CODE, f"{BEGIN}{BOOM}not ({said})\n", False) for said in TRUE_OF_BOOM]
    for record in judge(csbx, python_image, rows).values():
        assert record["all_passed"] or cause(record)[0] == "AssertionError", record


def test_what_is_not_told(csbx, python_image):
    """It is neither so nor not so."""
    rows = [(CODE, f"{BEGIN}{begin}{word}({said})\n", False) for said_of, begin in ((UNTOLD, "assert "), (UNTOLD_OF_BOOM, BOOM))
            for said in said_of for word in ("", "not ")]
    rows += [(CODE, f"{BEGIN}{said}\nassert same(1) == 1\n", False) for said in REFUSED]
    for record in judge(csbx, python_image, rows).values():
        assert cause(record)[0] == "CallFailed", record


def test_a_wrong_attribute_of_a_class(csbx, python_image):
    judge(csbx, python_image, [(CODE, BEGIN + "assert get('real').real == 3", False), (CODE, BEGIN + "assert get('real').real == 7", True)])


def test_an_exception_with_a_text_of_its_own(csbx, python_image):
    for said, want in (("type(e) is Said and str(e) == 'said it' and e.args == ('it',)", True), ("str(e) == 'it'", False)):
        judge(csbx, python_image, [(CODE, f"{BEGIN}try:\n    say()\nexcept Said as e:\n    assert {said}\n", want)])


def test_a_cause(csbx, python_image):
    for said, want in (("isinstance(e.__cause__, KeyError) and e.__cause__.args == ('k',)", True), ("e.__cause__ is None", False)):
        judge(csbx, python_image, [(CODE, f"{BEGIN}try:\n    chain()\nexcept Simple as e:\n    assert {said}\n", want)])


def test_matches_and_unittest(csbx, python_image):
    match = "match get('impl'):\n    case D():\n        assert 0\n    case %s():\n        pass\n    case _:\n        assert 0\n"
    test = "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        "
    judge(csbx, python_image, [
        (CODE, BEGIN + "match get('pair'):\n    case Pair(1, 3):\n        pass\n    case _:\n        assert 0\n", True),
        (CODE.replace('    "Doc."\n', '    __match_args__ = ("y", "x")\n'), BEGIN + "match get('pair'):\n    case Pair(1, 3):\n        pass\n", False),
        (CODE, BEGIN + match % "Impl", True), (CODE, BEGIN + match % "Other", False),
        (CODE, f"{BEGIN}{test}self.assertIsInstance(get('impl'), Impl)\n        self.assertIs(color(1), Color.RED)", True),
        (CODE, f"{BEGIN}{test}self.assertEqual(color(1), Color.BLUE)", False), (CODE, f"{BEGIN}{test}pass", False)])


def test_functions_in_other_processes(csbx, python_image):
    executor = "from concurrent.futures import ProcessPoolExecutor as E\nwith E(2) as p:\n    assert list(p.map(same, [1, 2])) == [1, %d]\n"
    pool = "import multiprocessing as m\nwith m.get_context('fork').Pool(2) as p:\n    assert p.map(same, [1, 2]) == [1, %d]\n"
    judge(csbx, python_image, [(CODE, BEGIN + body % n, n == 2) for body in (executor, pool) for n in (2, 3)])


def test_attributes_are_asked_for(csbx, python_image):
    """Of a function or a class, and of a constant not: a check that asks no more has not asked what the snippet does."""
    code = "LIMIT = 3\ndef f(x: int, y=3) -> str:\n    'Says.'\nclass A: pass\nclass B(A): pass\nclass E(ValueError): pass\n"
    said = ("f.__doc__ == 'Says.'", "f.__annotations__ == {'x': int, 'return': str}", "f.__defaults__ == (3,)", "f.__name__ == 'f'", "issubclass(B, A)",
            "__import__('inspect').isclass(A)", "issubclass(E, ValueError)", "E.__name__ == 'E'", "E('a').args == ('a',)", "callable(f)", "callable(A)",
            "isinstance(f, type(cause))")
    rows = [(code, f"def cause(): pass\nfrom solution import A, B, E, f\nassert {word}({each})\n", not word) for each in said for word in ("", "not ")]
    records = judge(csbx, python_image, rows + [(code, "from solution import A, B, E, LIMIT, f\nassert LIMIT == 3\n", False)])
    assert "called no function" in cause(records[len(rows)])[1]


def test_the_candidate_is_the_function(csbx, python_image):
    code = "def f(x): return x\ng = f\n"
    judge(csbx, python_image, [{"code": code, "function": name, "check": f"from solution import f, g\nassert candidate is f and f is g and f(1) == {n}\n", "want": n == 1}
                               for name in "fg" for n in (1, 2)])


OPERATORS = """
class F(%s):
    %s = %s
def f(): return F()
class E(ValueError):
    %s = %s
def g(): raise E("a")
"""


def test_operators_that_are_built_in_functions(csbx, python_image):
    """They take any argument, and what they return is true."""
    rows = []
    for base in ("int", "str", "float", "list", "tuple", "dict", "set", "bytes"):
        rows += [(OPERATORS % (base, "__eq__", "repr", "__eq__", "bool"), "from solution import f\nassert f() == 'wanted'", False)]
    for base, name, by, use in (
            ("int", "__ne__", "bool", "not f() != 0"), ("int", "__getattr__", "repr", "f().foo"), ("list", "__getitem__", "str", "f()['a'] == 'a'"),
            ("list", "__iter__", "zip", "[x for x in f()] == []"), ("dict", "__missing__", "str", "f()['a'] == 'a'"), ("int", "__lt__", "repr", "f() < -5"),
            ("str", "__contains__", "repr", "'a' in f()"), ("list", "index", "int", "f().index(7) == 7"), ("str", "startswith", "repr", "f().startswith('a')"),
            ("int", "__call__", "repr", "f()('a')"), ("float", "__sub__", "repr", "f() - 3 == '3'"), ("list", "__class_getitem__", "repr", "type(f())['a']")):
        rows.append((OPERATORS % (base, name, by, name, by), f"from solution import f\nassert {use}", False))
    for use in ("e == 'wanted'", "e.code"):
        name = "__eq__" if "=" in use else "__getattr__"
        rows.append((OPERATORS % ("int", name, "repr", name, "bool"),
                     f"from solution import g\ntry:\n    g()\nexcept ValueError as e:\n    assert {use}\nelse:\n    assert 0", False))
    for n, record in judge(csbx, python_image, rows).items():
        assert cause(record)[0] == "CallFailed" or "getitem" in rows[n][0], (rows[n], cause(record))


def test_attributes_beside_methods(csbx, python_image):
    code = """
class F(list):
    def __init__(self, *args): self.count = 5
class G(list):
    KIND = "k"
    def __eq__(self, other): return True
def f(): return F()
def g(): return G([1])
def h():
    made = F()
    made.index = int
    return made
"""
    begin = "from solution import f, g, h\n"
    unhashable = "try:\n    hash(g())\nexcept TypeError:\n    pass\nelse:\n    assert 0"
    judge(csbx, python_image, [(code, begin + "assert f().count == 5", True), (code, begin + "assert h().index(7) == 7", False),
                               (code, f"{begin}assert g().KIND == 'k' and len(g()) == 1\n{unhashable}", True)])


def test_members_of_enumerations_are_one(csbx, python_image):
    code = """
import enum
class P(enum.Flag):
    R = 1
    W = 2
class Q(enum.Enum):
    A = 1
    B = 2
    def __bool__(self): return False
class S(enum.Enum):
    A = 1
    def __eq__(self, other): return True
    def __hash__(self): return 1
def f(kind, name): return {"P": P, "Q": Q, "S": S}[kind][name]
"""
    begin = "from solution import P, Q, S, f\n"
    judge(csbx, python_image, [
        (code, begin + "assert f('P', 'W') is P.W and f('P', 'W') is not P.R and f('P', 'W').value == 2", True),
        (code, begin + "assert f('Q', 'A') is Q.A and f('Q', 'A').name == 'A' and f('S', 'A') is S.A", True),
        (code, begin + "assert f('P', 'W') is P.R", False), (code, begin + "assert f('S', 'A') == 7", False),
        (code, begin + "assert not f('Q', 'A')", False)])


def test_members_of_enumerations_as_arguments(csbx, python_image):
    """Those too that are numbers, texts or tuples, or whose value cannot be told; alone, in lists, as keys, wherever they come from."""
    code = """
import enum
class Plain(enum.Enum):
    A = 1
    B = 2
class Num(enum.IntEnum):
    A = 1
    B = 2
    TWO = 2
class Text(str, enum.Enum):
    A = "x"
    B = "y"
class Bits(enum.IntFlag):
    A = 1
    B = 2
class Both(tuple, enum.Enum):
    A = 1, 2
    B = 3, 4
class Real(float, enum.Enum):
    A = 1.5
    B = 2.5
class Far(enum.Enum):
    A = object()
    B = frozenset([1])
class Box:
    class In(enum.IntEnum):
        A = 1
        B = 2
KINDS = {"Plain": Plain, "Num": Num, "Text": Text, "Bits": Bits, "Both": Both, "Real": Real, "Far": Far, "Box.In": Box.In}
def get(kind, name): return KINDS[kind][name]
def name(member): return member.name
def same(x): return x
def names(xs): return [x.name for x in xs]
def of(kind, x): return type(x) is KINDS[kind]
def number(x): return x if type(x) is int else None
"""
    kinds = ("Plain", "Num", "Text", "Bits", "Both", "Real", "Far", "Box.In")
    begin = f"from solution import {', '.join(kinds[:-1])}, Box, get, name, same, names, of, number\n"
    judge(csbx, python_image, [(code, begin + each.replace("KIND", kind), True) for kind in kinds for each in (
        "assert name(KIND.A) == 'A' and name(KIND.B) == 'B' and of('KIND', KIND.B) and same(KIND.A) is KIND.A is not same(KIND.B)\n"
        "assert names([KIND.A, KIND.B, KIND.A]) == ['A', 'B', 'A'] == names((KIND.A, KIND.B, KIND.A)) and names({KIND.A: 1}) == ['A']\n"
        "assert same({KIND.A: [KIND.B]}) == {KIND.A: [KIND.B]} and names(xs={KIND.B}) == ['B']",
        "assert name(get('KIND', 'A')) == 'A' and name(KIND['B']) == 'B' and names(list(KIND)) == ['A', 'B'] and name(same(KIND.A)) == 'A'\n"
        "assert name(__import__('copy').deepcopy(KIND.B)) == 'B' and name(KIND.__members__['A']) == 'A' and KIND.A.name == 'A'")]
        + [(code, begin + "assert name(Num(2)) == 'B' and name(Num.TWO) == 'B' and number(Num.A) is None", True),
           (code, begin + "assert name(Num.A) == 'B'", False), (code, begin + "assert name(Text.B) == 'A'", False)])


def test_abstract_classes_are_asked_about_classes(csbx, python_image):
    """What stands for a class of the snippet has more methods than that: a class is no container for it, an enumeration is one."""
    code = """
import abc, enum
class Stack:
    def __len__(self): return 0
    def __iter__(self): return iter([])
class Own(list): pass
class Number(int): pass
class Base(abc.ABC): pass
class Color(enum.Enum):
    A = 1
class Num(enum.IntEnum):
    A = 1
class Callee:
    def __call__(self, x): return x
callee = Callee()
def make(name): return {"Stack": Stack, "Own": Own, "Number": Number, "Base": Base, "Color": Color, "Num": Num}[name]
"""
    begin = "import collections.abc as c, typing, unittest\nfrom solution import make, Stack, Color, Own, callee, Callee\n"
    kinds = ("c.Iterable", "c.Sized", "c.Container", "c.Reversible", "c.Collection", "typing.Iterable", "(int, c.Sized)", "(c.Mapping, (c.Iterable, str))")
    are = {name: name in ("Color", "Num") for name in ("Stack", "Own", "Number", "Base", "Color", "Num")}
    both = [(code, begin + "".join(f"assert {'' if is_one else 'not '}isinstance(make('{name}'), {kind})\n" for kind in kinds), True)
            for name, is_one in are.items()]
    both += [(code, begin + f"assert {'not ' if is_one else ''}isinstance(make('{name}'), {kinds[n]})\n", False)
             for n, (name, is_one) in enumerate(are.items())]
    others = [("isinstance(make('Stack'), (c.Callable, c.Sized)) and isinstance(Stack, c.Hashable) and isinstance(Own, object) and isinstance(Stack, type)", True),
              ("isinstance(Own, (list, c.Sequence)) or isinstance(Stack, (int, Color)) or isinstance(Color, c.Sequence)", False),
              ("not isinstance(Own, (list, c.Sequence)) and not isinstance(Stack, (int, Color)) and not isinstance(Color, c.Sequence)", True),
              ("isinstance(callee, c.Callable) and callee(1) == 1", True)]
    neither = ("isinstance(Stack, typing.SupportsInt)", "isinstance(callee, c.Iterable)")
    judge(csbx, python_image, both + [(code, begin + f"assert {said}\n", want) for said, want in others]
          + [(code, begin + f"assert {no}{said}\n", False) for said in neither for no in ("", "not ")])


def test_objects_that_can_be_called_are_of_their_class(csbx, python_image):
    """And have the methods that their class has: hasattr() and isinstance() say what they would in one process, or nothing."""
    code = """
import functools, operator
class Base: pass
class C(Base):
    def __call__(self, x): return x
    def __len__(self): return 3
    def m(self): return 1
obj = C()
part = functools.partial(int, base=2)
item = operator.itemgetter(0)
bound = obj.m
def f(x): return x
class L(list): pass
class N(int): pass
def of(name): return {"L": L, "N": N}[name]
"""
    begin = "import functools, operator, types, unittest, collections.abc as c\nfrom solution import *\n"
    names = ("iter", "next", "getitem", "enter", "add", "int", "await", "contains")
    true = ("not any(hasattr(obj, '__%s__' % each) for each in NAMES) and callable(obj) and hasattr(obj, '__call__') and hasattr(obj, 'm')",
            "isinstance(obj, C) and isinstance(obj, Base) and isinstance(obj, (int, C)) and isinstance(obj, object) and isinstance(obj, c.Callable)",
            "not isinstance(obj, (int, type, L)) and obj.__class__ is C and obj(3) == 3 and obj.m() == 1",
            "isinstance(part, functools.partial) and isinstance(item, operator.itemgetter) and isinstance(bound, types.MethodType)",
            "not isinstance(part, (operator.itemgetter, types.MethodType)) and not isinstance(f, (functools.partial, types.MethodType))",
            "f(1) == 1 and isinstance(f, types.FunctionType) and isinstance(f, c.Callable) and not isinstance(part, types.FunctionType)",
            "hasattr(of('L'), '__iter__') and hasattr(of('N'), '__int__') and not hasattr(of('L'), '__next__') and not hasattr(of('N'), '__iter__')",
            "not hasattr(L, '__int__') and not hasattr(N, '__len__') and hasattr(N, '__add__') and hasattr(L, 'append')")
    method = "class T(unittest.TestCase):\n    def test_it(self): self.assertIsInstance(%s)\n"
    neither = ("hasattr(obj, '__len__')", "type(obj) == C", "isinstance(obj, c.Sized)")
    judge(csbx, python_image, [(code, begin + f"assert {said}\n".replace("NAMES", str(names)), True) for said in true]
          + [(code, begin + f"assert not ({said})\n".replace("NAMES", str(names)), False) for said in true]
          + [(code, begin + method % said, want) for said, want in (("obj, C", True), ("obj, L", False), ("part, functools.partial", True))]
          + [(code, begin + f"assert obj(1) == 1 and {no}{said}\n", False) for said in neither for no in ("", "not ")])


def test_objects_go_back_as_what_made_them(csbx, python_image):
    """As arguments: the snippet makes them once more, by the same call."""
    code = """
import os
class P:
    def __init__(self, x, y=0): self.x, self.y = x, y
    @classmethod
    def of(cls, x): return cls(x, 1)
    def __eq__(self, other): return True
class T(str):
    def __new__(cls, s): return str.__new__(cls, s * 2)
    def __init__(self, s): self.was = s
class L(list): pass
class Outer:
    class Inner(P): pass
class Once:
    def __init__(self):
        with open("once", "x"): pass
def total(*ps, **more): return sum(p.x + p.y for p in ps + tuple(more.values()))
def first(p): return p.x
def same(a, b): return a is b
def depth(p): return 1 + depth(p.x) if p else 0
def build(n): return P(n, n)
async def later(n): return P(n)
def local(n):
    class Q(P): pass
    return Q(n)
def pairs(n): return [P(n), P(n)]
def was(t): return t.was + str(t)
def size(x): return len(x)
def gen(): yield 1
"""
    begin = "from solution import *\n"
    right = ("assert total(P(1, 2), P(3, y=4)) == 10 and total(a=P(x=5)) == 5", "x = P(1)\nassert same(x, x) and not same(x, P(1)) and same([x], [x]) is False",
             "assert depth(P(P(P(None)))) == 3 and first(P([P(4), {5: 6}], P(2)))[1] == {5: 6}", "assert total(build(3), P.of(5)) == 12",
             "assert first(P({1: [2, (3,)]})) == {1: [2, (3,)]}", "assert total(Outer.Inner(1, 1)) == 2", "assert was(T('a')) == 'aaa' == 'a' + T('a')",
             "assert size(L([1, 2])) == 2 and L([1]) == [1]", "import copy\nx = [P(1), P(2)]\nassert total(*x) == total(*copy.copy(x)) == 3",
             "a = [1]\nx = P(a)\na = [1, 2]\nassert first(x) == [1]", "def node(n): return P(node(n - 1) if n else None)\nassert depth(node(25)) == 26",
             "assert size([P(n) for n in range(500)]) == 500", "x = P(1)\nassert all(first(x) == 1 for _ in range(20))")
    unknown = ("x = P(1)\nx.x == 1", "P(1) == P(1)", "x = L([1])\nx.append(2)\nsize(x)", "a = [1]\nx = P(a)\na.append(2)\nfirst(x)", "first(local(1))", "size(pairs(1))",
               "size(gen())", "import asyncio\nx = asyncio.run(later(1))\nfirst(x)", "x = T('a')\nx.more = 1\nwas(x)", "x = Once()\nsize([x])",
               "a = [P(1)]\nx = P(a)\na[0] = P(2)\nfirst(x)", "x = P(1)\nx.x = 2\nfirst(x)")
    records = judge(csbx, python_image, [(code, f"{begin}{says}\n", True) for says in right] + [(code, f"{begin}{says}\n", False) for says in unknown])
    assert {cause(records[n + len(right)])[0] for n in range(len(unknown))} == {"CallFailed"}, records
    # An answer of that kind is none.
    hand = WRITE + "def f(): returned(x('made', t(s('leak'), t(), b'd0:')))\n"
    for says in "f()", "assert f()", "try:\n    f()\nexcept Exception:\n    pass":
        records = judge(csbx, python_image, [(hand, f"from solution import f\n{says}\n", False)])
        assert cause(records[0])[0] == "CallFailed" and "LEAK" not in json.dumps(records), records
