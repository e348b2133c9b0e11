# SPDX-License-Identifier: Apache-2.0
"""pytest with a plugin that reports each node id over the channel.

Hooks used, all in pytest 6, 7 and 8: pytest_load_initial_conftests, pytest_cmdline_main, pytest_configure,
pytest_collection, pytest_make_collect_report, pytest_pycollect_makeitem, pytest_itemcollected, pytest_collectreport,
pytest_collection_modifyitems, pytest_collection_finish, pytest_runtest_protocol, pytest_fixture_setup,
pytest_runtest_call, pytest_pyfunc_call, pytest_runtest_makereport, pytest_runtest_logreport,
pytest_sessionfinish.
"""
import builtins
import importlib.util
import os
import sys

import csbx_looks
from csbx_apart import set_apart
from csbx_bases import make_bases
from csbx_doctests import make_doctests
from csbx_files import make_files
from csbx_missing import make_missing
from csbx_parts import standard_names
from csbx_post import make_names
from csbx_reach import make_reach
from csbx_syntax import Keeping
from csbx_texts import bound_by_imports, keep_encodings, text_of
from csbx_used import make_used

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

# Modules that do something when they are imported, or want to be imported after others.
NOT_LOADED = ("antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "lib2to3", "distutils", "imp", "test",
              "__main__", "pytest", "_pytest")


def import_pytest():
    """pytest as `python -m pytest` finds it, and the parts it loads anyway, before code of the repository
    can change them."""
    try:
        import pytest
        import _pytest.config
        for name in _pytest.config.default_plugins:
            try:
                __import__("_pytest." + name)
            except ImportError:
                pass
        __import__("unittest.case")
        return pytest
    except ImportError:
        return None


def names_mock(ids):
    """True where tests may use unittest.mock: by the words of the files beside those that are asked for."""
    files = wanted_files(ids)
    if len(files) < len(set(i.partition("::")[0] for i in ids)) or not files:
        return True
    places = {d for f in files for d in [os.path.dirname(os.path.abspath(f)), os.path.abspath(f)] if os.path.isdir(d)} | {os.getcwd()}
    return any(b"mock" in text_of(os.path.join(d, n)) for d in sorted(places) for n in os.listdir(d) if n.endswith(".py"))


def load_standard(ids, repo):
    """Imports what the files of tests import of Python's own modules, before code of the repository can put other things there."""
    files = [f for f in wanted_files(ids) if os.path.isfile(f)]
    wanted = {(f, m) for f in files for sources in bound_by_imports(text_of(f)).values() for m, _ in sources}
    for file, name in sorted(wanted):
        top = name.partition(".")[0]
        places = [os.path.join(d, top + end) for d in (repo, os.getcwd(), os.path.dirname(file)) for end in ("", ".py")]
        if top in standard_names() and top not in NOT_LOADED and not any(map(os.path.exists, places)):
            try:
                __import__(name)
            except ImportError:
                pass


def import_closed(ask, gate, changed, brought):
    """pytest without anything of the repository, or else, where it is made of the repository, with what is told."""
    pytest = import_pytest()
    if pytest is None:
        gate.open((), brought)
        importlib.invalidate_caches()
        code = [p for p in changed if p.endswith((".py", ".so", ".pyc", ".pth"))]
        if code and importlib.util.find_spec("pytest"):  # told before any of it runs
            ask("found", "shadow", "pytest is made of the repository, of which a patch changed %s" % code[0])
        pytest = import_pytest()
    return pytest


def look_at_loaded(ask, repo, gate, is_plugin):
    """Looks at the modules of pytest and its plugins, before any conftest.py: none of them should be of a patch."""
    for name in sorted((gate.outside_first | gate.brought) & set(sys.modules)):
        ask("found", "shadow", "%s is brought by a patch, and pytest uses it" % name)
    for name, module in list(sys.modules.items()):
        file, top = getattr(module, "__file__", None), name.partition(".")[0]
        if not isinstance(file, str) or is_plugin(module) or not os.path.realpath(file).startswith(repo + "/"):
            continue
        if not ask("vouched", file) and gate.find_outside(top) is not None:
            ask("found", "shadow", "%s of %s, which a patch changed, is used by pytest" % (name, file))


def split_id(node_id):
    """File and the rest of it."""
    file, _, rest = node_id.partition("::")
    return file, rest


def relative_path(here, path):
    """As pytest makes it, by the words alone: what pytest does it with can be another's while the tests run."""
    start, parts = [[p for p in text.split("/") if p and p != "."] for text in (here, path)]
    same = 0
    while same < min(len(start), len(parts)) and start[same] == parts[same]:
        same += 1
    return "/".join([".."] * (len(start) - same) + parts[same:])


def wanted_files(ids):
    """The files to collect, in the order asked for; pytest refuses to run where one is missing."""
    files = {}
    for node_id in ids:
        file = split_id(node_id)[0]
        if os.path.exists(file):
            if "[" in file:  # to pytest that begins the parameters; its directory is collected, and most of it left out
                file = os.path.dirname(file.partition("[")[0]) or "."
            files[file if file[0] not in "-@" else "./" + file] = None
    return list(files)


def is_truncated(node_id):
    return "[" in node_id and not node_id.endswith("]")


def selection_of(ids):
    """The ids that were asked for, those with parameters cut off, and files; all tests when there are none."""
    return frozenset(ids), tuple(i for i in ids if is_truncated(i)), frozenset(i for i in ids if "::" not in i)


def is_chosen(selection, spellings):
    exact, prefixes, files = selection
    if not exact:
        return True
    return any(s in exact or (prefixes and s.startswith(prefixes)) or split_id(s)[0] in files for s in spellings)


def is_chosen_whole(selection, spellings):
    """True where all tests of a file are asked for: one that is not there would not be missed."""
    exact, _, files = selection
    return not exact or any(split_id(s)[0] in files for s in spellings)


def facts_of(report):
    return report.nodeid, report.when, report.outcome, hasattr(report, "wasxfail")


def duration_in_ms(duration_s):
    """A test may stop the clock that pytest reads, and set it."""
    return int(1000 * min(max(0, duration_s), 86400 * 366))  # 0 for what is no number


def is_same_report(known, report):
    """True for a report that the harness has seen made by a hook of its own process, and that says the same as then."""
    made, now = known["made"].get(id(report), (None, None)), facts_of(report)
    is_told = made[0] is report and all([type(word) is str for word in now[:3]]) and made[1] == now
    return is_told or known["run"]["distributed"]


def make_plugin(pytest, ask, want, repo, gate, other_encodings):
    """The plugin; what it needs is in this function's closure, what it knows with the core."""
    from _pytest.unittest import TestCaseFunction, UnitTestCase
    ids, is_strict, is_alone, had = want["ids"], want["strict"], want["alone"], want["had"]
    mine = {"here": None, "root": None, "collected": 0, "failed": 0, "status": None, "session_failed": None, "ended": False, "distributed": False}
    looks, relative, missing = csbx_looks.make_looks(pytest, ask, repo, want["older"]), relative_path, make_missing(ask, repo, text_of)
    look_at_bases, look_at_doctests = make_bases(ask, repo, text_of, want["older"]), make_doctests(ask, repo, text_of, want["older"])
    files, module_collector, used = make_files(ask, repo, text_of, want), pytest.Module, make_used(ask, repo, want["facts"])
    hide_configuration, hide_debugger, hide_session, hide_test = make_reach(ask)
    collected_whole = (pytest.Module, pytest.Class, UnitTestCase)
    ask("known").update(run=mine, selection=selection_of(ids), older=want["older"], has_changed=want["has_changed"])
    touched = make_touched(ask)
    has, has_all, facts, is_made_here, duration_ms = is_chosen, is_chosen_whole, facts_of, is_same_report, duration_in_ms
    name_of = make_names()
    del mine

    def spelled(state, node_id):
        """As `pytest -rA` prints it, relative to the repository, and as pytest itself calls it."""
        here, root = state["here"], state["root"]
        path, colons, rest = node_id.partition("::")  # what a test is called with may have slashes, too
        return node_id if here == root else relative(here, root + "/" + path) + colons + rest

    def spellings(state, node_id):
        """What a list may call it: pytest's own name is not its where the repository has another file of that name."""
        own = spelled(state, node_id)
        return (own,) if own != node_id and node_id.partition("::")[0] in had else (own, node_id)

    class CsbxReporter:
        @pytest.hookimpl(tryfirst=True)
        def pytest_load_initial_conftests(self, early_config):
            ask("complete")
            gate.remove()
            hide_configuration(early_config)
            look_at_loaded(ask, repo, gate, early_config.pluginmanager.is_registered)
            used.begin([p for p, _ in early_config.pluginmanager.list_plugin_distinfo()])

        @pytest.hookimpl(tryfirst=True)
        def pytest_cmdline_main(self, config):
            """xdist's workers run whole files, and nothing of one test alone: with --isolate there are none, whatever settings ask for."""
            option = config.option
            if is_alone and hasattr(option, "dist"):
                option.numprocesses, option.dist, option.tx, option.distload = 0, "no", [], False

        @pytest.hookimpl(trylast=True)
        def pytest_configure(self, config):
            state = ask("known")["run"]
            state["here"] = str(getattr(config.invocation_params, "dir", "."))
            state["root"] = str(getattr(config, "rootpath", None) or config.rootdir)
            hide_configuration(config)
            hide_debugger(config)

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection(self, session):
            option = session.config.option
            if getattr(option, "doctestmodules", False) or getattr(option, "doctestglob", None):
                __import__("doctest")  # what compares then, and is loaded later otherwise
            ask("settle")
            ask("known")["run"]["distributed"] = session.config.pluginmanager.hasplugin("dsession")
            looks.begin(self, session)
            missing.begin(session.config)
            files.begin(session.config)

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_make_collect_report(self, collector):
            hide_session(collector.session)
            if isinstance(collector, module_collector):
                files.tried(collector)
            report = (yield).get_result()
            if report.outcome == "skipped":
                looks.skipped_whole(collector, report)
            elif report.outcome == "passed" and type(collector) in collected_whole:
                known = ask("known")
                looks.look_at_engine()
                if has_all(known["selection"], spellings(known["run"], collector.nodeid)):
                    ask("look")
                    missing.collector(collector, report)

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector, name):
            known = ask("known")["loaded"]
            if name[:4].lower() == "test":
                module = getattr(collector, "module", None)
                if id(module) not in known:
                    known[id(module)] = module, touched(module)
                if known[id(module)][1]:
                    ask("loaded")

        @pytest.hookimpl(tryfirst=True)
        def pytest_itemcollected(self, item):
            missing.generated(item)

        @pytest.hookimpl(tryfirst=True)
        def pytest_collectreport(self, report):
            state = ask("known")["run"]
            if report.outcome == "failed":
                state["failed"] += 1
                ask("send", {"t": "collect_error", "id": spelled(state, report.nodeid), "message": str(report.longrepr)[-4000:]})

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_collection_modifyitems(self, config, items):
            missing.chosen(items)
            yield
            known = ask("known")
            state, selection = known["run"], known["selection"]
            keep = [i for i in items if has(selection, [s for name in spellings(state, i.nodeid) for s in (name, name_of(name))])]
            if len(keep) != len(items):
                chosen = set(map(id, keep))
                config.hook.pytest_deselected(items=[i for i in items if id(i) not in chosen])
                items[:] = keep
            state["collected"] = len(items)

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            for name in other_encodings():
                ask("found", "test_replaced", "the encoding %s, by which tests are read, is another" % name)
            ask("look")
            missing.settled(session.config)
            files.look(session.config)
            with Keeping():
                looks.collected(session.items)
                look_at_doctests(session.items)
            used.look(session.items, session.config.pluginmanager.get_plugins())

        @pytest.hookimpl(trylast=True, hookwrapper=True)
        def pytest_fixture_setup(self, fixturedef):
            outcome = yield
            if outcome.excinfo is None:
                looks.note_value(fixturedef, outcome.get_result())

        @pytest.hookimpl(trylast=True, hookwrapper=True)
        def pytest_runtest_protocol(self):
            hide_test()
            yield

        @pytest.hookimpl(trylast=True, hookwrapper=True)
        def pytest_runtest_call(self, item):
            look_at_bases(getattr(item, "cls", None))
            undo = looks.calls(item) if isinstance(item, TestCaseFunction) else None
            yield
            look_at_bases(getattr(item, "cls", None))
            looks.captured()
            if undo is not None:
                undo()

        @pytest.hookimpl(trylast=True, hookwrapper=True)
        def pytest_pyfunc_call(self, pyfuncitem):
            undo = looks.calls(pyfuncitem)
            yield
            if undo is not None:
                undo()

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            """An exception that is no failure, and whose code was asked to run."""
            ask("ended")  # no method of a type is another's from here on, whatever the call says of itself
            counts = call.when == "call" or call.excinfo is not None
            has_ended = counts and ask("known")["run"]["ended"]
            if counts and not has_ended:
                if call.excinfo is not None:
                    ask("look")  # before a failure can become something better
                looks.before(item, call)
            report = (yield).get_result()
            if not has_ended and (counts or report.outcome == "skipped" or hasattr(report, "wasxfail")):
                looks.after(item, call, report)
            ask("known")["made"][id(report)] = report, facts(report)

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            state = ask("known")["run"]
            is_part = type(report).__name__ in ("SubTestReport", "SubtestReport")
            if report.outcome == "failed" and not hasattr(report, "wasxfail"):
                state["failed"] += 1
            if report.outcome in ("passed", "skipped") and not is_part and not is_made_here(ask("known"), report):
                ask("found", "report_call", "the harness has not seen how the report of %s was made" % report.nodeid)
            if report.when == "teardown":
                ask("known")["reported"].add(report.nodeid)
                ask("known")["made"].clear()
            names = spellings(state, report.nodeid)
            name = names[0]
            ask("send", {"t": "report", "id": name, "alt": report.nodeid if report.nodeid != name else None, "own": len(names) == 1,
                  "when": report.when, "outcome": report.outcome, "xfail": hasattr(report, "wasxfail"),
                  "part": is_part, "ms": duration_ms(getattr(report, "duration", 0))})

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session, exitstatus):
            state = ask("known")["run"]
            state["session_failed"] = int(getattr(session, "testsfailed", 0))
            if getattr(session.config.option, "cov_fail_under", None) and state["session_failed"] == state["failed"] + 1:
                state["session_failed"] -= 1  # pytest-cov counts too little coverage as a failure
            state["collected"] = max(state["collected"], int(getattr(session, "testscollected", 0) or 0))
            looks.end()
            used.end()
            missing.ended(session.config, state, int(exitstatus))
            if is_strict and session.config.pluginmanager.hasplugin("dsession"):
                ask("found", "unwatched", "the tests ran in workers of xdist, where nothing is looked for")
            state["ended"] = True
            looks.try_decoys()
            ask("check")
            state["status"] = int(exitstatus)  # without which the session has no end, whatever was raised before
    return CsbxReporter()


class Settings:
    """All of pytest's configuration that its rewriting of asserts asks for."""

    def __init__(self, has_hook):
        self.has_hook = has_hook

    def getini(self, name):
        return self.has_hook if name == "enable_assertion_pass_hook" else None


def watch_loading(ask):
    """Looks when a file of tests, or a conftest.py, has been imported, before pytest goes on with it."""
    from _pytest import config, python
    manager = config.PytestPluginManager

    def watched(real):
        @set_apart
        def load(*args, **more):
            try:
                return real(*args, **more)
            finally:
                ask("loaded")
        return load
    manager._importconftest = watched(manager._importconftest)
    if hasattr(python, "importtestmodule"):
        python.importtestmodule = watched(python.importtestmodule)
    else:
        python.Module._importtestmodule = watched(python.Module._importtestmodule)


def make_touched(ask):
    """is_touched(module): True where a file of tests has an object of a class of a patch: to look at it may run code."""
    modules, get = sys.modules, type.__getattribute__

    def is_touched(module):
        for value in list(vars(module).values()) if type(module) is type(sys) else ():
            file = getattr(modules.get(get(type(value), "__module__")), "__file__", None)
            if isinstance(file, str) and not ask("vouched", file):
                return True
        return False
    return is_touched


def rewrite_by(ask):
    """Has pytest's rewriting of asserts done by the core, which knows then what has come of a file. Else it
    would have to be done a second time, for comparing."""
    from _pytest.assertion import rewrite
    own, rewrite_asserts, settings, text = rewrite._rewrite_test, rewrite.rewrite_asserts, Settings, str

    @set_apart
    def rewrite_test(fn, config):
        return ask("rewrite", text(fn), config.getini("enable_assertion_pass_hook")) or own(fn, config)
    rewrite._rewrite_test = rewrite_test
    ask("rewriter", lambda tree, source, path, has_hook: rewrite_asserts(tree, source, path, settings(has_hook)))


def run(ask, want, repo, gate, changed, shadows, brought):
    pytest = import_closed(ask, gate, changed, brought)
    if pytest is None:
        ask("send", {"t": "error", "code": "no_pytest", "message": "the image's python has no pytest"})
        return 70
    ask("send", {"t": "session", "runner": "pytest", "version": str(pytest.__version__)})
    if names_mock(want["ids"]):
        __import__("unittest.mock")
    load_standard(want["ids"], repo)
    plugin = make_plugin(pytest, ask, want, repo, gate, keep_encodings(wanted_files(want["ids"])))
    rewrite_by(ask)
    watch_loading(ask)
    if any(b"IsolatedAsyncioTestCase" in text_of(f) for f in wanted_files(want["ids"])):
        __import__("unittest.async_case")  # which unittest loads when it is asked for it
    ask("begin", repo, changed, ("_pytest", "pluggy", "pytest", "unittest"))
    gate.open(shadows, brought)
    if repo not in sys.path:
        sys.path.insert(0, repo)
    ask("guard", "csbx", type(plugin))
    files = wanted_files(want["ids"])
    if want["ids"] and not files:
        ask("send", {"t": "finish", "status": 5, "collected": 0, "failed": 0, "session_failed": 0})
        return 5
    args = ["--continue-on-collection-errors"] + list(want["args"]) + files
    sys.argv[:] = ["pytest"] + args
    try:
        status = int(pytest.main(args, plugins=[plugin]))
    except BaseException as e:  # SystemExit too: code that raises it past pytest ends no session
        ask("send", {"t": "error", "code": "interrupted", "message": "%s: %s" % (type(e).__name__, e)})
        return 1
    state = ask("known")["run"]
    if state["status"] is not None:
        ask("send", {"t": "finish", "status": status, "collected": state["collected"], "failed": state["failed"],
                     "session_failed": state["session_failed"]})
    return status
