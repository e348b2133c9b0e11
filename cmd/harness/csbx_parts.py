# SPDX-License-Identifier: Apache-2.0
"""The parts that no code may replace: the functions of the runner, builtins, and the content of modules outside of the
repository.

The functions are the core's. They have bound everything they need before, and they run no code of the objects they look
at.
"""
import ast
import builtins
import operator
import os
import sys
import types
import warnings

from csbx_methods import make_methods
from csbx_state import class_names, functions_in, module_names
from csbx_tables import make_tables
from csbx_texts import has_word, says, text_of
from csbx_values import make_values

CRITICAL = (("_pytest.reports", "TestReport.from_item_and_call"), ("_pytest.reports", "TestReport.__init__"),
            ("_pytest.runner", "call_runtest_hook"), ("_pytest.runner", "call_and_report"),
            ("_pytest.runner", "runtestprotocol"), ("_pytest.runner", "CallInfo.from_call"),
            ("_pytest.runner", "pytest_runtest_makereport"), ("_pytest.runner", "pytest_runtest_call"),
            ("_pytest.runner", "check_interactive_exception"),
            ("_pytest.python", "pytest_pyfunc_call"), ("_pytest.python", "Function.runtest"),
            ("_pytest.skipping", "pytest_runtest_makereport"), ("_pytest.skipping", "evaluate_xfail_marks"),
            ("_pytest.skipping", "pytest_runtest_call"), ("_pytest.unittest", "TestCaseFunction.runtest"),
            ("_pytest.unittest", "TestCaseFunction.addFailure"), ("_pytest.unittest", "TestCaseFunction.addError"),
            ("unittest.case", "TestCase.run"), ("unittest.case", "TestCase.fail"),
            ("unittest.case", "TestCase.assertEqual"), ("unittest.case", "TestCase.assertTrue"),
            ("unittest.case", "TestCase._callTestMethod"),
            ("_pytest.python", "Function._getobj"), ("_pytest.python", "PyobjMixin._getobj"), ("_pytest.python", "Function.__init__"),
            ("_pytest.python", "PyCollector._genfunctions"), ("_pytest.python", "PyCollector.collect"), ("_pytest.python", "Module.collect"),
            ("_pytest.python", "pytest_pycollect_makeitem"), ("_pytest.python", "Class.collect"), ("_pytest.fixtures", "FixtureDef.__init__"),
            ("_pytest.fixtures", "FixtureManager.parsefactories"), ("_pytest.fixtures", "FixtureManager.getfixtureinfo"),
            ("_pytest.nodes", "NodeMeta._create"), ("_pytest.mark.structures", "get_unpacked_marks"), ("_pytest.unittest", "UnitTestCase.collect"),
            ("_pytest.mark.structures", "normalize_mark_list"), ("_pytest.mark.structures", "store_mark"),
            ("pluggy._hooks", "_HookCaller.__call__"), ("pluggy._hooks", "HookCaller.__call__"),
            ("pluggy._manager", "PluginManager._hookexec"), ("pluggy._callers", "_multicall"))
SET_THEIR_OWN = ("sys", "time", "_curses", "builtins")  # modules of C that change their own values; of builtins others see
OF_PEOPLE = ("_", "exit", "quit", "help", "copyright", "credits", "license")  # builtins that are no program's
READERS = ("ast", "re", "dis", "fnmatch", "operator", "functools")  # by which the harness reads the files of tests
LATE = ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")  # of ast, which makes them when they are asked for, from Python 3.12 on
OF_CYTHON = "lambda orig_func, type, cython_generator_types: lambda obj: type(obj) in cython_generator_types or orig_func(obj)"
# Hooks that programs are to set, and by which none of what tests compare, or of how they end, is decided.
PUBLIC = frozenset((("sys", "excepthook"), ("sys", "displayhook"), ("sys", "unraisablehook"), ("threading", "excepthook"),
                    ("warnings", "formatwarning"), ("logging", "_loggerClass"), ("logging", "_logRecordFactory"), ("logging", "lastResort"),
                    ("ssl", "_create_default_https_context")))
# Where pytest sets these before each test, another has no part in it; where it sets them once, another hides what it would warn of.
OF_PYTEST = types.MappingProxyType({("threading", "excepthook"): ("_pytest.threadexception", "catch_threading_exception"),
                                    ("sys", "unraisablehook"): ("_pytest.unraisableexception", "catch_unraisable_exception")})
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: of a class that is not C's own
REWRITER = ("ast", "itertools", "tokenize", "io")  # what pytest's rewriting of asserts is made of, beside pytest


def standard_names():
    """Top-level modules of the standard library and of pytest."""
    if hasattr(sys, "stdlib_module_names"):
        found = set(sys.stdlib_module_names)
    else:
        here = os.path.dirname(os.__file__)
        places = [here, os.path.join(here, "lib-dynload")]
        found = set(sys.builtin_module_names)
        found |= {n.split(".")[0] for p in places if os.path.isdir(p) for n in os.listdir(p)}
    return found | {"pytest", "_pytest", "pluggy", "xdist"}


def functions_of(holder, name, seen):
    """(dotted name, function) of a module's or class's own functions, classes too."""
    is_class = issubclass(type(holder), type)
    space = class_names(holder) if is_class else module_names(holder)
    for key, value in list(space.items()):
        inner = value
        if type(value) in (staticmethod, classmethod):
            inner = value.__func__
        elif type(value) is property:
            inner = value.fget
        if type(inner) is types.FunctionType:
            yield "%s.%s" % (name, key), inner
        elif not is_class and issubclass(type(value), type) and id(value) not in seen:
            home = class_names(value).get("__module__")
            if type(home) is str and home == space.get("__name__"):
                seen.add(id(value))
                for pair in functions_of(value, "%s.%s" % (name, key), seen):
                    yield pair


def look_up(module, dotted):
    """The value of a dotted name of a module, by what the module and its classes hold themselves."""
    value = sys.modules.get(module)
    for part in dotted.split("."):
        kind = type(value)
        if kind is types.ModuleType:
            value = module_names(value).get(part)
        elif issubclass(kind, type):
            value = next((class_names(c)[part] for c in type.__dict__["__mro__"].__get__(value) if part in class_names(c)), None)
        else:
            return None
    return value.__func__ if type(value) in (staticmethod, classmethod) else value


def make_constants_watch(names, tell):
    """check() tells what of the plain values and functions has become another that modules of the standard library in C have, which
    have no code that would change them. Values of modules in Python are their own, and anybody's, to set. Libraries may have
    functions of theirs called instead."""
    plain, modules, spaces = (int, float, complex, str, bytes, tuple, frozenset, bool, type(len)), sys.modules, {}
    _type, function_type = type, types.FunctionType

    def is_of_library(value):
        return _type(value) is function_type and "-packages/" in value.__code__.co_filename
    for name in names - set(SET_THEIR_OWN):
        space = module_names(modules[name]) if type(modules.get(name)) is types.ModuleType else {}
        if space and str(space.get("__file__", ".so")).endswith(".so"):
            spaces[name] = space, {k: v for k, v in space.items() if type(v) in plain and not k.startswith("_")}

    def check():
        for name, (space, was) in spaces.items():
            for key, value in was.items():
                if space.get(key) is not value and not is_of_library(space.get(key)):
                    tell("library_modified", "%s.%s" % (name, key))
    return check


def make_cython_judge():
    """is_of_cython(function, what was there): true for what the libraries of Cython, when they are loaded, put before
    inspect.isgenerator(): it says yes of their own generators, too, which are of types in C."""
    facts = operator.attrgetter(*("co_%s" % n for n in ("code", "names", "consts", "freevars", "varnames", "argcount", "kwonlyargcount")))
    wanted, flags = facts(eval(OF_CYTHON)(None, None, None).__code__), HEAP_TYPE
    function_type, cell_of = types.FunctionType, operator.attrgetter("cell_contents")
    _type, map_to, _list, _set, all_of, flags_of = type, map, list, set, all, type.__dict__["__flags__"].__get__

    def is_of_cython(function, before):
        if _type(function) is not function_type or facts(function.__code__) != wanted:
            return False
        kinds, original, way = _list(map_to(cell_of, function.__closure__))
        return original is before and way is _type and _type(kinds) is _set and all_of([_type(k) is _type and not flags_of(k) & flags for k in kinds])
    return is_of_cython


def make_rewriter_watch():
    """is_as_before(): true when the modules by which pytest rewrites asserts, and their classes, hold what they
    held."""
    holders = [sys.modules[m] for m in REWRITER if m in sys.modules]
    holders += [v for h in holders for v in list(vars(h).values()) if issubclass(type(v), type) and v.__module__ == "ast"]
    spaces = [class_names(h) if issubclass(type(h), type) else module_names(h) for h in holders]
    was = [dict(s) for s in spaces]

    def is_as_before():
        for before, now in zip(was, spaces):
            for key, value in before.items():
                if now.get(key) is not value:
                    return False
        return True
    return is_as_before


def make_reader_watch():
    """changed(): the name of a module, or class, by which the harness reads files and that has another content; or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in LATE:
            getattr(ast, name, None)
    holders = [(n, sys.modules[n]) for n in READERS if n in sys.modules]
    holders += [(n + "." + k, v) for n, h in holders for k, v in list(vars(h).items()) if issubclass(type(v), type) and v.__module__ == "ast"]
    spaces = [class_names(h) if issubclass(type(h), type) else module_names(h) for _, h in holders]
    was = [(n, s, dict(s), list(s.values())) for (n, _), s in zip(holders, spaces)]
    is_not, map_to, any_of, size, values_of, begins, _str, _type = operator.is_not, map, any, len, lambda s: s.values(), str.startswith, str, type

    def changed():
        for name, now, known, values in was:
            if size(now) == size(values) and not any_of(map_to(is_not, values_of(now), values)):
                continue
            for key in [*known, *now]:  # __warningregistry__ may come
                if now.get(key, known) is not known.get(key) and not (_type(key) is _str and key not in known and begins(key, "__")):
                    return name
        return None
    return changed


def make_parts(packages, homes, repo, origins, found, checks, kept):
    """(check_critical, check_all, look_closer, complete), the last for when all that the runner loads is there. origins: is_code, is_vouched,
    short, real_path, is_written of the core; checks: further ones; kept: what is let go of here."""
    is_code, is_vouched, short, real_path, is_written = origins
    check_state, check_innards, check_innards_whole = checks
    _str, _type, _list, _subclass, _callable = str, type, list, issubclass, callable
    members, names_of_module = class_names, module_names
    function_type, module_type, modules = types.FunctionType, types.ModuleType, sys.modules
    parts_of, look, all_functions, builtin_names = functions_in, look_up, functions_of, builtins
    names_of_standard = standard_names() - {"pluggy", "xdist"}
    public, of_pytest = PUBLIC, OF_PYTEST
    inside, library, known_builtins = repo + "/", {}, dict(vars(builtins))
    for name in OF_PEOPLE:
        known_builtins.pop(name, None)
    text_at, said, word_in, all_of, plain_get, dict_type, mro = text_of, says, has_word, all, object.__getattribute__, dict, _type.__dict__["__mro__"].__get__

    def dir_of(kind):
        return [k for base in mro(kind)[:-1] for k in members(base)]

    # What is imported by these names is a library's.
    places = [p for p in sys.path if not (p + "/").startswith(inside) and os.path.isdir(p)]
    tops = names_of_standard | {n.partition(".")[0] for p in places for n in os.listdir(p)}

    flags_of, made_by_class, objects = _type.__dict__["__flags__"].__get__, HEAP_TYPE, {}

    any_of, map_to = any, map
    critical = [(m, n, f, f.__code__) for m, n in CRITICAL for f in [look(m, n)] if type(f) is types.FunctionType]

    def is_part(name):
        return _type(name) is _str and name.split(".")[0] in packages

    def snapshot():
        return {dotted: (function, function.__code__)
                for name, module in _list(modules.items()) if _type(module) is module_type and is_part(name)
                for dotted, function in all_functions(module, name, set())}

    def is_object(name, key, value):
        """An object of a class in Python; those that pytest captures by are others for each test."""
        kind = _type(value)
        return name != "sys" and not _subclass(kind, (_type, module_type)) and bool(flags_of(kind) & made_by_class)

    def shelve():
        return {name: {k: v for k, v in _list(module.__dict__.items()) if _callable(v) or is_object(name, k, v)}
                for name, module in _list(modules.items()) if _type(module) is module_type}

    def modified(name, now):
        code = now.__code__ if _type(now) is function_type else None
        file = code.co_filename if code is not None and _type(code.co_filename) is _str else "?"
        # Plugins do this, and they lie among the installed packages; pytest itself does it in one.
        if file.endswith("/_pytest/legacypath.py") and file.startswith(homes):
            return
        if file.endswith("/_pytest/skipping.py") and name in ("pytest.xfail", "_pytest.outcomes.xfail"):
            return  # --runxfail: it makes failures, not passes
        if code is None or not is_code(code) or file.startswith(inside) or "-packages/" not in file or file.startswith(homes):
            found("pytest_modified", "%s is now of %s" % (name, short(file)))

    def home_of(value):
        """The module that a class says it is of."""
        home = members(value).get("__module__")
        return home if _type(home) is _str else None

    def file_of(value):
        """The file of a function, or of the class of an object that is called; "": it is not to be believed."""
        if _type(value) is function_type:
            file = value.__code__.co_filename
            return file if _type(file) is _str and is_code(value.__code__) else ""
        of = modules.get(home_of(_type(value)))
        file = names_of_module(of).get("__file__") if _type(of) is module_type else None
        made = [f for part in _list(members(_type(value)).values()) for f in parts_of(part)]
        return file if _type(file) is _str and made and all_of([is_code(f.__code__) for f in made]) else ""

    def texts_of_repository():
        """Of its modules, as they were, that are loaded."""
        files = [names_of_module(m).get("__file__") for m in _list(modules.values()) if _type(m) is module_type]
        return [text_at(f) for f in files if _type(f) is _str and f.startswith(inside) and f.endswith(".py") and is_vouched(f)]

    def is_put(key, file):
        """True where the repository, as it was, has words for putting a thing of its own in the place of a builtin."""
        if not file.startswith(inside) or not is_vouched(file):
            return False
        return any_of([b"builtin" in t and said(t, key) for t in [text_at(file)] + texts_of_repository()])

    def check_builtins(is_running):
        """Tests do replace builtins, by their own functions and by mocks that are gone at their end."""
        for key, value in known_builtins.items():
            now = builtin_names.__dict__.get(key)
            if now is value:
                continue
            kept.append(now)
            if is_put(key, file_of(now)):
                continue
            if not is_running or home_of(_type(now)) != "unittest.mock":
                found("builtins_modified", key)

    other_reader = make_reader_watch()

    def check_reader():
        reader = other_reader()
        if reader is not None:
            found("library_modified", "%s, by which the harness reads files" % reader)

    def check_critical(is_running=False):
        for module, name, function, code in critical:
            now = look(module, name)
            if now is not function or now.__code__ is not code:
                kept.append(now)
                modified("%s.%s" % (module, name), now)
        check_builtins(is_running)
        check_tables()
        check_innards()
        check_methods()
        check_state()

    def foreign(value):
        """Functions of code that the harness does not vouch for, and that no library made for itself."""
        return [f for f in parts_of(value) if not is_code(f.__code__)]

    def is_foreign(value):
        """By a file: code that a library compiles for itself has none, and was seen or not."""
        return any([_type(f.__code__.co_filename) is not _str or not f.__code__.co_filename.startswith("<") or
                    is_inside(modules.get(f.__module__) if _type(f.__module__) is _str else None) for f in foreign(value)])

    def is_of_patch(value):
        """True for an object that takes the place of a function and that code of the run made."""
        kind = _type(value)
        if foreign(value):
            return True
        if kind is function_type or kind is module_type:
            return False
        of = modules.get(home_of(value if _subclass(kind, _type) else kind))
        file = names_of_module(of).get("__file__") if _type(of) is module_type else None
        return (kind.__name__ in ("partial", "partialmethod", "builtin_function_or_method") or
                (_type(file) is _str and not is_vouched(file)))

    def is_inside(module):
        file = names_of_module(module).get("__file__") if _type(module) is module_type else None
        return _type(file) is _str and (real_path(file) + "/").startswith(inside)

    def is_shadow(name, key, value, was):
        """A name of Python's own that a module has not had: its functions call this now."""
        return name in library and key not in was and (_type(key) is not _str or key in known_builtins) and _callable(value)

    def is_odd(name, key, value):
        """True for a function of the repository as it was, whose file has no words for putting it into that module."""
        files = [f.__code__.co_filename for f in parts_of(value)]
        top = name.partition(".")[0].encode("utf-8", "replace")
        files = [f for f in files if _type(key) is _str and _type(f) is _str and f.startswith(inside)]
        return any_of([not (top in t and said(t, key)) for t in map_to(text_at, files)])

    def is_made_there(value):
        """True for what a decorator of the repository made of a function, as a library may ask for."""
        return any_of([f.__closure__ for f in parts_of(value)])

    def is_public(name, key):
        """True for a hook that anybody may set. doctest compares what sys.displayhook writes."""
        if _type(key) is not _str or (name, key) not in public or key == "displayhook" and "doctest" in modules:
            return False
        home, way = of_pytest.get((name, key), (None, None))
        return _type(modules.get(home)) is not module_type or way in names_of_module(modules[home])

    def is_swapped(name, key, value, module):
        """True for another function of Python's own, which neither the module itself nor others have words for putting there."""
        if _type(key) is not _str or is_public(name, key) or name == "warnings" or not is_of_python(value):
            return False
        file = names_of_module(module).get("__file__")
        lines = text_at(file).split(b"\n") if _type(file) is _str and file.endswith(".py") else ()
        is_its_own = any_of([word_in(line, key) for line in lines if line.lstrip().startswith(b"global ")])
        return not is_its_own and is_told(name.rpartition(".")[2], key)

    def check_module(name, module):
        was, values, is_standard = library.get(name, {}), _list(names_of_module(module).items()), name.split(".")[0] in names_of_standard
        kept.append(values)
        for key, value in values:
            old = was.get(key)
            is_another = value is not old is not None and name != "warnings" and (is_of_patch(value) or is_odd(name, key, value))
            if value is not old and not is_public(name, key) and (is_another or is_shadow(name, key, value, was) or is_foreign(value)) and \
                    not ((name, key) == ("inspect", "isgenerator") and is_of_cython(value, old)):
                found("library_modified", "%s.%s" % (name, key))
            elif value is not old is not None and is_standard and is_swapped(name, key, value, module):
                found("library_modified", "%s.%s" % (name, key))
            if _subclass(_type(value), _type) and home_of(value) == name:
                parts = _list(members(value).items())
                kept.append(parts)
                for inner, part in parts:
                    if (is_foreign(part) and not is_level(name, inner, part)) or \
                            (is_odd(name, inner, part) and (is_standard or not is_made_there(part))):
                        found("library_modified", "%s.%s.%s" % (name, key, inner))

    def is_level(name, key, part):
        """True for a method of a logger by a name that logging has no word for: programs give it levels of their own, Logger.trace()."""
        return name == "logging" and _type(part) is function_type and _type(key) is _str and key[:1] != "_" and \
            not word_in(text_at(names_of_module(modules["logging"]).get("__file__")), key)

    def content_of(value):
        """The attributes of an object of the standard library itself."""
        kind = _type(value)
        is_its = flags_of(kind) & made_by_class and not _subclass(kind, (_type, module_type)) and \
            str(home_of(kind)).split(".")[0] in names_of_standard and "__dict__" in dir_of(kind)
        own = plain_get(value, "__dict__") if is_its else None
        return _list(own.items()) if _type(own) is dict_type else []

    def check_objects(name, values):
        """What objects of the standard library have in the place of a method of their class, or of what they called at first."""
        for key, value in values:
            kind, was = _type(value), objects.get((name, key), {})
            for inner, part in content_of(value):
                is_method = any_of([inner in members(base) for base in mro(kind)])
                if is_foreign(part) and (is_method or _callable(was.get(inner))) or \
                        _callable(was.get(inner)) and part is not was[inner] and (is_of_patch(part) or _type(part) is not function_type):
                    found("library_modified", "%s.%s.%s" % (name, key, inner))

    def is_of_run(name, module):
        """True for a module that the run itself has written, by a name that no library has: tests do so, and import it."""
        file = names_of_module(module).get("__file__")
        return name not in library and name.partition(".")[0] not in tops and _type(file) is _str and not is_vouched(file)

    def check_library():
        """Modules outside of the repository: tests use them, and compare with their values."""
        for name, module in _list(modules.items()):
            if _type(module) is module_type and _type(name) is _str and not is_part(name) and name != "__main__" and \
                    not is_inside(module) and not is_of_run(name, module):
                check_module(name, module)
                if name.split(".")[0] in names_of_standard:
                    check_objects(name, _list(names_of_module(module).items()))

    is_of_cython = make_cython_judge()
    check_constants = make_constants_watch(names_of_standard, found)

    def look_closer():
        """While a test runs, or is about to."""
        check_reader()
        check_innards_whole()
        check_values()
        check_methods(True)
        check_critical(True)

    def check_all():
        check_reader()
        check_innards_whole()
        check_values()
        check_methods(True)
        check_critical()
        now = snapshot()
        kept.append(now)
        for name, (function, code) in before.items():
            if name not in now:
                found("pytest_modified", "%s is gone" % name)
            elif now[name][0] is not function or now[name][1] is not code:
                modified(name, now[name][0])
        check_library()
        check_late()
        check_constants()
        check_lines()
        for name in names_of_standard & set([n for n in modules if _type(n) is _str]):
            if is_inside(modules.get(name)):
                found("shadow", "%s is of %s" % (name, short(real_path(modules[name].__file__))))

    def is_theirs(value):
        return is_foreign(value) or is_of_patch(value)

    def is_said(key):
        return any_of([said(t, key) for t in texts_of_repository()])

    check_tables, check_lines = make_tables(names_of_standard, (is_theirs, is_said, is_written, inside), found, kept)
    check_values = make_values(names_of_standard, is_said, found, kept)
    (check_methods, check_late, complete), is_of_python, is_told = make_methods(names_of_standard, (is_said, is_code, inside), found, kept)
    before = snapshot()
    library.update(shelve())
    objects.update(((name, k), dict_type(content_of(v))) for name in library if name.split(".")[0] in names_of_standard
                   for k, v in _list(names_of_module(modules[name]).items()) if content_of(v))
    return check_critical, check_all, look_closer, complete
