# SPDX-License-Identifier: Apache-2.0
"""Looks for tampering in pytest's own process: with outcomes, marks, functions, hooks and modules of tests."""
import builtins
import sys
import types
import unittest

import csbx_decoys
from csbx_conditions import changed_facts
from csbx_defs import cells_of, has_changed, make_filed
from csbx_givers import make_givers
from csbx_helpers import make_helpers
from csbx_items import make_items
from csbx_kinds import named
from csbx_library import standard_at_first
from csbx_modules import MODULES_KNOWN, function_code, make_modules
from csbx_outcomes import frames_of, leads_to, make_judge, says_its_class
from csbx_params import make_params
from csbx_reasons import make_condition, make_reasons
from csbx_texts import bound_by_imports, says, text_of
from csbx_ways import IDENTITY
from csbx_within import make_levels
from csbx_witness import TO_FAIL, is_async, make_cases, make_witness

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

REPORT_HOOKS = ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_runtest_protocol",
                "pytest_runtestloop", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_collection_modifyitems",
                "pytest_report_teststatus", "pytest_sessionfinish", "pytest_cmdline_main", "pytest_fixture_setup",
                "pytest_collection", "pytest_itemcollected", "pytest_collection_finish", "pytest_pycollect_makeitem",
                "pytest_runtest_setup", "pytest_runtest_teardown", "pytest_collect_file", "pytest_make_collect_report",
                "pytest_generate_tests", "pytest_make_parametrize_id", "pytest_markeval_namespace", "pytest_pycollect_makemodule",
                "pytest_ignore_collect", "pytest_collect_directory")

RUN_MARKS = ("skip", "skipif", "xfail")
WAYS_TO_MARK = ("add_marker", "applymarker", "own_markers")
DECOYS_MAX = 3


def make_looks(pytest, ask, repo, older):
    """An object whose functions share what they know in variables; it is the plugin's, which is watched."""
    from _pytest.nodes import Node
    from _pytest.python import Function
    from _pytest.runner import CallInfo
    from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks
    from _pytest.unittest import TestCaseFunction
    kinds = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    # The core keeps it, where no function that can be reached leads.
    ask("remember", dict({k: {} for k in MODULES_KNOWN}, **{
        "plugin": None, "session": None, "functions": {}, "marks": {}, "impls": {}, "passed": [], "callers": {}, "data": {}, "cases": {},
        "items": {}, "error": None, "by_tests": True, "vouched": {}, "looked": 0, "skipped": None, "cells": {}, "filed": {}, "hooked": {},
        "helped": {}, "beside": [], "kinds": [], "constants": [], "contents": [], "engine": [], "homes": (),
        "objects": {}, "kinds_seen": {}, "values": {}, "explains": {}, "verbosity": None, "marked": {},
        "at_first": standard_at_first(), "displays": [], "helped_files": [], "conftests": [], "missing": {}, "made": {}, "written": {}, "owned": {},
        "loaded": {}, "cases_of": {}, "allowed": {}, "calls": {}, "bases": {}, "wrappers": {}, "givers": {}, "indexes": {}}))
    all_builtins = vars(builtins)
    modules, has_words, code_type = sys.modules, says, types.CodeType
    way_to_mark, is_wrapper = tuple(w.encode() for w in WAYS_TO_MARK), leads_to
    strange_test, strange_marks, strange_members = make_filed(text_of)
    cells_in, other_cells, other_facts, look_at_reasons = cells_of, has_changed, changed_facts, make_reasons(ask, repo, text_of)
    remember_modules, look_at_names, look_at_globals, look_at_libraries = make_modules(ask, repo, text_of)
    items_of, levels = make_items(ask, repo), make_levels(ask, repo, older, text_of, kinds)
    items_of.watch_marks(Node)
    remember_params, look_at_params, marks_of_cases = make_params(ask, repo, text_of, lambda mark: mark.name in RUN_MARKS)
    judge = make_judge(ask, repo, kinds, bound_by_imports, text_of)
    code_of, text, from_call, name_in = function_code, text_of, CallInfo.from_call, named
    frames_in, says_class, (begin_helpers, look_at_helpers) = frames_of, says_its_class, make_helpers(ask, repo, text_of)
    witnessed, (remember_case, look_at_case, is_marked), waits = make_witness(ask, kinds), make_cases(ask, repo, text_of), is_async
    own_ways, callers = (Function.runtest, TestCaseFunction.runtest), (Function, TestCaseFunction)
    look_at_condition, look_at_givers = make_condition(ask, repo, text_of), make_givers(ask, repo, text_of)
    to_fail = TO_FAIL
    of_skip, of_xfail = evaluate_skip_marks, evaluate_xfail_marks
    hooks, run_marks, decoys, decoys_max, number_of = REPORT_HOOKS, RUN_MARKS, csbx_decoys.ways, DECOYS_MAX, IDENTITY

    def found(kind, detail):
        ask("found", kind, detail)

    def is_vouched(known, file):
        if file not in known["vouched"]:
            known["vouched"][file] = ask("vouched", file)
        return known["vouched"][file]

    def outcome(known, excinfo):
        """skip() and xfail() are for tests; code under test that calls them, by whatever way, wants to get by."""
        if says_class(excinfo.value):
            found("outcome_call", "%s has a class of its own making" % type(excinfo.value).__name__)
        known["by_tests"] = judge(excinfo.value, frames_in(excinfo.value))

    def skipped_whole(collector, report):
        """A file of tests that ended by skip() before it had any: by its own words, or by those of what it imports."""
        excinfo = getattr(getattr(report, "call", None), "excinfo", None)
        frames = frames_in(excinfo.value) if excinfo is not None else []
        look_at_reasons(collector.nodeid, [file_of(collector)] + [p.__file__ for p in conftests(collector.config)])
        if not frames or not isinstance(excinfo.value, kinds) or not judge(excinfo.value, frames):
            found("outcome_call", "%s is skipped for no reason that was seen" % collector.nodeid)

    def marks_of(item):
        return [(node, mark) for node, mark in item.iter_markers_with_node() if mark.name in run_marks]

    def conftests(config):
        return [p for p in config.pluginmanager.get_plugins()
                if isinstance(getattr(p, "__file__", None), str) and p.__file__.endswith("conftest.py")]

    def adds_marks(item, ways=way_to_mark):
        """True when the tests themselves add marks, or a conftest.py does."""
        files = [str(getattr(item, "fspath", ""))] + [p.__file__ for p in conftests(item.config)]
        return any(w in t for t in map(text, filter(lambda f: ask("vouched", f), files)) for w in ways)

    def writes_marks(item):
        return adds_marks(item, way_to_mark[1:])

    def is_marked_by(base, mark):
        """True for the class that has a mark itself."""
        own = vars(base).get("pytestmark", ())
        return any(m is mark or getattr(m, "mark", m) is mark for m in (own if isinstance(own, (list, tuple)) else [own]))

    def gives_marks(base):
        """True for a class of a file that no patch changed and that has words for marks; it is what the file has by that name."""
        home = modules.get(base.__module__)
        file = getattr(home, "__file__", None)
        is_its = "<" in base.__qualname__ or name_in(home, base.__qualname__) is base
        return isinstance(file, str) and ask("vouched", file) and is_its and any(w in text(file) for w in (b"pytestmark", b"mark."))

    def marks_of_class(item, node, mark):
        """A mark that a test has by its class is of a base whose file gives it: classes of unittest have none, nor may a patch mark others."""
        kind = getattr(node, "obj", None)
        if not isinstance(kind, type):
            return
        bases = [b for b in kind.__mro__ if is_marked_by(b, mark)]
        own = [b for b in bases if b.__module__ == kind.__module__]
        if not (bases or adds_marks(item)) or not (own or all(map(gives_marks, bases))):
            names = ["%s.%s" % (b.__module__, b.__qualname__) for b in bases] or ["its class no more"]
            found("outcome_call", "a mark %s of %s is of %s" % (mark.name, item.nodeid, names[0]))

    def marks(known, item):
        """Marks that skip a test, or expect it to fail: of a package's __init__.py, or made while it ran."""
        own = getattr(getattr(item, "module", None), "__file__", None)
        before = known["marks"].get(item.nodeid, ())
        for mark, name, args, kwargs in before:
            if mark.name != name or mark.args is not args or mark.kwargs != kwargs:
                found("outcome_call", "the mark %s of %s was changed" % (name, item.nodeid))
        for node, mark in marks_of(item):
            marks_of_class(item, node, mark)
            file = getattr(getattr(node, "obj", None), "__file__", None)
            if isinstance(file, str) and file != own and not ask("vouched", file):
                found("outcome_call", "a mark %s of %s" % (mark.name, file))
            elif not any(mark is m[0] for m in before) and not (adds_marks(item) and (items_of.is_marked(mark) or writes_marks(item))):
                found("outcome_call", "a mark %s of %s, which the tests do not make" % (mark.name, item.nodeid))

    def file_of(item):
        return str(getattr(item, "path", None) or item.fspath)

    def files(items):
        """The files that the tests are made of; one that the run wrote makes all other looks at it void."""
        for file in {file_of(i) for i in items}:
            if file.startswith(repo + "/") and not ask("vouched", file):
                found("test_replaced", "%s is not as it was before the patches and the run" % file)

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
        name, file = getattr(item, "originalname", None) or item.name, file_of(item)
        place = item.function, getattr(item, "cls", None), name, file

        def vouches(file):
            if type(file) is code_type:
                return not ask("strangers", [file])
            return is_vouched(known, file) and file.startswith(repo + "/")
        wrong = strange_test(known["filed"], *place, vouches)
        if wrong:
            found("test_replaced", "%s %s" % (item.nodeid, wrong))
        wrong = strange_marks(known["filed"], *place, vouches, run_marks, getattr(getattr(item, "module", None), "__dict__", {}))
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

    def object_of_test(known, item):
        """An attribute that the object whose method a test is got in the place of a method, without words for that in its files."""
        thing = getattr(getattr(item, "obj", None), "__self__", None)
        kind = type(thing)
        if thing is None or isinstance(thing, (type, unittest.TestCase)):
            return
        said = [f for f in [getattr(modules.get(b.__module__), "__file__", None) for b in kind.__mro__] + known["conftests"] if isinstance(f, str)]
        for key in list(getattr(thing, "__dict__", ())):
            if callable(getattr(kind, key, None)) and not any(has_words(text(f), key) for f in said):
                found("test_replaced", "%s of the object of %s" % (key, item.nodeid))

    def is_late_hook(function, hook):
        """True for what may become a hook after the session has begun: functions of that name, of pytest or of the
        repository. One of another library was meant for something else."""
        code = code_of(function)
        return code is not None and code.co_name == hook and \
            (code.co_filename.startswith(repo + "/") or str(function.__module__).startswith("_pytest."))

    def how_called(impl):
        return impl.hookwrapper, getattr(impl, "wrapper", None), tuple(impl.argnames), impl.tryfirst, impl.trylast, impl.optionalhook

    def engine(known):
        """Checks the objects that call hooks, and the list of hooks."""
        session = known["session"]
        manager = session.config.pluginmanager
        items_of.engine()
        for thing, name in ((session, "the session"), (manager, "the plugin manager"), (session.config, "the configuration")):
            instance(thing, "pytest_modified", name)
        if getattr(manager, "_inner_hookexec", None) is not known["hookexec"]:
            found("pytest_modified", "_inner_hookexec of the plugin manager")
        code = code_of(getattr(manager, "_inner_hookexec", None))
        if code is not None and (not ask("vouched", code) or code.co_filename.startswith(repo + "/")):
            found("pytest_modified", "_inner_hookexec of the plugin manager")
        if session.config.hook is not known["hook"]:
            found("pytest_modified", "the hooks of the configuration")
        for plugin in list(getattr(manager, "_conftest_plugins", ())):  # whose hooks are left out for files elsewhere
            if type(plugin) is not types.ModuleType or not str(getattr(plugin, "__file__", "")).endswith("conftest.py"):
                found("pytest_modified", "%s is said to be a conftest.py" % type(plugin).__name__)
        brought = []
        for hook in hooks:
            caller = getattr(manager.hook, hook, None)
            impls = list(caller.get_hookimpls()) if caller is not None else []
            if caller is not known["callers"][hook] and known["callers"][hook] is not None:
                found("pytest_modified", "the caller of %s" % hook)
            call = getattr(caller, "_hookexec", None)
            if caller is not None and not (type(call) is types.MethodType and call.__self__ is manager and
                                           call.__func__ is getattr(type(manager), "_hookexec", None)):
                found("pytest_modified", "how %s is called" % hook)
            brought += [(code_of(i.function), hook) for i in impls]
            for impl in impls:
                if number_of(impl) not in known["hooked"][hook] and not is_late_hook(impl.function, hook):
                    found("report_hook", "%s is now %s of %s" % (hook, getattr(impl.function, "__name__", "?"), impl.function.__module__))
            for impl, made, how in known["impls"].get(hook, ()):
                if impl not in impls or impl.function is not made or how_called(impl) != how:
                    found("pytest_modified", "%s of %s is gone" % (hook, made.__module__))

        strangers = list(map(id, ask("strangers", [c for c, _ in brought]) or ()))
        for code, hook in brought if strangers else ():
            if id(code) in strangers:
                found("report_hook", "%s of %s" % (hook, getattr(code, "co_filename", "no function")))

    def data(known, item):
        look_at_params(known, item)
        if item.session is not known["session"] or item.config is not known["session"].config:
            found("pytest_modified", "the session of %s" % item.nodeid)
        look_at_globals(getattr(item, "module", None))

    def begin(plugin, session):
        known = ask("known")
        known.update(plugin=plugin, session=session, hook=session.config.hook, hookexec=getattr(session.config.pluginmanager, "_inner_hookexec", None))
        items_of.begin(session)
        if not type(session.config.hook).__module__.startswith(("_pytest.", "pluggy.")):
            found("pytest_modified", "the hooks of the configuration")
        for hook in hooks:
            caller = known["callers"][hook] = getattr(session.config.pluginmanager.hook, hook, None)
            if caller is not None and not type(caller).__module__.startswith("pluggy."):
                found("pytest_modified", "the caller of %s" % hook)
            impls = caller.get_hookimpls() if caller is not None else ()
            known["hooked"][hook] = {number_of(i): i for i in impls}
            known["impls"][hook] = [(i, i.function, how_called(i)) for i in impls
                                    if i.plugin is plugin or getattr(i.plugin, "__name__", "").startswith("_pytest.")]

    def collected(items):
        known = ask("known")
        items_of.collected(items)
        known["items"].update((id(i), (i, i.nodeid)) for i in items)
        known["functions"].update((i.nodeid, getattr(i, "function", None)) for i in items)
        known["marks"].update((i.nodeid, [(m, m.name, m.args, dict(m.kwargs)) for _, m in marks_of(i)]) for i in items)
        known["cells"].update((i.nodeid, cells_in(getattr(i, "function", None))) for i in items)
        for name in other_facts():
            found("outcome_call", "%s is another, which marks ask for" % name)
        files(items)
        ask("may_fail", [i.nodeid for i in items if is_to_fail(i)])
        ask("expect", [i.nodeid for i in items if isinstance(i, callers) and is_to_come_back(known, i)])
        for item in items:
            as_filed(known, item)
            fixtures(known, item)
        for kind in {getattr(i, "cls", None) for i in items}:
            remember_case(kind)
        of_tests = list({id(m): m for m in [getattr(i, "module", None) for i in items] if isinstance(m, types.ModuleType)}.values())
        remember_modules(of_tests)
        begin_helpers(of_tests, conftests(known["session"].config))
        for item in items:
            remember_params(known, item, file_of(item))
        look_at_helpers(None)

    def is_to_fail(item):
        """The tests have words for that, whatever they say: a mark, or a decorator of unittest."""
        places = (getattr(item, "function", None), getattr(item, "cls", None))
        return any([m.name == "xfail" for m in item.iter_markers()]) or any([getattr(p, w, False) for p in places for w in to_fail])

    def fixtures(known, item):
        """A fixture that code of a patch or the run puts before one of the tests."""
        named = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", None) or {}
        for name, those in list(named.items()):
            codes = [code_of(d.func) for d in those]
            if len(codes) > 1 and codes[-1] is not None and not ask("vouched", codes[-1]) and \
                    any(c is not None and c.co_filename.startswith(repo + "/") and ask("vouched", c) for c in codes[:-1]):
                found("test_replaced", "the fixture %s of %s is of %s" % (name, item.nodeid, codes[-1].co_filename))

    def case_of(item):
        case = item.__dict__.get("_testcase") or item.__dict__.get("_instance")
        return case if isinstance(case, unittest.TestCase) else None

    def look_at_test(known, item):
        """Checks the parts of a test, and the names that it uses."""
        look_at_names(getattr(item, "module", None), file_of(item), item.nodeid)
        function(known, item, getattr(item, "function", None))
        if isinstance(item, callers):
            items_of.look(item, file_of(item))
        data(known, item)
        look_at_helpers(file_of(item))
        look_at_libraries()
        case = case_of(item)
        if case is not None:
            look_at_case(case, item.name)
        object_of_test(known, item)

    def is_to_come_back(known, item):
        """True when a test is called as pytest itself does: a plugin that calls it otherwise may have its reasons."""
        if type(item).runtest not in own_ways or waits(known["functions"].get(item.nodeid)):
            return False
        impls = item.session.config.pluginmanager.hook.pytest_pyfunc_call.get_hookimpls()
        others = [i for i in impls if number_of(i) in known["hooked"]["pytest_pyfunc_call"]]
        return not [i for i in others if not (i.hookwrapper or getattr(i, "wrapper", False)) and i.function.__module__ != "_pytest.python"]

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
        ask("call", item, item.nodeid, is_to_come_back(known, item))
        undo_within = levels(item, real, getattr(item, "originalname", None) or item.name)
        case = case_of(item)
        item.obj = witness = witnessed(item, real, case, item.name)
        if case is not None:  # pytest leaves it to unittest to find what it waits for
            setattr(case, item.name, witness)

        def undo():
            if undo_within is not None:
                undo_within()
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
            look_at_names(getattr(item, "module", None), file_of(item), item.nodeid)
        if call.excinfo is not None:
            outcome(known, call.excinfo)

    def has_reason(known, item, call, is_expected):
        """True when a test without a mark of pytest was skipped, or expected to fail, for a reason that was seen."""
        if known["error"] is not None or not isinstance(item, callers[1]):
            is_of_test = is_expected or (call.when == "call" and ask("entered", item))  # else a plugin may skip it
            return known["error"] is not None and isinstance(known["error"].value, kinds) and (known["by_tests"] or not is_of_test)
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

    def givers(known, item):
        """A test with such a mark: nothing that a patch changed may have given it."""
        kind, name = getattr(item, "cls", None), getattr(item, "originalname", None) or item.name
        flagged = [getattr(o, w, False) for o in (kind, getattr(kind, name, None)) for w in to_fail + ("__unittest_skip__",)]
        if marks_of(item) or (isinstance(item, callers[1]) and any(flagged)):
            above = [getattr(getattr(n, "obj", None), "__file__", None) for n in item.listchain()] + known["conftests"]
            look_at_givers(item.nodeid, kind, name, [file_of(item)] + [f for f in above if isinstance(f, str)])

    def after(item, call, report):
        known = ask("known")
        if report.outcome == "skipped" or hasattr(report, "wasxfail"):
            look_at_reasons(item.nodeid, [file_of(item)] + known["conftests"])
            marks(known, item)
            marks_of_cases(item, file_of(item), adds_marks(item))
            givers(known, item)
            is_expected = hasattr(report, "wasxfail")
            kind = getattr(item, "cls", None)
            if isinstance(item, callers[1]) and not is_expected and not marks_of(item) and \
                    any(getattr(o, "__unittest_skip__", False) is True for o in (kind, getattr(kind, item.name, None))):
                look_at_condition(kind, item.name, item.nodeid)
            if not is_marked_so(item, is_expected) and not has_reason(known, item, call, is_expected):
                found("outcome_call", "%s is %s for no reason that was seen" % (item.nodeid, report.outcome))
        elif report.when == "call" and report.outcome == "passed" and \
                (ask("entered", item) or (is_to_come_back(known, item) and not ask("returned", item))):
            found("test_replaced", "%s is said to have passed, and did not come back from its call" % item.nodeid)
        elif report.when == "call" and report.outcome == "passed" and not marks_of(item):
            known["passed"].append(item)

    def look_at_engine():
        engine(ask("known"))

    def end():
        look_at_engine()
        known = ask("known")
        look_at_helpers(None)
        files([item for item, _ in known["items"].values()])

    def own_caller(item):
        """Makes reports by the hooks of pytest itself and of the harness."""
        manager, plugin = item.config.pluginmanager, ask("known")["plugin"]
        others = [p for p in manager.get_plugins() if p is not plugin and not str(getattr(p, "__name__", type(p).__module__)).startswith("_pytest.")]
        return manager.subset_hook_caller("pytest_runtest_makereport", others)

    def report_of(item, way, is_own=False):
        """CPython 3.11 fails now and then while it parses the source of what failed (AST constructor recursion depth mismatch). Hooks of
        others may want what a test has while it runs, as in a real failure; where one fails, it has no part in the report."""
        make = own_caller(item) if is_own else item.ihook.pytest_runtest_makereport
        for is_last in (False, False, True):
            try:
                return make(item=item, call=from_call(way, "call"))
            except SystemError:
                if is_last:
                    raise
            except Exception:
                if is_own:
                    raise
                return report_of(item, way, True)

    def try_decoys():
        """Reports of calls that fail, about tests that passed: each must be one of a failure. Each costs a look
        at the source of what failed."""
        known = ask("known")
        for number, item in enumerate(known["passed"][:-decoys_max - 1:-1]):
            if item.__dict__.get("funcargs", item) is None:  # given back, when the test was over; hooks look for something in it
                item.funcargs = {}
            for way in decoys(pytest)[:1 if number else None]:
                report = report_of(item, way)
                if report.outcome != "failed" or hasattr(report, "wasxfail"):
                    found("decoy", "a failure of %s is reported as %s" % (item.nodeid, report.outcome))
    return types.SimpleNamespace(begin=begin, skipped_whole=skipped_whole, look_at_engine=look_at_engine, collected=collected, calls=calls,
                                 before=before, after=after, end=end, try_decoys=try_decoys,
                                 note_value=items_of.note_value, captured=items_of.captured)
