# SPDX-License-Identifier: Apache-2.0
"""Looks for tampering in pytest's own process: with outcomes, marks, functions, hooks and modules of tests."""
import builtins
import sys
import types
import unittest

import csbx_decoys
from csbx_conditions import changed_facts
from csbx_defs import cells_of, has_changed, make_filed, says
from csbx_outcomes import frames_of, leads_to, make_judge
from csbx_texts import attributes_set, bound_by_imports, names_stored, text_of
from csbx_witness import is_async, make_cases, make_witness

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

REPORT_HOOKS = ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_runtest_protocol",
                "pytest_runtestloop", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_collection_modifyitems",
                "pytest_report_teststatus", "pytest_sessionfinish", "pytest_cmdline_main", "pytest_fixture_setup",
                "pytest_collection", "pytest_itemcollected", "pytest_collection_finish", "pytest_pycollect_makeitem",
                "pytest_runtest_setup", "pytest_runtest_teardown", "pytest_collect_file", "pytest_make_collect_report")

RUN_MARKS = ("skip", "skipif", "xfail")
WAYS_TO_MARK = ("add_marker", "applymarker", "own_markers")
DECOYS_MAX = 3


def function_code(function):
    return getattr(getattr(function, "__func__", function), "__code__", None)


def make_looks(pytest, ask, repo):
    """An object whose functions share what they know in variables; it is the plugin's, which is watched."""
    from _pytest.python import Function
    from _pytest.runner import CallInfo
    from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks
    from _pytest.unittest import TestCaseFunction
    kinds = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    # The core keeps it, where no function that can be reached leads.
    ask("remember", {"plugin": None, "session": None, "functions": {}, "marks": {}, "impls": {}, "modules": {}, "passed": [], "callers": {},
             "imports": {}, "data": {}, "globals": {}, "classes": {}, "cases": {}, "replaces": {}, "items": {}, "error": None,
             "by_tests": True, "vouched": {}, "looked": 0, "skipped": None, "cells": {}, "filed": {}})
    all_builtins, builtin_names = vars(builtins), frozenset(vars(builtins))
    stored, way_to_mark, is_wrapper = names_stored, tuple(w.encode() for w in WAYS_TO_MARK), leads_to
    strange_test, strange_marks, strange_members = make_filed(text_of)
    cells_in, other_cells, has_words, other_facts = cells_of, has_changed, says, changed_facts
    judge = make_judge(ask, repo, kinds, bound_by_imports, text_of)
    code_of, text, bound, set_in, from_call = function_code, text_of, bound_by_imports, attributes_set, CallInfo.from_call
    frames_in = frames_of
    witnessed, (remember_case, look_at_case, is_marked), waits = make_witness(ask), make_cases(ask, repo, text_of), is_async
    own_ways, callers = (Function.runtest, TestCaseFunction.runtest), (Function, TestCaseFunction)
    of_skip, of_xfail = evaluate_skip_marks, evaluate_xfail_marks
    hooks, run_marks, decoys, decoys_max = REPORT_HOOKS, RUN_MARKS, csbx_decoys.ways, DECOYS_MAX

    def found(kind, detail):
        ask("found", kind, detail)

    def is_vouched(known, file):
        if file not in known["vouched"]:
            known["vouched"][file] = ask("vouched", file)
        return known["vouched"][file]

    def outcome(known, excinfo):
        """skip() and xfail() are for tests; code under test that calls them, by whatever way, wants to get by."""
        frames = [entry.frame for entry in excinfo.traceback]
        known["by_tests"] = judge(excinfo.value, [(f.code.raw, f.f_globals) for f in frames])

    def marks_of(item):
        return [(node, mark) for node, mark in item.iter_markers_with_node() if mark.name in run_marks]

    def adds_marks(item):
        """True when the tests themselves add marks, or a conftest.py does."""
        files = [str(getattr(item, "fspath", ""))]
        files += [p.__file__ for p in item.config.pluginmanager.get_plugins()
                  if isinstance(getattr(p, "__file__", None), str) and p.__file__.endswith("conftest.py")]
        return any(w in t for t in map(text, filter(lambda f: ask("vouched", f), files)) for w in way_to_mark)

    def marks(known, item):
        """Marks that skip a test, or expect it to fail: of a package's __init__.py, or made while it ran."""
        own = getattr(getattr(item, "module", None), "__file__", None)
        before = known["marks"].get(item.nodeid, ())
        for mark, name, args, kwargs in before:
            if mark.name != name or mark.args is not args or mark.kwargs != kwargs:
                found("outcome_call", "the mark %s of %s was changed" % (name, item.nodeid))
        for node, mark in marks_of(item):
            file = getattr(getattr(node, "obj", None), "__file__", None)
            if isinstance(file, str) and file != own and not ask("vouched", file):
                found("outcome_call", "a mark %s of %s" % (mark.name, file))
            elif not any(mark is m[0] for m in before) and not adds_marks(item):
                found("outcome_call", "a mark %s of %s, which the tests do not make" % (mark.name, item.nodeid))

    def function(known, item, now):
        """A wrapper of a test is a function of its own: another object, or another test, is no wrapper."""
        collected = known["functions"]
        code = getattr(now, "__code__", None)
        if code is not None and not ask("vouched", code):
            found("test_replaced", "%s is of %s" % (item.nodeid, code.co_filename))
        elif not is_wrapper(now, collected.get(item.nodeid, now)):
            found("test_replaced", "%s was replaced after it was collected" % item.nodeid)
        if other_cells(known["cells"].get(item.nodeid, ())):
            found("test_replaced", "what a wrapper of %s calls" % item.nodeid)
        if getattr(now, "__builtins__", all_builtins) is not all_builtins:
            found("test_replaced", "%s has builtins of its own" % item.nodeid)

    def as_filed(known, item):
        """A test is the function that its file has by that name, with the marks that the file gives it."""
        if not isinstance(item, callers):
            return
        name, file = getattr(item, "originalname", None) or item.name, str(getattr(item, "path", None) or item.fspath)
        place = item.function, getattr(item, "cls", None), name, file

        def vouches(file):
            return is_vouched(known, file) and file.startswith(repo + "/")
        wrong = strange_test(known["filed"], *place, vouches)
        if wrong:
            found("test_replaced", "%s %s" % (item.nodeid, wrong))
        wrong = strange_marks(known["filed"], *place, vouches, run_marks)
        if wrong and not adds_marks(item):
            found("outcome_call", wrong)
        wrong = strange_members(known["filed"], place[1], vouches) if isinstance(item, TestCaseFunction) else None
        if wrong:
            found("test_replaced", wrong)

    def identity(known, item):
        """An item is one that was collected, and is still called so."""
        if known["items"].get(id(item), (None, None)) != (item, item.nodeid):
            found("test_replaced", "%s was not collected by this name" % item.nodeid)
        if type(item.__dict__.get("_excinfo")) not in (type(None), list):
            found("test_replaced", "where %s keeps its failures" % item.nodeid)

    def instance(thing, kind, name):
        """An attribute of an object in the place of a method of its class."""
        for key, value in list(thing.__dict__.items()):
            if callable(getattr(type(thing), key, None)):
                code = code_of(value)
                if code is None or not ask("vouched", code) or code.co_filename.startswith(repo + "/"):
                    found(kind, "%s of %s" % (key, name))

    def module(known, item):
        """Names in the tests' module that its own code does not bind."""
        of_tests = getattr(item, "module", None)
        file = getattr(of_tests, "__file__", None)
        if not isinstance(of_tests, types.ModuleType) or not isinstance(file, str) or not is_vouched(known, file):
            return
        now = vars(of_tests)
        if now.get("__builtins__") not in (all_builtins, builtins):
            found("test_replaced", "%s has builtins of its own" % file)
        if file not in known["modules"]:
            try:
                known["modules"][file] = stored(compile(text(file), file, "exec", 0, True))
            except (SyntaxError, ValueError):
                known["modules"][file] = set(), True, []
        names, computes, stars = known["modules"][file]
        for name in set(now) - names:
            value = now[name]
            is_error = isinstance(value, type) and issubclass(value, BaseException)
            if not is_error and any(getattr(sys.modules.get(s), name, stars) is value for s in stars):
                continue
            if name in builtin_names or not (computes or name.startswith(("_", "@")) or isinstance(value, types.ModuleType)):
                if not name.startswith("__"):
                    found("test_replaced", "%s in %s is not of it" % (name, file))

    def engine(known):
        """Checks the objects that call hooks, and the list of hooks."""
        session = known["session"]
        manager = session.config.pluginmanager
        for thing, name in ((session, "the session"), (manager, "the plugin manager"), (session.config, "the configuration")):
            instance(thing, "pytest_modified", name)
        code = code_of(getattr(manager, "_inner_hookexec", None))
        if code is not None and (not ask("vouched", code) or code.co_filename.startswith(repo + "/")):
            found("pytest_modified", "_inner_hookexec of the plugin manager")
        if session.config.hook is not known["hook"]:
            found("pytest_modified", "the hooks of the configuration")
        brought = []
        for hook in hooks:
            caller = getattr(manager.hook, hook, None)
            impls = list(caller.get_hookimpls()) if caller is not None else []
            if caller is not known["callers"][hook] and known["callers"][hook] is not None:
                found("pytest_modified", "the caller of %s" % hook)
            call = getattr(caller, "_hookexec", None)
            if caller is not None and getattr(call, "__self__", manager) is not manager:
                found("pytest_modified", "how %s is called" % hook)
            brought += [(code_of(i.function), hook) for i in impls]
            for impl, made in known["impls"].get(hook, ()):
                if impl not in impls or impl.function is not made:
                    found("pytest_modified", "%s of %s is gone" % (hook, made.__module__))

        strangers = list(map(id, ask("strangers", [c for c, _ in brought]) or ()))
        for code, hook in brought if strangers else ():
            if id(code) in strangers:
                found("report_hook", "%s of %s" % (hook, getattr(code, "co_filename", "no function")))

    def is_made(value, or_mock):
        """True when code of a patch or the run made a value, as far as its class or its code tells."""
        code = code_of(value)
        if code is not None:
            return not ask("vouched", code)
        if isinstance(value, types.ModuleType) or type(value).__name__ in ("partial", "partialmethod"):
            return True
        kind = value if isinstance(value, type) else type(value)
        if kind.__module__ == "unittest.mock":
            return or_mock
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return isinstance(file, str) and not ask("vouched", file)

    def imports(known, of_tests, or_mock):
        """Checks that the names which the tests' module imported from elsewhere still have the same values."""
        file = getattr(of_tests, "__file__", None)
        if not isinstance(file, str) or not is_vouched(known, file):
            return
        if file not in known["imports"]:
            known["imports"][file] = bound(text(file))
        for name, sources in known["imports"][file].items():
            value = vars(of_tests).get(name, of_tests)
            meant = [getattr(sys.modules.get(m), a, None) if a else sys.modules.get(m) for m, a in sources]
            outside = [m for m, _ in sources if not str(getattr(sys.modules.get(m), "__file__", "")).startswith(repo + "/")]
            if outside and not any(value is m for m in meant) and is_made(value, or_mock):
                found("test_replaced", "%s in %s is not what it imports" % (name, file))

    def is_odd(file, name, old, new):
        """True when something that the tests call became a thing of a library, and they have no words for that."""
        code = code_of(new)
        if code_of(old) is None or not callable(new) or (code is not None and code.co_filename.startswith(repo + "/") and ask("vouched", code)):
            return False
        return not has_words(text(file), name)

    def data_of(item):
        """The things that a test is called with: parameters, and the functions of fixtures."""
        params = getattr(getattr(item, "callspec", None), "params", None) or {}
        info = getattr(item, "_fixtureinfo", None)
        fixtures = getattr(info, "name2fixturedefs", None) or {}
        return dict(params), {(n, k): d.func for n, ds in list(fixtures.items()) for k, d in enumerate(ds)}

    def classes(known, of_tests, replaces):
        """Checks the attributes of plain classes of the tests' module, but for those that the module itself sets
        somewhere."""
        for kind, before in known["classes"][of_tests.__name__]:
            now = vars(kind)
            for name, old in before.items():
                new = now.get(name, old)
                if new is not old and not name.startswith("_") and name not in known["replaces"][of_tests.__file__, "attributes"] and \
                        (not replaces or is_made(new, False) or is_odd(of_tests.__file__, name, old, new)):
                    found("test_replaced", "%s.%s in %s was replaced" % (kind.__name__, name, of_tests.__file__))

    def data(known, item):
        params, fixtures = known["data"].get(item.nodeid, ({}, {}))
        now_params, now_fixtures = data_of(item)
        for name in params:
            if now_params.get(name) is not params[name] and not type(params[name]).__module__.startswith("pytest_lazy"):
                found("test_replaced", "the parameter %s of %s" % (name, item.nodeid))
        for key, old in fixtures.items():
            if now_fixtures.get(key, old) is not old:
                found("test_replaced", "the fixture %s of %s" % (key[0], item.nodeid))
        if item.session is not known["session"] or item.config is not known["session"].config:
            found("pytest_modified", "the session of %s" % item.nodeid)
        of_tests = getattr(item, "module", None)
        before = known["globals"].get(getattr(of_tests, "__name__", None))
        if before is None:
            return
        imports(known, of_tests, False)
        if of_tests.__file__ not in known["replaces"]:
            content = text(of_tests.__file__)
            known["replaces"][of_tests.__file__] = any(w in content for w in (b"setattr", b"patch", b"global "))
            known["replaces"][of_tests.__file__, "attributes"] = set_in(content)
        replaces = known["replaces"][of_tests.__file__]
        classes(known, of_tests, replaces)
        for name, old in before.items():
            new = vars(of_tests).get(name, old)
            if new is not old and not name.startswith(("_", "@")) and \
                    (not replaces or is_made(new, False) or is_odd(of_tests.__file__, name, old, new)):
                found("test_replaced", "%s in %s was replaced" % (name, of_tests.__file__))

    def begin(plugin, session):
        known = ask("known")
        known.update(plugin=plugin, session=session, hook=session.config.hook)
        if not type(session.config.hook).__module__.startswith(("_pytest.", "pluggy.")):
            found("pytest_modified", "the hooks of the configuration")
        for hook in hooks:
            caller = known["callers"][hook] = getattr(session.config.pluginmanager.hook, hook, None)
            if caller is not None and not type(caller).__module__.startswith("pluggy."):
                found("pytest_modified", "the caller of %s" % hook)
            impls = caller.get_hookimpls() if caller is not None else ()
            known["impls"][hook] = [(i, i.function) for i in impls
                                    if i.plugin is plugin or getattr(i.plugin, "__name__", "").startswith("_pytest.")]

    def collected(items):
        known = ask("known")
        known["items"].update((id(i), (i, i.nodeid)) for i in items)
        known["functions"].update((i.nodeid, getattr(i, "function", None)) for i in items)
        known["marks"].update((i.nodeid, [(m, m.name, m.args, dict(m.kwargs)) for _, m in marks_of(i)]) for i in items)
        known["cells"].update((i.nodeid, cells_in(getattr(i, "function", None))) for i in items)
        for name in other_facts():
            found("outcome_call", "%s is another, which marks ask for" % name)
        for item in items:
            as_filed(known, item)
        for kind in {getattr(i, "cls", None) for i in items}:
            remember_case(kind)
        known["data"].update((i.nodeid, data_of(i)) for i in items)
        for of_tests in {id(m): m for m in [getattr(i, "module", None) for i in items] if isinstance(m, types.ModuleType)}.values():
            known["globals"][of_tests.__name__] = dict(vars(of_tests))
            known["classes"][of_tests.__name__] = [
                (c, dict(vars(c))) for c in vars(of_tests).values()
                if isinstance(c, type) and c.__module__ == of_tests.__name__ and c.__bases__ == (object,)]
            imports(known, of_tests, True)

    def case_of(item):
        case = item.__dict__.get("_testcase") or item.__dict__.get("_instance")
        return case if isinstance(case, unittest.TestCase) else None

    def look_at_test(known, item):
        """Checks the parts of a test, and the names that it uses."""
        module(known, item)
        function(known, item, getattr(item, "function", None))
        data(known, item)
        case = case_of(item)
        if case is not None:
            look_at_case(case, item.name)

    def is_to_come_back(known, item):
        """True when a test is called as pytest itself does: a plugin that calls it otherwise may have its reasons."""
        if type(item).runtest not in own_ways or waits(known["functions"].get(item.nodeid)):
            return False
        impls = item.session.config.pluginmanager.hook.pytest_pyfunc_call.get_hookimpls()
        return not [i for i in impls if not (i.hookwrapper or getattr(i, "wrapper", False)) and i.function.__module__ != "_pytest.python"]

    def calls(item):
        """Before a test is called, and nothing comes between: a way to undo it, or None where others see to that."""
        known = ask("known")
        real = item.obj
        if known["session"] is None or not isinstance(item, callers) or waits(real):
            return None
        if known["looked"] is not getattr(item, "module", None):  # once a file: what comes later can come while the test runs as well
            known["looked"] = getattr(item, "module", None)
            ask("look")
        look_at_test(known, item)
        if real is not item.obj:
            found("test_replaced", "%s was replaced while the harness looked" % item.nodeid)
        known["skipped"] = None
        ask("call", item)
        item.obj = witness = witnessed(item, real)
        case = case_of(item)
        if case is not None:  # pytest leaves it to unittest to find what it waits for
            setattr(case, item.name, witness)

        def undo():
            item.obj = real
            if case is not None:
                case.__dict__.pop(item.name, None)
        return undo

    def before(item, call):
        known = ask("known")
        known["error"], known["by_tests"] = call.excinfo, True
        if call.when == "setup":
            known["skipped"] = None
        engine(known)
        identity(known, item)
        instance(item, "test_replaced", item.nodeid)
        if call.when == "call":
            look_at_test(known, item)
        else:
            module(known, item)
        if call.excinfo is not None:
            outcome(known, call.excinfo)

    def has_reason(known, item, call, is_expected):
        """True when a test without a mark of pytest was skipped, or expected to fail, for a reason that was seen."""
        if known["error"] is not None or not isinstance(item, callers[1]):
            return known["error"] is not None and isinstance(known["error"].value, kinds) and (known["by_tests"] or not is_expected)
        case = item.__dict__.get("_testcase") or item.__dict__.get("_instance")
        if is_marked(case, "__unittest_expecting_failure__" if is_expected else "__unittest_skip__"):
            return True
        # unittest has caught it, and pytest made another while it was handled.
        error = call.excinfo and call.excinfo.value
        caught = [e for e in (error, getattr(error, "__context__", None), known["skipped"]) if isinstance(e, kinds)]
        return any(judge(e, frames_in(e)) for e in caught)

    def is_marked_so(item, is_expected):
        """By the marks themselves: what pytest made of them before can be another's by now."""
        try:
            return marks_of(item) != [] and (of_xfail if is_expected else of_skip)(item) is not None
        except BaseException:  # the condition of a mark; pytest would have said so
            return False

    def after(item, call, report):
        known = ask("known")
        if report.outcome == "skipped" or hasattr(report, "wasxfail"):
            marks(known, item)
            is_expected = hasattr(report, "wasxfail")
            if not is_marked_so(item, is_expected) and not has_reason(known, item, call, is_expected):
                found("outcome_call", "%s is %s for no reason that was seen" % (item.nodeid, report.outcome))
        elif report.when == "call" and report.outcome == "passed" and is_to_come_back(known, item) and not ask("returned", item):
            found("test_replaced", "%s is said to have passed, and did not come back from its call" % item.nodeid)
        elif report.when == "call" and report.outcome == "passed" and not marks_of(item):
            known["passed"].append(item)

    def end():
        engine(ask("known"))

    def report_of(item, way):
        """CPython 3.11 fails now and then while it parses the source of what failed (AST constructor recursion depth mismatch)."""
        for is_last in (False, False, True):
            try:
                return item.ihook.pytest_runtest_makereport(item=item, call=from_call(way, "call"))
            except SystemError:
                if is_last:
                    raise

    def try_decoys():
        """Reports of calls that fail, about tests that passed: each must be one of a failure. Each costs a look
        at the source of what failed."""
        known = ask("known")
        for number, item in enumerate(known["passed"][:-decoys_max - 1:-1]):
            for way in decoys(pytest)[:1 if number else None]:
                report = report_of(item, way)
                if report.outcome != "failed" or hasattr(report, "wasxfail"):
                    found("decoy", "a failure of %s is reported as %s" % (item.nodeid, report.outcome))
    return types.SimpleNamespace(begin=begin, collected=collected, calls=calls, before=before, after=after, end=end, try_decoys=try_decoys)
