# SPDX-License-Identifier: Apache-2.0
"""Keeps the parts of the runner as they were before any code of the repository ran, and checks that they still are so.

These functions have bound everything they need before: modules and builtins may be another's by then.
"""
import builtins
import functools
import itertools
import operator
import os
import sys
import types

from csbx_texts import says, text_of
from csbx_ways import IDENTITY

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

HERE = os.path.dirname(os.path.realpath(__file__))


OF_ZOPE = ("__provides__", "__providedBy__", "__implemented__")  # by which it knows interfaces: pytest gives its own to twisted
OF_DJANGO = "_pytest.unittest.TestCaseFunction", "runtest", "/pytest_django/plugin.py", "non_debugging_runtest"
# By which pytest says when something was, and how long it took.
CLOCKS = frozenset((("_pytest.timing", "perf_counter"), ("_pytest.timing", "sleep"), ("_pytest.timing", "time"), ("_pytest.junitxml", "datetime")))
# Attributes that unittest gives the class of each test, and its own where a module could not be loaded, and pytest those of its nodes.
OF_RUNNERS = ("_classSetupFailed", "_pytest_diamond_inheritance_warning_shown")
NOTHING = types.MappingProxyType({})


def func_of(value, plain=object.__getattribute__):
    return plain(value, "__dict__").get("func")


# What descriptors, and partial() in C, call: ways to ask for it that run no code of theirs.
GETTERS = tuple((kind, tuple(vars(kind)[n].__get__ for n in names)) for kind, names in (
    (property, ("fget", "fset", "fdel")), (staticmethod, ("__func__",)), (classmethod, ("__func__",)), (functools.partial, ("func", "args"))))
GETTERS += tuple((getattr(functools, n), (func_of,)) for n in ("cached_property", "partialmethod", "singledispatchmethod") if hasattr(functools, n))


def part_named(name, plain=object.__getattribute__):
    return lambda value: plain(value, "__dict__").get(name)


GETTERS += ((types.DynamicClassAttribute, tuple(map(part_named, ("fget", "fset", "fdel")))),)  # of an enumeration


def module_names(module, get=types.ModuleType.__dict__["__dict__"].__get__, nothing=NOTHING):
    """What a module holds: some were never made, and have not even a dict."""
    held = get(module)
    return nothing if held is None else held


def class_names(kind, get=type.__dict__["__dict__"].__get__, nothing=NOTHING):
    """What a class holds: some of C have no dict before they are used first (Python 3.9)."""
    held = get(kind)
    return nothing if held is None else held


def parts_in(value, getters=GETTERS):
    """What a descriptor or a partial() calls, which its __init__() or __setstate__() can change in place."""
    kind = type(value)
    for its, get in getters:
        if issubclass(kind, its):
            return [g(value) for g in get]
    return []


def lined_up(values, getters=GETTERS):
    """[(way to ask for a part, those that have it)] of descriptors: all parts are then gathered at once."""
    return [(get, [v for v in values if issubclass(type(v), kind)]) for kind, those in getters for get in those]


def function_of(value):
    """The function that a partial() or a method calls."""
    while type(value) in (functools.partial, types.MethodType):
        value = value.func if type(value) is functools.partial else value.__func__
    return value


def functions_in(value):
    """The functions of Python that a member of a module or class is made of."""
    if type(value) in (staticmethod, classmethod):
        value = value.__func__
    parts = map(function_of, (value.fget, value.fset, value.fdel)) if type(value) is property else (value,)
    return [p for p in parts if type(p) is types.FunctionType]


def make_watch(packages, origins, repo, tell, kept):
    """check(), settle(), guard(name, class). check tells what has become another of the modules of the packages, their classes and functions.
    origins: is_true(code), is_file_vouched(file); kept: what is let go of here."""
    is_true, is_file_vouched = origins
    _type, _subclass, _callable, _list, _tuple, _id, _len, _map, _str = type, issubclass, callable, list, tuple, IDENTITY, len, map, str
    get_module, module_type, modules, none = sys.modules.get, types.ModuleType, sys.modules, object()
    members, functions_of_member, parts_of = class_names, functions_in, parts_in
    names_of_module = module_names
    plain = (int, float, str, tuple, frozenset, type(modules["decimal"].Decimal(0)) if "decimal" in modules else int)
    homes = _tuple({os.path.dirname(os.path.realpath(modules[p].__file__)) + "/" for p in packages
                    if getattr(modules.get(p), "__path__", None)} | {HERE + "/"})
    holders, made_of, settled, named, anew, property_type = {}, {}, [], {}, {}, property
    joined, picked, is_not, values_of, any_of, iter_of = itertools.chain.from_iterable, itertools.compress, operator.is_not, dict.values, any, iter
    attributes_of, content_of = operator.attrgetter("__dict__"), operator.attrgetter("cell_contents")
    views, functions, closures, judges, judged, unreadable = [], [], [], [], [], (ValueError, RuntimeError)
    members_made, align, lines, kinds, callers = {}, lined_up, [], {}, _tuple([kind for kind, _ in GETTERS])

    descriptors = (property, staticmethod, classmethod)
    namespace_type, function_type, guarded = types.SimpleNamespace, types.FunctionType, []
    clocks, of_zope, of_django, of_runners, said, text_at = CLOCKS, OF_ZOPE, OF_DJANGO, OF_RUNNERS, says, text_of
    builtin_names, mro, begins = frozenset(vars(builtins)), type.__dict__["__mro__"].__get__, str.startswith

    def dict_of(holder):
        if _type(holder) is namespace_type:
            return holder.__dict__
        return members(holder) if _subclass(_type(holder), _type) else names_of_module(holder)

    def is_of_package(value):
        """A class of the packages; this look runs no code of the class."""
        home = members(value).get("__module__") if _subclass(_type(value), _type) else None
        return _type(home) is _str and home.split(".")[0] in packages

    def contents(closure):
        cells = []
        for cell in closure:
            try:
                cells.append(cell.cell_contents)
            except ValueError:
                cells.append(none)
        return cells

    def calls_others(kind):
        found = kinds.get(_id(kind))
        if found is None:
            found = kinds[_id(kind)] = kind, _subclass(kind, callers)
        return found[1]

    def add(name, holder):
        if _id(holder) in holders:
            return
        now = dict(dict_of(holder))
        judged.clear()
        holders[_id(holder)] = name, holder, now
        for key, value in now.items():
            if is_of_package(value) and (modules.get(members(value)["__module__"]) is holder or _type(holder) is not module_type):
                add(name + "." + key, value)
            for function in functions_of_member(value):
                note(name + "." + key, function)
            if calls_others(_type(value)):
                members_made[_id(value)] = name + "." + key, value, parts_of(value)

    def note(name, function):
        closure = function.__closure__ or ()
        cells, attributes = contents(closure), dict(function.__dict__)
        if cells or attributes:
            made_of[_id(function)] = name, function, closure, cells, attributes

    def guard(name, holder):
        """A class of the harness, with all that its functions lead to by what they close over."""
        guarded.append((name, holder))
        add(name, holder)
        todo, seen = [f for v in dict_of(holder).values() for f in functions_of_member(v)], {}
        while todo:
            for value in contents(todo.pop().__closure__ or ()):
                if _id(value) in seen:
                    continue
                seen[_id(value)] = value
                if _type(value) is namespace_type:
                    add(name, value)
                    todo += [v for v in value.__dict__.values() if _type(v) is function_type]
                elif _type(value) is function_type and value.__code__.co_filename.rpartition("/")[2].startswith("csbx_"):
                    note(name + "." + value.__name__, value)
                    todo.append(value)
        judged.clear()

    def take():
        for name, module in _list(modules.items()):
            if _type(module) is module_type and _type(name) is _str and name.split(".")[0] in packages:
                named[name] = module
                add(name, module)

    def is_of_runner(functions):
        """True for functions that the runner itself puts somewhere, in the way that it always does."""
        return all([is_true(f.__code__) and f.__code__.co_filename.startswith(homes) for f in functions])

    def is_of_plugin(functions):
        return all([is_true(f.__code__) and "-packages/" in f.__code__.co_filename and
                    not f.__code__.co_filename.startswith((repo + "/",) + homes) for f in functions])

    def is_runtest_of_django(functions):
        """pytest-django's, which calls the test as unittest does."""
        return functions != [] and is_of_plugin(functions) and \
            functions[0].__code__.co_filename.endswith(of_django[2]) and functions[0].__code__.co_name == of_django[3]

    def is_clock(value):
        """True for what a library has for the time, while it stands still: freezegun puts it into all modules."""
        made = [value] if _type(value) is function_type else \
            [f for part in _list(members(value).values()) for f in functions_of_member(part)] if _subclass(_type(value), _type) else []
        return made != [] and is_of_plugin(made)

    def is_strange(value):
        """True for what takes the place of None and is not the runner's or a library's: a class, an object that is called, or one
        that stands for an attribute."""
        if _type(value) in descriptors:
            return True
        kind = value if _subclass(_type(value), _type) else _type(value)
        made = [f for part in _list(members(kind).values()) for f in functions_of_member(part)]
        return not all([is_true(f.__code__) for f in made]) or (not made and _callable(value))

    def is_put(key):
        """True where the tests, the repository as it was or a library have words for giving a class an attribute of that name."""
        files = [names_of_module(m).get("__file__") for m in _list(modules.values()) if _type(m) is module_type]
        return any([_type(f) is _str and f.endswith(".py") and (f.startswith(repo + "/") or "-packages/" in f) and not f.startswith(homes) and
                    is_file_vouched(f) and said(text_at(f), key) for f in files])

    def is_brought(name, key):
        """True for an attribute that a class of the runner did not have: the runner looks for some, as marks are, in the tests' classes,
        which inherit them."""
        return not begins(name, "csbx") and key not in of_runners and not is_put(key)

    def differs(name, key, old, new, is_of_class=False):
        functions = functions_of_member(new) if new is not none else []
        if _type(key) is not _str or key == "__builtins__":
            return True
        if begins(name, "csbx"):
            return not (begins(key, "__") and key.endswith("__"))
        if (name, key) in clocks and is_clock(new) or (name, key) == of_django[:2] and is_runtest_of_django(functions):
            return False
        if old is none and not is_of_class and key in builtin_names:
            return True  # the functions of the module call it now
        if _type(old) is module_type or _type(new) is module_type:
            return old is not none and old is not None
        if (key.startswith("__") and key.endswith("__") and not functions and
                not key.startswith(("__unittest", "__test__")) and not functions_of_member(old)):
            return False
        if old is none or old is None:
            if not functions:
                return key.startswith("__unittest") or (old is none and (_type(new) in descriptors or is_of_class and is_brought(name, key))) or \
                    (old is None and _len(settled) > 0 and is_strange(new))
            return not is_of_runner(functions) and (settled or not is_of_plugin(functions))
        if not _callable(old) and not functions_of_member(old):
            # A class of pytest works with such values; those of unittest are the tests' to set.
            return bool(functions) and not is_of_runner(functions) or \
                (_type(old) in plain and (is_of_class and not name.startswith("unittest") or name == "doctest"))
        if new is none:
            return True
        if functions and not settled and (is_of_plugin(functions) or is_of_runner(functions) and
                                          functions[0].__code__.co_filename.endswith("/_pytest/legacypath.py")):
            return False
        if functions and key == "xfail" and is_of_runner(functions):
            return False  # --runxfail: it makes failures, not passes
        return True

    def say(name, key, new):
        functions = functions_of_member(new) if new is not none else []
        where = functions[0].__code__.co_filename if functions else "gone" if new is none else "an object of " + _type(new).__name__
        tell("pytest_modified", "%s.%s is now of %s" % (name, key, where) if functions else "%s.%s is %s" % (name, key, where))

    def hides(holder, key, new):
        """True for a thing of a library that a class has in the place of what it inherits."""
        return _len(settled) > 0 and _callable(new) and key not in of_zope and any([key in members(base) for base in mro(holder)[1:-1]])

    def judge_modules(_):
        for name, module in _list(named.items()):
            if modules.get(name) is not module:
                tell("pytest_modified", "the module %s is another" % name)

    def is_same_property(name, key, old, new):
        """True for a property that was made once more, of the same functions: each session of pytest does so, also one that a test runs in
        this process. What it calls can be changed in its place later, and is looked at from here on."""
        if _type(old) is not property_type or _type(new) is not property_type:
            return False
        parts = parts_of(old)
        if [p for p, q in zip(parts, parts_of(new)) if p is not q]:
            return False
        anew[name, key] = name + "." + key, new, parts
        return True

    def judge_holder(entry):
        name, holder, was = entry
        now, is_class = dict_of(holder), _type(holder) is not module_type and _type(holder) is not namespace_type
        for key, old in was.items():
            new = now.get(key, none)
            if new is not old:
                kept.append(new)
                if differs(name, key, old, new, is_class) and not is_same_property(name, key, old, new):
                    say(name, key, new)
        if _len(now) != _len(was):
            for key in now.keys() - was.keys():
                new = now[key]
                kept.append(new)
                if differs(name, key, none, new, is_class) or (is_class and hides(holder, key, new)):
                    say(name, key, new)

    def judge_function(entry):
        name, function, closure, cells, attributes = entry
        values = contents(closure)
        kept.append(values)
        for old, new in zip(cells, values):
            if new is not old and (name.startswith("csbx") or ((_callable(old) or _callable(new)) and differs(name, "a cell", old, new))):
                say(name, "a cell", new)
        now = function.__dict__
        for key, old in attributes.items():
            new = now.get(key, none)
            kept.append(new)
            if new is not old and differs(name, key, old, new):
                say(name, key, new)

    def judge_member(entry):
        """A property, and the like, that was made anew in place."""
        name, value, was = entry
        now = parts_of(value)
        kept.append(now)
        for old, new in zip(was, now):
            if new is not old:
                say(name, "__init__", new)

    def line_up():
        """For each value that is watched who judges it, in the order of everything()."""
        views[:] = [dict_of(holder).values() for _, holder, _ in holders.values()]
        functions[:] = [entry[1] for entry in made_of.values()]
        closures[:] = [cell for entry in made_of.values() for cell in entry[2]]
        by_holder, by_function = [(judge_holder, e) for e in holders.values()], [(judge_function, e) for e in made_of.values()]
        judges[:] = [j for j, view in zip(by_holder, views) for _ in view]
        judges.extend(j for j in by_function for _ in j[1][1].__dict__)
        judges.extend(j for j in by_function for _ in j[1][2])
        lines[:] = align([e[1] for e in members_made.values()])
        judges.extend((judge_member, members_made[_id(value)]) for _, those in lines for value in those)
        judges.extend([(judge_modules, None)] * _len(named))

    def sizes():
        return _list(_map(_len, views)), _list(_map(_len, _map(attributes_of, functions)))

    def all_parts():
        return (joined(views), joined(_map(values_of, _map(attributes_of, functions))), _map(content_of, closures),
                joined([_map(get, those) for get, those in lines]), _map(get_module, named))

    def everything():
        """It is gathered, and compared, without running code of the values."""
        return _list(joined(all_parts()))

    def is_as_judged():
        """The most frequent case: each part takes from one iterator as many as it has itself."""
        was = iter_of(judged[1])
        return not any_of([any_of(_map(is_not, part, was)) for part in all_parts()])

    def look_again():
        """Judges what is another than when it was judged last; False: it cannot be told so."""
        try:
            if not judged or sizes() != judged[0]:
                return False
            if is_as_judged():
                return True
            now = everything()
        except unreadable:
            return False
        was, judged[1] = judged[1], now  # before: a change while they are judged is one the next time
        kept.append(was)
        for judge, entry in {_id(j): j for j in picked(judges, _map(is_not, now, was))}.values():
            judge(entry)
        return True

    def check():
        for entry in _list(anew.values()):
            judge_member(entry)
        if look_again():
            return
        kept.extend(judged)
        judged.clear()
        line_up()
        try:
            now = [sizes(), everything()]
        except unreadable:
            now = []
        judge_modules(None)
        for entry in _list(holders.values()):
            judge_holder(entry)
        for entry in _list(made_of.values()):
            judge_function(entry)
        for entry in _list(members_made.values()):
            judge_member(entry)
        judged.extend(now)

    def settle():
        """Plugins are loaded, and have made their replacements."""
        check()
        kept.extend((dict(holders), dict(made_of), dict(members_made), _list(judged)))
        holders.clear()
        made_of.clear()
        members_made.clear()
        anew.clear()
        judged.clear()
        take()
        settled.append(True)
        for entry in [guarded.pop(0) for _ in _list(guarded)]:
            guard(*entry)
    take()
    return check, settle, guard
