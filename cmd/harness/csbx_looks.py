# SPDX-License-Identifier: Apache-2.0
"""What looks like tampering in pytest's own process: outcomes, marks, functions, hooks and modules of tests."""
import builtins
import dis
import functools
import types
import unittest

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

REPORT_HOOKS = ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_runtest_protocol",
                "pytest_runtestloop", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_collection_modifyitems",
                "pytest_report_teststatus", "pytest_sessionfinish", "pytest_cmdline_main", "pytest_fixture_setup",
                "pytest_collection", "pytest_itemcollected", "pytest_collection_finish", "pytest_pycollect_makeitem",
                "pytest_runtest_setup", "pytest_runtest_teardown", "pytest_collect_file", "pytest_make_collect_report")

WORDS = ("skip", "xfail", "exit", "fail", "require", "needs", "need_")  # who raises one names it so, or calls who does
IMPLICIT = ("__enter__", "__exit__", "__next__", "__init__", "__call__", "__aenter__")
RUN_MARKS = ("skip", "skipif", "xfail")
WAYS_TO_MARK = ("add_marker", "applymarker", "own_markers")
WAYS_TO_NAME = {"globals", "vars", "locals", "setattr", "exec", "__dict__", "modules", "import_module"}
DECOYS_MAX = 3


def names_of(code):
    return {w.lower() for w in code.co_names + code.co_freevars}


def calls_for_it(code, callee):
    """Whether code of a test names what ended it: a word for that, or the function that it was in next."""
    names = names_of(code)
    if any(w in n for n in names for w in WORDS):
        return True
    return callee is not None and (callee.co_name.lower() in names or callee.co_name in IMPLICIT)


def names_stored(code):
    """(global names that a module's code binds, whether it binds others by computing them)"""
    found, computed, todo = set(), False, [(code, True)]
    while todo:
        one, is_top = todo.pop()
        for i in dis.get_instructions(one):
            if i.opname in ("STORE_NAME", "STORE_GLOBAL", "DELETE_NAME") and (is_top or i.opname != "STORE_NAME"):
                found.add(i.argval)
            computed = computed or i.opname == "IMPORT_STAR" or "IMPORT_STAR" in str(i.argrepr)
        computed = computed or bool(WAYS_TO_NAME & set(one.co_names))
        todo += [(c, False) for c in one.co_consts if isinstance(c, types.CodeType)]
    return found, computed


def text_of(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def function_code(function):
    return getattr(getattr(function, "__func__", function), "__code__", None)


def make_looks(pytest, ask, repo):
    """An object whose functions share what they know in variables; it is the plugin's, which is watched."""
    from _pytest.runner import CallInfo
    kinds = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    known = {"plugin": None, "session": None, "functions": {}, "marks": {}, "impls": {}, "modules": {}, "passed": []}
    all_builtins, builtin_names = vars(builtins), frozenset(vars(builtins))
    calls, stored, way_to_mark = calls_for_it, names_stored, [w.encode() for w in WAYS_TO_MARK]
    code_of, text, from_call = function_code, text_of, CallInfo.from_call
    hooks, run_marks, decoys_max = REPORT_HOOKS, RUN_MARKS, DECOYS_MAX

    def found(kind, detail):
        ask("found", kind, detail)

    def outcome(excinfo):
        """skip() and xfail() are for tests; code under test that calls them, by whatever way, wants to get by."""
        if not isinstance(excinfo.value, kinds):
            return
        callee = None
        for entry in reversed(list(excinfo.traceback)):
            code = entry.frame.code.raw
            if not ask("vouched", code):
                found("outcome_call", "%s in %s" % (type(excinfo.value).__name__, code.co_filename))
                callee = code
                continue
            if code.co_filename.startswith(repo + "/"):
                if not calls(code, callee):  # else what it called of libraries is not who did it
                    found("outcome_call", "%s in %s, which does not name it" % (type(excinfo.value).__name__, code.co_filename))
                return
            callee = code

    def marks_of(item):
        return [(node, mark) for node, mark in item.iter_markers_with_node() if mark.name in run_marks]

    def adds_marks(item):
        """Whether the tests themselves do, or a conftest.py."""
        files = [str(getattr(item, "fspath", ""))]
        files += [p.__file__ for p in item.config.pluginmanager.get_plugins()
                  if isinstance(getattr(p, "__file__", None), str) and p.__file__.endswith("conftest.py")]
        return any(w in t for t in map(text, filter(lambda f: ask("vouched", f), files)) for w in way_to_mark)

    def marks(item):
        """Marks that skip a test, or expect it to fail: of a package's __init__.py, or made while it ran."""
        own = getattr(getattr(item, "module", None), "__file__", None)
        before = known["marks"].get(item.nodeid, ())
        for node, mark in marks_of(item):
            file = getattr(getattr(node, "obj", None), "__file__", None)
            if isinstance(file, str) and file != own and not ask("vouched", file):
                found("outcome_call", "a mark %s of %s" % (mark.name, file))
            elif not any(mark is m for m in before) and not adds_marks(item):
                found("outcome_call", "a mark %s of %s, which the tests do not make" % (mark.name, item.nodeid))

    def function(item):
        """Whoever wraps a test makes a function of his own: what is none, or another test, is no wrapper."""
        now, collected = getattr(item, "function", None), known["functions"]
        code = getattr(now, "__code__", None)
        if code is not None and not ask("vouched", code):
            found("test_replaced", "%s is of %s" % (item.nodeid, code.co_filename))
        elif now is not collected.get(item.nodeid, now) and (code is None or now in collected.values()):
            found("test_replaced", "%s was replaced after it was collected" % item.nodeid)
        if getattr(now, "__builtins__", all_builtins) is not all_builtins:
            found("test_replaced", "%s has builtins of its own" % item.nodeid)

    def instance(thing, kind, name):
        """An attribute of an object in the place of a method of its class."""
        for key, value in list(thing.__dict__.items()):
            if callable(getattr(type(thing), key, None)):
                code = code_of(value)
                if code is None or not ask("vouched", code) or code.co_filename.startswith(repo + "/"):
                    found(kind, "%s of %s" % (key, name))

    def module(item):
        """Names in the tests' module that its own code does not bind."""
        of_tests = getattr(item, "module", None)
        file = getattr(of_tests, "__file__", None)
        if not isinstance(of_tests, types.ModuleType) or not isinstance(file, str) or not ask("vouched", file):
            return
        now = vars(of_tests)
        if now.get("__builtins__") not in (all_builtins, builtins):
            found("test_replaced", "%s has builtins of its own" % file)
        if file not in known["modules"]:
            try:
                known["modules"][file] = stored(compile(text(file), file, "exec", 0, True))
            except (SyntaxError, ValueError):
                known["modules"][file] = set(), True
        names, computes = known["modules"][file]
        for name in set(now) - names:
            if name in builtin_names or not (computes or name.startswith(("_", "@")) or isinstance(now[name], types.ModuleType)):
                if not name.startswith("__"):
                    found("test_replaced", "%s in %s is not of it" % (name, file))

    def engine():
        """What hooks are called by, and which."""
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

    def begin(plugin, session):
        known.update(plugin=plugin, session=session, hook=session.config.hook)
        if not type(session.config.hook).__module__.startswith(("_pytest.", "pluggy.")):
            found("pytest_modified", "the hooks of the configuration")
        for hook in hooks:
            caller = getattr(session.config.pluginmanager.hook, hook, None)
            impls = caller.get_hookimpls() if caller is not None else ()
            known["impls"][hook] = [(i, i.function) for i in impls
                                    if i.plugin is plugin or getattr(i.plugin, "__name__", "").startswith("_pytest.")]

    def collected(items):
        known["functions"].update((i.nodeid, getattr(i, "function", None)) for i in items)
        known["marks"].update((i.nodeid, [m for _, m in marks_of(i)]) for i in items)

    def before(item, call):
        engine()
        module(item)
        instance(item, "test_replaced", item.nodeid)
        if call.excinfo is not None:
            outcome(call.excinfo)
        if call.when == "call":
            function(item)

    def after(item, report):
        if report.outcome == "skipped" or hasattr(report, "wasxfail"):
            marks(item)
        elif report.when == "call" and report.outcome == "passed" and not marks_of(item):
            known["passed"].append(item)

    def try_decoys():
        """Reports of calls that fail, about tests that passed: each must be one of a failure."""
        case = unittest.TestCase()

        def asserts():
            assert not known, "a decoy"

        def raises():
            with pytest.raises(ValueError):
                pass
        ways = (asserts, raises, functools.partial(pytest.fail, "a decoy"), functools.partial(case.assertEqual, 1, 2),
                functools.partial(case.assertTrue, 0))
        for item in known["passed"][-decoys_max:]:
            for way in ways:
                report = item.ihook.pytest_runtest_makereport(item=item, call=from_call(way, "call"))
                if report.outcome != "failed" or hasattr(report, "wasxfail"):
                    found("decoy", "a failure of %s is reported as %s" % (item.nodeid, report.outcome))
    return types.SimpleNamespace(begin=begin, collected=collected, before=before, after=after, end=engine, try_decoys=try_decoys)
