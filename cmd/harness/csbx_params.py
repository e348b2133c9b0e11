# SPDX-License-Identifier: Apache-2.0
"""Looks at what a parametrized test is called with, and at the marks that it has by that: they are what the files of tests write out.

pytest makes these by functions that code under test can change, and that may put themselves back when they were called.
"""
import ast
import builtins
import sys
import types

from csbx_defs import DEFINITIONS, dotted_name
from csbx_imports import is_of_tests
from csbx_syntax import tree_of
from csbx_texts import bound_by_imports, is_as_written

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

# Expressions that may be made by pytest.param() elsewhere.
OPEN = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.IfExp, ast.Starred, ast.BoolOp, ast.Await)
NO_MARKS = frozenset()


def defined_in(text):
    """dotted name -> [(possible first lines, decorators)] of the functions and classes of a file, but for those inside of functions."""
    try:
        found, todo = {}, [("", tree_of(text))]
    except (SyntaxError, ValueError, RecursionError):
        return {}
    while todo:
        prefix, node = todo.pop()
        if isinstance(node, DEFINITIONS):
            name = prefix + node.name
            found.setdefault(name, []).append(({node.lineno} | {d.lineno for d in node.decorator_list}, node.decorator_list))
            if not isinstance(node, ast.ClassDef):
                continue
            prefix = name + "."
        todo += [(prefix, n) for n in ast.iter_child_nodes(node)]
    return found


def given(call, names):
    """The expressions that a call has for its arguments, which have these names; None: that cannot be told."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    return dict(zip(names, call.args), **{k.arg: k.value for k in call.keywords})


def names_in(node):
    """(["a", "b"] of "a, b" or ("a", "b"), or None; whether a case is one value, and no tuple of one)"""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None, False
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        return None, False
    names = [n.strip() for n in names if n.strip()]
    return names, isinstance(value, str) and len(names) == 1


def is_param(node, imported):
    """True for a call of pytest.param, by what the file imports."""
    head, _, rest = (dotted_name(node) or "").partition(".") if isinstance(node, ast.Call) else ("", "", "")
    return (imported.get(head), rest) in (([("pytest", None)], "param"), ([("pytest", "param")], ""))


def marks_said(node):
    """The names of marks that an expression has by `pytest.mark.x`; None: that cannot be told."""
    found = set()
    for one in node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]:
        head, _, name = (dotted_name(one) or "").rpartition(".")
        if not (head == "mark" or head.endswith(".mark")):
            return None
        found.add(name)
    return found


def case_of(node, size, is_one, imported):
    """([expression, or None, for each name], names of its marks or None) of a set of parameters."""
    unknown = [None] * size
    if is_param(node, imported):
        by_name = given(node, ())
        marks = None if by_name is None else marks_said(by_name["marks"]) if "marks" in by_name else NO_MARKS
        return node.args if by_name is not None and len(node.args) == size else unknown, marks
    if isinstance(node, OPEN):
        return unknown, None
    if is_one:
        return [node], NO_MARKS
    is_display = isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == size and not any(isinstance(n, ast.Starred) for n in node.elts)
    return node.elts if is_display else unknown, NO_MARKS


def cases_in(names, is_one, values, imported):
    """name -> (where it is written, [(expression or None, marks or None) of each case]); nothing where the cases are not written out."""
    if not names or not isinstance(values, (ast.List, ast.Tuple)) or any(isinstance(n, ast.Starred) for n in values.elts):
        return {}
    cases = [case_of(n, len(names), is_one, imported) for n in values.elts]
    return {name: ((values.lineno, values.col_offset), [(nodes[at], marks) for nodes, marks in cases]) for at, name in enumerate(names)}


def cases_of_test(decorators, imported):
    found = {}
    for node in [d for d in decorators if isinstance(d, ast.Call) and (dotted_name(d) or "").endswith("mark.parametrize")]:
        by_name = given(node, ("argnames", "argvalues", "indirect", "ids", "scope")) or {}
        if "argnames" in by_name and "argvalues" in by_name:
            found.update(cases_in(*names_in(by_name["argnames"]), by_name["argvalues"], imported))
    return found


def cases_of_fixture(decorators, imported):
    """The cases of a fixture, as those of the name ""."""
    calls = [d for d in decorators if isinstance(d, ast.Call) and (dotted_name(d) or "").rpartition(".")[2] == "fixture"]
    values = (given(calls[0], ()) or {}).get("params") if len(decorators) == len(calls) == 1 else None
    return cases_in([""], True, values, imported)


def numbers_of(names, cases, number, count):
    """name -> which of its cases the call of that number is, of all that pytest makes by combining them, the last names changing first.
    count: of the calls."""
    runs, found, others = [], {}, 1
    for name in names:
        where, those = cases.get(name, (None, None))
        if not runs or runs[-1][0] != where:
            runs.append([where, None if those is None else max(1, len(those)), []])
        runs[-1][2].append(name)
    for run in runs:
        others *= run[1] or 1
    unknown = [run for run in runs if run[1] is None]
    if len(unknown) == 1 and count % others == 0:
        unknown[0][1] = count // others
    for _, size, those in runs[::-1]:
        if not size:
            break
        found.update((name, number % size) for name in those)
        number //= size
    return found


def make_params(ask, repo, text_of, is_of_run):
    """(collected(known, item, its file), look(known, item), marks(item, its file, whether the tests add others)). is_of_run(mark): it
    skips, or expects a failure."""
    text, defined, imported, as_written, is_test_file = text_of, defined_in, bound_by_imports, is_as_written, is_of_tests
    of_test, of_fixture, modules, no_marks, members, numbers = cases_of_test, cases_of_fixture, sys.modules, NO_MARKS, dict.items, numbers_of
    method_type, function_type = types.MethodType, types.FunctionType

    def found(kind, detail):
        ask("found", kind, detail)

    def entries(known, file):
        """What a file of the repository, as it was, defines; and what it imports."""
        known = known["written"]
        if file not in known:
            is_its = type(file) is str and file.startswith(repo + "/") and ask("vouched", file)
            known[file] = (defined(text(file)), imported(text(file))) if is_its else ({}, {})
        return known[file]

    def cases_at(all_known, file, dotted, way, line=None):
        """The cases of what a file defines once by that name, remembered as an object, too."""
        known = all_known["cases_of"]
        if (file, dotted) not in known:
            names, bound = entries(all_known, file)
            those = names.get(dotted, ())
            known[file, dotted] = (those[0][0], way(those[0][1], bound)) if len(those) == 1 else ((), {})
        lines, cases = known[file, dotted]
        return cases if line is None or line in lines else {}

    def home_of(kind):
        return getattr(modules.get(kind.__module__), "__file__", None)

    def cases_of(known, item, file):
        """name -> cases, of what the function and its classes are decorated with; remembered for its other calls."""
        kind, name = getattr(item, "cls", None), getattr(item, "originalname", None) or item.name
        place = id(item.parent), name
        if place not in known["cases_of"]:
            bases, cases = kind.__mro__ if isinstance(kind, type) else (), {}
            for base in bases[::-1]:
                cases.update(cases_at(known, home_of(base), base.__qualname__, of_test))
            holder = next((b for b in bases if name in vars(b)), None)
            home = (file, name) if holder is None else (home_of(holder), "%s.%s" % (holder.__qualname__, name))
            known["cases_of"][place] = dict(cases, **cases_at(known, *home, of_test))
        return known["cases_of"][place]

    def code_of(function):
        function = function.__func__ if type(function) is method_type else function
        return function.__code__ if type(function) is function_type else None

    def fixture_of(item, name):
        """The code of the fixture that has the parameters of that name."""
        named = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", None) or {}
        those = [d for d in named.get(name, ()) if getattr(d, "params", None) is not None]
        return code_of(those[-1].func) if those else None

    def cases_by_fixture(known, item, name):
        code = fixture_of(item, name)
        if code is None:
            return {}
        dotted = getattr(code, "co_qualname", code.co_name)
        there = entries(known, code.co_filename)[0]
        names = [dotted] if dotted in there else [n for n in there if n.rpartition(".")[2] == code.co_name]
        return cases_at(known, code.co_filename, names[0], of_fixture, code.co_firstlineno) if len(names) == 1 else {}

    def count(known, item):
        """How many calls pytest has made of the function of a test."""
        if not known["calls"]:
            for one in known["generated"]:
                place = id(one.parent), getattr(one, "originalname", None)
                known["calls"][place] = known["calls"].get(place, 0) + 1
        return known["calls"].get((id(item.parent), getattr(item, "originalname", None)), 1)

    def is_direct(item, name):
        """True for a parameter for which pytest itself makes a fixture: before pytest 8 its index is the number of the call."""
        named = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", None) or {}
        code = code_of(named[name][-1].func) if named.get(name) else None
        return hasattr(item.callspec, "funcargs") and code is not None and code.co_name == "get_direct_param_fixture_func"

    def places(known, item, indices, cases):
        """name -> which of its cases it is."""
        direct = [n for n in indices if is_direct(item, n)]
        found = {n: at for n, at in indices.items() if n not in direct}
        if direct:
            at = numbers(list(indices), cases, indices[direct[0]], count(known, item))
            found.update((n, at.get(n)) for n in direct)
        return found

    def case(those, at):
        """(expression, marks) of a parameter; None: the files do not say."""
        if those is None or type(at) is not int:
            return None, None
        return those[at] if at < len(those) else (None, None if those else no_marks)

    def is_said(item, file, mark):
        """True where the tests, or what else makes cases, have the words for a mark of a case."""
        known, name = ask("known"), mark.name.encode("utf-8", "replace")
        loaded = [getattr(m, "__file__", None) for m in list(modules.values()) if type(m) is types.ModuleType]
        makers = [code_of(i.function) for i in known["hooked"].get("pytest_generate_tests", {}).values()]
        makers += [fixture_of(item, n) for n in item.callspec.params]
        files = [file] + known["conftests"] + [getattr(m, "__file__", None) for m, _ in known["beside"]]
        files += [f for f in loaded if type(f) is str and f.startswith(repo + "/") and is_test_file(f, repo)]
        files += [c.co_filename for c in makers if c is not None and not c.co_filename.rpartition("/")[0].endswith("/_pytest")]
        return any([type(f) is str and ask("vouched", f) and b"marks" in text(f) and name in text(f) for f in files])

    def added_marks(item):
        """Those for the run that are not the function's own."""
        own = getattr(getattr(item, "obj", None), "pytestmark", ())
        own = list(map(id, [getattr(m, "mark", m) for m in (own if isinstance(own, (list, tuple)) else [own])]))
        return [m for m in item.own_markers if is_of_run(m) and id(m) not in own]

    def data_of(item):
        """The things that a test is called with: parameters, and the functions of fixtures."""
        params = getattr(getattr(item, "callspec", None), "params", None) or {}
        info = getattr(item, "_fixtureinfo", None)
        fixtures = getattr(info, "name2fixturedefs", None) or {}
        return dict(members(params)), {(n, k): d.func for n, ds in list(fixtures.items()) for k, d in enumerate(ds)}

    def collected(known, item, file):
        callspec = getattr(item, "callspec", None)
        known["data"][item.nodeid] = data_of(item)
        if callspec is None or not isinstance(getattr(item, "own_markers", None), list):
            return
        indices = getattr(callspec, "indices", {})
        if type(callspec.params) is not dict or type(indices) is not dict:
            found("test_replaced", "where %s keeps what it is called with" % item.nodeid)
        written, allowed = cases_of(known, item, file), set()
        cases = {n: written[n] if n in written else cases_by_fixture(known, item, n).get("") for n in indices}
        cases = {n: its for n, its in cases.items() if its is not None}
        at = places(known, item, indices, cases)
        for name, value in known["data"][item.nodeid][0].items():
            node, marks = case(cases.get(name, (None, None))[1], at.get(name))
            allowed = None if marks is None or allowed is None else allowed | marks
            if node is not None and not as_written(node, value, {}) and not any(b"callspec" in text(f) for f in known["conftests"]):
                found("test_replaced", "the parameter %s of %s is not what its file says" % (name, item.nodeid))
        known["allowed"][item.nodeid] = allowed

    def look(known, item):
        params, fixtures = known["data"].get(item.nodeid, ({}, {}))
        now_params, now_fixtures = data_of(item)
        for name in params:
            if now_params.get(name) is not params[name] and not type(params[name]).__module__.startswith("pytest_lazy"):
                found("test_replaced", "the parameter %s of %s" % (name, item.nodeid))
        for key, old in fixtures.items():
            if now_fixtures.get(key, old) is not old:
                found("test_replaced", "the fixture %s of %s" % (key[0], item.nodeid))

    def marks(item, file, are_others_added):
        """A test was skipped, or expected to fail: not by a mark of a case that no file gives it."""
        if getattr(item, "callspec", None) is None or not isinstance(getattr(item, "own_markers", None), list):
            return
        allowed, of_case = ask("known")["allowed"].get(item.nodeid), list(map(id, getattr(item.callspec, "marks", ())))
        is_empty = any(type(v).__name__ == "NotSetType" for v in item.callspec.params.values())  # pytest marks it itself
        for mark in added_marks(item):
            if (are_others_added and id(mark) not in of_case) or is_empty:
                continue
            if mark.name not in allowed if allowed is not None else not is_said(item, file, mark):
                found("outcome_call", "a mark %s of a case of %s, which the tests do not give it" % (mark.name, item.nodeid))
    return collected, look, marks
