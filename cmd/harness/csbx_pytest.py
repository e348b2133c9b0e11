# SPDX-License-Identifier: Apache-2.0
"""pytest with a plugin that reports each node id over the channel.

Hooks used, all in pytest 6, 7 and 8: pytest_configure, pytest_collectreport,
pytest_collection_modifyitems, pytest_runtest_makereport, pytest_runtest_logreport,
pytest_sessionfinish; of xdist, where it is
there: pytest_testnodedown.
"""
import os
import sys

REPORT_HOOKS = ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_runtest_protocol",
                "pytest_runtestloop", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_collection_modifyitems",
                "pytest_report_teststatus", "pytest_sessionfinish", "pytest_cmdline_main", "pytest_fixture_setup",
                "pytest_collection", "pytest_itemcollected", "pytest_collection_finish")


class OutsideFinder:
    """Finds the given modules everywhere but in the repository."""

    def __init__(self, repo, names):
        self.repo, self.names = repo, names

    def find_spec(self, name, path=None, target=None):
        if path is not None or name not in self.names:
            return None
        from importlib.machinery import PathFinder
        outside = [p for p in sys.path if p and os.path.realpath(p) != self.repo and
                   not os.path.realpath(p).startswith(self.repo + "/")]
        return PathFinder.find_spec(name, outside, target)


def import_pytest(repo, shadows):
    """pytest as `python -m pytest` finds it, but never a module that a patch put in its way.

    With it the parts it loads anyway, before code of the repository can change them.
    """
    finder = OutsideFinder(repo, shadows)
    sys.meta_path.insert(0, finder)
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
    finally:
        sys.meta_path.remove(finder)


def split_id(node_id):
    """File and the rest of it."""
    file, _, rest = node_id.partition("::")
    return file, rest


def wanted_files(ids):
    """The files to collect, in the order asked for; pytest refuses to run where one is missing."""
    files = []
    for node_id in ids:
        file = split_id(node_id)[0]
        if file not in files and os.path.exists(file):
            files.append(file)
    return files


def is_truncated(node_id):
    return "[" in node_id and not node_id.endswith("]")


class Selection:
    """The ids that were asked for; all when none were."""

    def __init__(self, ids):
        self.exact = set(ids)
        self.prefixes = tuple(i for i in ids if is_truncated(i))
        self.files = {i for i in ids if "::" not in i}

    def has(self, *spellings):
        if not self.exact:
            return True
        return any(s in self.exact or (self.prefixes and s.startswith(self.prefixes)) or split_id(s)[0] in self.files
                   for s in spellings)


def look_at_outcome(pytest, ask, excinfo):
    """skip() and xfail() are for tests; code under test that calls them wants to get by."""
    import unittest
    kinds = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    if not isinstance(excinfo.value, kinds):
        return
    raised = [e for e in excinfo.traceback if not str(e.path).endswith("_pytest/outcomes.py")]
    if raised and not ask("vouched", str(raised[-1].path)):
        ask("found", "outcome_call", "%s in %s" % (type(excinfo.value).__name__, raised[-1].path))


def check_hooks(ask, config):
    for hook in REPORT_HOOKS:
        caller = getattr(config.hook, hook, None)
        for impl in caller.get_hookimpls() if caller is not None else ():
            function = getattr(impl.function, "__func__", impl.function)
            code = getattr(function, "__code__", None)
            file = code.co_filename if code is not None else "?"
            if not ask("vouched", file):
                ask("found", "report_hook", "%s of %s" % (hook, file))


def make_plugin(pytest, ask, selection):
    """The plugin; everything it needs is in this function's closure."""
    state = {"config": None, "collected": 0, "failed": 0, "status": None, "session_failed": None}

    def spelled(node_id):
        """As `pytest -rA` prints it, relative to the repository, and as pytest itself calls it."""
        try:
            return str(state["config"].cwd_relative_nodeid(node_id))
        except Exception:
            return node_id

    class CsbxReporter:
        @pytest.hookimpl(trylast=True)
        def pytest_configure(self, config):
            state["config"] = config

        @pytest.hookimpl(tryfirst=True)
        def pytest_collectreport(self, report):
            if report.outcome == "failed":
                state["failed"] += 1
                ask("send", {"t": "collect_error", "id": spelled(report.nodeid), "message": str(report.longrepr)[-4000:]})

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            keep = [i for i in items if selection.has(spelled(i.nodeid), i.nodeid)]
            if len(keep) != len(items):
                chosen = set(map(id, keep))
                config.hook.pytest_deselected(items=[i for i in items if id(i) not in chosen])
                items[:] = keep
            state["collected"] = len(items)

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            """An exception that is no failure, and whose code was asked to run."""
            if call.excinfo is not None:
                look_at_outcome(pytest, ask, call.excinfo)
            function = getattr(getattr(item, "function", None), "__code__", None)
            if function is not None and call.when == "call" and not ask("vouched", function.co_filename):
                ask("found", "test_replaced", "%s is of %s" % (item.nodeid, function.co_filename))
            yield

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            is_part = type(report).__name__ in ("SubTestReport", "SubtestReport")
            if report.outcome == "failed" and not hasattr(report, "wasxfail"):
                state["failed"] += 1
            name = spelled(report.nodeid)
            ask("send", {"t": "report", "id": name, "alt": report.nodeid if report.nodeid != name else None,
                  "when": report.when, "outcome": report.outcome, "xfail": hasattr(report, "wasxfail"),
                  "part": is_part, "ms": int(1000 * getattr(report, "duration", 0))})

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session, exitstatus):
            state["status"] = int(exitstatus)
            state["session_failed"] = int(getattr(session, "testsfailed", 0))
            state["collected"] = max(state["collected"], int(getattr(session, "testscollected", 0) or 0))
            check_hooks(ask, state["config"])
            ask("check")

        @pytest.hookimpl(optionalhook=True)
        def pytest_testnodedown(self, node, error):
            for found in getattr(node, "workeroutput", {}).get("csbx_found", ()):
                ask("found", *found)
    return CsbxReporter(), state


def run(ask, want, repo, changed, shadows):
    if repo not in sys.path:
        sys.path.insert(0, repo)
    pytest = import_pytest(repo, shadows)
    if pytest is None:
        ask("send", {"t": "error", "code": "no_pytest", "message": "the image's python has no pytest"})
        return 70
    ask("send", {"t": "session", "runner": "pytest", "version": str(pytest.__version__)})
    ask("begin", repo, changed, ("_pytest", "pluggy", "pytest", "unittest"))
    plugin, state = make_plugin(pytest, ask, Selection(want["ids"]))
    files = wanted_files(want["ids"])
    if want["ids"] and not files:
        ask("send", {"t": "finish", "status": 5, "collected": 0, "failed": 0, "session_failed": 0})
        return 5
    args = ["--continue-on-collection-errors"] + list(want["args"]) + files
    sys.argv[:] = ["pytest"] + args
    try:
        status = int(pytest.main(args, plugins=[plugin]))
    except BaseException as e:  # SystemExit too: whoever raises it past pytest ends no session
        ask("send", {"t": "error", "code": "interrupted", "message": "%s: %s" % (type(e).__name__, e)})
        return 1
    if state["status"] is not None:
        ask("send", {"t": "finish", "status": status, "collected": state["collected"], "failed": state["failed"],
                     "session_failed": state["session_failed"]})
    return status
