# SPDX-License-Identifier: Apache-2.0
"""Looks at what functions have beside their code: values of keywords that are not given, cells, and globals of their own.

attrs and namedtuple make functions whose globals are no module's. All of these can be written in place, and no audit event tells of that.
The functions are the core's. They run no code of what they look at.
"""
import builtins
import itertools
import operator
import sys
import types

from csbx_state import module_names

try:
    __import__("unittest._log")  # which unittest loads when it is asked for it
except ImportError:
    pass

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

OF_RUNNER = ("_pytest", "pytest", "pluggy", "unittest", "attr", "attrs")
KINDS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def name_of(function):
    home = function.__module__
    return "%s.%s" % (home if type(home) is str else "?", function.__qualname__)


def is_called(value):
    """True for a function or a class; an object may be a counter, or a lock."""
    return type(value) in KINDS or issubclass(type(value), type)


def innards_of(functions):
    """[(function, what it is, cell or dict)] of all functions but the harness's: cells with something that is called; and dicts: of keywords, of
    globals that are no module's, and of what singledispatch() calls. id of a dict -> names that its functions ask for."""
    of_modules, own = {id(module_names(m)) for m in list(sys.modules.values()) if type(m) is types.ModuleType}, {}
    cells, tables, asked, code_type = {}, {}, {}, types.CodeType
    for function in functions:
        space, by_name, closure = function.__globals__, function.__kwdefaults__, function.__closure__
        if not (by_name or closure or id(space) not in of_modules):
            continue
        file = function.__code__.co_filename
        if file not in own:
            own[file] = file.rpartition("/")[2].startswith("csbx_")
        if own[file]:
            continue
        if by_name:
            tables[id(by_name)] = function, "what it has for keywords", by_name
        if id(space) not in of_modules:
            tables.setdefault(id(space), (function, "a global of its own", space))
            names = asked.setdefault(id(space), set())
            names.update(function.__code__.co_names)
            for code in [c for c in function.__code__.co_consts if type(c) is code_type]:
                names.update(code.co_names)
        for name, cell in zip(function.__code__.co_freevars, closure or ()):
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            if is_called(value):
                cells.setdefault(id(cell), (function, "what it closes over as " + name, cell))
            elif name == "registry" and type(value) is dict:
                tables[id(value)] = function, "what it calls", value
    return list(cells.values()), list(tables.values()), asked


def make_innards(functions, found, kept):
    """(check(), check_whole()), which tell what of these functions has become another. The first looks at what they ask for."""
    places, tables, asked = innards_of(functions)
    cells, parts = [cell for _, _, cell in places], [table for _, _, table in tables]
    was = [dict(table) for table in parts]
    of_python = vars(builtins)  # the names of attributes are among those that code asks for
    keys = [(table, key) for table in parts for key in asked.get(id(table), table) if key in table or key in of_python]
    spaces, names, get = [table for table, _ in keys], [key for _, key in keys], dict.get
    content_of, is_not, joined, values_of = operator.attrgetter("cell_contents"), operator.is_not, itertools.chain.from_iterable, dict.values
    any_of, map_to, size, _list, _type, missing, name_to_tell, together = any, map, len, list, type, object(), name_of, zip
    unreadable, of_runner, _str, partition, hidden = (ValueError, RuntimeError), frozenset(OF_RUNNER), str, str.partition, "__builtins__"

    def tell(function, what):
        name = name_to_tell(function)
        found("pytest_modified" if partition(name, ".")[0] in of_runner else "library_modified", "%s, %s" % (name, what))

    def contents():
        return _list(map_to(content_of, cells)), _list(map_to(get, spaces, names))

    first, values, sizes = contents(), _list(joined(map_to(values_of, parts))), _list(map_to(size, parts))

    def check_cells():
        for (function, what, cell), old in together(places, first[0]):
            try:
                now = cell.cell_contents
            except unreadable:
                now = missing
            if now is not old:
                kept.append(now)
                tell(function, what)

    def check_tables():
        for (function, what, table), old in together(tables, was):
            now = _list(table.items())
            kept.append(now)
            same = [key for key, value in now if _type(key) is _str and key in old and old[key] is value]
            if what == "what it calls":  # others may register more
                lost = any_of([not any_of([k is key and v is value for k, v in now]) for key, value in old.items()])
            else:
                lost = size(same) != size(old) or any_of([_type(key) is not _str or not (key in old or key == hidden) for key, _ in now])
            if lost:
                tell(function, what)

    def is_as_at_first():
        """The most frequent case, for which no list is made."""
        return not (any_of(map_to(is_not, map_to(content_of, cells), first[0])) or any_of(map_to(is_not, map_to(get, spaces, names), first[1])))

    def check():
        try:
            if is_as_at_first():
                return
            now = contents()
        except unreadable:
            now = (), ()
        if size(now[0]) != size(first[0]) or any_of(map_to(is_not, now[0], first[0])):
            check_cells()
        if size(now[1]) != size(first[1]) or any_of(map_to(is_not, now[1], first[1])):
            check_tables()

    def check_whole():
        check()
        try:
            now = _list(joined(map_to(values_of, parts)))
        except unreadable:
            now = ()
        if _list(map_to(size, parts)) != sizes or any_of(map_to(is_not, now, values)):
            check_tables()
    return check, check_whole
