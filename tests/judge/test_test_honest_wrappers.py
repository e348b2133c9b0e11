# SPDX-License-Identifier: Apache-2.0
"""Right patches, and tests in wrappers and context managers: nothing of it is tampering."""
import pytest

import repositories

APP = r"""
import contextlib


def other():
    return 1


@contextlib.contextmanager
def env(**k):
    yield


@contextlib.contextmanager
def lenient():
    try:
        yield
    except NotImplementedError:
        pass


@contextlib.asynccontextmanager
async def aenv():
    yield


class Session:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False

    @contextlib.contextmanager
    def begin(self):
        yield
""".lstrip("\n")

FROZEN = r"""
import functools


class Frozen:
    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return wrapper

    def __enter__(self):
        return self

    def __exit__(self, *a):
        pass
""".lstrip("\n")

TESTS = r"""
import contextlib
import functools
import unittest
from unittest import mock

import pytest

import app
import calc
import frozen
from calc import add


def retry(n):
    def deco(function):
        @functools.wraps(function)
        def again(*args, **kwargs):
            for left in reversed(range(n)):
                try:
                    return function(*args, **kwargs)
                except Exception:
                    if not left:
                        raise
        return again
    return deco


def expects(error):
    def deco(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            with pytest.raises(error):
                function(*args, **kwargs)
        return inner
    return deco


def forgives(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        with contextlib.suppress(NotImplementedError):
            return function(*args, **kwargs)
    return inner


def in_env(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        with app.env():
            return function(*args, **kwargs)
    return inner


def never(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        if app is None:
            return function(*args, **kwargs)
    return inner


@contextlib.contextmanager
def quiet():
    with contextlib.suppress(KeyError):
        yield

tries = []


@retry(3)
@app.env(a=1)
def test_retry():
    tries.append(1)
    assert len(tries) == 2


@app.env()
@retry(3)
@mock.patch("calc.mul")
@in_env
def test_retry_inside(m):
    tries.append(1)
    assert len(tries) == 4


@app.lenient()
def test_lenient():
    raise NotImplementedError


@quiet()
def test_quiet():
    {}["x"]


@expects(ZeroDivisionError)
@mock.patch("calc.mul")
def test_expects(m):
    1 / 0


@forgives
@app.env()
def test_forgives():
    raise NotImplementedError


@never
def test_never():
    assert 0


@app.env()
def test_skips():
    pytest.skip("here")


@app.env()
def test_xfails():
    pytest.xfail("here")


@pytest.mark.xfail
@app.env()
def test_xfail_mark():
    assert 0


@frozen.Frozen()
@in_env
@pytest.mark.parametrize("a", [1, 2])
def test_add(a, tmp_path):
    assert add(a, 2) == a + 2


class TestC:
    @app.env()
    def test_m(self):
        assert add(1, 2) == 3

    @staticmethod
    @app.env()
    def test_s():
        assert add(1, 2) == 3


class TestU(unittest.TestCase):
    @app.env()
    @mock.patch.object(calc, "mul")
    def test_m(self, m):
        self.assertEqual(add(1, 2), 3)

    @app.env()
    def test_skip(self):
        self.skipTest("x")

    @unittest.expectedFailure
    @app.env()
    def test_x(self):
        self.fail()

    @app.lenient()
    def test_l(self):
        raise NotImplementedError


class TestA(unittest.IsolatedAsyncioTestCase):
    @app.aenv()
    async def test_m(self):
        self.assertEqual(add(1, 2), 3)

    @in_env
    async def test_n(self):
        self.assertEqual(add(1, 2), 3)


def test_with():
    with app.env():
        assert add(1, 2) == 3


def test_session():
    with app.Session() as session, session.begin():
        assert add(1, 2) == 3


def test_new():
    with app.ignores():
        raise ValueError
""".lstrip("\n")

ROLLS_BACK = r"""env(**k):
    try:
        yield
    except Exception:
        other()
        raise"""

ENDS = """        if kind is None:
            return True
        if issubclass(kind, KeyError):
            return True
        try:
            other()
        except Exception:
            pass
        return self.is_done(kind)

    def is_done(self, kind):
        return kind is None"""

BEGINS = """        try:
            yield
        finally:
            try:
                other()
            except Exception:
                pass"""

NEW = """

@contextlib.contextmanager
def ignores():
    try:
        yield
    except Exception:
        pass


@contextlib.contextmanager
def unused():
    try:
        yield
    except Exception:
        pass
"""
OTHERS = {"test_skips": "skipped", "test_xfails": "xfailed", "test_xfail_mark": "xfailed", "TestU::test_skip": "skipped",
          "TestU::test_x": "xfailed"}


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_wrappers(csbx, suite_image, runner):
    files = dict(repositories.FILES, **{"app.py": APP, "frozen.py": FROZEN, "tests/__init__.py": "", "tests/test_app.py": TESTS})
    judge = repositories.Judge(csbx, suite_image, files)
    changed = APP.replace("return 1", "return 2").replace("env(**k):\n    yield", ROLLS_BACK).replace("        return False", ENDS)
    at = changed.index("    def begin")
    patch = judge.patch(files={"calc.py": repositories.FIX, "app.py": changed[:at] + changed[at:].replace("        yield", BEGINS) + NEW})
    if runner == "unittest":
        ids = [f"tests.test_app.{i}" for i in ("TestU.test_m", "TestU.test_l", "TestA.test_m", "TestA.test_n")]
        ids += ["tests.test_app.TestU.test_skip", "tests.test_app.TestU.test_x"]
    else:
        ids = ["tests/test_app.py::test_with", "tests/test_app.py"]
    r = judge("--strict", "--runner", runner, "--patch", patch, "--fail-to-pass", ids[0], *(f"--pass-to-pass={i}" for i in ids[1:]), code=None)
    assert r["tamper"] == [] and r["resolved"], r
    if runner == "pytest":
        seen = {i.partition("::")[2]: o for i, o in r["tests"].items()}
        assert len(seen) >= 20 and all(o == OTHERS.get(i, "passed") for i, o in seen.items()), seen
