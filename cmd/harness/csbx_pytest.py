# SPDX-License-Identifier: Apache-2.0
"""pytest with a plugin that reports each node id over the channel.

Hooks used, all in pytest 6, 7 and 8: pytest_configure, pytest_collectreport,
pytest_collection_modifyitems, pytest_runtest_logreport, pytest_sessionfinish; of xdist, where it is
there: pytest_testnodedown.
"""
import os
import sys

import csbx_guard


def import_pytest(repo, changed):
    """pytest as `python -m pytest` finds it, but never a module that a patch put in its way."""
    shadows = csbx_guard.shadow_names(changed, repo)
    finder = csbx_guard.OutsideFinder(repo, shadows) if shadows else None
    if finder:
        sys.meta_path.insert(0, finder)
    try:
        import pytest
        return pytest
    except ImportError:
        return None
    finally:
        if finder:
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


def make_plugin(pytest, send, selection, guard):
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
                send({"t": "collect_error", "id": spelled(report.nodeid), "message": str(report.longrepr)[-4000:]})

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            keep = [i for i in items if selection.has(spelled(i.nodeid), i.nodeid)]
            if len(keep) != len(items):
                chosen = set(map(id, keep))
                config.hook.pytest_deselected(items=[i for i in items if id(i) not in chosen])
                items[:] = keep
            state["collected"] = len(items)

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            if not guard.may_report(sys._getframe(1)):
                return
            is_part = type(report).__name__ in ("SubTestReport", "SubtestReport")
            if report.outcome == "failed" and not hasattr(report, "wasxfail"):
                state["failed"] += 1
            name = spelled(report.nodeid)
            send({"t": "report", "id": name, "alt": report.nodeid if report.nodeid != name else None,
                  "when": report.when, "outcome": report.outcome, "xfail": hasattr(report, "wasxfail"),
                  "part": is_part, "ms": int(1000 * getattr(report, "duration", 0))})

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session, exitstatus):
            state["status"] = int(exitstatus)
            state["session_failed"] = int(getattr(session, "testsfailed", 0))
            state["collected"] = max(state["collected"], int(getattr(session, "testscollected", 0) or 0))
            guard.check(state["config"])

        @pytest.hookimpl(optionalhook=True)
        def pytest_testnodedown(self, node, error):
            for found in getattr(node, "workeroutput", {}).get("csbx_found", ()):
                guard.found(*found)
    return CsbxReporter(), state


def run(send, want, repo, changed):
    if repo not in sys.path:
        sys.path.insert(0, repo)
    pytest = import_pytest(repo, changed)
    if pytest is None:
        send({"t": "error", "code": "no_pytest", "message": "the image's python has no pytest"})
        return 70
    send({"t": "session", "runner": "pytest", "version": str(pytest.__version__)})
    csbx_guard.import_pytest_parts()
    guard = csbx_guard.Guard(send, repo, changed)
    plugin, state = make_plugin(pytest, send, Selection(want["ids"]), guard)
    files = wanted_files(want["ids"])
    if want["ids"] and not files:
        send({"t": "finish", "status": 5, "collected": 0, "failed": 0, "session_failed": 0})
        return 5
    args = ["--continue-on-collection-errors"] + list(want["args"]) + files
    sys.argv[:] = ["pytest"] + args
    try:
        status = int(pytest.main(args, plugins=[plugin]))
    except BaseException as e:  # SystemExit too: whoever raises it past pytest ends no session
        send({"t": "error", "code": "interrupted", "message": "%s: %s" % (type(e).__name__, e)})
        return 1
    if state["status"] is not None:
        send({"t": "finish", "status": status, "collected": state["collected"], "failed": state["failed"],
              "session_failed": state["session_failed"]})
    return status
