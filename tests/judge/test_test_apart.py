# SPDX-License-Identifier: Apache-2.0
"""csbx test: from what any code can reach, no way leads to a module of the harness, or to an object of the runner that holds one."""

import pytest

# Followed from all modules on: whatever an object refers to, weak references too. A frame leads everywhere, and raises an event.
WAYS = r"""
import functools
import gc
import sys
import types
import weakref

OF_RUNNER = ("_pytest.config.Config", "_pytest.config.PytestPluginManager", "_pytest.main.Session", "csbx_pytest.CsbxReporter",
             "csbx_unittest.Result")


def kind_of(thing):
    return "%s.%s" % (type(thing).__module__, type(thing).__qualname__.rpartition(".")[2])


def is_hidden(thing):
    if type(thing) is dict:
        return str(thing.get("__name__")).startswith("csbx_") and "__file__" in thing
    return kind_of(thing) in OF_RUNNER or (type(thing) is types.ModuleType and thing.__name__.startswith("csbx_"))


def parts_of(thing):
    if type(thing) is functools._lru_cache_wrapper:  # which nothing asks for what it calls
        return [vars(thing)]
    found = list(gc.get_referents(thing))
    if isinstance(thing, weakref.ref) and thing() is not None:
        found.append(thing())
    return found


def ways():
    seen, todo, found = {}, [], []
    own = todo, seen, found, sys._getframe()
    for module in list(sys.modules.values()):
        if id(module) not in seen:
            seen[id(module)] = None
            todo.append(module)
    for thing in todo:
        if is_hidden(thing):
            way = []
            while thing is not None:
                way.append("%s %s" % (kind_of(thing), getattr(thing, "__name__", "")))
                thing = seen[id(thing)]
            found.append(way)
        elif not isinstance(thing, (types.FrameType, types.GeneratorType)) and not any([thing is o for o in own]):
            for part in parts_of(thing):
                if id(part) not in seen:
                    seen[id(part)] = thing
                    todo.append(part)
    assert len(todo) > 10000
    return found
"""
OF_PYTEST = WAYS + r"""
from unittest import mock

import pytest

import calc


@mock.patch("calc.LIMIT", 3)
def test_add():
    assert calc.add(1, 2) == 3
    assert ways() == []


@pytest.mark.unheard_of
def test_mul():
    assert calc.mul(2, 3) == 6
    assert ways() == []
"""
OF_UNITTEST = WAYS + r"""
import unittest
from unittest import mock

import calc


class TestCalc(unittest.TestCase):
    @mock.patch("calc.LIMIT", 3)
    def test_add(self):
        self.assertEqual(calc.add(1, 2), 3)
        self.assertEqual(ways(), [])

    def test_mul(self):
        with self.subTest("product"):
            self.assertEqual(calc.mul(2, 3), 6)
        self.assertEqual(ways(), [])
"""
CALC = "LIMIT = 1\n\n\ndef add(a, b):\n    return a + b\n\n\ndef mul(a, b):\n    return a * b\n"


@pytest.mark.parametrize("tests, words", [(OF_PYTEST, ()), (OF_UNITTEST, ()), (OF_UNITTEST, ("--runner", "unittest"))],
                         ids=["pytest", "unittest by pytest", "unittest"])
def test_no_way_leads_to_the_harness(judge, tests, words):
    judge.write(judge.repo / "tests/test_calc.py", tests)
    judge.write(judge.repo / "tests/__init__.py", "")
    name = "TestCalc" if "TestCase" in tests else ""
    ids = [".".join(filter(None, ("tests.test_calc", name, t))) if words else "::".join(filter(None, ("tests/test_calc.py", name, t)))
           for t in ("test_add", "test_mul")]
    r = judge("--fail-to-pass", ids[0], "--pass-to-pass", ids[1], f"--patch={judge.patch(files={'calc.py': CALC})}", *words)
    assert r["resolved"] and not r["tamper"], (r["tamper"], r["stdout"], r["stderr"])

ENDS_THE_LAST_LOOK = r"""
import signal
import textwrap
import traceback

import _pytest.outcomes

textwrap.dedent = lambda text: text


def ring(number, frame):
    names = [s.name for s in traceback.extract_stack()]
    at = names.index("pytest_sessionfinish") if "pytest_sessionfinish" in names else len(names)
    if at < len(names) - 2 and names[at + 1] in ("end", "ended", "try_decoys", "_ask"):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise _pytest.outcomes.Exit("x", 0)


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
"""


def test_a_session_has_no_end_without_the_last_look(judge):
    """A handler that raises in it, as pytest ends sessions: it may come too late, and then what was replaced is told."""
    r = judge.judged(judge.patch(files={"calc.py": CALC + ENDS_THE_LAST_LOOK}))
    assert r["tamper"] or not r["resolved"], (r["tamper"], r["stdout"], r["stderr"])
