# SPDX-License-Identifier: Apache-2.0
"""Marks that tests have by words of their own, or from code that no patch changed: csbx test tells of none."""
import pytest

import repositories

CALC = {"calc/__init__.py": repositories.FILES["calc.py"] + "\n\ndef has():\n    return 0\n"}
FIXED = CALC["calc/__init__.py"].replace("a - b", "a + b").replace("return 0", "return False")
TESTING = """import importlib.util
import unittest

import pytest

skip_old = pytest.mark.skipif(True, reason="old")
skip_case = unittest.skip("old")


def skip_if_no(name):
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason="no " + name)


def other():
    return 1
"""
HELPERS = """import functools
import unittest

import calc
import pytest


def needs(test):
    if not calc.has():
        return pytest.mark.skip(test)
    return test


def needs_case(test):
    return unittest.skipUnless(calc.has(), "x")(test)


def wrapped(test):
    @functools.wraps(test)
    def inner(*args, **more):
        calc.has()
        return test(*args, **more)
    return inner
"""
CONFTEST = """import calc
import pytest


def pytest_collection_modifyitems(items):
    mark = pytest.mark.skip(reason=str(calc.has()))
    for item in items:
        if item.name == "test_by_hook" and not calc.has():
            item.add_marker(mark)
            item.add_marker(pytest.mark.xfail(calc.has(), reason="x"))
"""
TESTS = """import sys
import unittest
from unittest import mock

import calc
import pytest
from calc import _testing as td
from helpers import needs, needs_case, wrapped

own = pytest.mark.skipif(not calc.has(), reason="x")


@td.skip_if_no("not_there_at_all")
def test_by_function():
    assert 0


@td.skip_old
def test_by_name():
    assert 0


@needs
def test_by_helper():
    assert 0


@own
def test_by_own():
    assert 0


def test_by_hook():
    assert 0


@wrapped
@pytest.mark.skipif(sys.platform == "linux", reason="x")
def test_wrapped():
    assert 0


@mock.patch.object(calc, "has", calc.has)
@pytest.mark.xfail
def test_patched():
    assert 0


@pytest.mark.parametrize("x", [calc.has()])
@pytest.mark.skip
def test_case(x):
    assert 0


class TestUnit(unittest.TestCase):
    @needs_case
    def test_by_helper(self):
        self.fail()

    @td.skip_case
    def test_by_name(self):
        self.fail()

    @unittest.skipIf(not calc.has(), "x")
    def test_by_own(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_skips(self):
        self.skipTest("x")


def test_add():
    assert calc.add(1, 2) == 3
"""
CASES = """import unittest

import calc
from calc import _testing as td


class T(unittest.TestCase):
    @td.skip_case
    def test_by_name(self):
        self.fail()

    @unittest.skipIf(not calc.has(), "x")
    def test_by_own(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_add(self):
        self.assertEqual(calc.add(1, 2), 3)
"""
ELSEWHERE = TESTING.replace("return 1", "return 2") + "\n\ndef more():\n    pass\n"
PATCHES = {"another file": {"calc/__init__.py": FIXED}, "another place": {"calc/__init__.py": FIXED, "calc/_testing.py": ELSEWHERE}}


@pytest.mark.parametrize("patch", PATCHES)
def test_marks(csbx, suite_image, patch):
    files = dict(CALC, **{"calc/_testing.py": TESTING, "conftest.py": CONFTEST, "tests/helpers.py": HELPERS, "tests/test_calc.py": TESTS})
    judge = repositories.Judge(csbx, suite_image, files)
    r = judge("--strict", "--patch", judge.patch(files=PATCHES[patch]), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], r["tamper"]
    assert sorted(r["tests"].values()) == ["passed"] + ["skipped"] * 11 + ["xfailed"] * 2, r["tests"]


@pytest.mark.parametrize("patch", PATCHES)
def test_marks_of_unittest(csbx, suite_image, patch):
    judge = repositories.Judge(csbx, suite_image, dict(CALC, **{"calc/_testing.py": TESTING, "test_calc.py": CASES}))
    r = judge("--runner", "unittest", "--strict", "--patch", judge.patch(files=PATCHES[patch]), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], r["tamper"]
    assert sorted(r["tests"].values()) == ["passed", "skipped", "skipped", "xfailed"], r["tests"]


ENVIRONMENT = """import os
import sys

import pytest
from calc import add

DATA_PATH = os.path.dirname(__file__)


@pytest.mark.skipif(sys.platform == "linux", reason="x")
def test_by_platform():
    assert 0


@pytest.mark.skipif(os.environ.get("APP_MODE2") is None, reason="x")
def test_by_environment():
    assert os.environ["MY_APP_MODE"]


def test_add():
    assert add(1, 2) == 3
"""


def test_other_names_of_the_environment(csbx, suite_image):
    """A name that is a part of what the file asks for is not what it asks for."""
    sets = "import os\n\nos.environ['PATH'] += ':/opt/x/bin'\nos.environ.setdefault('APP_MODE', 'x')\n\n\n"
    judge = repositories.Judge(csbx, suite_image, {"calc.py": repositories.FILES["calc.py"], "tests/test_calc.py": ENVIRONMENT})
    fixed = repositories.FILES["calc.py"].replace("a - b", "a + b")
    r = judge("--strict", "--patch", judge.patch(files={"calc.py": sets + fixed}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], r["tamper"]
    assert sorted(r["tests"].values()) == ["passed", "skipped", "skipped"], r["tests"]
