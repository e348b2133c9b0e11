# SPDX-License-Identifier: Apache-2.0
"""Looks whether classes that cases of unittest are made from answer unittest as the files before the patches have it.

A class of the code under test may be one of them. What it gives the name of an attribute that unittest asks for is what unittest gets.
"""
import ast
import builtins
import sys
import types
import unittest

from csbx_syntax import tree_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

SPECIAL = frozenset(("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__class__", "__new__", "_type_equality_funcs"))
# What cases are given by rights, or what says nothing of an outcome; and what unittest itself sets for each class.
THEIRS = frozenset(("setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "__init__", "__init_subclass__",
                    "__module__", "__doc__", "__dict__", "__weakref__", "__repr__", "__str__", "__eq__", "__hash__", "__qualname__",
                    "__annotations__", "__firstlineno__", "__static_attributes__", "maxDiff", "longMessage", "_classSetupFailed", "_class_cleanups",
                    "__unittest_skip__", "__unittest_skip_why__", "__unittest_expecting_failure__"))


def classes_in(text):
    """dotted name of a class -> (names of what it is made from, whether it names a metaclass, {name: what it binds it to, as text})"""
    try:
        todo, found = [("", tree_of(text))], {}
    except (SyntaxError, ValueError, RecursionError):
        return {}
    while todo:
        prefix, space = todo.pop()
        for node in [n for n in ast.iter_child_nodes(space) if isinstance(n, (ast.ClassDef, ast.If, ast.Try))]:
            if not isinstance(node, ast.ClassDef):
                todo.append((prefix, node))
                continue
            bound = {}
            for inner in ast.walk(node):
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    bound[inner.name] = ast.dump(inner)
                for target in [t for t in getattr(inner, "targets", []) + [getattr(inner, "target", None)] if isinstance(t, ast.Name)]:
                    bound[target.id] = ast.dump(inner)
            names = {getattr(b, "attr", getattr(b, "id", "?")) for b in node.bases}
            found[prefix + node.name] = names, any(k.arg == "metaclass" for k in node.keywords), bound
            todo.append((prefix + node.name + ".", node))
    return found


def make_bases(ask, repo, text_of, older):
    """look(class of a case): tells of what it answers unittest with by a class that the files before the patches do not have so."""
    text, parse, special, theirs, modules, case_type = text_of, classes_in, SPECIAL, THEIRS, sys.modules, unittest.TestCase
    nothing, function_type = (set(), False, {}), types.FunctionType
    own = frozenset(vars(case_type("run"))) | special

    def file_of(kind):
        file = getattr(modules.get(kind.__module__), "__file__", None)
        return file if isinstance(file, str) and file.startswith(repo + "/") else None

    def is_of_unittest(kind):
        return str(kind.__module__).partition(".")[0] in ("unittest", "builtins")

    def is_of_library(value):
        """True for what a decorator of a class makes."""
        code = value.__code__ if type(value) is function_type else None  # nothing can be asked of some objects
        return code is not None and ask("vouched", code) and not code.co_filename.startswith(repo + "/")

    def classes(known, file, is_before):
        key = file, is_before
        if key not in known:
            known[key] = parse((older.get(file, b"") if not ask("vouched", file) else text(file)) if is_before else text(file))
        return known[key]

    def tell(kind, base, key):
        names = key, kind.__name__, base.__qualname__
        ask("found", "test_replaced", "%s of %s is by %s, which the file before the patches does not have so" % names)

    def look_at_base(known, kind, base, file, names):
        is_theirs = ask("vouched", file)
        was, now = classes(known, file, True).get(base.__qualname__, nothing), classes(known, file, False).get(base.__qualname__, nothing)
        if is_theirs and base.__qualname__ not in classes(known, file, True):
            return  # made by a call
        for key in list(vars(base)):
            if is_theirs and is_of_library(vars(base)[key]):
                continue
            if type(key) is str and key in (special if is_theirs else names) and (key not in was[2] or was[2][key] != now[2].get(key)):
                tell(kind, base, key)
        if is_theirs:
            return
        for other in [b for b in base.__bases__ if not is_of_unittest(b) and file_of(b) is None and b.__name__ not in was[0]]:
            for inner in [b for b in other.__mro__ if not is_of_unittest(b)]:
                for key in [k for k in vars(inner) if k in names and (k[:2] != "__" or k[:9] == "__getattr")]:
                    tell(kind, inner, key)

    def look(kind):
        if not isinstance(kind, type) or not issubclass(kind, case_type):
            return
        known, names = ask("known")["bases"], set(own)
        for base in kind.__mro__:
            if str(base.__module__).partition(".")[0] == "unittest":
                names.update(vars(base))
        names -= theirs
        for base in kind.__mro__:
            file = file_of(base)
            if file is not None:
                look_at_base(known, kind, base, file, names)
        meta = type(kind)
        file = file_of(meta)
        if file is not None and not ask("vouched", file) and meta.__qualname__ not in classes(known, file, True):
            ask("found", "test_replaced", "%s has a class %s of a patch" % (kind.__name__, meta.__qualname__))
    return look
