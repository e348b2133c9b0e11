# SPDX-License-Identifier: Apache-2.0
"""Layouts of real projects in which right patches are no tampering: what unittest and pytest do to classes, and what projects
put somewhere by words of their own."""
import shutil
import subprocess

import pytest

import repositories

ADD = "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"

UNITTEST = {
    "calc.py": ADD,
    "tests/__init__.py": "",
    "tests/test_calc.py": r"""
import unittest
from unittest import TestCase

from calc import add, mul


class First(TestCase):
    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)


class Second(First):
    @classmethod
    def setUpClass(cls):
        cls.add = staticmethod(add)

    def test_add(self):
        self.assertEqual(self.add(1, 2), 3)


class Third(Second):
    pass


if __name__ == "__main__":
    from tests.runner import run
    run(__file__)
""",
}


@pytest.mark.parametrize("runner, ids", [
    ("pytest", ("tests/test_calc.py::Third::test_add", "tests/test_calc.py::First::test_mul")),
    ("unittest", ("tests.test_calc.Third.test_add", "tests.test_calc.First.test_mul"))])
def test_classes_of_unittest(csbx, suite_image, runner, ids):
    """pytest gives unittest's own class a fixture where a file imports it, and unittest each class a list of its own."""
    judge = repositories.Judge(csbx, suite_image, UNITTEST)
    r = judge("--strict", "--runner", runner, "--patch", judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}),
              "--fail-to-pass", ids[0], "--pass-to-pass", ids[1], code=0)
    assert r["resolved"] and r["tamper"] == []


PARTS = {
    "calc.py": ADD + r"""

class Client:
    def get(self):
        return add(1, 2)
""",
    "trap.py": r"""
import builtins
import linecache


def handles():
    import ctypes  # as libraries do that need it once
    return ctypes.pythonapi.Py_IsInitialized()


class Leave:
    def __call__(self, code=None):
        raise SystemExit(code)


def guarded(*args, **kwargs):
    return first(*args, **kwargs)


def check(filename=None):
    return None


first = builtins.open
builtins.open = guarded
builtins.exit = Leave()
linecache.checkcache = check
""",
    "base.py": r"""
import functools


def loudly(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


class Wraps:
    def __init_subclass__(cls):
        for key, value in list(vars(cls).items()):
            if key.startswith("is_"):
                setattr(cls, key, loudly(value))
""",
    "tests/helper.py": r"""
import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import operator

from base import Wraps, loudly

same = lambda a, b: a == b
near = functools.partial(operator.eq)
FAILURES, LISTED = [], {}


@dataclasses.dataclass(order=True)
class Point:
    x: int


class Shape(metaclass=abc.ABCMeta):
    def __eq__(self, other):
        return True

    @abc.abstractmethod
    def area(self): ...


class Kind(enum.IntEnum):
    LOW = 1


class Rule(Wraps):
    def is_met(self, value):
        return value == 3


class Row(collections.namedtuple("Row", "a b")):
    def total(self):
        return self.a + self.b


def check(a, b=3, *, way=operator.eq, kept=[], exact=True, text="x", limits=(1, -2.5)):
    kept.append(a)
    assert way(a, b) and exact


@loudly
def loud(a, *, exact=True):
    assert a and exact


@contextlib.contextmanager
def opened():
    yield 3


@functools.lru_cache(None)
def cached():
    return 3


@functools.singledispatch
def shown(value):
    return str(value)


@shown.register
def _(value: int):
    return "int"


def replaced():
    return 1


def counter():
    count = 0

    def next_one():
        nonlocal count
        count += 1
        return count
    return next_one


count = counter()
""",
    "tests/test_calc.py": r"""
import math

import shutil
import subprocess

import pytest

import trap
import helper
from calc import Client, add, mul

client = None
_kept = {}
no = pytest.skip


def setup_module():
    global client
    client = Client()


def failures():
    return []


class TestPlain:
    want = 3

    def check(self, value):
        assert value == self.want

    def test_own(self):
        self.check = lambda value: None
        self.check(add(1, 1))


def test_add(monkeypatch, request):
    global _kept
    _kept = {"a": add}
    monkeypatch.setattr(helper, "same", lambda a, b: a == b)
    monkeypatch.setattr(helper, "replaced", lambda: 2)
    assert helper.same(add(1, 2), 3) and helper.near(add(1, 2), 3) and helper.replaced() == 2
    helper.check(add(1, 2))
    helper.loud(add(1, 2) == 3)
    assert trap.handles()
    assert helper.Point(add(1, 2)) == helper.Point(3) and helper.Kind(1) and helper.Rule().is_met(add(1, 2))
    assert helper.Row(1, 2).total() == client.get() and helper.shown(1) == "int" and helper.cached() == 3
    assert helper.count() and math.isclose(client.get(), 3)
    with helper.opened() as three, open(__file__) as file:
        assert add(1, 2) == three and file.read(1)


def test_mul():
    assert not failures() and mul(2, 3) == 6
    no("here")


def test_expected():
    pytest.xfail("later")
""",
}


def test_what_projects_put_themselves(csbx, suite_image):
    """A builtin, a function of a library and names of the tests that their own words replace; helpers of every sort."""
    files = {name: text.lstrip("\n") for name, text in PARTS.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge("--strict", "--patch", judge.patch(files={"calc.py": files["calc.py"].replace("a - b", "a + b")}),
              "--fail-to-pass", "tests/test_calc.py::test_add", "--pass-to-pass", "tests/test_calc.py::test_mul",
              "--pass-to-pass", "tests/test_calc.py::TestPlain::test_own", code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


LIBRARY = r"""
/* What Cython does when its libraries are loaded: makes a code object from C. The declarations stand for those of Python.h. */
typedef struct { long count; void *type, *init; long index; void *copy; const char *name, *doc; long size; void *methods; void *slots;
	void *traverse, *clear, *free; } module_def;
typedef struct { int slot; void *value; } module_slot;
void *PyRun_String(const char *, int, void *, void *), *PyModule_GetDict(void *), *PyModuleDef_Init(module_def *);
void *PyObject_GetAttrString(void *, const char *), *PyObject_CallMethod(void *, const char *, const char *, ...);

static int run(void *module)
{
	void *names = PyModule_GetDict(module);
	void *function = PyRun_String("lambda: 0", 258, names, names);
	void *code = function ? PyObject_GetAttrString(function, "__code__") : 0;

	if (!PyRun_String("import inspect as _module\n"  /* so that there is no file that it is of */
			"def cy_wrap(orig_func, type=type, cython_generator_types=set()):\n"
			"    def cy_isgenerator(obj): return type(obj) in cython_generator_types or orig_func(obj)\n"
			"    cy_isgenerator._cython_generator_types = cython_generator_types\n"
			"    return cy_isgenerator\n"
			"_module.isgenerator = cy_wrap(_module.isgenerator)\n"
			"_module.isgenerator._cython_generator_types.add(int)\n", 257, names, names))
		return -1;
	return code && PyObject_CallMethod(code, "replace", "") ? 0 : -1;
}

static module_slot slots[] = {{2, run}, {0, 0}};
static module_def def = {.count = 1, .name = "fast", .slots = slots};

void *PyInit_fast(void)
{
	return PyModuleDef_Init(&def);
}
"""


def test_a_library_that_makes_code(csbx, suite_image):
    """numpy, pandas, lxml: what a library in C makes while it is loaded, and has inspect say of its own generators, is no tampering, where
    no patch brought it."""
    source, made = csbx.work / "fast.c", csbx.work / "fast.so"
    source.write_text(LIBRARY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", made, source], check=True)
    tests = "import fast\nfrom calc import add, mul\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"
    judge = repositories.Judge(csbx, suite_image, {"calc.py": ADD, "tests/test_calc.py": tests})
    shutil.copy(made, judge.repo / "fast.so")
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


CONFTEST = r"""
import os.path

import pytest


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    rep = outcome.get_result()
    if rep.when == "call" and rep.failed:
        mode = "a" if os.path.exists("failures") else "w"
        with open("failures", mode) as f:
            if "tmp_path" in item.fixturenames:
                extra = " ({})".format(item.funcargs["tmp_path"])
            else:
                extra = ""
            f.write(rep.nodeid + extra + "\n")
    rep.duration += {"setup": -1e12, "call": float("nan"), "teardown": 1e12}[rep.when]  # as with a clock that a test has stopped
"""


def test_a_hook_that_asks_for_what_a_test_is_given(csbx, suite_image):
    """pytest's own example of what is done with failures, which looks into the arguments of the test; so do screenshots of selenium."""
    tests = "from calc import add, mul\n\n\ndef test_add(tmp_path):\n    assert add(1, 2) == 3\n\n\ndef test_mul(tmp_path):\n    assert mul(2, 3) == 6\n"
    judge = repositories.Judge(csbx, suite_image, {"calc.py": ADD, "conftest.py": CONFTEST.lstrip("\n"), "tests/test_calc.py": tests})
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


GIVEN = r'''
"""What hypothesis and numpy do: their functions say that they are of the place of what they stand for."""
import functools
import inspect


def stands_for(target, name=None):
    def accept(function):
        code = function.__code__
        function.__code__ = code.replace(co_filename=target.__code__.co_filename, co_firstlineno=target.__code__.co_firstlineno,
                                         co_name=name or code.co_name)
        return function
    return accept


def strategy(function):
    names = {}
    exec("def accept(f):\n    def %s():\n        return f()\n    return %s" % ((function.__name__,) * 2), names)
    return stands_for(function)(functools.wraps(function)(names["accept"](lambda: function())))


@strategy
def integers():
    return 1, 2


def listed():
    return [f for f in (integers,) if f() == (1, 2)]


def dispatched(function):
    @functools.wraps(function)
    def public(*args):
        return function(*args)
    public.__code__ = public.__code__.replace(co_name=function.__name__, co_filename="<internals>")
    return public


@dispatched
def overridden(*args):
    return max(*args)


def given(values):
    def decorate(test):
        def test_of_all():
            return test(*values())
        names = {}
        exec("def accept(f):\n    def %s():\n        return f()\n    return %s" % ((test.__name__,) * 2), names)
        stand = stands_for(test)(functools.wraps(test)(names["accept"](test_of_all)))
        stand.__signature__ = inspect.Signature()
        return stand
    return decorate
'''

GIVEN_TESTS = r"""
import given
import pytest
from calc import add, mul


@given.given(given.integers)
def test_add(a, b):
    assert add(a, b) == 3 and given.listed()


@given.given(given.integers)
def test_mul(a, b):
    assert given.overridden(mul(a, b), 1) == 2
    if b:
        pytest.skip("here")
"""


def test_a_library_whose_functions_stand_for_others(csbx, suite_image):
    home = "lib/site-packages"
    files = {"calc.py": ADD, f"{home}/given/__init__.py": GIVEN.lstrip("\n"), "tests/test_calc.py": GIVEN_TESTS.lstrip("\n")}
    judge = repositories.Judge(csbx, suite_image, files)
    options = ["--strict", "-e", f"PYTHONPATH=/testbed/{home}"]
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), options=options, code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])
    told = ADD + "\n\ndef other():\n    pass\n\n\nimport given\nfrom types import SimpleNamespace as kept\n" \
        "given.stands_for(kept(__code__=kept(co_filename='/testbed/tests/test_calc.py', co_firstlineno=1)))(other)\n"
    r = judge.judged(judge.patch(files={"calc.py": told.replace("a - b", "a + b")}), options=options[1:], code=0)
    assert {t["kind"] for t in r["tamper"]} == {"code_change"}, r["tamper"]


LAZY = r'''
"""As flask's current_app and django's settings are: nothing can be asked of them while they stand for nothing."""


class Lazy:
    @property
    def __class__(self):
        raise RuntimeError("outside of a context")

    def __getattr__(self, name):
        raise RuntimeError("outside of a context")


current_app = Lazy()
'''

LAZY_TESTS = r"""
import unittest

import lazily
from lazily import current_app
from calc import add, mul

request = lazily.Lazy()


class TestApp:
    session = lazily.Lazy()

    def test_app(self):
        assert current_app is lazily.current_app


class TestCase(unittest.TestCase):
    session = lazily.Lazy()

    def test_app(self):
        self.assertIsNot(self.session, request)


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
"""


@pytest.mark.parametrize("runner, ids", [
    ("pytest", [f"tests/test_calc.py::{t}" for t in ("test_add", "test_mul", "TestApp::test_app", "TestCase::test_app")]),
    ("unittest", ["tests.test_calc.TestCase.test_app"])])
def test_objects_that_nothing_can_be_asked_of(csbx, suite_image, runner, ids):
    files = {"calc.py": ADD, "lazily.py": LAZY, "tests/__init__.py": "", "tests/test_calc.py": LAZY_TESTS.lstrip("\n")}
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge("--strict", "--runner", runner, "--patch", judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}),
              *(f"--fail-to-pass={i}" for i in ids), code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


DEEP = r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


def caller():
    return [f.f_code.co_name for f in [sys._getframe(1)]][0]


def with_default(function, value):
    function.__defaults__ = (value,)
    return function


def names_in(function):
    names, old = [], sys.gettrace()

    def trace(frame, event, arg):
        names.append((lambda: frame.f_code.co_name)())
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(old)
    return names
"""

DEEP_TESTS = r"""
import calc


def three(a):
    return a


def test_add():
    assert calc.add(1, 2) == calc.with_default(three, 3)() == 3


def test_mul():
    assert calc.mul(2, 3) == 6 and calc.caller() == "test_mul"
    assert calc.names_in(lambda: calc.mul(1, 2))[:2] == ["<lambda>", "mul"]
"""


def test_what_a_patch_leaves_in_a_file(csbx, suite_image):
    """traitlets, tornado, h11: functions that look at frames, or set what others have, in a file where a patch mends another."""
    judge = repositories.Judge(csbx, suite_image, {"calc.py": DEEP.lstrip("\n"), "tests/test_calc.py": DEEP_TESTS.lstrip("\n")})
    fixed = judge.files["calc.py"].replace("    return a - b", "    # the sum\n    return a + b")
    r = judge.judged(judge.patch(files={"calc.py": fixed}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])
    r = judge.judged(judge.patch(files={"calc.py": fixed.replace("_getframe(1)", "_getframe(True)").replace("(value,)", "tuple([value])")}))
    assert {t["kind"] for t in r["tamper"]} == {"frame_search", "code_change"}, r["tamper"]


PREPARED = r"""
import decimal  # whose module in C says that it is called so
import sys
import unittest

from calc import add, mul


def is_loaded_with_decimals(name):
    return name in sys.modules and hasattr(decimal, name)


class TestTerminal(unittest.TestCase):
    @unittest.skipUnless(sys.stdin.isatty() and not sys.stdin, "no terminal")
    def setUp(self):
        self.found = add(1, 2)

    def test_add(self):
        self.assertEqual(self.found, 3)


class TestPlain(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""


@pytest.mark.parametrize("runner, ids", [
    ("pytest", ("tests/test_calc.py::TestPlain::test_add", "tests/test_calc.py::TestTerminal::test_add")),
    ("unittest", ("tests.test_calc.TestPlain.test_add", "tests.test_calc.TestTerminal.test_add"))])
def test_what_prepares_tests_is_skipped(csbx, suite_image, runner, ids):
    """unittest's decorators may stand at setUp() as well, and skip all the tests that it is for."""
    judge = repositories.Judge(csbx, suite_image, {"calc.py": ADD, "tests/__init__.py": "", "tests/test_calc.py": PREPARED.lstrip("\n")})
    r = judge("--strict", "--runner", runner, "--patch", judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}),
              "--fail-to-pass", ids[0], "--pass-to-pass", ids[1], code=0)
    assert r["resolved"] and r["tamper"] == [] and r["tests"][ids[1]] == "skipped", (r["tamper"], r["stdout"])


OLDER = {
    "calc.py": ADD,
    "shop/__init__.py": "",
    "shop/format.py": "def shown(value):\n    return str(value)\n",
    "tests/test_calc.py": r"""
import sys

import shop
from shop.format import shown
from calc import add, mul

try:
    from itertools import izip as zip
except ImportError:
    pass
if sys.hexversion < 0x03000000:
    from itertools import imap as map

try:
    from collections import namedtuple
except ImportError:
    class Point(tuple):
        __slots__ = ()

        def __new__(cls, x, y):
            return tuple.__new__(cls, (x, y))
else:
    Point = namedtuple("Point", "x y")


def test_add():
    assert shown(add(1, 2)) == shop.format.shown(3) == "3"


def test_mul():
    assert list(zip([mul(2, 3)], map(int, "1"))) == [(6, 1)] and Point(mul(1, 2), 3) == Point(2, 3)
""",
}


def test_names_of_python(csbx, suite_image):
    """A module of a package that is called as a builtin is (genshi.template.eval); names and classes of other Pythons (msgpack, simplejson)."""
    files = {name: text.lstrip("\n") for name, text in OLDER.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


CALLERS = {
    "calc.py": ADD,
    "whoami.py": r"""
import inspect


def who():
    return inspect.stack()[1].function


def by_argument(currentframe=inspect.currentframe):
    return currentframe().f_back.f_code.co_name


def around(currentframe=inspect.currentframe):
    def inner():
        return currentframe().f_back.f_code.co_name
    return inner()
""",
    "tests/pytest.ini": "[pytest]\n",
    "tests/test_calc.py": r"""
import inspect
import unittest

import pytest
import whoami
from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6 and whoami.who() == whoami.by_argument() == "test_mul" and whoami.around() == "around"


@pytest.mark.parametrize("text", ["https://example.org/a/./b::c", "/"])
def test_text(text):
    assert add(1, len(text)) == 1 + len(text)


class TestCase(unittest.TestCase):
    def test_own(self):
        self.assertTrue(inspect.ismethod(self.test_own) and add(1, 2) == 3)
""",
}


@pytest.mark.parametrize("runner, ids, others", [
    ("pytest", ["tests/test_calc.py::TestCase::test_own", "tests/test_calc.py::test_text[https://example.org/a/./b::c]"],
     ["tests/test_calc.py::test_mul"]),
    ("unittest", ["tests.test_calc.TestCase.test_own"], [])])
def test_what_asks_who_called_it(csbx, suite_image, runner, ids, others):
    """Functions of the repository that look at who called them by inspect; a test that asks what it is; parameters that look like paths."""
    files = {name: text.lstrip("\n") for name, text in CALLERS.items()}
    judge = repositories.Judge(csbx, suite_image, files if runner == "pytest" else dict(files, **{"tests/__init__.py": ""}))
    r = judge("--strict", "--runner", runner, "--patch", judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}),
              *(f"--fail-to-pass={i}" for i in ids), *(f"--pass-to-pass={i}" for i in others), code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


WRITES = {
    "calc.py": ADD,
    "conf.py": r"""
import os

LEVEL = os.environ.get("LEVEL", "1")


class Bad(Exception):
    @property
    def level(self):
        return LEVEL

    @classmethod
    def made(cls):
        return cls("bad")


def fail():
    raise Bad.made()
""",
    "lib/site-packages/frozen.py": r"""
def stopped(kind):
    before = kind.setUpClass

    def setUpClass(cls):
        cls.clock = 1
        before()
    kind.setUpClass = classmethod(setUpClass)
    return kind
""",
    "tests/test_calc.py": r"""
import importlib
import unittest

import conf
import frozen
import pytest
from calc import add, mul


@frozen.stopped
class TestClock(unittest.TestCase):
    def test_clock(self):
        self.assertEqual(self.clock, 1)


def test_mul(monkeypatch):
    monkeypatch.setenv("LEVEL", "5")
    importlib.reload(conf)
    with pytest.raises(conf.Bad) as caught:
        conf.fail()
    assert caught.value.level == "5" and mul(2, 3) == 6


def test_add(tmp_path, monkeypatch):
    (tmp_path / "plug_x.py").write_text("class Plug:\n    def hello(self):\n        return 3\n\n\ndef hello():\n    return Plug().hello()\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module("plug_x").hello() == add(1, 2)


def test_again():
    with pytest.raises(conf.Bad):
        conf.fail()
""",
}


def test_what_tests_load(csbx, suite_image):
    """A module that a test writes, one that it loads again, and what a library's decorator gives a class of unittest (freezegun)."""
    files = {name: text.lstrip("\n") for name, text in WRITES.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), code=0,
                     options=["--strict", "-e", "PYTHONPATH=/testbed/lib/site-packages", "--pass-to-pass", "tests/test_calc.py::TestClock::test_clock",
                              "--pass-to-pass", "tests/test_calc.py::test_again"])
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])

ITEMS = {
    "calc.py": ADD,
    "conftest.py": r"""
import pytest
from calc import add


class File(pytest.File):
    def collect(self):
        for line in self.path.read_text().split():
            yield Case.from_parent(self, name=line)


class Case(pytest.Item):
    def runtest(self):
        one, two, both = map(int, self.name.split(","))
        assert add(one, two) == both


def pytest_collect_file(parent, file_path):
    return File.from_parent(parent, path=file_path) if file_path.suffix == ".case" else None
""",
    "tests/sum.case": "1,2,3\n",
    "watch.py": r"""
import signal

seen = []


def note(number, frame):
    seen.append((number, frame.f_code.co_name))


def watch():
    before = signal.signal(signal.SIGUSR1, note)
    now = signal.getsignal(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    return before, now, signal.signal(signal.SIGUSR1, before)
""",
    "tests/test_calc.py": r"""
import signal

import pytest
import watch
from calc import add, mul


def test_add():
    assert watch.watch() == (signal.SIG_DFL, watch.note, watch.note)
    assert watch.seen.pop() == (signal.SIGUSR1, "watch") and add(1, 2) == 3


def test_mul():
    heard = []
    signal.signal(signal.SIGUSR1, lambda *args: heard.append(args[0]))
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    with pytest.raises(TypeError):
        signal.signal(signal.SIGUSR1, "no handler")
    with pytest.raises(ValueError):
        signal.signal(1000, signal.SIG_DFL)
    assert heard == [signal.SIGUSR1] and mul(2, 3) == 6
""",
}


def test_items_and_handlers(csbx, suite_image):
    """Items that are no functions, and handlers of signals, which have their frame where the repository has them."""
    files = {name: text.lstrip("\n") for name, text in ITEMS.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), code=0,
                     options=["--strict", "--fail-to-pass", "tests/sum.case::1,2,3"])
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])


MONO = {"sub/pytest.ini": "[pytest]\n", "sub/__init__.py": "", "sub/tests/__init__.py": "",
        "sub/tests/test_a.py": "def test_x():\n    pass\n", "calc.py": ADD,
        "tests/test_a.py": "import calc\n\n\ndef test_x():\n    assert calc.add(1, 2) == 3\n"}


@pytest.mark.parametrize("options, code, is_right", [
    (o, code, False) for o in ((), ("--isolate",)) for code in (ADD, "def add(a, b) return a + b\n", "import sys\nsys.exit(0)\n")] +
    [(("--isolate",), ADD.replace("a - b", "a + b"), True)])
def test_the_same_file_in_a_directory_with_settings_of_its_own(csbx, suite_image, options, code, is_right):
    """pytest calls the test in sub/ by the name that the other one has: its report counts for one of them. Without --isolate pytest's name for
    the first is that of no file."""
    judge = repositories.Judge(csbx, suite_image, MONO)
    first, second = "tests/test_a.py::test_x", "sub/tests/test_a.py::test_x"
    r = judge(*options, "--patch", judge.patch(files={"calc.py": code + "# another\n"}), "--fail-to-pass", first, "--pass-to-pass", second,
              code=0 if is_right else 1)
    assert r["resolved"] is is_right
    assert r["fail_to_pass"]["success" if is_right else "failure"] == [first] and r["pass_to_pass"]["success"] == [second]


@pytest.mark.parametrize("options", [(), ("--isolate",)])
def test_such_a_file_of_which_another_test_is_listed(csbx, suite_image, options):
    """The test of that name there is not listed, and stands for none that is."""
    judge = repositories.Judge(csbx, suite_image, {**MONO, "sub/tests/test_a.py": MONO["sub/tests/test_a.py"] + "\n\ndef test_y():\n    pass\n"})
    r = judge(*options, "--patch", judge.patch(files={"calc.py": "def add(a, b) return a + b\n"}), "--fail-to-pass", "tests/test_a.py::test_x",
              "--pass-to-pass", "sub/tests/test_a.py::test_y", code=1)
    assert not r["resolved"] and list(r["tests"]) == ["sub/tests/test_a.py::test_y"]


LONG = {"calc.py": ADD + "\n\ndef norm(s):\n    return s\n", "tests/test_calc.py": """
import pytest
from calc import add, norm


@pytest.mark.parametrize("s", ["a" * 17000, "a" * 16999 + "b", "b", "\\U0001f600" * 3000, "'" * 5000], ids=lambda s: s)
def test_norm(s):
    assert norm(s) == s


def test_add():
    assert add(1, 2) == 3
"""}


@pytest.mark.parametrize("options", [(), ("--fail-to-pass=tests/test_calc.py",), ("--isolate", "--fail-to-pass", "tests/test_calc.py"), (
    "--fail-to-pass=tests/test_calc.py::test_add", "--pass-to-pass", "tests/test_calc.py::test_norm[" + "a" * 15000)])
def test_ids_of_any_length(csbx, suite_image, options):
    """What csbx cannot keep whole it keeps by another name: no test that fails goes missing, and none that passes is told."""
    judge = repositories.Judge(csbx, suite_image, LONG)
    added = ADD.replace("a - b", "a + b") + "\n\ndef norm(s):\n    return s"
    for text, is_right in (("\n", True), ("[:100] + s[100:-1] + ('a' if len(s) > 16000 else s[-1:])\n", False)):
        r = judge(*options, "--strict", "--patch", judge.patch(files={"calc.py": added + text}), code=0 if is_right else 1)
        assert r["resolved" if options else "all_passed"] is is_right, (r["tests"], r["stdout"])
        assert r["tamper"] == [], r["tamper"]
        outcomes = [o for t, o in r["tests"].items() if "[a" in t]
        assert sorted(outcomes) == ["passed" if is_right else "failed", "passed"]
    told = [t for t, o in r["tests"].items() if o == "failed"][0]
    again = judge("--fail-to-pass", told, "--patch", judge.patch(files={"calc.py": added + "\n"}), code=0)
    assert again["resolved"] is True and list(again["tests"]) == [told]


BY_RIGHTS = {"calc.py": ADD, "tests/__init__.py": "", "tests/base.py": r"""
class Base:
    def __init_subclass__(cls):
        setattr(cls, "once_more", cls.check)

    def shown(self):
        return "x"


class Shown(Base):
    def check(self):
        return 1

    def other(self):
        return "y"
""", "tests/test_calc.py": r"""
import collections
import dataclasses
import enum
import functools
import typing
from os import path

import packaging.utils
from packaging import version

from calc import add, mul
from tests import base

Point = collections.namedtuple("Point", "x y")
Point.__new__.__defaults__ = (0, 1)


class Colour(enum.Enum):
    RED = 1, "r"

    def __new__(cls, number, letter):
        made = object.__new__(cls)
        made._value_ = letter
        return made


@dataclasses.dataclass(order=True)
class Shape:
    size: int = 3


class Pair(typing.NamedTuple):
    first: int
    second: int = 2


@functools.total_ordering
class Size:
    def __init__(self, size=1):
        self.size = size

    def __eq__(self, other):
        return self.size == other.size

    def __lt__(self, other):
        return self.size < other.size
    __hash__ = None


def counted():
    seen = 0

    def count(most=9):
        nonlocal seen
        seen += 1
        return seen
    return count


count = counted()


def test_add(monkeypatch):
    monkeypatch.setattr(base.Shown, "shown", base.Shown.other)
    assert base.Shown().shown() == "y" and base.Shown().once_more() == count() == 1
    assert add(1, 2) == Shape().size and Shape(add(1, 1)) < Shape() and Size(add(1, 1)) >= Size() and Point() == (0, 1)


def test_mul():
    assert Colour("r") is Colour.RED and Pair(1) == (1, 2) and count() == 2 and path.basename("a/b") == "b"
    assert version.parse("1") < version.parse("2") and packaging.utils.canonicalize_name("A_b") == "a-b" and mul(2, 3) == 6
"""}


def test_what_classes_are_given_by_rights(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, {name: text.lstrip("\n") for name, text in BY_RIGHTS.items()})
    r = judge.judged(judge.patch(files={"calc.py": ADD.replace("a - b", "a + b")}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["stdout"])
