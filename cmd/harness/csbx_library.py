# SPDX-License-Identifier: Apache-2.0
"""Looks whether what tests take from libraries is what the files of the libraries define: functions, classes, how classes compare,
and numbers and texts of the standard library."""
import builtins
import sys
import types

from csbx_defs import definitions_of, is_of_runner, reached_from
from csbx_imports import imports_in, is_of_tests
from csbx_parts import standard_names
from csbx_texts import bound_by_imports, constants_of, dotted_read, says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

COMPARED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__", "__len__", "__contains__", "__hash__")
PUTTING = (b"globals()", b"setattr(", b"vars(", b"modules[")
MAKERS = ("/functools.py", "/dataclasses.py", "/enum.py", "/typing.py", "/collections/__init__.py")  # they give classes methods of theirs


def standard_at_first():
    """name -> (content, class -> its content) of the modules of the standard library that are there, and of pytest."""
    standard, found = standard_names(), {}
    for name, module in list(sys.modules.items()):
        if type(module) is types.ModuleType and name.partition(".")[0] in standard:
            space = dict(vars(module))
            found[name] = space, {id(v): (v, dict(vars(v))) for v in list(space.values()) if isinstance(v, type)}
    return found


def name_of_relative(level, module):
    return "." * level + module


def function_code(function):
    try:
        return getattr(getattr(function, "__func__", function), "__code__", None)
    except Exception:  # an object that finds out only now what it stands for, and has nothing yet
        return None


def make_library(ask, repo, text_of):
    """(own_file(value), library(known, module, names that tests use of it, their file), library_in_functions(known, file))"""
    text, has_words, code_of, definitions, reach, constants, imported_in = \
        text_of, says, function_code, definitions_of, reached_from, constants_of, imports_in
    compared, standard, builtin_type, function_type = frozenset(COMPARED), frozenset(standard_names()), types.BuiltinFunctionType, types.FunctionType
    dotted, is_test_file, bound, relative, putting = dotted_read, is_of_tests, bound_by_imports, name_of_relative, PUTTING
    plain, makers, plain_type = (int, float, str, bytes, bool, tuple, frozenset), MAKERS, type
    bound_type, is_of_pytest = (staticmethod, classmethod, property), is_of_runner

    def found(name, what):
        ask("found", "library_modified", "%s is another %s" % (name, what))

    def own_file(value):
        """[the file of a function of the repository as it was]"""
        code = code_of(value)
        return [code.co_filename] if code is not None and code.co_filename.startswith(repo + "/") and not ask("strangers", [code]) else []

    def home_of(value):
        """[the file of the repository, as it was, that a class or an object says it is of]"""
        kind = value if issubclass(type(value), type) else type(value)
        home = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return [home] if isinstance(home, str) and home.startswith(repo + "/") and ask("vouched", home) else []

    def is_said(known, key, file, value):
        """True where the tests, their helpers, or what made the value have words for putting something there."""
        files = [file] + known["conftests"] + own_file(value) + home_of(value)
        return any([has_words(text(f), key) for f in files]) or \
            any([is_test_file(f, repo) and has_words(text(f), key) for f in [getattr(m, "__file__", "") for m, _ in known["beside"]]])

    def is_standard(name):
        return name.partition(".")[0] in standard

    def defined(known, home):
        if home not in known["defined"]:
            known["defined"][home] = definitions(text(home))
        return known["defined"][home]

    def entries_of(known, home, dotted):
        """What a file defines by a name, where it binds that by nothing else."""
        entries, others = defined(known, home)
        those = entries.get(dotted, ())
        return those if dotted not in others and not any(e[1] is None for e in those) and b"import *" not in text(home) else ()

    def is_of_library(value, owner, key):
        """True for what an installed package itself puts in the place of something: it has the same name, or the words for the place."""
        kind = value if issubclass(type(value), type) else type(value)
        code = code_of(value)
        home = sys.modules.get(kind.__module__)
        if code is None and getattr(home, kind.__name__, None) is not kind:
            return False  # it says so of itself
        file = code.co_filename if code is not None else getattr(home, "__file__", None)
        codes = [code] if code is not None else [c for c in map(code_of, list(vars(kind).values())) if c is not None]
        if not isinstance(file, str) or "-packages/" not in file or not ask("vouched", file) or not all([ask("vouched", c) for c in codes]):
            return False
        own = getattr(value, "__name__", None) if code is None else code.co_name
        return own == key or has_place(text(file), owner.rpartition(".")[2].encode("utf-8", "replace"), key.encode("utf-8", "replace"))

    def has_place(words, owner, key):
        as_texts = () if key.startswith(b"__") else (b'"' + key + b'"', b"'" + key + b"'")
        return any(w in words for w in (owner + b"." + key + b" =", owner + b"." + key + b",", *as_texts))

    def is_it(value, key, entries, module):
        """True for a function or a class that has the name by which the file defines it; or a wrapper of one."""
        if any(e[3] for e in entries):
            return issubclass(type(value), type) and (value.__qualname__ == key or value.__module__ != module.__name__ and value.__name__ == key)
        return any(getattr(code_of(f), "co_name", None) == key for f in reach(value))

    def library(known, module, keys, file):
        """Tells of what tests use of a library, where it is another thing than the library's file gives it by that name."""
        home = getattr(module, "__file__", None)
        if not isinstance(module, types.ModuleType):
            return
        if is_standard(module.__name__) and not str(home).endswith(".py"):
            library_in_c(known, module, keys, file)
        if not isinstance(home, str) or not home.endswith(".py"):
            return
        for key in keys:
            value = vars(module).get(key)
            if issubclass(type(value), type):
                comparisons(known, value, file)
            if is_first_of(known, module, key, value, file):
                continue
            if type(value) in plain:
                library_value(known, module, key, value, file)
            is_plain = type(value) is function_type and value.__code__.co_name == key or type(value) is plain_type and value.__name__ == key
            if is_plain or value is None or issubclass(type(value), types.ModuleType):
                continue
            entries = entries_of(known, home, key)
            is_swapped = not entries and is_exported_otherwise(known, module, key, value) and not is_said(known, key, file, value)
            is_ours = not (entries or is_swapped) or is_it(value, key, entries, module) or is_said(known, key, file, value)
            if not is_ours and (is_of_same_file(value, home) or not is_of_library(value, module.__name__, key)):
                found("%s.%s" % (module.__name__, key), "function")

    def is_of_same_file(value, home):
        """True for a function of the very file that defines another by that name, and puts none by words that do not say which."""
        code = code_of(value)
        return code is not None and code.co_filename == home and not any([w in text(home) for w in putting])

    def is_exported_otherwise(known, module, key, value):
        """True for a function of another name in the place of one that a package takes from a module of its own, which defines it."""
        if type(value) not in (function_type, builtin_type, plain_type) or value.__name__ == key or is_standard(module.__name__):
            return False
        place = module.__name__, key
        if place not in known["defined"]:
            known["defined"][place] = is_exported(known, module, key)
        return known["defined"][place]

    def is_exported(known, module, key):
        words, top = text(module.__file__), module.__name__.partition(".")[0]
        names = [a for _, a in bound(words, relative).get(key, ())]
        if names and any([a != key for a in names]) or not names and (b"import *" not in words or key in defined(known, module.__file__)[1]):
            return False
        word = b"def " + key.encode("utf-8", "replace") + b"("
        homes = [getattr(m, "__file__", None) for n, m in list(sys.modules.items()) if type(n) is str and n.partition(".")[0] == top]
        return any([word in text(h) and entries_of(known, h, key) for h in homes if type(h) is str and h.endswith(".py")])

    def sets_itself(module, key):
        """True where a module has the name in a statement `global`."""
        word = key.encode("utf-8", "replace")
        return any(word in line.replace(b",", b" ").split()[1:] for line in text(str(getattr(module, "__file__", None))).split(b"\n")
                   if line.lstrip().startswith(b"global "))

    def is_twin(module, key, value):
        """True for what the same library has by the same name in another module: asyncio.Future in Python."""
        if not issubclass(type(value), (type, function_type)):
            return False
        home, name = value.__module__, value.__name__
        return name == key and isinstance(home, str) and home.partition(".")[0] == module.__name__.partition(".")[0] and \
            getattr(sys.modules.get(home), "_Py" + key, None) is value

    def is_first_of(known, module, key, value, file):
        """True where a module that was there at first had the name then; tells of one that became another."""
        space, kinds = known["at_first"].get(module.__name__, ({}, {}))
        if key not in space:
            return False
        if value is space[key]:
            methods(known, module, key, kinds.get(id(value)), file)
        elif not (is_said(known, key, file, value) or is_of_library(value, module.__name__, key) or is_twin(module, key, value) or
                  sets_itself(module, key)):
            found("%s.%s" % (module.__name__, key), "thing")
        return True

    def methods(known, module, key, first, file):
        kind, was = first or (object, {})
        for name, value in [(n, v) for n, v in list(vars(kind).items()) if first and v is not was.get(n, first)]:
            is_method = any([callable(v) or type(v) in bound_type for v in (value, was.get(name))])
            if is_method and not is_of_pytest(name, value) and not is_said(known, name, file, value) and not is_of_library(value, key, name):
                found("%s.%s.%s" % (module.__name__, key, name), "function")

    def library_value(known, module, key, value, file):
        """A number or a text that a module of Python binds once is what its file says."""
        home = module.__file__
        if not is_standard(module.__name__) or home.startswith(repo + "/"):
            return
        if home not in known["plain"]:
            known["plain"][home] = constants(text(home))
        meant = known["plain"][home].get(key, value)
        if (type(meant) is not type(value) or meant != value) and not is_said(known, key, file, None):
            found("%s.%s" % (module.__name__, key), "value")

    def library_in_functions(known, file):
        """What functions of a file import of Python's own modules that are there already."""
        if file not in known["inner"]:
            known["inner"][file] = [(m, names) for level, m, names in imported_in(text(file)) if not level and m.partition(".")[0] in standard]
        for name, key in known["dotted"][file] if file in known["dotted"] else remember_dotted(known, file):
            library(known, sys.modules.get(name), [key], file)
        for name, names in known["inner"][file]:
            keys = [n for n in names if n != "*"] + [k for n, k in known["read"][file] if n == name.rpartition(".")[2]]
            library(known, sys.modules.get(name), keys, file)

    def remember_dotted(known, file):
        """[(module, name)] of what a file reads as a.b.name, where a.b is a module."""
        those = [(d.rpartition(".")[0], d.rpartition(".")[2]) for d in dotted(text(file))]
        known["dotted"][file] = [(m, k) for m, k in those if "." in m and m in sys.modules and (is_standard(m) or is_installed(sys.modules[m]))]
        return known["dotted"][file]

    def is_installed(module):
        return type(module) is types.ModuleType and not str(getattr(module, "__file__", "")).startswith(repo + "/")

    def library_in_c(known, module, keys, file):
        """Each function there has its own name, and none is of Python. Libraries may have theirs called instead."""
        first = known["at_first"].get(module.__name__, ({},))[0]
        for key in keys:
            value = vars(module).get(key)
            if issubclass(type(value), type):
                comparisons(known, value, file)
            if first.get(key, known) is value:
                continue  # sys.__excepthook__, whose name is excepthook
            is_named = type(value) is builtin_type or type(value) is plain_type
            is_another = value.__name__ != key if is_named else own_file(value)
            if is_another and not is_said(known, key, file, value):
                found("%s.%s" % (module.__name__, key), "function")

    def comparisons(known, kind, file):
        """Tells of functions by which a class of a library compares, and that are not those of its file."""
        for base, key in [(b, key) for b in kind.__mro__ for key in vars(b).keys() & compared]:
            value = vars(base)[key]
            if is_library(base) and is_another(known, base, key, value) and not is_said(known, key, file, value):
                found("%s.%s.%s" % (kind.__module__, kind.__qualname__, key), "function")

    def is_another(known, base, key, value):
        value = getattr(value, "__func__", value) if type(value) in bound_type else value
        home = getattr(sys.modules.get(base.__module__), "__file__", None)
        if type(value) is function_type and value.__code__.co_filename.startswith(repo + "/"):
            return True
        if not is_standard(base.__module__) or not isinstance(home, str) or not home.endswith(".py") or \
                is_of_library(value, base.__name__, key):
            return False
        if type(value) is not function_type:
            return type(value) in (builtin_type, plain_type) or type(value).__name__ == "partial"
        its = value.__code__.co_filename
        if its.startswith("<") or (its != home and its.endswith(makers)):
            return False
        return its != home or (bool(entries_of(known, home, "%s.%s" % (base.__qualname__, key))) and value.__code__.co_name != key)

    def is_library(kind):
        """True for a class of a module that is of Python, by the module's own name for it."""
        module = sys.modules.get(kind.__module__)
        return is_standard(kind.__module__) and getattr(module, kind.__name__, None) is kind
    return own_file, library, library_in_functions
