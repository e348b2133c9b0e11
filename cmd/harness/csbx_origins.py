# SPDX-License-Identifier: Apache-2.0
"""Where code is from.

A code object says of itself which file it is from, and may lie. It is believed when it was there
before, when it is equal to what its file compiles to, or when code that is believed made it. All that
is known lies in variables of functions that only the core's frame leads to (csbx_core.py), and what
these functions need they have bound before: modules and builtins may be another's by then.
"""
import builtins
import gc
import importlib.util
import marshal
import os
import types

try:
    from _imp import get_frozen_object
except ImportError:
    get_frozen_object = None

ITERABLE = 0x100  # CO_ITERABLE_COROUTINE: types.coroutine() sets it
__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def codes_of(code):
    """A code object and those inside it."""
    todo, found = [code], []
    while todo:
        one = todo.pop()
        found.append(one)
        todo += [c for c in one.co_consts if type(c) is types.CodeType]
    return found


def make_origins(is_file_vouched):
    """is_true(code), is_filed(code), learn(code, whether exec() made it), learn_all(), and
    set_rewriter(function from a path to pytest's code of it). is_filed: it is true, and not of exec() since the session began."""
    known, tables, rewriters = {}, {}, []
    code_type, function_type, magic = types.CodeType, types.FunctionType, importlib.util.MAGIC_NUMBER
    cached_path, loads, stat, open_file, frozen = importlib.util.cache_from_source, marshal.loads, os.stat, open, get_frozen_object
    _type, _id, _tuple, _map, _repr, _frozenset, _compile, _int = type, id, tuple, map, repr, frozenset, compile, int
    _list, failure, objects, never, _str, all_codes = list, Exception, gc.get_objects, object, str, codes_of
    plain = frozenset(map(id, (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))))

    def constant(c):
        kind = _type(c)
        if kind is code_type:
            return key(c)
        if kind is _tuple:
            return kind, _tuple(_map(constant, c))
        if kind is _frozenset:
            return kind, _frozenset(_map(constant, c))
        return (kind, _repr(c)) if _id(kind) in plain else never()  # which is equal to nothing

    def key(c):
        return (c.co_name, c.co_firstlineno, c.co_argcount, c.co_kwonlyargcount, c.co_flags & ~ITERABLE, c.co_code, c.co_names,
                c.co_varnames, c.co_freevars, c.co_cellvars, _tuple(_map(constant, c.co_consts)))

    def learn(code, is_made=False):
        for one in all_codes(code):
            known[_id(one)] = one, True, is_made

    def learn_all():
        """All that there is: nothing of the repository has run yet."""
        for thing in objects():
            if _type(thing) is function_type:
                learn(thing.__code__)

    def from_cache(file):
        path = cached_path(file)
        if not is_file_vouched(path):
            return None
        s = stat(file)
        with open_file(path, "rb") as f:
            data = f.read()
        times = (_int(s.st_mtime) & 0xffffffff, s.st_size & 0xffffffff)
        found = (_int.from_bytes(data[8:12], "little"), _int.from_bytes(data[12:16], "little"))
        return loads(data[16:]) if data[:8] == magic + bytes(4) and times == found else None

    def from_source(file):
        with open_file(file, "rb") as f:
            return _compile(f.read(), file, "exec", 0, True)

    def table_of(file, way):
        """(name, line) -> codes of a file; way: how its code is come by."""
        if (file, way) not in tables:
            table = {}
            try:
                top = way(file)
            except failure:
                top = None
            for code in all_codes(top) if top is not None else ():
                table.setdefault((code.co_name, code.co_firstlineno), []).append(code)
            tables[file, way] = table
        return tables[file, way]

    def look(code):
        file = code.co_filename
        if _type(file) is not _str or _type(code.co_name) is not _str:
            return False
        if file.startswith("<"):
            return file.startswith("<frozen ") and frozen is not None and has(code, table_of(file[8:-1], frozen))
        if not is_file_vouched(file):
            return False
        return any_has(code, file, from_cache) or any_has(code, file, from_source) or any_has(code, file, *rewriters)

    def has(code, table):
        same = table.get((code.co_name, code.co_firstlineno))
        return same is not None and key(code) in _list(_map(key, same))

    def any_has(code, file, *ways):
        for way in ways:
            if has(code, table_of(file, way)):
                return True
        return False

    def lookup(code):
        found = known.get(_id(code))
        if found is None:
            found = known[_id(code)] = code, look(code), False
        return found

    def is_true(code):
        return lookup(code)[1]

    def is_filed(code):
        found = lookup(code)
        return found[1] and not found[2]
    return is_true, is_filed, learn, learn_all, rewriters.append
