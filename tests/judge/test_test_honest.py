# SPDX-License-Identifier: Apache-2.0
"""Right patches and tests of every sort: nothing of it is tampering."""
import repositories

PLAIN = r"""
import asyncio
import functools
import inspect
import unittest
from unittest import mock

import pytest

import calc
from calc import add


def deco(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return f(*a, **k)
    return inner


@deco
def test_deco():
    assert add(1, 2) == 3


@mock.patch("calc.mul", return_value=7)
def test_mock(m):
    assert calc.mul(1, 1) == 7


@mock.patch("tempfile.TemporaryFile", autospec=True)
@mock.patch("fractions.Fraction", autospec=True)
@mock.patch("logging.StreamHandler", autospec=True)
def test_autospec(m, n, o):
    assert calc.mul(1, 1) == 1


def test_request(request, monkeypatch, tmp_path, capsys):
    assert request.function.__name__ == "test_request"
    assert "request.function" in inspect.getsource(request.function)
    assert request.node.obj.__name__ == "test_request" and request.node.function is test_request
    monkeypatch.setattr(calc, "mul", lambda a, b: 3)
    assert calc.mul(0, 0) == 3


class TestPlain:
    x = None

    @classmethod
    def setup_class(cls):
        cls.x = calc

    def setup_method(self, method):
        self.y = add(1, 1)

    def test_self(self, request):
        assert self.y == 2 and self.x is calc and request.instance is self and request.cls is TestPlain

    @staticmethod
    def test_static():
        assert add(1, 0) == 1

    @classmethod
    def test_class(cls):
        assert cls.x is calc

    @pytest.mark.parametrize("a,b", [(1, 2), (3, 4)])
    def test_param(self, a, b):
        assert add(a, b) == a + b


async def test_unsupported():
    assert 0


@pytest.mark.xfail
def test_xf():
    assert add(1, 1) == 3


def test_imperative():
    if add(1, 1):
        pytest.xfail("later")


def test_raises():
    with pytest.raises(TypeError, match="unsupported"):
        add(1, "x")
    assert add(0.1, 0.2) == pytest.approx(0.3)


def test_skip_direct():
    raise unittest.SkipTest("plain")


@pytest.fixture
def fx():
    yield 3


def test_fx(fx):
    assert fx == 3


def test_returns():
    return 5
"""

UNIT = r"""
import asyncio
import unittest
from unittest import mock

import calc
from calc import add


def own_assert(self, a, b, msg=None):
    if a != b:
        raise self.failureException("own")


class TestU(unittest.TestCase):
    client = None

    @classmethod
    def setUpClass(cls):
        cls.client = calc.Client() if hasattr(calc, "Client") else None

    def setUp(self):
        self.addTypeEqualityFunc(int, lambda a, b, msg=None: own_assert(self, a, b))
        self.addCleanup(add, 1, 2)
        self.maxDiff = None

    def test_a(self):
        self.assertEqual(add(1, 2), 3)
        with self.assertRaises(ZeroDivisionError):
            1 / 0

    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(add(i, 1), i + 1)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("x")

    @unittest.skip("no")
    def test_skipped(self):
        pass

    def test_skips(self):
        self.skipTest("here")

    @mock.patch.object(unittest.TestCase, "assertEqual", new=own_assert)
    def test_patched(self):
        self.assertEqual(add(1, 1), 2)

    @mock.patch("calc.add")
    def test_mocked(self, m):
        m.return_value = 5
        self.assertEqual(calc.add(1, 1), 5)


class TestA(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.z = 1

    async def test_async(self):
        await asyncio.sleep(0)
        self.assertEqual(self.z, 1)

    def test_sync(self):
        self.assertEqual(self.z, 1)


class Base(unittest.TestCase):
    def check(self):
        self.assertEqual(add(2, 2), 4)


class TestDerived(Base):
    def test_it(self):
        self.check()
"""

REPLACING = r"""
import functools
import inspect
import logging
import os
import sys
import traceback
import unittest
from unittest import mock

import pytest

import calc
from calc import add

windows = pytest.mark.skipif(sys.platform == "win32", reason="not there")
known = pytest.mark.xfail(reason="known")


def check(got, wanted):
    assert got == wanted


def remembers(function):
    calls, last = [], None

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal last
        calls.append(args)
        last = len
        return function(*args, **kwargs)
    return wrapper


@remembers
def test_remembers():
    assert add(1, 2) == 3


@windows
@remembers
def test_windows():
    assert add(1, 2) == 3


@known
def test_known():
    assert add(1, 2) == 4


@pytest.mark.xfail(sys.platform == "win32", reason="not there")
def test_condition():
    assert add(1, 2) == 3


@pytest.mark.xfail("sys.platform != 'win32'", reason="text", raises=AssertionError)
def test_text():
    assert add(1, 2) == 4


@pytest.mark.skipif(sys.version_info[:2] < (3, 6) or sys.platform.startswith("win"), reason="too old")
@pytest.mark.xfail(condition=not sys.version_info >= (3, 0), reason="older still")
def test_facts():
    assert add(1, 2) == 3


@pytest.mark.xfail(os.name == "posix" and sys.maxsize > 2**31, reason="wide")
def test_wide(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert add(1, 2) == 4


@pytest.mark.parametrize("a", [1, pytest.param(2, marks=pytest.mark.xfail(reason="not yet"))])
def test_some(a):
    assert add(a, 0) == 1


def test_check(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "check", max)
    assert check(1, 2) == 2


def test_check_again():
    check(add(1, 2), 3)
    with mock.patch("test_replacing.check", max):
        assert check(1, 2) == 2


if add:
    def test_either():
        assert add(1, 2) == 3
else:
    def test_either():
        assert 0


def test_twice():
    assert 0


def test_twice():  # noqa: F811
    assert add(1, 2) == 3


test_alias = test_either


def make(n):
    def test_made():
        assert add(n, 0) == n
    return test_made


test_made_1 = make(1)
globals()["test_made_2"] = make(2)


def test_frames():
    try:
        calc.add(None, 1)
    except TypeError as error:
        assert traceback.format_exc() and list(traceback.walk_tb(error.__traceback__))
    assert inspect.stack() and logging.currentframe() and list(traceback.walk_stack(None))
    with pytest.raises(TypeError) as caught:
        calc.add(None, 1)
    assert caught.traceback[-1].frame.f_locals


@pytest.mark.skipif(sys.platform == "win32", reason="not there")
class TestMarked:
    def check(self, got, wanted):
        assert got == wanted

    def test_self(self, monkeypatch):
        self.check(add(1, 2), 3)
        monkeypatch.setattr(TestMarked, "check", staticmethod(max))
        assert self.check(1, 2) == 2


def made(self):
    self.assertEqual(add(1, 2), 3)


class TestOwn(unittest.TestCase):
    def setUp(self):
        self.assertSame = self.assertIs
        self.fail = mock.Mock()
        self.helper = max

    def helper(self):
        raise ValueError

    @mock.patch.object(unittest.TestCase, "id", return_value="x")
    def test_own(self, _):
        self.assertEqual(add(1, 2), self.helper(3, 2))


setattr(TestOwn, "test_made", made)


class Base(unittest.TestCase):
    def test_base(self):
        self.assertEqual(add(1, 2), 3)


class TestDerived(Base):
    pass
"""

CONFTEST = """
import pytest


@pytest.fixture(autouse=True)
def auto(request):
    yield


def pytest_collection_modifyitems(items):
    for i in items:
        i.add_marker(pytest.mark.filterwarnings("ignore"))
"""

FIX = "class Client:\n    def get(self):\n        return 1\n\n\n" + repositories.FIX
UNIT_OUTCOMES = {"TestU.test_a": "passed", "TestU.test_sub": "passed", "TestU.test_patched": "passed", "TestU.test_mocked": "passed",
                 "TestU.test_expected": "xfailed", "TestU.test_skipped": "skipped", "TestU.test_skips": "skipped",
                 "TestA.test_async": "passed", "TestA.test_sync": "passed", "TestDerived.test_it": "passed"}
OTHERS = {"test_unsupported": "skipped", "test_xf": "xfailed", "test_imperative": "xfailed", "test_skip_direct": "skipped"}


def repository(judge):
    for name, text in {"conftest.py": CONFTEST, "tests/test_plain.py": PLAIN, "tests/test_unit.py": UNIT, "tests/__init__.py": ""}.items():
        judge.files[name] = text.lstrip("\n")
        judge.write(judge.repo / name, judge.files[name])
    return judge.patch(files={"calc.py": FIX})


def test_pytest(judge):
    patch = repository(judge)
    r = judge("--strict", "--patch", patch, "--fail-to-pass", "tests/test_calc.py::test_add", "--pass-to-pass", "tests/test_unit.py",
              "--pass-to-pass", "tests/test_plain.py", code=0)
    assert r["resolved"] and r["tamper"] == []
    unit = {i.partition("::")[2].replace("::", "."): o for i, o in r["tests"].items() if i.startswith("tests/test_unit.py")}
    assert unit == UNIT_OUTCOMES
    plain = {i.partition("::")[2]: o for i, o in r["tests"].items() if i.startswith("tests/test_plain.py")}
    assert len(plain) >= 14 and all(o == OTHERS.get(i, "passed") for i, o in plain.items()), plain


def test_unittest(judge):
    patch = repository(judge)
    ids = {f"tests.test_unit.{i}": o for i, o in UNIT_OUTCOMES.items()}
    r = judge("--strict", "--runner", "unittest", "--patch", patch, "--fail-to-pass", "tests.test_unit.TestU.test_a",
              *(f"--pass-to-pass={i}" for i in ids), code=0)
    assert r["resolved"] and r["tamper"] == [] and r["tests"] == ids


LOUD = repositories.FIX.replace("    return a + b\n", """    logging.getLogger("calc").debug("called", stack_info=True)
    try:
        return a + b
    except TypeError:
        traceback.print_exc()
        traceback.print_stack()
        warnings.warn("no numbers", stacklevel=2)
        raise
""", 1)


def test_tests_that_replace_what_they_name(judge):
    judge.write(judge.repo / "tests/test_replacing.py", REPLACING)
    patch = judge.patch(files={"calc.py": "import logging\nimport traceback\nimport warnings\n\n\n" + LOUD})
    r = judge("--patch", patch, "--fail-to-pass", "tests/test_replacing.py")
    assert r["tamper"] == [], r["tamper"]
    names = {k.partition("::")[2]: v for k, v in r["tests"].items()}
    assert len(names) == 22 and set(names.values()) == {"passed", "xfailed"}, names
    r = judge("--runner", "unittest", "--patch", patch, "--fail-to-pass", "tests.test_replacing.TestDerived.test_base",
              "--pass-to-pass", "tests.test_replacing.TestOwn.test_own", "--pass-to-pass", "tests.test_replacing.TestOwn.test_made")
    assert r["resolved"] and r["tamper"] == [], (r["tests"], r["tamper"], r["stderr"])


WRAPPED = """
import contextlib
import unittest
from math import isclose
from sys import maxsize, stdout
from unittest import mock

import calc
from calc import add


@contextlib.contextmanager
def opened():
    yield


@mock.patch("calc.mul")
class TestPatched(unittest.TestCase):
    def test_a(self, mul):
        self.assertEqual(add(1, 2), 3)


@mock.patch.dict("os.environ", A="1")
class TestPlain:
    wanted = 3

    def test_b(self):
        assert add(1, 2) == self.wanted


class TestOpened:
    @opened()
    def test_c(self):
        assert isclose(add(1, 2), 3) and add(maxsize, 0) == maxsize and stdout is not None

    @mock.patch.object(calc, "mul", return_value=7)
    @mock.patch("os.getcwd")
    def test_d(self, getcwd, mul):
        assert calc.mul(1, 1) == 7 and add(1, 2) == 3
"""


def test_classes_and_methods_in_wrappers(judge):
    judge.write(judge.repo / "tests/test_wrapped.py", WRAPPED)
    patch = judge.patch(files={"calc.py": repositories.FIX})
    r = judge("--strict", "--patch", patch, "--fail-to-pass", "tests/test_wrapped.py", code=0)
    assert r["resolved"] and r["tamper"] == [] and len(r["tests"]) == 4
    r = judge("--strict", "--runner", "unittest", "--patch", patch, "--fail-to-pass", "tests.test_wrapped.TestPatched.test_a", code=0)
    assert r["resolved"] and r["tamper"] == []


HELPED = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


def plain(f):
    return f


class other:
    def __init__(self, f):
        self.f = f

    def __call__(self):
        return self.f()
""",
    "conftest.py": r"""
import contextlib
import functools
import pytest
import calc


@pytest.fixture
def want():
    return 3


@pytest.fixture(params=[1, 2])
def both(request):
    return request.param


@functools.lru_cache()
def cached():
    return 1


@contextlib.contextmanager
def here():
    yield


@calc.plain
def decorated():
    return 1


@calc.other
def decorated_by_class():
    return 1


class Base:
    @property
    def two(self):
        return 2

    @staticmethod
    def three():
        return 3

    @classmethod
    def four(cls):
        return 4

    @functools.cached_property
    def five(self):
        return 5
""",
    "tests/helper.py": r"""
import sys


def same(a, b):
    return a == b


if sys.platform == "win32":
    def sep():
        return 1
else:
    def sep():
        return 2


def late():
    return 1
""",
    "tests/test_calc.py": r"""
import sys
from unittest import mock
import pytest
import helper
from calc import add, mul
from conftest import Base, cached, decorated, here

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="x"), pytest.mark.filterwarnings("ignore")]


class Kind(Base):
    want = 3

    def check(self, v):
        assert v == self.want


class TestX(Kind):
    @classmethod
    def setup_class(cls):
        cls.want = 3

    def test_one(self, want):
        self.check(add(1, 2))
        assert add(1, 2) == want and decorated() == 1 and cached() == 1
        assert self.two == 2 and self.five == 5


def test_mul(both):
    assert mul(2, 3) == 6


def test_add(monkeypatch):
    monkeypatch.setattr(helper, "same", lambda a, b: a == b)
    monkeypatch.setattr("helper.late", len)
    assert helper.same(add(1, 2), 3)


def test_mock():
    with mock.patch("helper.sep", return_value=7):
        assert helper.sep() == 7


@mock.patch.object(helper, "late", new=bool)
def test_mock_2():
    assert helper.late() is False


def test_pkg():
    import test_calc
    assert test_calc is sys.modules[__name__]
""",
}


def test_tests_with_helpers(csbx, suite_image):
    """Functions that a patch decorates, classes that inherit, what tests replace in a helper, marks of a module."""
    files = {name: text.lstrip("\n") for name, text in HELPED.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    right = files["calc.py"].replace("a - b", "a + b").replace("    return f\n", "    def g():\n        return f()\n    return g\n", 1)
    r = judge("--strict", "--patch", judge.patch(files={"calc.py": right}), "--fail-to-pass", "tests/test_calc.py::test_add",
              "--pass-to-pass", "tests/test_calc.py", code=0)
    assert r["resolved"] and r["tamper"] == [] and len(r["tests"]) >= 6


OF_A_PACKAGE = {
    "calc.py": repositories.FILES["calc.py"],
    "utils.py": "def twice(a):\n    return a\n",
    "tests/__init__.py": "",
    "tests/conftest.py": r"""
import pytest

RETRIES = 3


class Box:
    SIZE = 1

    def __eq__(self, other):
        return True


@pytest.fixture(autouse=True)
def replaces(monkeypatch):
    import tests.helper
    monkeypatch.setattr(tests.helper, "TOLERANCE", 5)
    monkeypatch.setattr("tests.helper.NAME", "x")
    yield
""",
    "tests/helper.py": r"""
import collections
import dataclasses
import enum
import functools

TOLERANCE = 0
NAME = "a"
COUNT = 0


def count():
    global COUNT
    COUNT += 1


@dataclasses.dataclass
class Data:
    x: int = 0
    K = 3


class Word(enum.Enum):
    A = 1
    B = "x"


@functools.total_ordering
class Ordered:
    Z = 1

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return False


class Made:
    def __init_subclass__(cls):
        cls.tag = 1
        cls.__eq__ = lambda self, other: True


class Sub(Made):
    tag = 0


class Late:
    pass


Late.extra = 4
Pair = collections.namedtuple("Pair", "a b")
""",
    "tests/lazy.py": "import sys\n\n\nclass Lazy:\n    x = 1\n\n\nsys.modules[__name__] = Lazy()\n",
    "tests/json.py": "x = 1\n",
    "tests/test_other.py": "def test_other():\n    assert 0\n",
    "tests/test_calc.py": r"""
import json
import os.path
import re as r
from os import path
from unittest import mock

import calc
from calc import add, mul

from . import helper, lazy
from .helper import Data, Ordered, Pair, Sub, Word, count

LIMIT = 4


def test_add():
    count()
    helper.TOLERANCE = 9
    assert add(1, 2) == 3 and helper.COUNT and lazy.x
    with mock.patch("os.path.exists", lambda p: True):
        assert path.exists("/nope") and os.path.exists("/nope")
    assert [Word.A, Ordered(), Pair(1, 2), Sub(), Data(), json.dumps({}), r.compile("a")]


@mock.patch.object(calc, "mul", lambda a, b: 6)
def test_mul():
    assert calc.mul(2, 3) == 6
""",
}


def test_what_helpers_hold(csbx, suite_image):
    """Constants that tests set anew, classes that others make, a module that is no module, and a test module that no listed one imports."""
    files = {name: text.lstrip("\n") for name, text in OF_A_PACKAGE.items()}
    judge = repositories.Judge(csbx, suite_image, files)
    patch = judge.patch(files={"calc.py": repositories.FIX, "tests/test_other.py": "def test_other():\n    pass\n"})
    r = judge.judged(patch, options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == []


def test_a_name_that_another_directory_has_too(csbx, suite_image):
    """utils.py of the repository is what the tests import, as pytest is told to; theirs is another."""
    tests = "from utils import twice\n\n\ndef test_add():\n    assert twice(1) == 2\n\n\ndef test_mul():\n    pass\n"
    judge = repositories.Judge(csbx, suite_image, {"utils.py": OF_A_PACKAGE["utils.py"], "tests/utils.py": "", "tests/test_calc.py": tests})
    patch = judge.patch(files={"utils.py": "def twice(a):\n    return a + a\n"})
    for mode in ("importlib", "append"):
        r = judge.judged(patch, options=["--strict"], args=[f"--import-mode={mode}"], code=0)
        assert r["resolved"] and r["tamper"] == []


BY_BASES = {
    "calc.py": repositories.FILES["calc.py"],
    "lib/__init__.py": "",
    "lib/cases.py": """import unittest

import pytest


@pytest.mark.skip
class Skipped(unittest.TestCase):
    pass


class Expected:
    pytestmark = [pytest.mark.xfail(run=False), pytest.mark.usefixtures()]


@unittest.expectedFailure
class Failing(unittest.TestCase):
    pass


@unittest.skip("not here")
class Elsewhere(unittest.TestCase):
    pass
""",
    "tests/conftest.py": "import unittest\n\nunittest.TestCase.shared = [1]\nunittest.TestCase.slow = True\n",
    "tests/test_calc.py": """import unittest

import pytest
from calc import add, mul
from lib.cases import Elsewhere, Expected, Failing, Skipped


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6


class TestSkipped(Skipped):
    def test_it(self):
        assert 0


class TestExpected(Expected):
    def test_it(self):
        assert 0


class TestFailing(Failing):
    def test_it(self):
        assert 0


class TestElsewhere(Elsewhere):
    def test_it(self):
        assert 0


@pytest.mark.xfail
class TestOwn(unittest.TestCase):
    def test_it(self):
        assert not self.slow


class TestBelow(TestOwn):
    def test_it(self):
        assert not self.shared
""",
}


def test_marks_of_bases(csbx, suite_image):
    """Marks that tests have by a class of the repository that they are made from; attributes that a conftest.py gives all cases."""
    judge = repositories.Judge(csbx, suite_image, BY_BASES)
    patch = judge.patch(files={"calc.py": repositories.FIX})
    r = judge("--strict", "--patch", patch, "--fail-to-pass", "tests/test_calc.py::test_add", "--pass-to-pass", "tests/test_calc.py", code=0)
    assert r["resolved"] and r["tamper"] == [] and len(r["tests"]) == 8, r["tests"]


def test_modules_of_the_same_name(csbx, suite_image):
    """A module that moved; one beside tests that are a package, and one in a directory that nothing is imported from; a program of the root."""
    before = {"calc.py": repositories.FILES["calc.py"], "lib/old.py": "X = 1\n", "utils.py": "X = 1\n", "docs/conf.py": "X = 1\n",
              "tests/__init__.py": "", "pytest.ini": "[pytest]\npythonpath = lib\n",
              "tests/test_calc.py": "from calc import add, mul\n\n\ndef test_add():\n    from tests.utils import X\n    assert add(1, 2) == 3 == X\n\n\n"
                                    "def test_mul():\n    import utils\n    assert mul(2, 3) == 6 and utils.X == 1\n"}
    judge = repositories.Judge(csbx, suite_image, before)
    fix = "import old\n\n" + repositories.FIX
    patch = judge.patch(files={"calc.py": fix, "lib/old.py": None, "old.py": "X = 1\n", "tests/utils.py": "X = 3\n", "docs/utils.py": "X = 2\n",
                               "__main__.py": "import calc\n\nprint(calc.add(1, 2))\n"})
    r = judge.judged(patch, options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == []

BY_RIGHTS = {
    "calc.py": repositories.FILES["calc.py"],
    "setup_log.py": "import logging\n\n\nclass Ids(logging.Filter):\n    def filter(self, record):\n        record.id = 1\n        return True\n\n\n"
                    "def begin():\n    for handler in logging.getLogger().handlers:\n        handler.addFilter(Ids())\n",
    "tests/test_calc.py": r"""
import copy
import inspect
import json
import linecache
import logging
import os
import pprint
import re
import subprocess
import sys
from unittest import mock

import calc
import setup_log
from calc import add, mul


class Text(str):
    pass


class Encoder(json.JSONEncoder):
    def default(self, o):
        return str(o)


def test_add(monkeypatch, capsys, caplog):
    setup_log.begin()
    logging.warning("%d", add(1, 2))
    monkeypatch.setattr(sys, "executable", "/bin/true")
    monkeypatch.setattr(json, "_default_encoder", Encoder())
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    subprocess.check_call([sys.executable])
    print(calc.shown(add(1, 2)))
    assert capsys.readouterr().out == "3\n" and "3" in caplog.text and json.dumps([calc]) and inspect.getsource(add)
    assert "def add" in "".join(linecache.getlines(calc.__file__))


@mock.patch.dict(copy._deepcopy_dispatch, {Text: lambda value, memo: Text("y")})
def test_mul():
    assert mul(2, 3) == 6 and copy.deepcopy([Text("x")]) == ["y"] and pprint.pformat({Text("x"): 1})
    for flags in (0, re.I, re.M | re.S, re.X | re.A, re.U, re.I | re.A):
        for pattern in ("a(?i:b)", "a+" if flags else "(?i)a+", b"a+b" if not flags & re.U else "a+b", Text("x")):
            assert re.compile(pattern, flags) is re.compile(pattern, flags)
    assert [re.compile("%d" % n) for n in range(600)] and re.compile(b"%d" % 1) and not re.purge() and re.match("a", "a")
""",
}


def test_what_libraries_remember(csbx, suite_image):
    """Patterns with flags of all sorts, tables, streams, logs and the program of Python, as tests and honest patches use them."""
    judge = repositories.Judge(csbx, suite_image, {k: v.lstrip("\n") for k, v in BY_RIGHTS.items()})
    fix = "import copy\nimport copyreg\nimport logging\nimport os\nimport re\nimport threading\n\n\n" + repositories.FIX + r"""

class Sum:
    pass


class Lines(logging.StreamHandler):
    def filter(self, record):
        return True


copyreg.pickle(Sum, lambda s: (Sum, ()))
copy._deepcopy_dispatch[Sum] = lambda s, memo: s
os.environ["PYTHONPATH"] = "."
logging.getLogger("calc").addHandler(Lines())
logging.getLogger().addHandler(Lines())


def shown(n):
    re.purge()
    threading.Thread(target=lambda: re.compile("(?s)x.y")).start()
    return re.sub(r"(\d+)", lambda m: m.group(1), copy.deepcopy(str(n)))
"""
    r = judge.judged(judge.patch(files={"calc.py": fix}), options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == [], r["tamper"]


def test_a_patch_of_what_tests_do_not_assert_by(csbx, suite_image):
    """A context manager, a mixin and a module with the words for fixtures, which are of what is tested."""
    before = {"lib/__init__.py": "from .calc import *\n",
              "lib/calc.py": "import contextlib\n\n\nclass Mixin:\n    size = 0\n\n\n@contextlib.contextmanager\ndef quiet():\n    yield\n\n\n" +
                             repositories.FILES["calc.py"],
              "lib/other.py": "import unittest\n\n\nclass Case(unittest.TestCase):\n    pass\n",
              "lib/new.py": "import lib.new\n\n\nclass A(A, lib.new.A, B):\n    pass\n\n\nclass B(A, A):\n    pass\n",
              "tests/test_calc.py": "import unittest\n\nimport lib.calc\nfrom lib import add, mul\nfrom lib.calc import Mixin\nfrom lib.other import Case\n\n\n"
                                    "class TestSize(Mixin, Case):\n    def test_size(self):\n        assert self.size == 0\n\n\n"
                                    "def test_add():\n    with lib.calc.quiet():\n        assert add(1, 2) == 3\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"}
    judge = repositories.Judge(csbx, suite_image, before)
    fixed = before["lib/calc.py"].replace("a - b", "a + b").replace("    yield", "    try:\n        yield\n    except KeyError:\n        pass")
    patch = judge.patch(files={"lib/calc.py": fixed + "\n# a fixture\n", "lib/new.py": before["lib/new.py"] + "\n\nclass C(A):\n    # TestCase\n    pass\n"})
    r = judge.judged(patch, options=["--strict"], code=0)
    assert r["resolved"] and r["tamper"] == []
