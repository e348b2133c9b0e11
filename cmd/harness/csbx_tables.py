# SPDX-License-Identifier: Apache-2.0
"""Looks at what libraries remember: the patterns that re has compiled, tables of functions, the lines of files, the program to start Python by.

The functions are the core's. They run no code of what they look at.
"""
import builtins
import copy
import linecache
import operator
import re
import sys
import types

from csbx_state import class_names, module_names
from csbx_texts import text_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

PATTERNS_MAX = 4000  # that it knows to be right
UNSAID = 1 | 32 | 128  # re.TEMPLATE, re.UNICODE, re.DEBUG: a pattern has, or lacks, them beside the flags that it is asked for with


def tables_in(names):
    """name -> (what holds it, key, dict) of the dicts of functions of modules of Python, and of their classes."""
    found, functions = {}, frozenset((types.FunctionType, types.BuiltinFunctionType))
    for name in sorted(n for n in sys.modules if type(n) is str and n.partition(".")[0] in names):
        module = sys.modules[name]
        holders = [(name, module_names(module))] if type(module) is types.ModuleType else []
        holders += [("%s.%s" % (name, k), class_names(v)) for _, space in holders for k, v in list(space.items())
                    if issubclass(type(v), type) and class_names(v).get("__module__") == name]
        for dotted, space in holders:
            for key, value in list(space.items()):
                if type(value) is dict and type(key) is str and not (key[:2] == "__" == key[-2:]) and not functions.isdisjoint(map(type, value.values())):
                    found["%s.%s" % (dotted, key)] = space, key, value
    return found


def make_patterns_watch(found, kept):
    """check(): each pattern that re has compiled is the one that its key asks for."""
    space, pattern_type, unsaid, judged = vars(re), type(re.compile("")), UNSAID, {}
    _type, _str, _bytes, _tuple, _int, _list, _len, _id = type, str, bytes, tuple, int, list, len, id
    is_not, any_of, map_to, values_of = operator.is_not, any, map, dict.values
    pattern_of, flags_of = pattern_type.pattern.__get__, pattern_type.flags.__get__
    last, dict_type, most, names = {}, dict, PATTERNS_MAX, [n for n in ("_cache", "_cache2") if n in space]

    def is_its(key, value):
        value = value[0] if _type(value) is _tuple and _len(value) == 2 else value  # before Python 3.7
        if _type(key) is not _tuple or _len(key) != 3 or _type(value) is not pattern_type:
            return False
        kind, wanted, flags = key
        own = pattern_of(value)
        if own is not wanted and not (kind in (_str, _bytes) and _type(own) is kind is _type(wanted) and own == wanted):
            return False
        if _type(flags) is not _int or kind not in (_str, _bytes):
            return True
        has = flags_of(value)
        mark = "(?" if kind is _str else b"(?"  # flags that a pattern has itself
        return not flags & ~has & ~unsaid and (not has & ~flags & ~unsaid or mark in own)

    def check_cache(name, cache):
        values, was = _list(values_of(cache)), last.get(name, ())
        if _len(values) == _len(was) and not any_of(map_to(is_not, values, was)):
            return
        last[name] = values
        kept.append(was)
        if _len(judged) > most:
            kept.append(_list(judged.values()))
            judged.clear()
        for entry in _list(cache.items()):
            key, value = entry
            known = judged.get(_id(key))
            if known is None or known[0] is not key or known[1] is not value:
                judged[_id(key)] = entry
                if not is_its(key, value):
                    found("library_modified", "re.%s, where a pattern is of another" % name)

    def check():
        for name in names:
            cache = space.get(name)
            if _type(cache) is dict_type:
                check_cache(name, cache)
            else:
                found("library_modified", "re.%s" % name)
    return check


def make_tables(names, judges, found, kept):
    """(check_often(), check()). judges: is_of_patch(value), whether a patch or the run made a function or an object; is_said(key), whether
    the repository as it was has words for an attribute of that name; is_written(file) of the core, and the repository."""
    is_of_patch, is_said, is_written, inside = judges
    tables = [(name, space, key, table, dict(table)) for name, (space, key, table) in tables_in(names).items()]
    views = [table.values() for _, _, _, table, _ in tables]
    values, sizes = [v for view in views for v in view], [len(view) for view in views]
    _type, _str, _len, _list, _map, is_not, any_of, _subclass = type, str, len, list, map, operator.is_not, any, issubclass
    members, system, program, copiers = class_names, vars(sys), sys.executable, (copy._copy_dispatch, copy._deepcopy_dispatch)
    cached, read, missing, text_type, list_type = linecache.cache, text_of, object(), str, list
    check_patterns, unreadable, newline = make_patterns_watch(found, kept), (RuntimeError, UnicodeDecodeError), "\n"

    def is_of_python(key):
        home = members(key).get("__module__") if _subclass(_type(key), _type) else None
        return _type(home) is _str and (home == "builtins" or home.partition(".")[0] in names)

    def is_of_copy(table):
        return table is copiers[0] or table is copiers[1]

    def check_table(name, table, was):
        now = _list(table.items())
        kept.append(now)
        for key, value in now:
            old = was.get(key, missing) if _type(key) is _str or _subclass(_type(key), _type) else value
            if value is not old and (old is not missing or (is_of_copy(table) and is_of_python(key))) and is_of_patch(value):
                found("library_modified", name)

    def joined():
        found_now = []
        for view in views:
            found_now += view
        return found_now

    def check_often():
        check_patterns()
        if system.get("executable") is not program and not is_said("executable"):
            found("library_modified", "sys.executable")
        try:
            now = joined()
        except unreadable:
            now = ()
        if _list(_map(_len, views)) == sizes and not any_of(_map(is_not, now, values)) and \
                not any_of([space.get(key) is not table for _, space, key, table, _ in tables]):
            return
        kept.append(_list(values))
        values[:], sizes[:] = now, _map(_len, views)
        for name, space, key, table, was in tables:
            check_table(name, table, was)
            if space.get(key) is not table and _type(space.get(key)) is dict:
                check_table(name, space[key], was)

    def check_lines():
        """What linecache has for a file of the repository that no test wrote is what the file has."""
        for file, entry in _list(cached.items()):
            if _type(file) is not text_type or not file.startswith(inside) or _type(entry) is not tuple or _len(entry) != 4 or is_written(file):
                continue
            own = read(file)
            if any_of([b"coding" in line and b"utf" not in line.lower() for line in own.split(b"\n", 2)[:2]]):
                continue
            try:
                text = own.decode("utf-8-sig").replace("\r\n", newline).replace("\r", newline)
            except unreadable:
                continue
            lines = entry[2]
            is_told = _type(lines) is list_type and not any_of([_type(line) is not text_type for line in lines])
            if text and not (is_told and "".join(lines) in (text, text + newline)):
                found("library_modified", "linecache.cache of %s" % file[_len(inside):])

    return check_often, check_lines
