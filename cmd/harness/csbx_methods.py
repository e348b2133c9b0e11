# SPDX-License-Identifier: Apache-2.0
"""Looks whether the classes of the standard library have the methods that they had at first. Another function of the library itself may
stand there, whose code is Python's own.

The functions are the core's. They run no code of what they look at.
"""
import builtins
import functools
import itertools
import operator
import os
import sys
import types

from csbx_state import class_names, functions_in, lined_up, module_names
from csbx_texts import has_word, text_of
from csbx_ways import IDENTITY

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

NOT_LOOKED_AT = ("unittest", "pytest", "_pytest", "pluggy", "xdist", "__main__",
                 "ast", "encodings", "importlib")  # the runner's own, and what the harness reads by, are looked at elsewhere
# What tests have objects of without a name for the class: looked at after each test, and all others at the begin and the end of a file.
OFTEN = frozenset(("pathlib", "subprocess", "contextlib", "datetime", "decimal", "fractions", "collections", "threading", "tempfile", "zipfile",
                   "uuid"))
FLAGS, HEAP_TYPE = type.__dict__["__flags__"].__get__, 1 << 9  # Py_TPFLAGS_HEAPTYPE
BY_RIGHTS = frozenset((("logging", "converter"),))  # attributes that are there to be set: a class of logging's and its clock
IN_C = (types.BuiltinFunctionType, type(str.join), type(str.__len__), type(dict.__dict__["fromkeys"]))
ENDS = (b"\nclass ", b"\ndef ", b"\nasync def ", b"\n@", b"\nif ", b"\ntry:")  # what comes behind a class
BOUND = (property, staticmethod, classmethod)
DESCRIBED = (property, types.DynamicClassAttribute) + tuple(getattr(functools, n) for n in ("cached_property",) if hasattr(functools, n))


def classes_in(names, but=()):
    """[(dotted name, class, its content)] of the standard library's classes in Python, and how many of them are looked at often: the first."""
    found, members, often = [], class_names, 0
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0] if type(name) is str else ""
        if top not in names or top in NOT_LOOKED_AT or name in but or type(module) is not types.ModuleType:
            continue
        kinds = [(k, v) for k, v in list(module_names(module).items()) if issubclass(type(v), type) and type(k) is str and FLAGS(v) & HEAP_TYPE]
        homes = [(k, v, members(v).get("__module__")) for k, v in kinds]
        own = [("%s.%s" % (name, k), v, members(v)) for k, v, home in homes if type(home) is str and home == name]
        if top in OFTEN:
            found[:0] = own
            often += len(own)
        else:
            found += own
    return found, often


def block_of(text, name):
    """The words of a class at the top of a file; b"": there is none by that name, or more than one."""
    word = b"\nclass " + name.encode("utf-8", "replace")
    starts = [at for end in (b":", b"(") for at in [text.find(word + end)] if at >= 0]
    if len(starts) != 1 or text.count(word + b":") + text.count(word + b"(") != 1:
        return b""
    ends = [at for end in ENDS for at in [text.find(end, starts[0] + 1)] if at >= 0]
    return text[starts[0]:min(ends)] if ends else text[starts[0]:]


def definition_of(key):
    return b"\n    def " + key.encode("utf-8", "replace") + b"("


def is_given_in(words, key):
    """True where a class has a function by that name, and neither a decorator nor another statement that makes it."""
    before, found, _ = words.partition(definition_of(key))
    above = before.rpartition(b"\n")[2].strip()
    is_assigned = any([has_word(line.partition(b"=")[0], key) for line in words.split(b"\n") if b"=" in line and b"def " not in line])
    return bool(found) and above[:1] not in (b"@", b")") and not is_assigned


def late_classes(names, at_first):
    return classes_in(names, at_first)[0]


def make_methods(names, origins, found, kept):
    """((check(whether of all classes), check_late(), add()), is_of_python(value), is_told(owner, key)). check tells of a class of the standard
    library that has another thing of the library itself in the place of a method, or of what it inherits, where neither the repository as it
    was nor a library has words for putting it there. origins: is_said(key): the repository has; is_code(code); its directory; kept: what is
    let go of here."""
    is_said, is_code, inside = origins
    entries, often = classes_in(names)
    spaces, first = [e[2] for e in entries], [dict(e[2]) for e in entries]
    at_first = {n for n in list(sys.modules) if type(n) is str}
    joined, map_to, is_not, any_of, size, _list, _type, _str = itertools.chain.from_iterable, map, operator.is_not, any, len, list, type, str
    last, sizes, values = [_list(d.values()) for d in first], _list(map_to(size, first)), types.MappingProxyType.values
    members, functions_of, modules, names_of_module, module_type = class_names, functions_in, sys.modules, module_names, types.ModuleType
    flags_of, own_home, made_by_class = FLAGS, type.__dict__["__module__"].__get__, HEAP_TYPE
    frozen, of_runner, unreadable = "<frozen ", NOT_LOOKED_AT, RuntimeError
    mro, _callable, subclass, told, none, by_rights = type.__dict__["__mro__"].__get__, callable, issubclass, set(), object(), BY_RIGHTS
    library, text_at, in_c, bound = os.path.dirname(os.__file__) + "/", text_of, IN_C, BOUND
    begins, partition = str.startswith, str.partition

    def is_one_of(kind, kinds):
        return any_of([kind is k for k in kinds])

    def home_of(kind):
        return members(kind).get("__module__") if flags_of(kind) & made_by_class else own_home(kind)

    def is_of_python(value):
        """True for a function or a class of Python or of its library, or a thing of such a class that is called."""
        kind = _type(value)
        functions = functions_of(value)
        if functions:
            return not any_of([not is_code(f.__code__) or not begins(f.__code__.co_filename, (library, frozen)) or
                               "-packages/" in f.__code__.co_filename for f in functions])
        home, is_class = home_of(value if subclass(kind, _type) else kind), subclass(kind, _type)
        is_called = _callable(value) or "__get__" in members(kind)
        return is_one_of(kind, in_c) or (is_called and _type(home) is _str and partition(home, ".")[0] in names and
                                         (is_class or partition(home, ".")[0] not in of_runner))

    def is_put(owner, key):
        """True where an installed library has words for putting something there."""
        owner, key = owner.encode("utf-8", "replace"), key.encode("utf-8", "replace")
        for module in _list(modules.values()):
            file = names_of_module(module).get("__file__") if _type(module) is module_type else None
            text = text_at(file) if _type(file) is _str and "-packages/" in file and file.endswith(".py") else b""
            if owner + b"." + key + b" =" in text or (b"setattr(" in text and owner in text and any_of([q + key + q in text for q in (b'"', b"'")])):
                return True
        return False

    def is_told(owner, key):
        return _type(key) is _str and not is_said(key) and not is_put(owner, key)

    def is_method(value):
        return _callable(value) or is_one_of(_type(value), bound)

    def judge(dotted, kind, was, now):
        for key, value in now.items():
            old = was.get(key, none) if _type(key) is _str else value
            if value is old or (partition(dotted, ".")[0], key) in by_rights or (dotted, key) in told or not is_of_python(value):
                continue
            if is_method(old) if old is not none else any_of([is_method(members(b).get(key)) for b in mro(kind)[1:]]):
                tell(dotted, key)
        for key in was.keys() - now.keys():
            if _type(key) is _str and (dotted, key) not in told and is_method(was[key]):
                tell(dotted, key)

    def tell(dotted, key):
        told.add((dotted, key))
        if is_told(dotted.rpartition(".")[2], key):
            found("library_modified", "%s.%s" % (dotted, key))

    def is_as_filed(value, key, file):
        """True for a function by that name of the file; and for what is not Python's own, which others see."""
        codes = [f.__code__ for f in functions_of(value)]
        if any_of([c.co_name == key and (c.co_filename == file or begins(c.co_filename, frozen)) for c in codes]):
            return True
        if key == "__new__" and any_of([c.co_filename.endswith("/enum.py") for c in codes]):
            return True  # which has put the class's own aside
        return not is_of_python(value)

    def check_late():
        """Of modules that were loaded since: what their files define, where neither a decorator nor another statement makes it."""
        texts = {}
        for name, kind, space in classes(names, at_first):
            home = space["__module__"]
            if home not in texts:
                file = names_of_module(modules[home]).get("__file__")
                texts[home] = (file, text_at(file)) if _type(file) is _str and file.endswith(".py") else (None, b"")
            file, text = texts[home]
            others = [(k, v) for k, v in _list(space.items()) if not (_type(v) is function_type and v.__code__.co_filename == file and
                                                                     v.__code__.co_name == k)] if text else ()
            keys = [k for k, v in others if _type(k) is _str and k not in usual and definition(k) in text and not is_as_filed(v, k, file)]
            words = block(text, qualified(kind)) if keys else b""
            for key in [k for k in keys if is_given(words, k)]:
                tell(name, key)

    def is_as_before(spaces, sizes, last):
        return _list(map_to(size, spaces)) == sizes and not any_of(map_to(is_not, joined(map_to(values, spaces)), last))

    def look_at(numbers):
        for number in numbers:
            dotted, kind, space = entries[number]
            if size(space) == sizes[number] and not any_of(map_to(is_not, values(space), last[number])):
                continue
            own = dict_of(space)
            judge(dotted, kind, first[number], own)
            kept.append(last[number])
            sizes[number], last[number] = size(own), _list(own.values())

    def line_up_inner():
        """What the properties of a class call: (names of them, ways to ask for that, what it was), of the classes looked at often and of all."""
        for few in (entries[:often], entries):
            held = [(e[0], k, v) for e in few for k, v in e[2].items() if _type(k) is _str and subclass(_type(v), described)]
            lines = align([v for _, _, v in held])
            of = {identity(v): (dotted, k) for dotted, k, v in held}
            inner.append(([of[identity(v)] for _, those in lines for v in those], lines, gather(lines)))

    def check_inner(is_whole):
        if not inner:
            line_up_inner()
        members_of, lines, was = inner[is_whole]
        now = gather(lines)
        if any_of(map_to(is_not, now, was)):
            for dotted, key in [m for m, new, old in zip(members_of, now, was) if new is not old]:
                if (dotted, key) not in told:
                    tell(dotted, key)

    def check(is_whole=False):
        if not parts:
            line_up()
        try:
            check_inner(is_whole)
        except unreadable:
            pass
        try:
            for numbers, *part in parts[:1 + is_whole]:
                if not is_as_before(*part):
                    look_at(numbers)
                    parts.clear()
        except unreadable:  # a thread has changed one meanwhile
            parts.clear()

    def add():
        """More modules are there, and nothing of the repository yet: a plugin of its own may have run code of a patch."""
        files = [names_of_module(m).get("__file__") for m in _list(modules.values()) if _type(m) is module_type]
        if any_of([_type(f) is _str and begins(f, inside) for f in files]):
            return
        for entry in classes(names, at_first):
            own = dict_of(entry[2])
            entries.append(entry)
            spaces.append(entry[2])
            first.append(own)
            last.append(_list(own.values()))
            sizes.append(size(own))
        at_first.update([n for n in _list(modules) if _type(n) is _str])
        parts.clear()
        inner.clear()

    def line_up():
        for numbers in (range_of(often), range_of(often, size(entries))):
            part = slice_of(numbers.start, numbers.stop)
            parts.append((numbers, spaces[part], sizes[part], _list(joined(last[part]))))
    def gather(lines):
        return [get(one) for get, those in lines for one in those]
    dict_of, range_of, slice_of, parts, inner, align, identity, described = dict, range, slice, [], [], lined_up, IDENTITY, DESCRIBED
    function_type, usual = types.FunctionType, frozenset(("__module__", "__dict__", "__weakref__", "__doc__", "__slots__", "__annotations__"))
    classes, block, is_given, definition, qualified = late_classes, block_of, is_given_in, definition_of, type.__dict__["__qualname__"].__get__
    line_up_inner()
    return (check, check_late, add), is_of_python, is_told
