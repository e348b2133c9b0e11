# SPDX-License-Identifier: Apache-2.0
"""Compares a collected test with the text of its file: which function has its name there, and which marks.

Code that is imported while the file runs can change the file's module before pytest collects it. What it puts there may
be code that the harness vouches for, of another test or of a library.
"""
import ast
import builtins
import contextlib
import functools
import os
import sys
import types

from csbx_conditions import CONDITIONAL, condition_of, is_condition_of
from csbx_exact import defaults_of
from csbx_outcomes import DEPTH_MAX, parts_of
from csbx_syntax import once, tree_and_nodes
from csbx_texts import says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

WRAPPING = (b"setattr", b"__init_subclass__", b"metaclass", b"vars(", b"__dict__")  # ways to wrap the methods of a class
MARKS_NOTHING = ("unittest.", "mock.", "functools.", "contextlib.")  # decorators of Python's own that give no mark of pytest
PREPARES = ("setUpClass", "tearDownClass", "setUp", "tearDown")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def dotted_name(node):
    """a.b.c of a decorator @a.b.c or @a.b.c(...); None: it is something else."""
    node, parts = node.func if isinstance(node, ast.Call) else node, []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id] + parts[::-1]) if isinstance(node, ast.Name) else None


def marks_in(decorators):
    """The marks of pytest among decorators; None: there are others, which may do anything."""
    names = [dotted_name(d) or "" for d in decorators]
    marks = {n.rpartition(".")[2] for n in names if n.startswith(("pytest.mark.", "mark."))}
    return marks if len(marks) == len(set(names)) else None


def marks_given(entry):
    """marks_in(), also where there are decorators of Python's own, which give none."""
    names = [n or "" for n in entry[5] if not (n or "").startswith(MARKS_NOTHING)]
    if entry[1] is not None:
        return entry[1]
    is_known = entry[5] and all([n.startswith(("pytest.mark.", "mark.")) for n in names])
    return {n.rpartition(".")[2] for n in names if n.startswith(("pytest.mark.", "mark."))} if is_known else None


def conditions_in(decorators):
    """name of a mark -> whether its condition holds, None where that cannot be told; of marks that are there once."""
    names = [(dotted_name(d) or "").rpartition(".")[2] for d in decorators]
    return {n: condition_of(d) for n, d in zip(names, decorators) if n in CONDITIONAL and names.count(n) == 1}


def module_marks(tree, nodes):
    """As an entry of definitions(): what `pytestmark` gives to all tests of a module; none where that cannot be told."""
    def is_it(node):
        return isinstance(node, ast.Assign) and [getattr(t, "id", None) for t in node.targets] == ["pytestmark"]
    own = [n for n in tree.body if is_it(n)]
    of_classes = [n for c in nodes if isinstance(c, ast.ClassDef) for n in c.body if is_it(n)]
    names = [n for n in nodes if isinstance(n, ast.Name) and n.id == "pytestmark"]
    if len(own) > 1 or len(names) != len(own) + len(of_classes):
        return []
    values = [v for n in own for v in (n.value.elts if isinstance(n.value, (ast.List, ast.Tuple)) else [n.value])]
    return [(set(), marks_in(values), conditions_in(values), False, ((), {}), [])]


def definitions(text):
    """(dotted name -> [(its possible first lines, its marks, their conditions, whether it is a class, its defaults, names of its
    decorators)] of functions and classes, dotted names that are bound otherwise). The name "" is the module's, which has marks alone."""
    tree, nodes = tree_and_nodes(text)
    found, others, todo = {"": module_marks(tree, nodes)}, set(), [("", tree)]
    has_globals = any([isinstance(n, ast.Global) for n in nodes])
    while todo:
        prefix, node = todo.pop()
        if isinstance(node, DEFINITIONS):
            name = prefix + node.name
            lines = {node.lineno} | {d.lineno for d in node.decorator_list}
            marks, is_class = (marks_in(node.decorator_list), conditions_in(node.decorator_list)), isinstance(node, ast.ClassDef)
            defaults = ((), {}) if is_class else defaults_of(node.args)
            found.setdefault(name, []).append((lines, *marks, is_class, defaults, [dotted_name(d) for d in node.decorator_list]))
            if not isinstance(node, ast.ClassDef):
                others.update(n for inner in (ast.walk(node) if has_globals else ()) if isinstance(inner, ast.Global) for n in inner.names)
                continue
            prefix = name + "."
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            others.update(prefix + (a.asname or a.name.partition(".")[0]) for a in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(prefix + node.id)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            others.add((dotted_name(node) or "?").rpartition(".")[0] + "." + node.attr)
        todo += [(prefix, n) for n in ast.iter_child_nodes(node)]
    return found, others


def definitions_of(text):
    try:
        return once(definitions, text)
    except (SyntaxError, ValueError, RecursionError):
        return {}, set()


def reached_from(function):
    """A function and what it hands on to, as far as that can be seen."""
    todo, found = [function], []
    while todo and len(found) < DEPTH_MAX:
        one = todo.pop(0)
        if not any(one is f for f in found):
            found.append(one)
            todo += [p for p in parts_of(one) if p is not None]
    return found


def cells_of(function):
    """(cell, content) of the functions that a wrapper closes over, and of those that they do."""
    found = []
    for one in reached_from(function):
        for cell in (one.__closure__ or ()) if type(one) is types.FunctionType else ():
            try:
                found.append((cell, cell.cell_contents))
            except ValueError:
                pass
    return [(cell, content) for cell, content in found if callable(content)]


def has_changed(cells):
    """True when a wrapper hands on to something else than it did."""
    for cell, content in cells:
        try:
            if cell.cell_contents is not content:
                return True
        except ValueError:
            return True
    return False


def is_of_unittest(kind, key):
    """True when a class has an attribute of that name from unittest."""
    return any(key in vars(b) for b in kind.__mro__ if str(b.__module__).partition(".")[0] == "unittest")


def is_of_runner(key, value):
    """True for the fixture that pytest puts into each class of unittest, and with that into unittest's own where a file of tests has
    a name for it."""
    code = getattr(value, "__code__", None)
    return key.startswith("_UnitTestCase__pytest_") and code is not None and code.co_filename.rpartition("/")[0].endswith("/_pytest")


def make_filed(text_of):
    """strange_test(known, function, kind, name, file of its module, is_vouched(file, or code that has to be of one)): what is wrong
    with a test, or None; strange_marks(), strange_members() likewise. known: a dict that the core keeps, where no function leads to it."""
    read, reach, modules, of_text, is_machinery = text_of, reached_from, sys.modules, definitions_of, is_of_unittest
    is_of_pytest, is_as_said, code_type, marks_of = is_of_runner, is_condition_of, types.CodeType, marks_given
    has_words = says
    library, wrapping = os.path.dirname(os.__file__) + "/", WRAPPING
    managers = tuple([getattr(contextlib, n) for n in ("_GeneratorContextManagerBase", "_GeneratorContextManager") if hasattr(contextlib, n)])
    callables = (types.FunctionType, staticmethod, classmethod, property, types.BuiltinFunctionType, type, functools.partial)
    prepares = PREPARES

    def filed(known, file):
        if file not in known:
            known[file] = of_text(read(file))
        return known[file]

    def place_of(kind, name, file):
        """(file, dotted name) of what defines a test."""
        for base in kind.__mro__ if isinstance(kind, type) else ():
            if name in vars(base):
                return getattr(modules.get(base.__module__), "__file__", None), "%s.%s" % (base.__qualname__, name)
        return file, name

    def matches(function, file, name, entries, is_vouched):
        code = function.__code__ if type(function) is callables[0] else None
        return type(code) is code_type and is_vouched(code) and code.co_name == name and any(code.co_firstlineno in e[0] for e in entries) and \
            code.co_filename.rpartition("/")[2] == file.rpartition("/")[2]

    def is_of_python(code):
        return type(code) is code_type and code.co_filename.startswith(library) and "-packages/" not in code.co_filename

    def is_wrapped_unasked(found, kind, dotted, entries, function):
        """True for a wrapper of Python's library around what has no decorator, nor has its class, and no class that it is made from has
        words for wrapping methods."""
        holders = [dotted[:i] for i, c in enumerate(dotted) if c == "."]
        if any([e[5] for e in entries]) or any([e[5] for h in holders for e in found.get(h, ())]):
            return False
        homes = [getattr(modules.get(b.__module__), "__file__", None) for b in (kind.__mro__ if isinstance(kind, type) else ())]
        said = [read(f) for f in homes if type(f) is str and not f.startswith(library)]
        return is_of_python(getattr(function, "__code__", None)) and not any([w in t for t in said for w in wrapping])

    def is_in_context(wrapper, entries, names, is_vouched):
        """True for a wrapper that enters a context manager of a patch, which no decorator of the test is: it may swallow failures."""
        code = getattr(wrapper, "__code__", None)
        if not is_of_python(code) or code.co_name != "inner" or not code.co_filename.endswith("/contextlib.py"):
            return False
        cells = dict(zip(code.co_freevars, wrapper.__closure__ or ()))
        manager = cells["self"].cell_contents if "self" in cells else None
        maker = getattr(vars(manager).get("func"), "__code__", None) if issubclass(type(manager), managers) else None
        home = getattr(modules.get(type(manager).__module__), "__file__", None)
        if is_vouched(maker) if type(maker) is code_type else type(home) is not str or home.startswith(library) or is_vouched(home):
            return False
        roots = [names.get(d.partition(".")[0]) for e in entries for d in e[5] if d]
        files = [getattr(modules.get(getattr(r, "__module__", None) or getattr(r, "__name__", None)), "__file__", None) for r in roots]
        return all([type(f) is str and (f.startswith(library) or is_vouched(f)) for f in files])

    def strange_test(known, function, kind, name, file, is_vouched):
        file, dotted = place_of(kind, name, file)
        if type(file) is not str or not is_vouched(file):
            return None
        found, others = filed(known, file)
        entries = found.get(dotted)
        if not entries or dotted in others:
            return None
        reached = reach(function)
        own = [f for f in reached if matches(f, file, name, entries, is_vouched)]
        if own:
            is_as_is = own[0] is function or not (is_wrapped_unasked(found, kind, dotted, entries, function) or
                                                  any([is_in_context(f, entries, own[0].__globals__, is_vouched) for f in reached]))
            return None if is_as_is else "is in a wrapper that %s does not give it" % file
        is_decorated = any(e[1] is None for e in entries)
        another = [n for n, e in found.items() if n and "<" not in n and matches(function, file, n.rpartition(".")[2], e, is_vouched)]
        return None if is_decorated and not another else "is not the function that %s has by that name" % file

    def strange_marks(known, function, kind, name, file, is_vouched, run_marks, of_module):
        """Marks that a test's function, class or module has and that the file does not give them."""
        places = [(place_of(kind, name, file), getattr(function, "__dict__", {})), ((file, ""), of_module)]
        places += [((getattr(modules.get(b.__module__), "__file__", None), b.__qualname__), vars(b))
                   for b in (kind.__mro__ if isinstance(kind, type) else ())]
        for (home, dotted), space in places:
            if type(home) is not str or not is_vouched(home):
                continue
            found, others = filed(known, home)
            entries, marks = found.get(dotted), space.get("pytestmark", ())
            if not entries or dotted in others or dotted + ".pytestmark" in others or any([marks_of(e) is None for e in entries]):
                continue
            given, conditions = set().union(*[marks_of(e) for e in entries]), entries[-1][2] if len(entries) == 1 else {}
            for mark in marks if isinstance(marks, (list, tuple)) else [marks]:
                if getattr(mark, "name", None) in run_marks and mark.name not in given:
                    return "a mark %s of %s, which %s does not give it" % (mark.name, dotted or "the module", home)
                condition = conditions.get(getattr(mark, "name", None))
                if condition is not None and not is_as_said(mark, condition):
                    return "the condition of a mark %s of %s is another" % (mark.name, dotted or "the module")
        return None

    def is_of_decorator(entries, value, is_vouched):
        """True for what a library's decorator of a class makes: freezegun's stops the clock before the tests of a class."""
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        return any(e[5] for e in entries) and type(code) is code_type and "-packages/" in code.co_filename and is_vouched(code)

    def strange_members(known, kind, is_vouched):
        """What a class of unittest has in the place of unittest's own methods, and that the file does not have."""
        for base in kind.__mro__ if isinstance(kind, type) else ():
            home = getattr(modules.get(base.__module__), "__file__", None)
            if type(home) is not str or base.__module__.partition(".")[0] == "unittest" or not is_vouched(home):
                continue
            found, others = filed(known, home)
            for key, value in list(vars(base).items()) if base.__qualname__ in found else ():
                if not is_machinery(kind, key) or key.startswith("__") or not issubclass(type(value), callables):
                    continue
                dotted = "%s.%s" % (base.__qualname__, key)
                plain = value.__func__ if type(value) in (staticmethod, classmethod) else value
                code = plain.__code__ if type(plain) is callables[0] else None
                is_put = type(code) is not code_type or is_of_python(code)  # no function of the repository
                is_told = dotted in found or dotted in others or is_of_pytest(key, value) or \
                    (has_words(read(home), key) if is_put else key.encode() in read(home)) or \
                    key in prepares and is_of_decorator(found[base.__qualname__], value, is_vouched)
                if not is_told:
                    return "%s is not of %s" % (dotted, home)
        return None
    return strange_test, strange_marks, strange_members
