# SPDX-License-Identifier: Apache-2.0
"""The origin of code.

A code object says of itself which file it is from, and may lie. The harness believes it when it was there before, when
it is equal to what its file compiles to, or when code that is believed made it. All this knowledge lies in variables of
functions that only the core's frame leads to (csbx_core.py). These functions have bound everything they need before:
modules and builtins may be another's by then.
"""
import builtins
import gc
import importlib.util
import marshal
import operator
import os
import types

from csbx_texts import is_same_text
from csbx_ways import IDENTITY

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


def make_origins(is_file_vouched, frozen, older):
    """is_true(code), is_filed(code), learn(code, whether exec() made it), learn_all() -> all functions, add_rewriter(function from a path to
    pytest's code of it), is_compiled(code), has_code(bytes), is_cached(bytes, path of the source), is_moved(code, another, whether its name
    may be another), was_there(code): in a file that a patch has changed since, whose text is in older. is_filed: it is true, and not of
    exec() since the session began. frozen(name): code."""
    known, tables, rewriters, told, before = {}, {}, [], {}, {}
    code_type, function_type, magic = types.CodeType, types.FunctionType, importlib.util.MAGIC_NUMBER
    cached_path, loads, stat, open_file = importlib.util.cache_from_source, marshal.loads, os.stat, open
    _type, _id, _tuple, _map, _repr, _frozenset, _compile, _int = type, IDENTITY, tuple, map, repr, frozenset, compile, int
    _list, failure, objects, never, _str, all_codes = list, Exception, gc.get_objects, object, str, codes_of
    more = [m for m in ("co_stacksize", "co_nlocals", "co_exceptiontable") if hasattr(codes_of.__code__, m)]
    more_of = operator.attrgetter(*more)
    is_same, holders, dict_type = is_same_text, (tuple, list, dict, set, frozenset), dict
    plain = frozenset(map(_id, (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))))

    def constant(c, of_code):
        kind = _type(c)
        if kind is code_type:
            return of_code(c)
        if kind is _tuple or kind is _frozenset:
            return kind, kind([constant(one, of_code) for one in c])
        return (kind, _repr(c)) if _id(kind) in plain else never()  # which is equal to nothing

    def key(c):
        return c.co_name, c.co_firstlineno, parts(c, key)

    def key_without_line(c):
        return c.co_name, parts(c, key_without_line)

    def parts(c, of_code):
        return (c.co_argcount, c.co_kwonlyargcount, c.co_flags & ~ITERABLE, c.co_code, c.co_names,
                more_of(c), c.co_varnames, c.co_freevars, c.co_cellvars, _tuple([constant(one, of_code) for one in c.co_consts]))

    def learn(code, is_made=False):
        for one in all_codes(code):
            known[_id(one)] = one, True, is_made

    def learn_all():
        """All that there is: nothing of the repository has run yet."""
        functions = [thing for thing in objects() if _type(thing) is function_type]
        for function in functions:
            learn(function.__code__)
        return functions

    def from_cache(file):
        path = cached_path(file)
        if not is_file_vouched(path):
            return None
        s = stat(file)
        with open_file(path, "rb") as f:
            data = f.read()
            if not is_same(f.fileno(), data):
                return None
        times = (_int(s.st_mtime) & 0xffffffff, s.st_size & 0xffffffff)
        found = (_int.from_bytes(data[8:12], "little"), _int.from_bytes(data[12:16], "little"))
        return loads(data[16:]) if data[:8] == magic + bytes(4) and times == found else None

    def from_source(file):
        with open_file(file, "rb") as f:
            text = f.read()
            return _compile(text, file, "exec", 0, True) if is_same(f.fileno(), text) else None

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

    def is_compiled(code):
        """True when the code is a part of what its file compiles to, no matter who wrote that file."""
        file = code.co_filename
        if lookup(code)[1]:
            return True
        for way in (from_source, *rewriters) if _type(file) is _str and not file.startswith("<") else ():
            tables.pop((file, way), None)  # files of the run change
            if has(code, table_of(file, way)):
                return True
        return False

    def read(data):
        try:
            return loads(data)
        except failure:
            return None

    def has_code(data):
        """True when marshal makes a code object of the bytes, or an object that holds one."""
        todo, seen = [read(data)] if b"c" in data or b"\xe3" in data else [], set()
        while todo:
            one = todo.pop()
            if _type(one) is code_type:
                return True
            if _type(one) in holders and _id(one) not in seen:
                seen.add(_id(one))
                todo += one
                todo += one.values() if _type(one) is dict_type else ()
        return False

    def is_cached(data, source):
        """True when the bytes are what a source file compiles to."""
        code = read(data)
        if _type(code) is not code_type or _type(source) is not _str:
            return False
        tables.pop((source, from_source), None)
        return has(code, table_of(source, from_source))

    def is_moved(code, other, or_named):
        """True when code is other code that is true, but for the file, the line and maybe the name that it says of itself. It is true then,
        and of no file."""
        if is_true(code) or not is_true(other) or not (or_named or code.co_name == other.co_name) or key(code)[2:] != key(other)[2:]:
            return False
        known[_id(code)] = code, True, True
        return True

    def was_there(code):
        """True for what a patch has left as it was in a file that it changed, wherever it is now."""
        if _id(code) not in told:
            file = code.co_filename
            if _type(file) is _str and file in older and file not in before:
                try:
                    before[file] = _frozenset(_map(key_without_line, all_codes(_compile(older[file], file, "exec", 0, True))))
                except failure:
                    before[file] = ()
            told[_id(code)] = code, _type(file) is _str and file in before and key_without_line(code) in before[file]
        return told[_id(code)][1]

    def lookup(code):
        found = known.get(_id(code))
        if found is None:
            known[_id(code)] = code, False, False  # what rewrites asserts is looked at meanwhile, and may be this
            found = known[_id(code)] = code, look(code), False
        return found

    def is_true(code):
        return lookup(code)[1]

    def is_filed(code):
        found = lookup(code)
        return found[1] and not found[2]
    return is_true, is_filed, learn, learn_all, rewriters.append, is_compiled, has_code, is_cached, is_moved, was_there
