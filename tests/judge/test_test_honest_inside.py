# SPDX-License-Identifier: Apache-2.0
"""Tests that run tests themselves, in their own process: csbx test tells of nothing of it."""
import repositories

CONFTEST = "pytest_plugins = ['pytester']\n"
TESTS = """import io
import unittest

import pytest
from calc import add, mul


def test_pytester(pytester):
    pytester.makepyfile("def test_a(): pass\\ndef test_b(): assert 0\\n")
    pytester.makeconftest("import pytest\\n@pytest.fixture\\ndef x(): return 1\\n")
    pytester.runpytest().assert_outcomes(passed=1, failed=1)


def test_in_process(pytester):
    pytester.makepyfile("import pytest\\n@pytest.mark.xfail\\ndef test_a(x): assert 0\\n@pytest.fixture\\ndef x(request): return request.fspath\\n")
    pytester.runpytest_inprocess("-q").assert_outcomes(xfailed=1)
    assert pytester.inline_run().ret == 0


def test_main(tmp_path):
    (tmp_path / "test_q.py").write_text("def test_a(): pass")
    assert pytest.main([str(tmp_path), "-q", "-p", "no:cacheprovider"]) == 0


def test_unittest():
    class T(unittest.TestCase):
        def test_a(self):
            self.fail()
    assert not unittest.TextTestRunner(stream=io.StringIO()).run(T("test_a")).wasSuccessful()


def test_add():
    assert add(1, 2) == 3


def test_mul(request):
    assert mul(2, 3) == 6 and request.config.rootdir and request.fspath and request.node.fspath and request.session.startdir


@pytest.mark.xfail
def test_expected():
    assert 0
"""


def test_tests_in_tests(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, {"calc.py": repositories.FILES["calc.py"], "conftest.py": CONFTEST, "tests/test_calc.py": TESTS})
    r = judge("--strict", "--patch", judge.patch(files={"calc.py": repositories.FILES["calc.py"].replace("a - b", "a + b")}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], (r["tamper"], r["stdout"])
    assert sorted(r["tests"].values()) == ["passed"] * 6 + ["xfailed"], r["tests"]
