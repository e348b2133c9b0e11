# SPDX-License-Identifier: Apache-2.0
"""csbx test tells of no patch whose code opens files by whatever name, and of no test that skips for what it asks for by rights."""
import repositories

CODE = r"""
import gc
import os
import pathlib
import shutil
import tempfile
from importlib.util import find_spec

import fast


class Text(str):
    pass


class Box:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return self._value


def add(a, b):
    top = tempfile.mkdtemp()
    os.makedirs(os.path.join(top, "a", "b"))
    for name in ("x.mem", "memory", b"mem.txt"):
        at = os.open(top, os.O_RDONLY)
        os.close(os.open(name, os.O_RDWR | os.O_CREAT, dir_fd=at))
        os.close(at)
    os.symlink("x.mem", os.path.join(top, "link"))
    for name in (Text(os.path.join(top, "link")), pathlib.Path(top, "memory"), os.fsencode(top) + b"/mem.txt"):
        open(name).close()
    with open("/proc/self/maps") as f, open("/proc/self/status") as g, open(os.dup(f.fileno())) as h:
        f.readline(), g.readline(), h.readline()
    shutil.rmtree(top)
    gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
    gc.set_debug(0)
    os.putenv("A", "b")
    return Box(a %s b).value + fast.ZERO


def mul(a, b):
    return a * b if find_spec("fast") else 0
"""
TESTS = r"""
import gc
import os
import platform
import sys
from importlib.util import find_spec

import pytest

try:
    import simplejson
except ImportError:
    simplejson = None
try:
    import fast
except ImportError:
    fast = None
from calc import add, mul


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6


@pytest.mark.skipif(simplejson is None, reason="x")
def test_a():
    pass


@pytest.mark.skipif(platform.python_implementation() != "PyPy", reason=platform.platform() + platform.python_version())
def test_b():
    pass


@pytest.mark.skipif(sys.implementation.name == "cpython" and not os.environ.get("NOTHING"), reason="x")
def test_c():
    pass


@pytest.mark.skipif(find_spec("none") is None, reason="x")
def test_d():
    pytest.importorskip("none")


def test_e():
    pytest.importorskip("none")


def test_f(monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    monkeypatch.setenv("CI", "1")
    pytest.skip("x")


def test_g():
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    del gc.garbage[:]
"""
FILES = {"calc.py": CODE.replace("%s", "-").lstrip("\n"), "fast.py": "ZERO = 0\n", "tests/test_calc.py": TESTS.lstrip("\n")}


def test_files_and_skips(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, FILES)
    patch = judge.patch(files={"calc.py": CODE.replace("%s", "+").lstrip("\n"), "fast.py": "ZERO = 0\nONE = 1\n"})
    skipped = [w for name in "abcdefg" for w in ("--pass-to-pass", "tests/test_calc.py::test_" + name)]
    r = judge("--fail-to-pass", repositories.TARGET, "--pass-to-pass", repositories.STILL, *skipped, "--strict", "--patch", patch, code=0)
    assert r["resolved"] is True and r["tamper"] == [], (r["tamper"], r["stdout"])


def test_a_package_beside_tests_with_dotted_names(judge):
    """It is none of the tests': names with dots say where these are."""
    judge.write(judge.repo / "test_unit.py", "import unittest\nfrom calc import add, mul\n\n\nclass T(unittest.TestCase):\n"
                "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n")
    files = {"calc.py": repositories.FIX, "impl/__init__.py": "from .core import one\n", "impl/core.py": "one = 1\n"}
    r = judge("--runner", "unittest", "--fail-to-pass", "test_unit.T.test_add", "--pass-to-pass", "test_unit.T.test_mul",
              f"--patch={judge.patch(files=files)}")
    assert r["resolved"] and not r["tamper"], r["tamper"]
