# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: what the check has of its own, and what it has of the snippet. Nothing that is looked up by a name, copied, evaluated or
looked for by a runner of tests comes from there unasked, and the snippet does not end the check."""
import pytest
from test_eval_told import EVIL, cause, judge
from test_eval_told_by_hand import WRITE

HINTS = ("typing.get_type_hints(P)", "typing.get_type_hints(type(g()))", "inspect.get_annotations(P, eval_str=True)", "typing.get_type_hints(f, globals())")
LOOP = "[exit.__class__[code] for exit.__class__.__class_getitem__ in [exec]]"
EVALUATED = [f"class P(dict):\n    code = {EVIL!r}\n    x: {text!r}\ndef f(x: {text!r}): return 0\n" for text in (LOOP, "code", "P.code")]
EVALUATED += [f"class P(dict):\n    x: {name!r}\ndef f(x): return 0\n{name} = {EVIL!r}\n" for name in ("int", "List", "code")]


@pytest.mark.parametrize("hints", HINTS)
def test_no_text_of_an_annotation(csbx, python_image, hints):
    """It may be a loop that assigns, or name a text, which is evaluated then."""
    begin = "import inspect, typing\nfrom typing import List\nfrom solution import *\nf(1)\n"
    rows = [(code + "def g(): return P()\n", f"{begin}try:\n    {hints}\nexcept (NameError, ValueError):\n    pass\n", None) for code in EVALUATED]
    for record in judge(csbx, python_image, rows).values():
        assert "INSIDE" not in record["check"]["result"]["stdout"], record


def test_no_attribute_of_an_object_is_evaluated(csbx, python_image):
    code = f"class P(dict): pass\ndef f(x):\n    p = P()\n    p.__annotations__ = {{'x': {EVIL!r}}}\n    return p\n"
    by_hand = f"{WRITE}def f(x): returned(subclass(made_class(), i(0), __annotations__=d(x=s({EVIL!r}))))\n"
    asserting = "import typing\nfrom solution import f\ntyping.get_type_hints(f(1))\n"
    for record in judge(csbx, python_image, [(code, asserting, False), (by_hand, asserting, False)]).values():
        assert cause(record)[0] == "CallFailed" and "INSIDE" not in record["check"]["result"]["stdout"], record


# The name of the class leads through the snippet, which gives a class of the library the second time, and from there through the check's.
NAMED = """
import os, pathlib
def is_there(): return os.path.exists("/tmp/flip")
class M(type):
    @property
    def lib(cls): return pathlib.PurePosixPath if is_there() else Lib
class M2(type):
    @property
    def last(cls):
        open("/tmp/flip", "w").close()
        return Last
class system(Exception):
    def __str__(self): return "s"
class Last(Exception):
    def __str__(self): return "l"
class Outer(Exception):
    def __str__(self): return "o"
found, words = pathlib.PurePosixPath, []
for word in "parser", "_flavour", "pathmod", "os":
    if hasattr(found, word):
        found = getattr(found, word)
        words.append(word)
system.__name__ = ".".join(["K", "lib"] + words + ["system"])
Last.__name__ = "K2.last"
Lib = system
for n, word in enumerate(["system"] + words[::-1]):
    Lib = globals()["At%d" % n] = type("At%d" % n, (), {word: Lib})
class K(metaclass=M): pass
class K2(metaclass=M2): pass
def f(x): raise Outer(system("echo INSIDE"), Last())
"""


def test_pickle_looks_nothing_up(csbx, python_image):
    for begin, ask in (("import pickle\n", "pickle.loads(pickle.dumps(e))"), ("from multiprocessing import Pool\n", "Pool(1).map(f, [1])")):
        asserting = f"{begin}from solution import f\ntry:\n    f(1)\nexcept Exception as error:\n    e = error\ntry:\n    {ask}\nexcept Exception:\n    pass\n"
        for record in judge(csbx, python_image, [(NAMED, asserting, None)]).values():
            assert "INSIDE" not in record["check"]["result"]["stdout"], record


KINDS = """
import collections, enum
class L(list): pass
class S(set): pass
class Cn(collections.Counter): pass
class Dq(collections.deque): pass
class OD(collections.OrderedDict): pass
class DD(collections.defaultdict): pass
class Color(enum.Enum):
    RED = 1
class Own(Cn):
    def __init__(self, *args): super().__init__(*args)
class New(Cn):
    def __new__(cls, *args): return True if args else Cn.__new__(cls)
class E(ValueError): pass
def marked(value):
    value.n = 3
    return value
def f(what):
    if what == "e": raise E("x", 2)
    if what == "unlike": raise ValueError(object())
    return {"L": L([1]), "S": marked(S([1, 2])), "Cn": Cn("aab"), "Dq": Dq([1, 2], 5), "OD": OD(b=1, a=2), "DD": DD(list, {1: [2]}), "Own": Own("a"),
            "New": New(), "Color": Color.RED}[what]
"""
WAYS = ("pickle.loads(pickle.dumps(f(x)))", "copy.copy(f(x))", "copy.deepcopy([f(x)])[0]", "pool.map(f, [x])[0]")
COPIED = ("type(g('L')) is L and g('L') == [1]", "type(g('S')) is S and g('S') == {1, 2} and g('S').n == 3", "type(g('Cn')) is Cn and g('Cn') == {'a': 2, 'b': 1}",
          "type(g('Dq')) is Dq and list(g('Dq')) == [1, 2] and g('Dq').maxlen == 5", "type(g('OD')) is OD and list(g('OD').items()) == [('b', 1), ('a', 2)]",
          "type(g('DD')) is DD and g('DD')[5] == [] and g('DD')[1] == [2]", "g('Color') is Color.RED")


@pytest.mark.parametrize("way", WAYS)
def test_copies(csbx, python_image, way):
    begin = "import copy, pickle\nfrom multiprocessing import Pool\nfrom solution import *\npool = Pool(1)\n"
    judge(csbx, python_image, [(KINDS, f"{begin}g = lambda x: {way}\nassert {said}\n", True) for said in COPIED])
    rows = [(KINDS, f"{begin}x = {name!r}\n{way}\n", False) for name in ("Own", "New") if "pool" not in way]
    for record in judge(csbx, python_image, rows).values():
        assert cause(record)[0] == "CallFailed", record


def test_exceptions_and_functions_are_pickled(csbx, python_image):
    begin = "import pickle\nfrom multiprocessing import Pool\nfrom solution import *\n"
    caught = begin + "try:\n    f(%r)\nexcept ValueError as error:\n    e = error\n"
    judge(csbx, python_image, [
        (KINDS, caught % "e" + "x = pickle.loads(pickle.dumps(e))\nassert type(x) is E and x.args == ('x', 2)", True),
        (KINDS, begin + "try:\n    Pool(1).map(f, ['e'])\nexcept E as e:\n    assert e.args == ('x', 2)\nelse:\n    assert 0", True),
        (KINDS, caught % "e" + "class Mine(E): pass\nassert pickle.loads(pickle.dumps([Mine, Mine('m')]))[0] is Mine", True),
        (KINDS, begin + "f('L')\nassert pickle.loads(pickle.dumps([f, E, L, Color])) == [f, E, L, Color]", True)])


STAR = "from solution import *\n"
CASE = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n"
OF_ITS_OWN = ('__all__ = ["f", "__dir__"]\n', '__all__ = ["f", "__dir__", "__all__"]\n', '__all__ = ["f", "load_tests", "__getattr__"]\nload_tests = print\n',
              "TestX = dict\n", "from collections import OrderedDict as TestX\n", "class TestX(Exception): pass\n", "check = bool\n", "class check(Exception): pass\n",
              "class FixtureFunctionDefinition(Exception): pass\nx = FixtureFunctionDefinition()\n", "setUpModule = pytestmark = print\n",
              "import unittest\nclass TestF(unittest.TestCase):\n    def test_f(self): pass\n", "from unittest.mock import MagicMock\nm = MagicMock()\n")


def test_names_for_all_are_none_of_the_checks(csbx, suite_image):
    """Neither what a module has by itself, nor what is to be run as a test, nor classes that are the same on both sides."""
    f = "def f(x): return %d\n"
    rows = [(code + f % n, STAR + tests, n == 2) for code in OF_ITS_OWN for tests in (CASE, "def test_a():\n    assert f(1) == 2\n") for n in (2, 0)]
    judge(csbx, suite_image, [{"code": code, "check": asserting, "function": "f", "want": want} for code, asserting, want in rows])
    skipped = STAR + "import pytest\n@pytest.mark.xfail\ndef test_a():\n    assert f(1) == 2\n"
    taken = STAR + "import pytest\n@pytest.fixture\ndef own(): return f\ndef test_a(own):\n    assert own(1) == 2\nf(1)\n"
    for code in "check = bool\n", "class check(Exception): pass\n":
        lines = [{"code": code + f % 0, "check": asserting, "function": "f", "want": None} for asserting in (skipped, taken)]
        records = judge(csbx, suite_image, lines)
        assert "skipped" in cause(records[0])[1] and records[1]["status"] == "bad_line", records


def test_a_name_with_a_dot_is_no_call(csbx, python_image):
    code = '__all__ = ["f", "a.b"]\nclass a:\n    b = 1\ndef f(x): return 0\n'
    judge(csbx, python_image, [(code, STAR, False), (code, "import solution\ngetattr(solution, 'a.b', None)", False)])


def test_a_class_of_the_check_by_another_module(csbx, suite_image):
    """As which pytest imports the check."""
    asserting = ("import pytest, sys\nfrom solution import f\nclass Mine: pass\ndef test_a():\n    assert type(f()) == Mine and isinstance(f(), Mine)\n"
                 "if __name__ == '__main__':\n    sys.exit(pytest.main([__file__, '-q', '-p', 'no:cacheprovider']))\n")
    code = WRITE + "def f(): returned(x('object', t(made_class(None, ('check.Mine', 'builtins.object')), s('text'), b'N', b'd0:', b'F')))\n"
    judge(csbx, suite_image, [(code, asserting, False)])


EXITS = "import sys\ndef f(x): sys.exit(0)\n"
THREAD = "import threading\nbad = []\ndef t():\n    try:\n        if f(1) != 2: bad.append(1)\n    except Exception as e: bad.append(e)\n" \
         "th = threading.Thread(target=t)\nth.start()\nth.join()\nassert not bad\n"
PROCESS = "import multiprocessing\np = multiprocessing.Process(target=lambda: f(1) == 2 or exit(1))\np.start()\np.join()\nassert p.exitcode == 0\n"
CLOSED = "def g():\n    try:\n        yield 1\n    finally:\n        assert f(1) == 2\nit = g()\nnext(it)\nit.close()\n"


def test_what_ends_in_silence(csbx, python_image):
    begin = "from solution import f\n"
    rows = [(EXITS, begin + THREAD, False), (EXITS, begin + PROCESS, False), ("def f(x): raise GeneratorExit()\n", begin + CLOSED, False)]
    for record in judge(csbx, python_image, rows).values():
        assert cause(record)[0] == "CallFailed", record
    judge(csbx, python_image, [(EXITS, begin + "f(1)", False), (EXITS, begin + "try:\n    f(1)\nexcept SystemExit as e:\n    assert e.code == 0", True),
                               (EXITS, begin + "import asyncio\nasync def g(): f(1)\nasyncio.run(g())", False),
                               ("def f(x): return 2\n", begin + THREAD, True), ("def f(x): return 2\n", begin + PROCESS, True)])


def test_a_check_that_leaves(csbx, python_image):
    """By sys.exit(): with 0 all that it did is done, and its tests are run."""
    begin = "import os, sys\nfrom solution import f\n"
    case = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), %d)\n"
    code, rows = "def f(x): return x\n", []
    rows += [(code, f"{begin}assert f(1) == {n}\nsys.exit({how})\n", n == 1) for how in ("0", "False", "None", "") for n in (1, 2)]
    rows += [(code, f"{begin}f(1)\nsys.exit({how})\n", False) for how in ("1", "True", "''", "'no'")]
    rows += [(code, begin + case % n + "r = unittest.main(exit=False).result\nsys.exit(not r.wasSuccessful())\n", n == 1) for n in (1, 2)]
    rows += [(code, begin + case % n + "sys.exit(0)\n", n == 1) for n in (1, 2)]
    rows += [(code, f"{begin}if not os.fork():\n    sys.exit(0)\nos.wait()\nassert f(1) == {n}\n", n == 1) for n in (1, 2)]
    judge(csbx, python_image, rows + [(EXITS, begin + "f(1)\n", False)])
