# SPDX-License-Identifier: Apache-2.0
"""Where all tests of a repository or of a file are asked for, csbx test tells of those that are left out, and of no other."""
import pytest

import repositories

CALC = "def add(a, b):\n    return a - b\n"
OF_PYTEST = {
    "calc.py": CALC,
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    assert add(1, 0) == 1\n",
    "tests/test_other.py": "def test_other():\n    assert 1\n",
}
OF_UNITTEST = {
    "calc.py": CALC,
    "test_calc.py": "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
    "test_other.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_other(self):\n        pass\n",
}
# A conftest.py that leaves pytest's session where code under test finds it.
KEEP = {"holder.py": "session = None\n", "conftest.py": "import holder\n\n\ndef pytest_sessionstart(session):\n    holder.session = session\n"}
SESSION = "import holder\nsession = holder.session\n"
MODULE = "import sys, unittest\nmodule = [m for n, m in list(sys.modules.items()) if n.endswith('test_calc')][0]\n"
FORGED = {
    "skip": ("pytest", "import pytest\npytest.skip('x', allow_module_level=True)\n", "outcome_call"),
    "importorskip": ("pytest", "import pytest\npytest.importorskip('nothing')\n", "outcome_call"),
    "SkipTest": ("pytest", "import unittest\nraise unittest.SkipTest('x')\n", "outcome_call"),
    "option": ("pytest", SESSION + "session.config.option.keyword = 'not test_add'\n", "pytest_modified"),
    "setting": ("pytest", SESSION + "session.config._inicache['python_files'] = ['none']\n", "pytest_modified"),
    "module": ("pytest", MODULE + "module.__test__ = False\n", "test_replaced"),
    "SkipTest in unittest": ("unittest", "import unittest\nraise unittest.SkipTest('x')\n", "outcome_call"),
    "load_tests": ("unittest", MODULE + "module.load_tests = lambda *args: unittest.TestSuite()\n", "test_replaced"),
    "dir": ("unittest", MODULE + "module.__dir__ = lambda: []\n", "test_replaced"),
}


@pytest.mark.parametrize("name", FORGED)
def test_left_out_of_all(csbx, suite_image, name):
    runner, code, kind = FORGED[name]
    judge = repositories.Judge(csbx, suite_image, dict(OF_PYTEST, **KEEP) if runner == "pytest" else OF_UNITTEST)
    r = judge("--runner", runner, "--patch", judge.patch(files={"calc.py": code + CALC}))
    assert kind in {t["kind"] for t in r["tamper"]}, (r["tests"], r["tamper"])
    assert judge("--runner", runner, "--strict", "--patch", judge.patch(files={"calc.py": code + CALC}))["all_passed"] is False


ODD = """
import contextlib
import sys
import unittest

import pytest
from calc import add


@pytest.fixture
def test_client():
    return 1


@contextlib.contextmanager
def test_context():
    yield


class TestInit:
    def __init__(self):
        pass

    def test_no(self):
        assert 0


class TestBase(unittest.TestCase):
    def test_base(self):
        self.assertEqual(add(1, 2), 3)


class TestMine(TestBase):
    pass


del TestBase


def test_gone():
    assert 0


del test_gone


def test_none():
    assert 0


test_none = None
if sys.platform == "none":
    def test_elsewhere():
        assert 0


@pytest.mark.parametrize("x", [])
def test_empty(x):
    assert 0


class Helper:
    def test_helper(self):
        assert 0


@pytest.mark.slow
def test_slow():
    assert 0


class TestCases(unittest.TestCase):
    setting = 1

    def test_case(self, extra=None):
        self.assertEqual(add(2, 2), 4)

    @property
    def test_property(self):
        return 1

    test_value = 1


def test_twice():
    assert 0


def test_twice():
    assert test_client and test_context
"""
HONEST = {
    "calc.py": CALC,
    "tests/conftest.py": "collect_ignore = ['test_ignored.py']\n\n\ndef pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')\n\n\n"
                         "def pytest_collection_modifyitems(config, items):\n    items[:] = [i for i in items if 'slow' not in i.keywords]\n",
    "tests/test_odd.py": ODD.lstrip("\n"),
    "tests/test_ignored.py": "assert 0\n",
    "tests/test_marked.py": "class TestThat:\n    __test__ = False\n\n    def test_it(self):\n        assert 0\n\n\ndef test_marked():\n    pass\n",
    "tests/test_skip.py": "import pytest\npytest.importorskip('nothing_of_it')\n\n\ndef test_it():\n    assert 0\n",
    "tests/test_unit.py": "import unittest\nraise unittest.SkipTest('not here')\n",
    "tests/needs.py": "import pytest\npytest.skip('needs more', allow_module_level=True)\n",
    "tests/test_needs.py": "import needs\n\n\ndef test_it():\n    assert needs and 0\n",
    "tests/test_all.py": "import sys\n\nfor n in range(3):\n    globals()['test_%d' % n] = lambda: None\n\n\ndef test_made():\n    pass\n",
}
FIX = CALC.replace("a - b", "a + b")


@pytest.mark.parametrize("args", [(), ("-k", "not test_case"), ("-x",), ("--deselect", "tests/test_odd.py::test_twice"), ("-n", "2"), ("--maxfail", "1"),
                                  ("-p", "no:cacheprovider", "tests/test_odd.py")], ids=" ".join)
def test_honest_of_all(csbx, suite_image, args):
    judge = repositories.Judge(csbx, suite_image, HONEST)
    r = judge("--patch", judge.patch(files={"calc.py": FIX}), args=args, code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])
    assert "tests/test_odd.py::TestMine::test_base" in r["tests"]


def test_honest_of_files(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, HONEST)
    r = judge("--patch", judge.patch(files={"calc.py": FIX}), "--strict", "--pass-to-pass", "tests/test_odd.py", "--pass-to-pass", "tests/test_marked.py", code=0)
    assert r["resolved"] is True and r["tamper"] == []


def test_failures_that_end_the_session(csbx, suite_image):
    """-x leaves out what is behind the first of them, as it was told."""
    judge = repositories.Judge(csbx, suite_image, OF_PYTEST)
    r = judge(args=("-x",), code=1)
    assert list(r["tests"]) == ["tests/test_calc.py::test_add"] and r["tamper"] == []


UNITTEST = {
    "calc.py": CALC,
    "test_calc.py": OF_UNITTEST["test_calc.py"] + "\n    def test_data(self, x=1):\n        pass\n\n    test_no = None\n\n\nclass Base(unittest.TestCase):\n"
                    "    def test_base(self):\n        self.assertEqual(add(1, 1), 2)\n\n\nclass Mine(Base):\n    pass\n\n\ndel Base\n",
    "test_loads.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        assert 0\n\n\ndef load_tests(loader, tests, pattern):\n"
                     "    return unittest.TestSuite()\n",
    "test_skips.py": "import unittest\nraise unittest.SkipTest('not here')\n",
}


def test_honest_of_unittest(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, UNITTEST)
    r = judge("--runner", "unittest", "--patch", judge.patch(files={"calc.py": FIX}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [] and "test_calc.Mine.test_base" in r["tests"]


LEFT = {
    "calc.py": CALC,
    "setup.cfg": "[tool:pytest]\naddopts = --ignore=more/no --ignore-glob=*_slow\nnorecursedirs = data .*\npython_files = test_*.py check_*.py\n",
    "conftest.py": "collect_ignore = ['more/out']\ncollect_ignore_glob = ['*_win.py']\n",
    "tests/conftest.py": "import glob\n\nimport os\nhere = os.path.dirname(__file__)\ncollect_ignore = glob.glob(here + '/plat/*')\n",
    "hooked/conftest.py": "def pytest_ignore_collect():\n    return True\n",
    "tests/test_calc.py": OF_PYTEST["tests/test_calc.py"],
    "tests/test_utils.py": "def helper():\n    return 1\n",
    **{f: "def test_it():\n    assert 0\n" for f in (
        "more/no/test_no.py", "all_slow/test_slow.py", "tests/data/test_data.py", ".tox/test_tox.py", "more/out/test_out.py", "tests/test_win.py",
        "tests/test_on_win.py", "tests/plat/test_plat.py", "hooked/test_hooked.py", "env/test_env.py", "tests/other.py")},
    "env/pyvenv.cfg": "x\n", "env/bin/activate": "x\n",
    "more/check_that.py": "def test_that():\n    pass\n",
}
GONE = """diff --git a/tests/test_utils.py b/tests/test_utils.py
deleted file mode 100644
--- a/tests/test_utils.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def helper():
-    return 1
"""


def test_honest_of_what_pytest_passes_by(csbx, suite_image):
    """Files that were left out before the patch, and a helper that is named like a test and goes."""
    judge = repositories.Judge(csbx, suite_image, LEFT)
    gone = judge.write(judge.csbx.work / "gone.diff", GONE)
    r = judge("--patch", judge.patch(files={"calc.py": FIX}), f"--patch={gone}", code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])
    assert "more/check_that.py::test_that" in r["tests"]


def test_tests_that_the_tests_patch_moves(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, OF_PYTEST)
    tests = judge.write(judge.csbx.work / "tests.diff", "diff --git a/tests/test_other.py b/tests/test_new.py\nsimilarity index 100%\n"
                        "rename from tests/test_other.py\nrename to tests/test_new.py\n")
    r = judge("--patch", judge.patch(files={"calc.py": FIX}), "--test-patch", tests, code=0)
    assert r["all_passed"] is True and r["tamper"] == []


def test_honest_of_a_package_that_loads_its_tests(csbx, suite_image):
    """A load_tests() that was there may do as it likes, beside what a patch changes."""
    loads = "import os\n\n\ndef load_tests(loader, tests, pattern):\n    return loader.discover(os.path.dirname(__file__), 'check*.py', '.')\n"
    judge = repositories.Judge(csbx, suite_image, {
        "calc.py": CALC, "suite/__init__.py": "version = 1\n" + loads, "suite/test_no.py": OF_UNITTEST["test_calc.py"].replace("3)", "4)"),
        "suite/check_it.py": OF_UNITTEST["test_calc.py"], "test_other.py": OF_UNITTEST["test_other.py"]})
    r = judge("--runner", "unittest", "--patch", judge.patch(files={"calc.py": FIX, "suite/__init__.py": "version = 2\n" + loads}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])


SKIPS = """
import os
import shutil
import sys
import unittest

from calc import add

os.environ["OF_TESTS"] = "1"
try:
    import nothing_of_it
except ImportError:
    nothing_of_it = None


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    @unittest.skipIf(sys.platform == "linux", "elsewhere")
    def test_platform(self):
        self.fail()

    @unittest.skipUnless(sys.version_info < (3, 2), "old")
    def test_version(self):
        self.fail()

    @unittest.skipUnless(shutil.which("none-of-these"), "none")
    def test_which(self):
        self.fail()

    @unittest.skipIf(nothing_of_it is None and os.environ["OF_TESTS"], "none")
    @unittest.skipIf(sys.maxsize < 5, "small")
    def test_module(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()


@unittest.skipIf(os.name == "posix", "elsewhere")
class Skipped(T):
    pass


class Inherits(Skipped):
    pass
"""


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_honest_skips(csbx, suite_image, runner):
    judge = repositories.Judge(csbx, suite_image, {"calc.py": CALC, "test_skips.py": SKIPS.lstrip("\n")})
    r = judge("--runner", runner, "--patch", judge.patch(files={"calc.py": "import os\nos.environ['OF_CALC'] = '1'\n" + FIX}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])


MIXED = """
class Sums:
    total = 0

    def setUp(self):
        self.total = add(1, 1)

    def run_twice(self, f):
        return f() + f()

    def __getattr__(self, name):
        if name.startswith("sum_"):
            return 5
        raise AttributeError(name)
"""
CASES = """
import unittest
from calc import Sums, add


class T(Sums, unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(self.sum_of, 5)
        self.assertEqual(self.run_twice(lambda: 2), 4)


def made():
    class Inner(Sums, unittest.TestCase):
        def __getattr__(self, name):
            raise AttributeError(name)

        def test_inner(self):
            self.assertEqual(self.total, 2)
    return Inner


Made = made()
"""


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_honest_bases_of_cases(csbx, suite_image, runner):
    """A patch may change what cases are made from, where that says nothing to unittest."""
    judge = repositories.Judge(csbx, suite_image, {"calc.py": CALC + MIXED.replace("def setUp", "def set_up"), "test_cases.py": CASES.lstrip("\n")})
    r = judge("--runner", runner, "--patch", judge.patch(files={"calc.py": FIX + MIXED}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])


STARRED = """
try:
    input = raw_input
except NameError:
    input = input


def all(values):
    return 7


def pow(a, b):
    return a ** b


def add(a, b):
    return a - b
"""
STARS = """
import sums
from sums import *


def test_add():
    assert add(1, 2) == 3 and all([]) == 7 and sums.pow(2, 2) == 4 and max(1, 2) == 1 and input
"""


def test_honest_names_of_builtins(csbx, suite_image):
    """A module that had a name of Python's own may hand it on, and change it."""
    judge = repositories.Judge(csbx, suite_image, {"sums/__init__.py": "from .parts import *\nfrom .more import max\n", "sums/more.py": "max = min\n",
                                                   "sums/parts.py": STARRED.lstrip("\n"), "test_stars.py": STARS.lstrip("\n")})
    fixed = STARRED.lstrip("\n").replace("a - b", "a + b").replace("    return 7", "    n = 7\n    return n")
    r = judge("--patch", judge.patch(files={"sums/parts.py": fixed}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tests"], r["tamper"])
