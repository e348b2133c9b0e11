# SPDX-License-Identifier: Apache-2.0
"""Looks whether the modules of tests hold what their files bind: names, what they import, globals, attributes of classes."""
import builtins
import operator
import sys
import types

from csbx_imports import is_of_tests, name_beside
from csbx_library import function_code, make_library
from csbx_texts import attributes_read, attributes_set, bound_by_imports, names_bound, names_stored, says, surely_imported
from csbx_ways import IDENTITY

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

# What the core keeps for it.
MODULES_KNOWN = ("modules", "imports", "globals", "classes", "replaces", "attributes", "read", "defined", "plain", "inner", "dotted", "surely",
                 "exports", "older", "kept", "rebound")
PLAIN = (int, float, complex, str, bytes, bool, tuple, frozenset)
STARS_MAX = 8  # modules that take all names of one another
COMPUTING = (b"globals(", b"locals(", b"vars(", b"__dict__", b"exec(")


def make_modules(ask, repo, text_of):
    """(remember(modules of tests), look_at_names(module, its file, who asks), look_at_globals(module), look_at_libraries()), which tell
    what is another."""
    all_builtins, builtin_names, stored, text = vars(builtins), frozenset(vars(builtins)), names_stored, text_of
    is_test_file, sure, depth_max, computing = is_of_tests, surely_imported, STARS_MAX, COMPUTING
    identity, is_not, map_to, plain, otherwise = IDENTITY, operator.is_not, map, PLAIN, names_bound
    bound, set_in, has_words, code_of = bound_by_imports, attributes_set, says, function_code
    beside, read_in, (own_file, library, library_in_functions) = name_beside, attributes_read, make_library(ask, repo, text_of)

    def found(kind, detail):
        ask("found", kind, detail)

    def look_at_names(of_tests, file, who):
        """Names in the tests' module that its own code does not bind."""
        known = ask("known")
        if not isinstance(of_tests, types.ModuleType):
            return
        if getattr(of_tests, "__file__", None) != file:
            found("test_replaced", "the module of %s says that it is of another file" % who)
        if file not in known["modules"]:
            if not ask("vouched", file):
                return
            try:
                known["modules"][file] = stored(compile(text(file), file, "exec", 0, True))
            except (SyntaxError, ValueError):
                known["modules"][file] = set(), True, []
        now = vars(of_tests)
        if now.get("__builtins__") not in (all_builtins, builtins):
            found("test_replaced", "%s has builtins of its own" % file)
        names, computes, stars = known["modules"][file]
        for name in set(now) - names:
            if type(name) is not str:  # one that says for itself what it is, and equals a name
                found("test_replaced", "a name in %s that is no str" % file)
                continue
            value = now[name]
            is_error = issubclass(type(value), type) and issubclass(value, BaseException)
            givers = [] if is_error else [s for s in stars if getattr(sys.modules.get(s), name, stars) is value]
            is_another = name in builtin_names and not name.startswith("__") and value is not all_builtins.get(name)
            if givers and is_another and not any([exports(known, s, name, 0) for s in givers]):
                found("test_replaced", "%s in %s is of %s, which did not have it before the patches" % (name, file, givers[0]))
            if givers:
                continue
            if name in builtin_names or not (computes or name.startswith(("_", "@")) or issubclass(type(value), types.ModuleType)):
                if not name.startswith("__"):
                    found("test_replaced", "%s in %s is not of it" % (name, file))

    def exports(known, module, name, depth):
        """True where a module, as its file was before the patches, may have a name: by binding it, by taking all names of another
        that does, or by computing names."""
        file = getattr(sys.modules.get(module), "__file__", None)
        if not isinstance(file, str) or not file.startswith(repo + "/") or depth > depth_max:
            return True
        if file not in known["exports"]:
            try:
                words = text(file) if ask("vouched", file) else known["older"].get(file, b"")
                known["exports"][file] = (*stored(compile(words, file, "exec", 0, True)), any([w in words for w in computing]))
            except (SyntaxError, ValueError):
                known["exports"][file] = set(), True, [], True
        names, computes, stars, is_computing = known["exports"][file]
        places = [module + ".", module.rpartition(".")[0] + "."]  # from .parts import *
        others = {o for s in stars for o in [s] + [(p + s).strip(".") for p in places] if o in sys.modules and o != module}
        return name in names or is_computing or (computes and not stars) or any([exports(known, o, name, depth + 1) for o in others])

    def is_made(value, or_mock):
        """True when code of a patch or the run made a value, as far as its class or its code tells."""
        code = code_of(value)
        if code is not None:
            return not ask("vouched", code)
        if issubclass(type(value), types.ModuleType) or type(value).__name__ in ("partial", "partialmethod"):
            return True
        kind = value if issubclass(type(value), type) else type(value)
        if kind.__module__ == "unittest.mock":
            return or_mock
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return isinstance(file, str) and not ask("vouched", file)

    def is_no_module(value, sources):
        """True for what stands where a module was imported, and is none: an object of Python's own by its class, of no library."""
        kind = value if issubclass(type(value), type) else type(value)
        is_plain = kind.__module__ != "unittest.mock" and "-packages/" not in str(getattr(sys.modules.get(kind.__module__), "__file__", ""))
        return is_plain and not issubclass(type(value), types.ModuleType) and not any([a for _, a in sources])

    def is_of_package(value):
        kind = value if issubclass(type(value), (type, types.FunctionType)) else type(value)
        return "-packages/" in str(getattr(sys.modules.get(kind.__module__), "__file__", ""))

    def is_swapped(known, file, name, value, meant, sources):
        """
        True for a thing of Python's own, or a plain value, in the place of what a file of tests imports and binds by nothing else. What a
        library has put into Python's modules is its matter, and so is what sys has for each test (sys.stdout).
        """
        named = (types.FunctionType, types.BuiltinFunctionType, type)
        alike = [m for m in meant if type(m) is type(value) and (m is value or type(m) in plain and m == value or
                                                                 issubclass(type(m), named) and m.__qualname__ == value.__qualname__)]
        if alike or is_of_package(value) or type(value).__module__ == "unittest.mock" or name in rebound(known, file):
            return False
        for (module, attribute), m in zip(sources, meant):
            home = str(getattr(sys.modules.get(module), "__file__", ""))
            is_ours = home.startswith(repo + "/")
            if module == "sys" and type(m) not in plain or "-packages/" not in home and is_of_package(m):
                return False
            if is_ours and not ((is_test_file(home, repo) or callable(m)) and ask("vouched", home)):
                return False
            if is_ours and not is_test_file(home, repo) and code_of(value) is not None:
                return False
            if m is None or not (callable(m) or type(m) in plain or type(m) in (list, dict, set)):
                return False
        return bool(sources)

    def rebound(known, file):
        """Names that a file binds otherwise than by imports."""
        if file not in known["rebound"]:
            known["rebound"][file] = otherwise(text(file))
        return known["rebound"][file]

    def sources_of(known, file):
        """What a file binds by imports at its top."""
        if file not in known["imports"]:
            is_theirs = isinstance(file, str) and ask("vouched", file)
            known["imports"][file] = bound(text(file), lambda level, module: beside(file, repo, level, module)) if is_theirs else {}
            known["read"][file] = read_in(text(file)) if is_theirs else set()
            known["surely"][file] = sure(text(file)) if is_theirs else set()
        return known["imports"][file]

    def look_at_libraries():
        """What helpers of the tests use of libraries."""
        known = ask("known")
        users = [(m, getattr(m, "__file__", None)) for m, _ in known["beside"] if identity(m) not in known["globals"]]
        files = [f for f in [getattr(m, "__file__", None) for m, _ in known["beside"]] if isinstance(f, str)]
        for helper, file in [u for u in users if isinstance(u[1], str) and is_test_file(u[1], repo)]:
            imports(known, helper, file, False, files)
            is_kept(known, helper, file, files)

    def is_kept(known, helper, file, files):
        """Checks that a helper of the tests holds what it held when the first test began, where no file of tests has words for another."""
        space, key = vars(helper), identity(helper)
        if key not in known["kept"]:
            known["kept"][key] = helper, dict(space)
        before = known["kept"][key][1]
        if not any(map_to(is_not, map_to(space.get, before), before.values())):
            return
        may_be_set = any([w in text(file) for w in computing + (b"global ",)])
        for name, old in list(before.items()):
            new = before[name] = space.get(name, old)
            if new is old or may_be_set or name.startswith(("__", "@")) or any([has_words(text(f), name) for f in files]):
                continue
            found("test_replaced", "%s in %s was replaced" % (name, file))

    def is_same(value, other, method=types.MethodType):
        """A method is bound anew each time that an object is asked for it, which a module may have put in its own place."""
        return value is other or type(value) is type(other) is method and value.__self__ is other.__self__ and value.__func__ is other.__func__

    def imports(known, of_tests, file, or_mock, files=()):
        """Checks that the names which the tests' module imported from elsewhere still have the same values."""
        for name, sources in sources_of(known, file).items():
            was_bound = name in builtin_names and (name in known["surely"][file] or name in known["globals"].get(identity(of_tests), ((),))[-1])
            if name not in vars(of_tests) and not was_bound:
                continue  # where it is a program: if __name__ == "__main__"; or another Python: from itertools import izip as zip
            value = vars(of_tests).get(name, of_tests)
            meant = [getattr(sys.modules.get(m), a, None) if a else sys.modules.get(m) for m, a in sources]
            homes = [str(getattr(sys.modules.get(m), "__file__", "")) for m, _ in sources]
            outside = [h for h in homes if not h.startswith(repo + "/")]
            is_code = code_of(value) is not None or issubclass(type(value), type)
            is_other = not any([is_same(value, m) for m in meant])
            swapped = is_other and is_swapped(known, file, name, value, meant, sources)
            is_another = swapped or is_other and (is_made(value, or_mock) or is_no_module(value, sources))
            if is_another and (outside or is_code or swapped) and \
                    (outside or all([ask("vouched", h) for h in homes])) and \
                    not any([has_words(text(f), name) for f in files]):
                found("test_replaced", "%s in %s is not what it imports" % (name, file))
            for m, a in sources if outside else ():
                module = sys.modules.get(m)
                inner = vars(module).get(a) if a and isinstance(module, types.ModuleType) else module  # from os import path
                if inner is not None and (not a or issubclass(type(inner), types.ModuleType)):
                    library(known, inner, [k for n, k in known["read"][file] if n == name], file)
                if a:
                    library(known, module, [a], file)
        library_in_functions(known, file)

    def is_odd(file, name, old, new):
        """True when something that the tests call became another, and neither they nor what it is have words for that."""
        if code_of(old) is None or not callable(new):
            return False
        return not any([has_words(text(f), name) for f in [file] + own_file(new)])

    def is_put(known, file, name, new):
        """True for what a patch or the run made, where the tests' own code does not bind the name to objects of what is tested."""
        is_object = code_of(new) is None and not issubclass(type(new), (type, types.ModuleType))
        return is_made(new, False) and not (is_object and name in known["modules"].get(file, ((),))[0] and has_words(text(file), name))

    def classes_of(of_tests):
        """(class, its file, its attributes) of those of the tests' module, with what of the repository they are made from."""
        own = [k for k in list(vars(of_tests).values()) if issubclass(type(k), type) and k.__module__ == of_tests.__name__]
        kinds = {c: None for k in own for c in k.__mro__}
        of = [(c, getattr(sys.modules.get(c.__module__), "__file__", None)) for c in kinds]
        return [(c, f, dict(vars(c))) for c, f in of if isinstance(f, str) and f.startswith(repo + "/") and ask("vouched", f)]

    def sets(known, file, name):
        """True when a file has words that set an attribute of that name."""
        if file not in known["attributes"]:
            known["attributes"][file] = set_in(text(file))
        return name in known["attributes"][file]

    def set_by_libraries(known, kind, name):
        """True where the file of a library that a class is made from sets what has no code: django's TestCase its databases."""
        files = [getattr(sys.modules.get(b.__module__), "__file__", None) for b in kind.__mro__]
        return any([isinstance(f, str) and "-packages/" in f and ask("vouched", f) and sets(known, f, name) for f in files])

    def classes(known, of_tests, its_file, replaces):
        """Checks the attributes of classes of the tests' module, and of those that they are made from, but for those that
        the modules themselves set somewhere."""
        for kind, file, before in known["classes"][identity(of_tests)]:
            now = vars(kind)
            inherited = [(n, vars(b)[n]) for n in now.keys() - before.keys() for b in kind.__mro__[1:] if n in vars(b)]
            for name, old in list(before.items()) + inherited:
                new = now.get(name, old)
                is_theirs = name.startswith("_") or name in ("pytestmark", "tearDown_exceptions")
                if new is old or is_theirs or sets(known, its_file, name) or sets(known, file, name):
                    continue
                if not (callable(new) or is_made(new, False)) and set_by_libraries(known, kind, name):
                    continue
                if not replaces or is_made(new, False) or is_odd(file, name, old, new):
                    found("test_replaced", "%s.%s in %s was replaced" % (kind.__name__, name, file))

    def look_at_globals(of_tests):
        known = ask("known")
        if identity(of_tests) not in known["globals"]:
            return
        _, file, before = known["globals"][identity(of_tests)]
        imports(known, of_tests, file, False)
        if file not in known["replaces"]:
            known["replaces"][file] = any(w in text(file) for w in (b"setattr", b"patch", b"global "))
        replaces = known["replaces"][file]
        classes(known, of_tests, file, replaces)
        for name, old in before.items():
            new = vars(of_tests).get(name, old)
            if new is not old and name.strip("_") and not name.startswith(("__", "@")) and \
                    (not replaces or is_put(known, file, name, new) or is_odd(file, name, old, new)):
                found("test_replaced", "%s in %s was replaced" % (name, file))

    def remember(modules):
        known = ask("known")
        for of_tests in modules:
            file = getattr(of_tests, "__file__", None)
            known["globals"][identity(of_tests)] = of_tests, file if isinstance(file, str) else "", dict(vars(of_tests))
            known["classes"][identity(of_tests)] = classes_of(of_tests)
            imports(known, of_tests, file, True)
    return remember, look_at_names, look_at_globals, look_at_libraries
