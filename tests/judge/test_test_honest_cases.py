# SPDX-License-Identifier: Apache-2.0
"""Parametrized tests of every sort, with marks of cases; tests that use and set much of the standard library: nothing of it is tampering."""
import repositories

TESTS = r"""
import pytest
import cases, calc
from cases import LISTED, slow
from calc import add
from util import mk

win = pytest.mark.skipif(True, reason="x")
A = pytest.param(1, 2, marks=pytest.mark.xfail)

@pytest.mark.parametrize("a, b", [(1, 2), (3, [4, {"x": 1}]), pytest.param(5, {6, 7}, id="z"), pytest.param(1, 1, marks=pytest.mark.skip),
                                  A,
                                  pytest.param(3, 4, marks=[pytest.mark.xfail(reason="r"), pytest.mark.slow])])
def test_a(a, b):
    assert a != 1 or b != 1
    assert b != 4 and a != 1 or b == 2

@pytest.mark.parametrize(["a"], [[1], (2,), pytest.param(3, marks=win)])
def test_b(a):
    assert a

@pytest.mark.parametrize("a", [1, -1, 1e400, 2.5, "x" "y", b"z", None, ..., f"q", 1 + 2j,
                               lambda: 1, (1, 2), {"a": [1, (2, 3)]}, int, calc.mul(2, 1), mk(9),
                               not 1, 10**3, pytest.param(win, id="w"), "a,b".split(","), {1, 2}])

@pytest.mark.parametrize("c", ["p", "q"])
def test_c(a, c):
    pass

@pytest.mark.parametrize("a", [])
def test_d(a):
    pass

@pytest.mark.parametrize("a", LISTED)
def test_e(a):
    assert 0 or a < 5

@pytest.mark.parametrize("a", cases.more())
def test_e2(a):
    assert a < 5

@pytest.fixture(params=[1, pytest.param(2, marks=pytest.mark.skip(reason="n")), pytest.param(3, marks=slow)])
def fx(request):
    return request.param

def test_f(fx):
    assert fx != 3

@pytest.mark.parametrize("fx", [7, pytest.param(8, marks=[pytest.mark.xfail])], indirect=True)
def test_g(fx):
    assert fx == 7

def test_h(gen):
    assert gen < 5

@pytest.mark.parametrize("k", [1, 2])
class TestK:
    @pytest.fixture(params=["a", "b"])
    def own(self, request):
        return request.param
    @pytest.mark.parametrize("l", ("x", pytest.param("y", marks=pytest.mark.xfail(strict=True))))
    def test_k(self, k, l, own):
        assert l == "x"

class TestL(TestK):
    @pytest.fixture(params=["c"])
    def own(self, request):
        return request.param

@cases.both
def test_m(v):
    assert v < 5

@pytest.mark.parametrize("n", [pytest.param(i, marks=pytest.mark.xfail if i else ()) for i in range(2)])
def test_n(n):
    assert n == 0

@pytest.mark.parametrize(argvalues=[1, 2], argnames="o", ids=["x", "y"])
def test_o(o, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(calc, "mul", lambda: o)
    assert calc.mul() == o

@pytest.mark.skipif(False, reason="")

@pytest.mark.parametrize("p", [pytest.param({"a": 1}, marks=pytest.mark.usefixtures("fx2"))])
def test_p(p):
    p["b"] = 2

def test_target():
    assert add(1, 2) == 3
"""

CONFTEST = r"""
import pytest
def pytest_generate_tests(metafunc):
    if "gen" in metafunc.fixturenames:
        metafunc.parametrize("gen", [1, pytest.param(9, marks=pytest.mark.xfail)])
def pytest_collection_modifyitems(items):
    for i in items:
        if "test_c[" in i.nodeid and "None" in i.nodeid:
            i.add_marker(pytest.mark.skip(reason="z"))
@pytest.fixture
def fx2(): pass
"""

CASES = r"""
import pytest
slow = pytest.mark.xfail(reason="slow")
LISTED = [1, pytest.param(9, marks=slow)]
def more():
    return [2, pytest.param(7, marks=pytest.mark.xfail)]
both = pytest.mark.parametrize("v", [1, pytest.param(6, marks=pytest.mark.xfail)])
"""


def test_cases(judge):
    files = {"tests/test_cases.py": TESTS, "tests/conftest.py": CONFTEST, "tests/cases.py": CASES, "tests/util.py": "def mk(x):\n    return x\n",
             "pytest.ini": "[pytest]\nmarkers = slow\n"}
    for name, text in files.items():
        judge.files[name] = text.lstrip("\n")
        judge.write(judge.repo / name, judge.files[name])
    patch = judge.patch(files={"calc.py": repositories.FIX})
    r = judge("--strict", "--patch", patch, "--fail-to-pass", "tests/test_cases.py::test_target", "--pass-to-pass", "tests/test_calc.py::test_mul")
    assert r["resolved"] and r["tamper"] == [], r["tamper"]
    r = judge("--patch", patch, "--fail-to-pass", "tests/test_cases.py")
    assert r["tamper"] == [] and len(r["tests"]) > 80 and {"passed", "xfailed", "skipped"} < set(r["tests"].values()), r["tests"]


USES = r"""
import functools, json, logging, dataclasses, asyncio, tempfile, doctest, csv, configparser, subprocess, decimal, random, copy, datetime
import locale, mimetypes, platform, pprint, shutil, socket, sqlite3, uuid, xml.etree.ElementTree as ET, urllib.request, inspect, pickle, time
import warnings, concurrent.futures, multiprocessing, gettext, calendar, ast, argparse
import http.client
import typing

import pytest
from unittest import mock
import calc
from helpers import check2, own, show
from calc import f

class P(typing.NamedTuple):
    x: int
    y: int = 2

@dataclasses.dataclass
class D:
    x: int
    y: list = dataclasses.field(default_factory=list)

def test_target(tmp_path, monkeypatch, caplog, capsys):
    assert f() == 2
    assert P(1) == P(1, 2) and D(1) == D(1)
    with own():
        pass
    check2(2)
    assert show(1) == "int" and show(calc.T()) == "T"
    asyncio.run(co())
    random.seed(1); locale.setlocale(locale.LC_ALL, "C"); mimetypes.init(); platform.platform()
    tempfile.gettempdir(); uuid.uuid1(); datetime.datetime.strptime("2020", "%Y"); time.strptime("2020", "%Y")
    with concurrent.futures.ThreadPoolExecutor() as e:
        assert e.submit(f).result() == 2
    p = subprocess.run(["true"])
    logging.basicConfig(); logging.captureWarnings(True); logging.captureWarnings(False); logging.disable(); logging.disable(0)
    gettext.textdomain("x"); json.dumps({"a": 1}, indent=1, default=str); ET.tostring(ET.fromstring("<a/>")); ET.register_namespace("q", "http://q")
    urllib.request.install_opener(urllib.request.build_opener())
    configparser.ConfigParser().read_string("[a]\nb=1"); csv.register_dialect("z", delimiter=";")
    doctest.testmod(calc); inspect.getsource(f); calendar.setfirstweekday(0); warnings.simplefilter("ignore")
    pprint.pformat({1: 2}); copy.deepcopy(D(1)); pickle.loads(pickle.dumps(P(1))); decimal.getcontext().prec = 10
    socket.setdefaulttimeout(3); socket.setdefaulttimeout(None)
    functools.singledispatch(lambda x: x).register(int, lambda x: x)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(abs, [-1]) == [1]
    shutil.get_archive_formats(); sqlite3.connect(":memory:").execute("select 1"); ast.parse("1"); argparse.ArgumentParser().parse_args([])
    with pytest.raises(ImportError):
        import not_there_at_all
    monkeypatch.setattr(json.encoder, "INFINITY", 1.0)
    with mock.patch("filecmp.BUFSIZE", 3), mock.patch.object(json, "_default_encoder"):
        pass

@pytest.mark.skipif(calc.f() == 2, reason="y")
def test_skip():
    pass

async def co():
    await asyncio.sleep(0)
"""

HELPERS = r"""
import contextlib, functools
import calc
@contextlib.contextmanager
def own():
    yield
@functools.singledispatch
def show(x):
    return "x"
@show.register(int)
def _(x):
    return "int"
show.register(calc.T, calc.render)
def check(a, b):
    assert a == b
check2 = functools.partial(check, b=2)
def counted(fn):
    n = 0
    @functools.wraps(fn)
    def inner(*a):
        nonlocal n
        n += 1
        return fn(*a)
    return inner
@counted
def nothing():
    pass
"""

JUDGED = r"""
import sys, json, functools, logging, http.client, collections
%s
class T: pass
def render(x): return "T"
def f():
    '''
    >>> f()
    2
    '''
    return NUMBER
"""

HOOKS = r"""
http.client._MAXHEADERS = 1000
logging.raiseExceptions = False
http.client.HTTPConnection.debuglevel = 0
Q = collections.namedtuple("Q", "a b")
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None
sys.meta_path.append(Finder)
@functools.singledispatch
def g(x): return x
g.register(int, lambda x: x + 1)
"""


def test_libraries(judge):
    files = {"calc.py": JUDGED.replace("%s", "").replace("NUMBER", "1"), "tests/test_uses.py": USES, "tests/helpers.py": HELPERS}
    for name, text in files.items():
        judge.files[name] = text.lstrip("\n")
        judge.write(judge.repo / name, judge.files[name])
    patch = judge.patch(files={"calc.py": JUDGED.replace("%s", HOOKS).replace("NUMBER", "2").lstrip("\n")})
    r = judge("--strict", "--patch", patch, "--fail-to-pass", "tests/test_uses.py::test_target", "--pass-to-pass", "tests/test_uses.py::test_skip")
    assert r["resolved"] and r["tamper"] == [], (r["tamper"], r["collection_errors"] or r["stdout"])
