# SPDX-License-Identifier: Apache-2.0
"""unittest with a result class that reports each test over the channel.

Ids are those of TestCase.id(), `package.module.Class.test`; `test (package.module.Class)` is
understood too. Without ids the arguments are names to load, and without those all is discovered.
"""
import builtins
import re
import sys
import time
import types
import unittest

from csbx_apart import set_apart
from csbx_bases import make_bases
from csbx_conditions import changed_facts
from csbx_defs import make_filed
from csbx_files import make_unittest_files
from csbx_givers import make_givers
from csbx_helpers import make_helpers
from csbx_library import standard_at_first
from csbx_missing import make_unittest_missing
from csbx_modules import MODULES_KNOWN, make_modules
from csbx_outcomes import frames_of, make_judge
from csbx_places import file_of
from csbx_reasons import make_unittest_reasons
from csbx_syntax import Keeping
from csbx_texts import bound_by_imports, text_of
from csbx_used import make_used
from csbx_within import make_levels
from csbx_witness import TO_FAIL, is_async, make_cases, make_witness

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours
_SPOKEN = re.compile(r"^(\S+) \((\S+)\)$")
IS_TOLD = sys.version_info >= (3, 11)  # whether unittest says what skipped a test while it is caught
_RANK = ("passed", "xfailed", "skipped", "xpassed", "failed", "error")


def plain_id(name):
    m = _SPOKEN.match(name)
    if not m:
        return name
    return m.group(2) if m.group(2).endswith("." + m.group(1)) else m.group(2) + "." + m.group(1)


def look_at_result(ask, result):
    """An attribute of the result in the place of a method of its class."""
    for key in list(result.__dict__):
        if callable(getattr(type(result), key, None)):
            ask("found", "pytest_modified", "%s of the result" % key)


def look_at_test(ask, test):
    """Reports a test whose code a patch brought."""
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    code = getattr(getattr(method, "__func__", method), "__code__", None)
    if code is not None and not ask("vouched", code):
        ask("found", "test_replaced", "%s is of %s" % (test.id(), code.co_filename))


def is_of_unittest_itself(code, file=unittest.case.__file__):
    return code.co_filename == file


def tests_in(suite):
    todo, found = [suite], []
    while todo:
        one = todo.pop()
        if isinstance(one, unittest.TestSuite):
            todo += list(one)
        else:
            found.append(one)
    return found


def look_at_files(ask, files):
    """The files that the tests are made of; one that the run wrote makes all other looks at it void."""
    for _, file in files.values():
        if not ask("vouched", file):
            ask("found", "test_replaced", "%s is not as it was before the patches and the run" % file)


def make_module_looks(ask, repo):
    """(begin(tests), look(test)): what the modules of tests hold."""
    remember, look_at_names, look_at_globals, look_at_libraries = make_modules(ask, repo, text_of)
    begin_helpers, look_at_helpers = make_helpers(ask, repo, text_of)
    name_of, modules, look_at = file_of, sys.modules, look_at_files

    def begin(tests):
        of_tests = {id(m): m for m in [modules.get(type(t).__module__) for t in tests] if str(name_of(m)).startswith(repo + "/")}
        ask("known")["tests"] = files = {k: (m, name_of(m)) for k, m in of_tests.items()}
        look_at(ask, files)
        remember(list(of_tests.values()))
        begin_helpers(list(of_tests.values()), ())
        look_at_helpers(None)

    def look(test):
        of_test, file = ask("known")["tests"].get(id(modules.get(type(test).__module__)), (None, ""))
        look_at_names(of_test, file, test.id())
        look_at_globals(of_test)
        look_at_helpers(file)
        look_at_libraries()
    return begin, look


def make_unittest_givers(ask, repo):
    look, modules, name_of = make_givers(ask, repo, text_of), sys.modules, file_of

    def look_at_givers(test):
        """A test that is marked so: nothing that a patch changed may have marked it."""
        file = name_of(modules.get(type(test).__module__))
        look(test.id(), type(test), getattr(test, "_testMethodName", ""), [file] if isinstance(file, str) else [])
    return look_at_givers


def make_result(unittest, ask, repo, older, asked, look_at_module, look_at_bases):
    witnessed, (remember, look_at_case, is_marked), waits = make_witness(ask), make_cases(ask, repo, text_of), is_async
    (strange_test, _, strange_members), code_type = make_filed(text_of), types.CodeType
    judge = make_judge(ask, repo, (unittest.SkipTest,), bound_by_imports, text_of)

    class Result(unittest.TextTestResult):
        def startTestRun(self):
            super().startTestRun()
            unittest.removeResult(self)  # unittest.signals led to it

        def startTest(self, test):
            super().startTest(test)
            ask("known")["worst"] = None
            self.csbx_begin = time.monotonic()
            self.csbx_look(ask, test)
            ask("look")
            ask("known")["skipped"] = None
            self.csbx_look_at_module(test)
            self.csbx_look_at_bases(type(test))
            self.csbx_look_at_case(test, getattr(test, "_testMethodName", None))
            ask("call", test, asked.get(test.id()) or test.id(), id(test) in ask("known")["called"])
            _, name, method = ask("known")["called"].get(id(test), (test, "", None))
            self.csbx_undo = self.csbx_levels(test, method, name)

        csbx_levels = staticmethod(make_levels(ask, repo, older, text_of))
        csbx_look = staticmethod(look_at_test)
        csbx_look_at_case = staticmethod(look_at_case)
        csbx_is_marked = staticmethod(is_marked)
        csbx_judge, csbx_frames = staticmethod(judge), staticmethod(frames_of)
        csbx_look_at_module, csbx_look_at_bases = staticmethod(look_at_module), staticmethod(look_at_bases)
        csbx_look_at_reasons = staticmethod(make_unittest_reasons(ask, repo, text_of))
        csbx_look_at_givers = staticmethod(make_unittest_givers(ask, repo))
        csbx_look_at_result = staticmethod(look_at_result)

        def csbx_worst(self, outcome):
            ask("witness")
            state = ask("known")
            if state["worst"] is None or _RANK.index(outcome) > _RANK.index(state["worst"]):
                state["worst"] = outcome

        def stopTest(self, test):
            super().stopTest(test)
            ask("ended")
            if self.csbx_undo is not None:
                self.csbx_undo()
            state = ask("known")
            self.csbx_look_at_result(ask, self)
            self.csbx_look_at_module(test)
            self.csbx_look_at_bases(type(test))
            self.csbx_look_at_case(test, getattr(test, "_testMethodName", None))
            called = state["called"].pop(id(test), None)
            if called is not None:
                test.__dict__.pop(called[1], None)
                if state["worst"] == "passed" and not ask("returned", test):
                    ask("found", "test_replaced", "%s is said to have passed, and did not come back from its call" % test.id())
            outcome = state["worst"] or "error"
            if outcome in ("failed", "error", "xpassed"):
                state["failed"] += 1
            ms = max(0, int(1000 * (time.monotonic() - self.csbx_begin)))
            name = test.id()
            call = {"xfailed": "skipped", "xpassed": "passed", "error": "failed"}.get(outcome, outcome)
            for when, what in (("setup", "passed"), ("call", call), ("teardown", "passed")):
                xfail = when == "call" and outcome in ("xfailed", "xpassed")
                ask("send", {"t": "report", "id": name, "alt": asked.get(name), "when": when,
                      "outcome": what, "xfail": xfail, "part": False, "ms": ms if when == "call" else 0})

        def csbx_outside(self, test, err):
            """Reports a module that failed to load, or a fixture of a class or module: it is no test of its own."""
            if hasattr(test, "_testMethodName") and type(test).__name__ != "_FailedTest":
                return False
            ask("known")["failed"] += 1
            ask("send", {"t": "collect_error", "id": str(test), "message": self._exc_info_to_string(err, test)[-4000:]})
            return True

        def addSuccess(self, test):
            super().addSuccess(test)
            self.csbx_worst("passed")

        def addError(self, test, err):
            super().addError(test, err)
            if not self.csbx_outside(test, err):
                self.csbx_worst("error")

        def addFailure(self, test, err):
            super().addFailure(test, err)
            self.csbx_worst("failed")

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                self.csbx_worst("failed")

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            error = sys.exc_info()[1] or ask("known")["skipped"]
            frames, is_marked = self.csbx_frames(error), self.csbx_is_marked(test, "__unittest_skip__")
            of_tests = [f for f in frames if f is not None and not (is_of_unittest_itself(f[0]) and ask("vouched", f[0]))]
            if of_tests or not is_marked:  # else a decorator of setUp() raised it
                self.csbx_judge(error, frames)
            self.csbx_look_at_reasons(test, is_marked and not of_tests)
            if is_marked:
                self.csbx_look_at_givers(test)
            if error is None and IS_TOLD and not is_marked:
                ask("found", "outcome_call", "%s is skipped for no reason that was seen" % test.id())
            self.csbx_worst("skipped")

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            if not self.csbx_is_marked(test, "__unittest_expecting_failure__"):
                ask("found", "outcome_call", "%s is expected to fail, which the tests do not say" % test.id())
            self.csbx_look_at_reasons(test, False)
            self.csbx_look_at_givers(test)
            self.csbx_worst("xfailed")

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            self.csbx_worst("xpassed")
    def prepare(test):
        """The method of a test is called by the harness, which knows then whether it came back."""
        remember(type(test))
        name = getattr(test, "_testMethodName", "")
        method = getattr(test, name, None)

        def vouches(file):
            if type(file) is code_type:
                return not ask("strangers", [file])
            return file.startswith(repo + "/") and ask("vouched", file)
        filed = ask("known")["filed"]
        wrong = strange_test(filed, getattr(method, "__func__", method), type(test), name, None, vouches) or \
            strange_members(filed, type(test), vouches)
        if wrong:
            ask("found", "test_replaced", "%s: %s" % (test.id(), wrong))
        if callable(method) and not waits(method):
            setattr(test, name, witnessed(test, method, test, name))
            ask("known")["called"][id(test)] = test, name, method
        if any([getattr(place, word, False) for place in (method, type(test)) for word in TO_FAIL]):
            ask("may_fail", [asked.get(test.id()) or test.id()])
    return Result, prepare


def make_stop(ask):
    new = Exception.__new__

    class Stop(Exception):
        """By which unittest leaves the rest of a subTest() out, without a word."""
        @set_apart
        def __new__(cls, *args):
            ask("witness")  # which tells of code of a patch on the stack
            return new(cls, *args)
    return Stop


def run(ask, want, repo, gate, changed, shadows, brought):
    import unittest.mock
    if hasattr(unittest.case, "_ShouldStop"):
        unittest.case._ShouldStop = make_stop(ask)
    if sys.version_info >= (3, 8):
        __import__("unittest.async_case")  # which unittest loads when it is asked for it
    sys.argv[:] = ["unittest"]
    ask("send", {"t": "session", "runner": "unittest", "version": "%d.%d.%d" % sys.version_info[:3]})
    ask("remember", dict({k: {} for k in MODULES_KNOWN}, **{
        "cases": {}, "failed": 0, "worst": None, "skipped": None, "called": {}, "filed": {}, "helped": {}, "beside": [], "kinds": [], "constants": [],
        "contents": [], "at_first": standard_at_first(), "displays": [], "helped_files": [], "conftests": [], "owned": {},
        "tests": {}, "bases": {}, "wrappers": {}, "older": want["older"], "has_changed": want["has_changed"], "givers": {}, "indexes": {}}))
    ask("begin", repo, changed, ("unittest",))
    gate.remove()
    if repo not in sys.path:
        sys.path.insert(0, repo)
    begin_modules, look_at_module = make_module_looks(ask, repo)
    look_for_missing, look_for_files = make_unittest_missing(ask, repo, text_of), make_unittest_files(ask, repo, text_of, want)
    Result, prepare = make_result(unittest, ask, repo, want["older"], {plain_id(i): i for i in want["ids"] if plain_id(i) != i}, look_at_module,
                                  make_bases(ask, repo, text_of, want["older"]))
    used = make_used(ask, repo, want["facts"])
    used.begin(())
    ask("guard", "csbx", Result)
    ask("settle")
    loader = unittest.TestLoader()
    try:
        if want["ids"] or want["args"]:
            suite = loader.loadTestsFromNames([plain_id(i) for i in want["ids"]] + want["args"])
        else:
            suite = loader.discover(".")
        count = suite.countTestCases()
        tests = tests_in(suite)
        with Keeping():
            for test in tests:
                prepare(test)
            begin_modules(tests)
        used.look_at_classes({type(t) for t in tests})
        for name in changed_facts():
            ask("found", "outcome_call", "%s is another, which tests may ask for" % name)
        if not want["ids"] and not want["args"]:
            look_for_missing(tests)
            look_for_files(tests)
        result = unittest.TextTestRunner(resultclass=Result, verbosity=2).run(suite)
    except BaseException as e:  # SystemExit too
        ask("send", {"t": "error", "code": "interrupted", "message": "%s: %s" % (type(e).__name__, e)})
        return 1
    look_at_files(ask, ask("known")["tests"])
    ask("check")
    ask("send", {"t": "finish", "status": 0 if result.wasSuccessful() else 1, "collected": count, "failed": int(ask("known")["failed"] > 0),
          "session_failed": int(not result.wasSuccessful())})
    return 0 if result.wasSuccessful() else 1
