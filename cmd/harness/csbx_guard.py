# SPDX-License-Identifier: Apache-2.0
"""Looks for tampering inside pytest's own process. What it finds is told, not prevented.

Tested code shares the interpreter with this: it can undo every line of it, if it knows it. That is
why the host lists changed files by what the patches say, before any of their code runs.
"""
import os
import sys
import threading
import time
import types

REPORT_HOOKS = ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_runtest_protocol",
                "pytest_runtestloop", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_collection_modifyitems",
                "pytest_report_teststatus", "pytest_sessionfinish", "pytest_cmdline_main")
CRITICAL = (("_pytest.reports", "TestReport.from_item_and_call"), ("_pytest.reports", "TestReport.__init__"),
            ("_pytest.runner", "call_runtest_hook"), ("_pytest.runner", "call_and_report"),
            ("_pytest.runner", "runtestprotocol"), ("_pytest.runner", "CallInfo.from_call"),
            ("_pytest.runner", "pytest_runtest_makereport"), ("_pytest.python", "pytest_pyfunc_call"),
            ("_pytest.skipping", "pytest_runtest_makereport"), ("pluggy._hooks", "_HookCaller.__call__"),
            ("pluggy._hooks", "HookCaller.__call__"), ("pluggy._manager", "PluginManager._hookexec"))


def standard_names():
    """Top-level modules of the standard library and of pytest."""
    if hasattr(sys, "stdlib_module_names"):
        found = set(sys.stdlib_module_names)
    else:
        here = os.path.dirname(os.__file__)
        places = [here, os.path.join(here, "lib-dynload")]
        found = set(sys.builtin_module_names) | {n.split(".")[0] for p in places if os.path.isdir(p) for n in os.listdir(p)}
    return found | {"pytest", "_pytest", "pluggy", "xdist"}


def shadow_names(paths, repo):
    """Such modules that files of the repository stand for, where an import may look."""
    known, names = standard_names(), set()
    roots = {""} | {os.path.relpath(os.path.realpath(p), repo) + "/" for p in sys.path
                    if os.path.realpath(p).startswith(repo + "/")}
    for path in paths:
        for root in roots | {"src/", "lib/"}:
            if not path.startswith(root):
                continue
            parts = path[len(root):].split("/")
            name = parts[0] if len(parts) > 1 else os.path.splitext(parts[0])[0].split(".")[0]
            if name in known and (len(parts) == 1 and parts[0].endswith((".py", ".so", ".pyc")) or
                                  parts[1:] and parts[1].startswith("__init__.")):
                names.add(name)
    return names


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


def _callables(holder, name, seen):
    """(dotted name, function) of a module's or class's own functions, classes one level deep."""
    for key, value in list(vars(holder).items()):
        inner = value
        if isinstance(value, (staticmethod, classmethod)):
            inner = value.__func__
        elif isinstance(value, property):
            inner = value.fget
        if isinstance(inner, types.FunctionType):
            yield "%s.%s" % (name, key), inner
        elif isinstance(value, type) and value.__module__ == getattr(holder, "__name__", None) and id(value) not in seen:
            seen.add(id(value))
            for pair in _callables(value, "%s.%s" % (name, key), seen):
                yield pair


def _snapshot(packages):
    found = {}
    for name, module in list(sys.modules.items()):
        if module is not None and name.split(".")[0] in packages:
            for dotted, function in _callables(module, name, set()):
                found[dotted] = (function, function.__code__)
    return found


def _look_up(module, dotted):
    value = sys.modules.get(module)
    for part in dotted.split("."):
        value = getattr(value, part, None)
    return getattr(value, "__func__", value)


def import_pytest_parts():
    """What pytest loads anyway, before code of the repository can change it."""
    import _pytest.config
    for name in _pytest.config.default_plugins:
        try:
            __import__("_pytest." + name)
        except ImportError:
            pass


class Guard:
    def __init__(self, send, repo, changed, packages=("_pytest", "pluggy", "pytest")):
        self.packages = packages
        self.send, self.repo = send, repo
        self.changed = {os.path.join(repo, p) for p in changed}
        self.begin_ns = time.time_ns() if hasattr(time, "time_ns") else int(time.time() * 1e9)
        self.homes = tuple({os.path.dirname(os.path.abspath(sys.modules[m].__file__)) + "/"
                            for m in packages if m in sys.modules})
        self.main = threading.get_ident()
        self.told, self.vouched = set(), {}
        self.before = _snapshot(packages)
        self.critical = [(m, n, f, f.__code__) for m, n in CRITICAL for f in [_look_up(m, n)] if hasattr(f, "__code__")]

    def found(self, kind, detail):
        if (kind, detail) not in self.told and len(self.told) < 64:
            self.told.add((kind, detail))
            self.send({"t": "tamper", "kind": kind, "detail": detail})

    def is_vouched(self, file):
        """Code of the image, or of a file of the repository that neither a patch nor the run made."""
        known = self.vouched.get(file)
        if known is None:
            full = os.path.realpath(file)
            known = file.startswith("<frozen") or (full not in self.changed and self.is_old(full))
            self.vouched[file] = known
        return known

    def is_old(self, path):
        """Not of this run. A program cannot set a ctime; an image may have some in the future."""
        try:
            return not self.begin_ns < os.stat(path).st_ctime_ns <= time.time() * 1e9
        except OSError:
            return False

    def may_report(self, frame):
        """A report comes from pytest's own loop in the main thread, not from code that calls hooks."""
        self.check_critical()
        if threading.get_ident() != self.main:
            self.found("report_call", "a report from another thread")
            return False
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith(self.homes) and not self.is_vouched(file):
                self.found("report_call", "a report made by %s:%d" % (self.short(file), frame.f_lineno))
                return False
            frame = frame.f_back
        return True

    def short(self, file):
        return os.path.relpath(file, self.repo) if file.startswith(self.repo + "/") else file

    def check_critical(self):
        for module, name, function, code in self.critical:
            now = _look_up(module, name)
            if now is not function or now.__code__ is not code:
                self.modified("%s.%s" % (module, name), now)

    def modified(self, name, now):
        code = getattr(now, "__code__", None)
        file = code.co_filename if code is not None else "?"
        if not self.is_vouched(file):
            self.found("pytest_modified", "%s is now of %s" % (name, self.short(file)))
        elif file.startswith(self.repo + "/"):
            self.found("pytest_modified", "%s is now of %s" % (name, self.short(file)))

    def check(self, config):
        """At the end of the session; config is pytest's, None of other runners."""
        self.check_critical()
        now = _snapshot(self.packages)
        for name, (function, code) in self.before.items():
            if name not in now:
                self.found("pytest_modified", "%s is gone" % name)
            elif now[name][0] is not function or now[name][1] is not code:
                self.modified(name, now[name][0])
        if config is not None:
            self.check_hooks(config)
        self.check_modules()

    def check_hooks(self, config):
        for hook in REPORT_HOOKS:
            caller = getattr(config.hook, hook, None)
            for impl in caller.get_hookimpls() if caller is not None else ():
                function = getattr(impl.function, "__func__", impl.function)
                code = getattr(function, "__code__", None)
                file = code.co_filename if code is not None else "?"
                if not self.is_vouched(file):
                    self.found("report_hook", "%s of %s" % (hook, self.short(file)))

    def check_modules(self):
        known = standard_names() - {"pluggy", "xdist"}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name in known and isinstance(file, str) and os.path.realpath(file).startswith(self.repo + "/"):
                self.found("shadow", "%s is of %s" % (name, self.short(os.path.realpath(file))))
