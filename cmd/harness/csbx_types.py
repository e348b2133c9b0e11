# SPDX-License-Identifier: Apache-2.0
"""The methods of types that are made in C.

Python lets no code set an attribute of str or dict. But the proxy that stands for the names of a type hands them over, as they are, to an
object that it is compared with; and that object can write them: every list has another count() then, for tests and for the harness.
"""
import _io
import builtins
import itertools
import operator
import os
import sys
import threading
import types

try:
    from _blake2 import blake2s
except ImportError:
    from hashlib import blake2s
from csbx_state import class_names
from csbx_ways import IDENTITY

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: its attributes can be set
DESCRIPTORS = (type(str.join), type(str.__add__), type(type.__dict__["__dict__"]), type(types.FunctionType.__dict__["__code__"]),
               type(types.FunctionType.__dict__["__globals__"]))


class _Taker:
    """Is handed the names of a type."""
    taken = None

    def __eq__(self, other):
        self.taken = other
        return True


def written_names(kind):
    """The names of a type themselves, which can be written; None: this Python gives them to nothing."""
    taker = _Taker()
    class_names(kind) == taker
    return taker.taken if type(taker.taken) is dict else None


def is_of_c(kind):
    """True for a type that Python made when it began, or a module in C: no attribute of it can be set."""
    return not type.__dict__["__flags__"].__get__(kind) & HEAP_TYPE


def types_of_c():
    """All there are now, with those that modules in C made later and hold."""
    todo, found = [object], {}
    subclasses, identity = type.__subclasses__, IDENTITY
    while todo:
        kind = todo.pop()
        if identity(kind) not in found:
            found[identity(kind)] = kind
            todo += subclasses(kind)
    held = [v for m in list(sys.modules.values()) if type(m) is types.ModuleType and not str(getattr(m, "__file__", ".so")).endswith(".py")
            for v in list(vars(m).values()) if type(v) is type and not any(type(f) is types.FunctionType for f in vars(v).values())]
    return [k for k in found.values() if is_of_c(k)] + [k for k in held if not is_of_c(k)]


# numpy's own methods of types in C that are decorated by functions of Python.
DECORATED = frozenset((("SeedSequence", "generate_state"),))


def types_of_harness():
    """Those whose methods the harness itself calls."""
    views = [type(v) for v in ({}.keys(), {}.values(), {}.items())]
    files = [_io.BufferedReader, _io._BufferedIOBase, _io._IOBase, _io.FileIO, _io._RawIOBase, types.SimpleNamespace]
    kinds = [object, type, str, bytes, int, float, bool, list, dict, tuple, set, frozenset, property, staticmethod, classmethod, BaseException,
             type(threading.RLock()), type(os.stat("/")), type(blake2s()), types.FunctionType, types.CodeType, types.ModuleType, types.FrameType,
             types.GeneratorType, types.MethodType, types.BuiltinFunctionType, types.MappingProxyType, types.TracebackType]
    return kinds + views + files + list(DESCRIPTORS)


def make_types_watch():
    """(mend(), others(), strangers()): mend() gives the types that the harness works with their methods back; others() all types that there
    were at first. Both return what was another, as [(whether of builtins, name)]. strangers() returns what cannot be a method of
    types that came later."""
    joined, is_not, any_of, map_to, size, _list = itertools.chain.from_iterable, operator.is_not, any, map, len, list
    _type, _str, members, name_of = type, str, class_names, type.__dict__["__name__"].__get__
    mro, set_attribute, delete_attribute = type.__dict__["__mro__"].__get__, type.__setattr__, type.__delattr__
    forget = getattr(sys, "_clear_internal_caches", getattr(sys, "_clear_type_cache", None))
    of_c, all_types, written, lost, descriptors = is_of_c, types_of_c, written_names, [], DESCRIPTORS
    function_types, of_class, builtin_types = (types.FunctionType, property), operator.attrgetter("__objclass__"), vars(builtins).values()
    unreadable = (RuntimeError, KeyError)

    def entry_of(kind):
        space = members(kind)
        return [kind, name_of(kind), space, written(kind) if of_c(kind) else None, dict(space), any_of([kind is v for v in builtin_types])]

    def group(kinds):
        entries = [entry_of(k) for k in kinds]
        views = [e[2].values() for e in entries]
        return entries, views, _list(map_to(size, views)), _list(joined(views))

    def put(entry, key, value):
        kind, _, _, space, _, _ = entry
        if space is None:
            set_attribute(kind, key, value)
        else:
            space[key] = value

    def take(entry, key):
        kind, _, _, space, _, _ = entry
        if space is None:
            delete_attribute(kind, key)
        else:
            del space[key]

    def restore(entry):
        """What was another in a type. A name that it did not have, nor inherit, stands before no other."""
        kind, name, space, _, was, is_builtin = entry
        found = []
        for key in [*space]:
            if _type(key) is not _str:
                found += [(is_builtin, "%s, which has a name that is no str" % name)]
            elif key not in was:
                if any_of([key in members(base) for base in mro(kind)[1:]]):
                    lost.__iadd__([space[key]])
                    take(entry, key)
                    found += [(is_builtin, "%s.%s" % (name, key))]
                else:
                    was[key] = space[key]
        for key in was:
            if key not in space or space[key] is not was[key]:
                lost.__iadd__([space[key] if key in space else None])  # code that was made to call it fast may do so once more
                put(entry, key, was[key])
                found += [(is_builtin, "%s.%s" % (name, key))]
        return found

    def make_check(kinds):
        entries, views, sizes, values = group(kinds)

        def check():
            try:
                if _list(map_to(size, views)) == sizes and not any_of(map_to(is_not, joined(views), values)):
                    return ()
            except unreadable:
                pass
            found = []
            for entry in entries:
                found += restore(entry)
            if forget is not None:
                forget()
            sizes[:], values[:] = map_to(size, views), joined(views)
            return found
        return check

    at_first = all_types()
    known = {IDENTITY(k): k for k in at_first}
    seen, _id, decorated = {}, IDENTITY, DECORATED

    def strangers():
        found = []
        for kind in all_types():
            if _id(kind) in known or seen.get(_id(kind)) is kind or not of_c(kind):
                continue
            found += ["%s.%s" % (name_of(kind), k) for k, v in _list(members(kind).items())
                      if _type(v) in function_types and (name_of(kind), k) not in decorated or (_type(v) in descriptors and of_class(v) is not kind)]
        return found
    return make_check(types_of_harness()), make_check(at_first), strangers
