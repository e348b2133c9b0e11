# SPDX-License-Identifier: Apache-2.0
"""Looks whether classes of the tests, and of what they import from the repository, got methods that their files do not
give them: one that has a class compare otherwise."""
import builtins
import operator
import sys
import types

from csbx_defs import definitions_of, reached_from
from csbx_texts import attributes_set, says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

IN_C = (types.BuiltinFunctionType, type(str.join), type(str.__len__))
GIVING = (b" setattr(", b"\tsetattr(", b"__init_subclass__")  # words of a class or a conftest.py that gives classes methods by any name
BY_ENUM, BY_PYTHON = ("__new_member__", "__wrapped__"), ("__new__",)


def spaces_of(module):
    """(prefix of a dotted name, module or class, content) of a module and of the classes that say that they are of it."""
    todo = [("", module)]
    while todo:
        prefix, holder = todo.pop()
        yield prefix, holder, vars(holder)
        todo += [(prefix + k + ".", v) for k, v in list(vars(holder).items())
                 if issubclass(type(v), type) and v.__module__ == module.__name__ and v.__qualname__ == prefix + k]


def plain(value):
    """The function of a member of a class."""
    if type(value) is property:
        return value.fget
    return getattr(value, "__func__", value) if type(value) in (staticmethod, classmethod) else value


def named(module, dotted):
    """What a dotted name means in a module, by what modules and classes hold themselves; None: nothing, or it is more than names."""
    found = module
    for part in (dotted or "").split("."):
        found = vars(found).get(part) if issubclass(type(found), (types.ModuleType, type)) else None
    return found


def make_kinds(ask, repo, text_of):
    """(is_of_others(class, its entries, its module), kinds(module), look(kinds))"""
    text, definitions, reach, has_words, set_in = text_of, definitions_of, reached_from, says, attributes_set
    function_type, plain_type, modules, mro = types.FunctionType, type, sys.modules, type.__dict__["__mro__"].__get__
    spaces, meaning, plain_of, is_not, map_to, inside = spaces_of, named, plain, operator.is_not, map, repo + "/"
    slot_type, code_type, in_c, by_enum, by_python, giving = types.MemberDescriptorType, types.CodeType, IN_C, BY_ENUM, BY_PYTHON, GIVING

    def file_of(thing):
        """The file of a function, or of the module that a class says it is of."""
        if type(thing) is function_type:
            return thing.__code__.co_filename
        return getattr(modules.get(getattr(thing, "__module__", None)), "__file__", None)

    def is_outside(thing):
        """True for a function or class of Python or a library: it adds to a class what its file asks for."""
        if not issubclass(type(thing), (function_type, type)):
            return False
        file = file_of(thing)
        return not isinstance(file, str) or (not file.startswith(inside) and bool(ask("vouched", file)))

    def is_of_others(kind, entries, module):
        """True for a class that code of the repository may give methods: a decorator, a metaclass, or what it is made from."""
        files = [file_of(b) for b in mro(kind)]
        names = [n for e in entries for n in e[5]]
        return not (plain_type(kind) is plain_type or is_outside(plain_type(kind))) or \
            any([not is_outside(meaning(module, n)) for n in names]) or \
            any([isinstance(f, str) and not ask("vouched", f) for f in files])

    def kinds(module):
        """[class, its dotted name, file, names that the file gives it, what it held last, whether the file alone makes it] of the
        classes that a file makes by itself, or with what Python and libraries have for that."""
        file = module.__file__
        entries_of, others = definitions(text(file))
        if b"setattr" in text(file):
            return []
        found, set_there = [], set_in(text(file))
        for prefix, holder, _ in spaces(module):
            entries = entries_of.get(prefix[:-1], ())
            if holder is not module and entries and not is_of_others(holder, entries, module):
                own = {n[len(prefix):] for n in (*entries_of, *others) if n.startswith(prefix)} | set_there
                is_alone = plain_type(holder) is plain_type and not any([e[5] for e in entries])
                found.append([holder, prefix[:-1], file, own, {}, is_alone])
        return found

    def is_another(function, key, is_alone):
        """True for a function that the file has by another name, where the class is made by the file alone, or which Python calls by this one."""
        return function.__name__ != key and (is_alone or (key[:2] == key[-2:] == "__" and key not in by_enum))

    def files_of_modules():
        files = [vars(m).get("__file__") for m in list(modules.values()) if type(m) is types.ModuleType]
        return {f for f in files if type(f) is str and f.startswith(inside) and ask("vouched", f)}

    def is_strange(kind, key, value, file, is_alone):
        """True for a function of a patch or the run; or of the repository, where nothing says that it is put there."""
        codes = [f.__code__ for f in reach(plain_of(value)) if type(f) is function_type]
        if not all([ask("vouched", c) for c in codes]):
            return True
        function = plain_of(value)
        its = function.__code__.co_filename if type(function) is function_type else ""
        is_made = its[:1] == "<" and its[:8] != "<frozen "  # by dataclasses, attrs
        if (its == file or is_made) and is_another(function, key, is_alone) or is_alone and type(function) in in_c and key not in by_python:
            bases = {file_of(b) for b in mro(kind)[1:]} - {file}
            files = files_of_modules()
            loops = [f for f in files if (f in bases or f.endswith("/conftest.py")) and any([w in text(f) for w in giving])]
            return not loops and not any([has_words(text(f), key) for f in files])
        return its.startswith(inside) and its not in [file] + [file_of(b) for b in mro(kind)] and not has_words(text(its), key)

    def is_in_the_way(value):
        """True for what code of a patch or the run made, and that answers for what an object of the class would hold."""
        kind = type(value)
        if not any(["__set__" in vars(b) for b in mro(kind)]):
            return False
        if kind is property:
            codes = [getattr(f, "__code__", None) for f in (value.fget, value.fset)]
            return not all([ask("vouched", c) for c in codes if type(c) is code_type])
        file = file_of(kind)
        return isinstance(file, str) and not ask("vouched", file)

    def look(found):
        for entry in found:
            kind, name, file, own, before, is_alone = entry
            now = vars(kind)
            if len(now) == len(before) and not any(map_to(is_not, now.values(), before.values())):
                continue
            entry[4] = dict(now)
            for key, value in entry[4].items():
                old = before.get(key, entry)
                is_told = (key not in own or type(old) is slot_type) and is_strange(kind, key, value, file, is_alone)
                if value is not old and (is_told or is_in_the_way(value)):
                    ask("found", "test_replaced", "%s.%s in %s is not of it" % (name, key, file))
    return is_of_others, kinds, look
