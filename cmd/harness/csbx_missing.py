# SPDX-License-Identifier: Apache-2.0
"""Looks for tests that a file has by its text and that the run leaves out: not collected, deselected, or not run.

A verdict about a whole file, or about all tests, is one about those that ran. Code that is imported while they are
collected can have others left out, by many ways: what is missing shows them all.
"""
import ast
import builtins
import fnmatch
import re
import sys
import types

from csbx_defs import definitions_of, dotted_name, marks_in
from csbx_syntax import tree_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

# Options and settings of pytest by which tests are chosen.
OPTIONS = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "collectonly", "setuponly", "setupplan", "maxfail", "lf", "stepwise",
           "pyargs", "keepduplicates", "file_or_dir")
SETTINGS = ("python_files", "python_classes", "python_functions", "norecursedirs")
PLAIN = (str, int, bool, type(None))
# Files with such words may leave out tests of their own by computing which.
COMPUTES = re.compile(rb"__test__|\bglobals\(|(?<![.\w])delattr\(|\bload_tests\b")


def is_same(was, now):
    """By types and content; no code of the values runs."""
    if type(was) is not type(now):
        return False
    if type(was) in (list, tuple):
        return len(was) == len(now) and all(map(is_same, was, now))
    return was == now if type(was) in PLAIN else was is now


def copy_of(value):
    return list(value) if type(value) is list else value


def is_called(name, patterns):
    """As pytest matches python_functions and python_classes."""
    return any(name.startswith(p) or (set("*?[") & set(p) and fnmatch.fnmatch(name, p)) for p in patterns)


def is_of_unittest(node):
    """True for a class that is made of a TestCase alone; None: of something else."""
    names = [dotted_name(b) or "?" for b in node.bases]
    if node.keywords or not all(n == "object" or n.endswith("TestCase") for n in names):
        return None
    return any(n.endswith("TestCase") for n in names)


def is_plain(node, prefix, found, others):
    """True for what a file defines once, and binds by nothing else, with no decorator but marks."""
    return prefix + node.name not in others and len(found.get(prefix + node.name, ())) == 1 and marks_in(node.decorator_list) is not None


def tests_in(text, functions, classes):
    """The names of the tests of a module that are sure to be there: "" -> functions, class -> methods."""
    found, others = definitions_of(text)
    if not found or COMPUTES.search(text):
        return {}
    kinds, tests = (ast.FunctionDef, ast.AsyncFunctionDef), {"": set()}
    for node in tree_of(text).body:
        if isinstance(node, kinds) and is_called(node.name, functions) and is_plain(node, "", found, others):
            tests[""].add(node.name)
        if not isinstance(node, ast.ClassDef) or not is_plain(node, "", found, others):
            continue
        of_unittest, inner = is_of_unittest(node), [n for n in node.body if isinstance(n, kinds)]
        if of_unittest is None or {"__init__", "__new__"} & {n.name for n in inner} or not (of_unittest or is_called(node.name, classes)):
            continue
        tests[node.name] = {n.name for n in inner if is_called(n.name, ("test",) if of_unittest else functions)
                            and is_plain(n, node.name + ".", found, others)}
    return tests


def names_of(collected):
    return {getattr(one, "originalname", None) or one.name for one in collected}


def make_missing(ask, repo, text_of):
    """begin(config), collector(collector, its report), generated(item), chosen(items), settled(config), ended(config, run): what pytest leaves out."""
    text, find, same, copied, names, module_type = text_of, tests_in, is_same, copy_of, names_of, types.ModuleType
    options, settings = OPTIONS, SETTINGS

    def found(kind, detail):
        ask("found", kind, detail)

    def facts_of(config):
        option = vars(config.option)
        of_options = {"option " + n: copied(option[n]) for n in options if n in option}
        return dict(of_options, **{"setting " + n: copied(config.getini(n)) for n in settings})

    def begin(config):
        ask("known").update(facts=facts_of(config), generated=[], reported=set())

    def of_file(known, file):
        if file not in known["missing"]:
            facts = known["facts"]
            known["missing"][file] = find(text(file), facts["setting python_functions"], facts["setting python_classes"])
        return known["missing"][file]

    def collector(node, report):
        """A module, or a class of it, was collected."""
        thing, results = getattr(node, "obj", None), report.result
        kind = thing if isinstance(thing, (type, module_type)) else type(thing)
        module = thing if isinstance(thing, module_type) else sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.startswith(repo + "/") or any(type(r).__name__ == "Instance" for r in results):
            return
        if not ask("vouched", file):
            return found("test_replaced", "%s is not as it was before the patches and the run" % file)
        tests, known_names = of_file(ask("known"), file), names(results)
        if kind is module_type or isinstance(thing, module_type):
            wanted = tests.get("", set()) | {n for n, methods in tests.items() if n and methods}
        else:
            wanted = tests.get(kind.__qualname__, set())
        for name in sorted(wanted - known_names):
            found("test_replaced", "%s has a test %s, which was not collected" % (file, name))

    def generated(item):
        ask("known")["generated"].append(item)

    def chosen(items):
        """Before any hook has deselected some."""
        ids = set(map(id, items))
        for item in ask("known")["generated"]:
            if id(item) not in ids:
                found("test_replaced", "%s was taken out of what was collected" % item.nodeid)

    def settled(config):
        was, now = ask("known")["facts"], facts_of(config)
        for name in was:
            if name not in now or not same(was[name], now[name]):
                found("pytest_modified", "the %s is another than at the begin" % name)

    def ended(config, run, status):
        """Every test that was collected has been run, but where failures have ended the session by an option."""
        known = ask("known")
        settled(config)
        left = [item.nodeid for item, _ in known["items"].values() if item.nodeid not in known["reported"]]
        if left and status in (0, 1) and not (known["facts"].get("option maxfail") and run["failed"]):
            found("counts", "%d tests were collected and not run, %s for one" % (len(left), left[0]))
    return types.SimpleNamespace(begin=begin, collector=collector, generated=generated, chosen=chosen, settled=settled, ended=ended)


def make_unittest_missing(ask, repo, text_of):
    """look(tests that were loaded): of all modules of tests that were imported."""
    text, find, modules, module_type = text_of, tests_in, sys.modules, types.ModuleType

    def found(kind, detail):
        ask("found", kind, detail)

    def skipped(test):
        """unittest keeps of a module that ended its import by SkipTest only the name."""
        file = "%s/%s.py" % (repo, getattr(test, "_testMethodName", "").replace(".", "/"))
        if b"skip" not in text(file).lower():
            found("outcome_call", "%s is skipped, for which it has no word" % file)

    def look(tests):
        there = {}
        for test in tests:
            if type(test).__name__ == "ModuleSkipped":
                skipped(test)
            there.setdefault((type(test).__module__, type(test).__qualname__), set()).add(getattr(test, "_testMethodName", None))
        for name, module in list(modules.items()):
            file = getattr(module, "__file__", None)
            if type(module) is not module_type or not isinstance(file, str) or not file.startswith(repo + "/") or \
                    not file.rpartition("/")[2].startswith("test") or not file.endswith(".py") or not ask("vouched", file):
                continue
            for kind, methods in find(text(file), (), ()).items():
                for method in sorted(methods - there.get((name, kind), set())):
                    found("test_replaced", "%s has a test %s.%s, which was not loaded" % (file, kind, method))
    return look
