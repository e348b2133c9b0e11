# SPDX-License-Identifier: Apache-2.0
"""Looks at the values that modules of the standard library, and their classes, have for themselves: numbers, texts, patterns, tables and marks
by which their functions work. Only those are looked at whose names say that other modules leave them alone (`_cache`, `BUFSIZE`).

The functions are the core's. They run no code of what they look at.
"""
import builtins
import itertools
import operator
import re
import sys
import types

from csbx_state import class_names, module_names
from csbx_texts import says, text_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

NOT_LOOKED_AT = ("pytest", "_pytest", "pluggy", "xdist", "unittest", "sys", "builtins", "warnings", "distutils", "__main__", "importlib", "site",
                 "_frozen_importlib", "_frozen_importlib_external")
PLAIN = (int, float, complex, str, bytes, tuple, frozenset, type(re.compile("")))
LOOKED_AT = frozenset((type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type(None), staticmethod, classmethod, property,
                       type(str.join), type(str.__add__), type(types.FunctionType.__code__)))
SETTINGS = ("MAX", "_USE_", "_srcfile", "_HAVE_", "DEBUG")  # parts of names that programs set by custom


def is_own_name(key):
    """True for `_name` and `NAME`."""
    return (key[:2] != "__" if key[:1] == "_" else key.isupper()) and not any([s in key for s in SETTINGS])


def is_same(was, now):
    """By types and content, as after importlib.reload(); no code of the values runs."""
    kind = type(was)
    if kind is not type(now) or was is now:
        return was is now
    if kind is tuple:
        return len(was) == len(now) and all(map(is_same, was, now))
    return kind in (int, float, complex, str, bytes) and was == now


def values_of(space):
    """(key, value) of what is not called, nor None: functions and classes are looked at elsewhere."""
    return [(k, v) for k, v in list(space.items()) if type(v) not in LOOKED_AT and type(k) is str and is_own_name(k) and not callable(v)]


def values_in(names):
    """[(dotted name of what holds it, its content, key, value, file of the module)]"""
    found = []
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0] if type(name) is str else ""
        file = module_names(module).get("__file__") if type(module) is types.ModuleType else None
        if top not in names or top in NOT_LOOKED_AT or type(file) is not str or not file.endswith(".py"):
            continue
        holders = [(name, module_names(module))]
        holders += [("%s.%s" % (name, k), class_names(v)) for k, v in list(module_names(module).items())
                    if isinstance(v, type) and class_names(v).get("__module__") == name]
        found += [(dotted, space, k, v, file) for dotted, space in holders for k, v in values_of(space)]
    return found


def make_values(names, is_said, found, kept):
    """check(), which tells of a value that is another, and that neither its module, nor the repository as it was, nor a library sets.
    is_said(key): the repository has words for it."""
    entries = values_in(names)
    spaces, keys, was = [e[1] for e in entries], [e[2] for e in entries], [e[3] for e in entries]
    get, map_to, is_not, _list, compress, modules = operator.getitem, map, operator.is_not, list, itertools.compress, sys.modules
    said, text_at, names_of_module, module_type, _type, _str, told = says, text_of, module_names, types.ModuleType, type, str, set()
    missing, ends, any_of, no_key, together, plain, subclass, is_equal = object(), str.endswith, any, (KeyError,), zip, PLAIN, issubclass, is_same

    def sets_itself(file, key):
        """A module has the name in a statement `global`, or sets an attribute of that name."""
        own, word = text_at(file), key.encode("utf-8", "replace")
        globals_of = [line.replace(b",", b" ").split()[1:] for line in own.split(b"\n") if line.lstrip().startswith(b"global ")]
        return any_of([b"." + word + sign in own for sign in (b" = ", b" += ", b" -= ", b" |= ")]) or any_of([word in line for line in globals_of])

    def is_of_library(key):
        files = [names_of_module(m).get("__file__") for m in _list(modules.values()) if _type(m) is module_type]
        return any_of([said(text_at(f), key) for f in files if _type(f) is _str and "-packages/" in f and ends(f, ".py")])

    def now_of(entry):
        try:
            return get(entry[1], entry[2])
        except no_key:
            return missing

    def check():
        try:
            now = _list(map_to(get, spaces, keys))
        except no_key:
            now = _list(map_to(now_of, entries))
        kept.append(now)
        for (dotted, _, key, old, file), new in compress(together(entries, now), map_to(is_not, now, was)):
            name, kind = "%s.%s" % (dotted, key), _type(old)
            if is_equal(old, new) or _type(new) is kind and not subclass(kind, plain):
                continue  # an object of the same class: it may be set otherwise
            if name not in told and not (sets_itself(file, key) or is_said(key) or is_of_library(key)):
                told.add(name)
                found("library_modified", name)
    return check
