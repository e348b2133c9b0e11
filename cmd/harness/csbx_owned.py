# SPDX-License-Identifier: Apache-2.0
"""Looks at what the helpers of tests are made of, beside their code: what a partial() calls and with what, what a decorator of the library
closes over, what singledispatch() calls, and the globals of what named tuples and attrs made for classes of the tests."""
import builtins
import functools
import operator
import types

from csbx_defs import reached_from
from csbx_imports import is_of_tests
from csbx_kinds import plain, spaces_of
from csbx_state import lined_up, parts_in

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

MAKERS, PLAIN = ("__init__", "__new__"), (int, float, complex, bool, str, bytes, tuple, frozenset, type(None))
DISPATCHING = getattr(functools, "singledispatchmethod", ())  # from Python 3.8 on
MANAGERS, OF_ATTRS = "/contextlib.py", "<attrs generated"


def content_of(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def parts_of_partial(value):
    return [value.func, *value.args, *[part for pair in sorted(value.keywords.items()) for part in pair]]


def parts_of_lines(lines):
    return [part for get, those in lines for part in map(get, those)]


def is_of_tuple(value):
    """True for tuple.__new__, which a named tuple calls."""
    return type(value) is types.BuiltinFunctionType and value.__self__ is tuple and value.__name__ == "__new__"


def make_owned(ask, repo, text_of):
    """(begin(known), look(known)): of the modules of tests, and of those beside them that lie with the tests."""
    text, reach, spaces, plain_of, is_test_file, cell_content = text_of, reached_from, spaces_of, plain, is_of_tests, content_of
    partial, function_type, is_tuples, parts_of = functools.partial, types.FunctionType, is_of_tuple, parts_of_partial
    makers, plain_kinds, dispatching, plain_get = MAKERS, PLAIN, DISPATCHING, object.__getattribute__
    managers, of_attrs, kind_of, members_of, align, gather, is_not = MANAGERS, OF_ATTRS, type, parts_in, lined_up, parts_of_lines, operator.is_not

    def tell(name, file):
        ask("found", "test_replaced", "what %s in %s calls, or is made of, is another" % (name, file))

    def functions_in(module):
        """(dotted name, function) of what the module and its classes hold of their own, with what wrappers lead to."""
        for prefix, holder, space in spaces(module):
            for key, value in list(space.items()):
                function = plain_of(value) if not issubclass(kind_of(value), dispatching) else plain_get(value, "__dict__").get("dispatcher")
                is_its = holder is not module or getattr(function, "__module__", None) == module.__name__
                if kind_of(key) is str and kind_of(function) is function_type and is_its:
                    yield prefix + key, [f for f in reach(function) if kind_of(f) is function_type]

    def is_strange(value):
        return kind_of(value) is function_type and not ask("vouched", value.__code__)

    def registry_of(function):
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if name == "registry" and kind_of(cell_content(cell)) is dict:
                return cell_content(cell)
        return None

    def begin(known):
        known["owned"] = found = {"partials": [], "cells": [], "tables": [], "spaces": [], "members": None, "defaults": []}
        seen = set()
        members = [(prefix + key, m.__file__, value) for m, _ in known["beside"] for prefix, _, space in spaces(m)
                   for key, value in list(space.items()) if kind_of(key) is str and kind_of(value) is not function_type and members_of(value)]
        lines = align([value for _, _, value in members])
        names = {id(value): (name, file) for name, file, value in members}
        found["members"] = lines, [names[id(value)] for _, those in lines for value in those], gather(lines)
        for module in [m for m, _ in known["beside"] if is_test_file(m.__file__, repo)]:
            file = module.__file__
            for key, value in list(vars(module).items()):
                if kind_of(value) is partial:
                    found["partials"].append((key, file, value, parts_of(value)))
            for name, functions in functions_in(module):
                for function in functions:
                    remember(found, name, module, function, seen)
        look_at_defaults(known)

    def is_made(function):
        """True for what a named tuple or attrs made: its globals are no module's."""
        return "_tuple_new" in function.__globals__ or function.__code__.co_filename.startswith(of_attrs)

    def is_registered(file, function):
        """True where the file has words for having a function of another called."""
        own, name = text(file), function.__code__.co_name.encode("utf-8", "replace")
        return b".register(" in own and name in own

    def remember(found, name, module, function, seen):
        file, space, registry = module.__file__, function.__globals__, registry_of(function)
        is_manager = function.__code__.co_filename.endswith(managers) and function.__module__ == module.__name__
        if is_made(function) and id(space) not in seen:
            seen.add(id(space))
            found["spaces"].append((name, file, space, dict(space)))
            if "_tuple_new" in space and not is_tuples(space["_tuple_new"]):
                tell(name, file)
        if registry is not None and id(registry) not in seen:
            seen.add(id(registry))
            found["tables"].append((name, file, registry, [f for f in list(registry.values()) if is_strange(f) and is_registered(file, f)]))
        if function.__name__ in makers and function.__code__.co_filename != file and id(function) not in seen and b"__defaults__" not in text(file):
            seen.add(id(function))
            found["defaults"].append((name, file, function, function.__defaults__, function.__kwdefaults__))
        for cell in (function.__closure__ or ()) if b"nonlocal" not in text(file) else ():
            content = cell_content(cell)
            is_kept = callable(content) or kind_of(content) in plain_kinds and b"nonlocal" not in text(function.__code__.co_filename)
            if id(cell) not in seen and is_kept:
                seen.add(id(cell))
                found["cells"].append((name, file, cell, content))
                if is_manager and is_strange(content):
                    tell(name, file)

    def look_at_defaults(known):
        """What a named tuple gives for fields that are left out, when its file is read."""
        for module in [m for m, _ in known["beside"] if is_test_file(m.__file__, repo) and b"__defaults__" not in text(m.__file__)]:
            for prefix, holder, space in spaces(module):
                given, new = space.get("_field_defaults"), space.get("__new__")
                if kind_of(given) is dict and kind_of(new) is function_type and "_tuple_new" in new.__globals__ and \
                        is_another(new.__defaults__ or (), list(given.values())):
                    tell(prefix + "__new__", module.__file__)

    def is_another(now, was):
        return len(now) != len(was) or any([a is not b for a, b in zip(now, was)])

    def look(known):
        owned = known["owned"]
        for name, file, value, was in owned.get("partials", ()):
            if is_another(parts_of(value), was):
                tell(name, file)
        lines, names, was = owned.get("members") or ((), (), [])
        now = gather(lines)
        if any(map(is_not, now, was)):
            for place in {p for p, new, old in zip(names, now, was) if new is not old}:
                tell(*place)
        for name, file, function, was, by_name in owned.get("defaults", ()):
            if function.__defaults__ is not was or function.__kwdefaults__ is not by_name:
                tell(name, file)
        for name, file, cell, was in owned.get("cells", ()):
            if cell_content(cell) is not was:
                tell(name, file)
        for name, file, table, known_ones in owned.get("tables", ()):
            if any([is_strange(f) and not any([f is k for k in known_ones]) for f in list(table.values())]):
                tell(name, file)
        for name, file, space, was in owned.get("spaces", ()):
            if is_another(list(space.values()), list(was.values())):
                tell(name, file)
    return begin, look
