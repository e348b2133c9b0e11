# SPDX-License-Identifier: Apache-2.0
"""The places of functions and classes that files of the repository define, and whether what is there is what they define."""
import builtins
import sys
import types

from csbx_defs import cells_of, definitions_of, has_changed, reached_from
from csbx_exact import always_defined, callables_of, make_exact
from csbx_imports import is_of_tests
from csbx_kinds import named, plain, spaces_of
from csbx_texts import says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def file_of(module):
    return getattr(module, "__file__", None)


def make_places(ask, repo, text_of, is_of_others):
    """(places(module), is_replaced(place, what was there last, what is there, files of tests), look_at_partials(module), contents(places),
    look_at_contents(contents))"""
    text, definitions, reach, has_words, is_test_file, callables = text_of, definitions_of, reached_from, says, is_of_tests, callables_of
    always, meaning = always_defined, named
    function_type, module_type, modules, new_place = types.FunctionType, types.ModuleType, sys.modules, types.SimpleNamespace
    functions, mro, inside = (types.FunctionType, types.BuiltinFunctionType), type.__dict__["__mro__"].__get__, repo + "/"
    spaces, plain_of, file_name, cells, other_cells, is_exact = spaces_of, plain, file_of, cells_of, has_changed, make_exact(ask)

    def tell(kind, detail):
        ask("found", kind, detail)

    def is_loose(place, value, codes):
        """True where others may put something by rights: a module that is no test's, whose words say so or set attributes; a method that
        what its class is made from wraps."""
        homes = [file_name(modules.get(b.__module__)) for b in mro(place.holder)] if isinstance(place.holder, type) else []
        if isinstance(place.holder, type) and any([e[5] for e in definitions(text(place.file))[0].get(place.holder.__qualname__, ())]):
            homes += [c.co_filename for c in codes if "/unittest/mock.py" in c.co_filename]  # which wraps the methods of a class
        around = [f for f in reach(value) if not is_original(place, f)]
        if len(around) < len(reach(value)) and any([type(f) is function_type and f.__code__.co_filename in homes for f in around]):
            return True
        said = [text(c.co_filename) for c in codes if c.co_filename.startswith(inside)]
        if said and not is_test_file(place.file, repo):
            others = [file_name(m) for m in list(modules.values()) if isinstance(m, module_type)]
            said += [text(f) for f in others if isinstance(f, str) and f.startswith(inside) and ask("vouched", f)]
            return any([b"setattr" in t for t in said[:len(codes)]]) or any([has_words(t, place.key) for t in said])
        return any([has_words(t, place.key) for t in said])

    def is_original(place, function):
        return is_exact(function, place.file, place.name, place.entries, place.globals) and is_of_class(place.holder, function)

    def is_of_class(holder, function):
        """What super() is in a method: its class, or the one that a data class with slots was made from."""
        free = function.__code__.co_freevars
        if "__class__" not in free or not isinstance(holder, type):
            return True
        kind = function.__closure__[free.index("__class__")].cell_contents
        is_same = getattr(kind, "__qualname__", None) == holder.__qualname__ and kind.__module__ == holder.__module__
        return kind is holder or (is_same and "__dataclass_fields__" in vars(holder))

    def is_wrapped_otherwise(place, function):
        """True for a wrapper of the repository that is of another file than what the definition is decorated with."""
        if type(function) is not function_type or not function.__code__.co_filename.startswith(inside):
            return False
        files = [place.file]
        for dotted in place.decorators:
            found = meaning(place.module, dotted)
            if type(found) is not function_type:
                return False  # an object, or what a library has: it may make anything
            files.append(found.__code__.co_filename)
        return function.__code__.co_filename not in files

    def is_loaded_again(place, old, value, files):
        """True for the class that importlib.reload() has made of the same text, where the tests say that: each of its functions is that of
        the file."""
        if not issubclass(type(old), type) or not any([b"reload(" in text(f) for f in files]) or vars(old).keys() != vars(value).keys():
            return False
        defined = definitions(text(place.file))[0]
        parts = [(k, plain_of(v), [(e[0], e[4]) for e in defined.get("%s.%s" % (place.home[1], k), ())]) for k, v in vars(value).items()]
        return [b.__qualname__ for b in mro(old)] == [b.__qualname__ for b in mro(value)] and \
            all([is_exact(p, place.file, k, entries, place.globals) for k, p, entries in parts if callable(p)])

    def is_another_class(place, old, value, files, has_word):
        if not issubclass(type(value), type):
            return not (place.is_decorated or has_word)
        is_named_so = (value.__module__, value.__qualname__) == place.home
        if is_named_so and old is not None and is_loaded_again(place, old, value, files):
            return False
        return (not is_named_so and not place.is_decorated) or (old is not None and not has_word)

    def is_replaced(place, old, value, files):
        has_word = any([has_words(text(f), place.key) for f in files])
        if value is None:  # it was taken away
            return old is not None and not has_word
        if place.home is not None:  # its methods are looked at, by what it says of itself
            return is_another_class(place, old, value, files, has_word)
        function = plain_of(value)
        if is_original(place, function):
            return False
        reached = reach(function)
        codes = [f.__code__ for f in reached if type(f) is function_type]
        is_otherwise = place.is_decorated and is_wrapped_otherwise(place, function)
        if place.is_decorated and not is_otherwise and any([is_original(place, f) for f in reached]):
            return False
        if any([not ask("vouched", c) for c in codes]):
            return True
        if has_word or is_loose(place, function, codes):
            return False
        return is_otherwise or not place.is_decorated or (type(function) in functions and not getattr(function, "__closure__", None))

    def places(module):
        """Each function and class that the file defines, and binds by nothing else: where it is, and what it has to be."""
        file, found = file_name(module), []
        (entries_of, others), meant = definitions(text(file)), always(text(file))
        for prefix, holder, space in spaces(module):
            may_be_another = any([prefix.startswith(n + ".") for n in others])  # a class beneath `if` or `try`, which is bound otherwise, too
            is_own_class = holder is not module and not is_of_others(holder, entries_of.get(prefix[:-1], ()), module)
            for key in list(space):
                entries = entries_of.get(prefix + key, ())
                if may_be_another and prefix + key not in meant or key == "__new__" and "__new_member__" in space:
                    continue  # an enumeration puts its own aside
                if entries and prefix + key not in others and (is_own_class or not key.startswith("__")):
                    home = (module.__name__, prefix + key) if any(e[3] for e in entries) else None
                    found.append(new_place(space=space, holder=holder, key=key, name=key, file=file, globals=vars(module), home=home,
                                           entries=[(e[0], e[4]) for e in entries], is_decorated=any(e[1] is None for e in entries),
                                           module=module, decorators=[n for e in entries for n in e[5]]))
        look_at_missing(module, entries_of, others)
        return found + lambdas(module)

    def look_at_missing(module, entries_of, others):
        """Tells of functions that the file defines in any case, and that are gone: a class that it is made from, or a module's
        __getattr__(), has another then."""
        file, meant = file_name(module), always(text(file_name(module)))
        for prefix, holder, space in spaces(module):
            is_alone = holder is module or not is_of_others(holder, entries_of.get(prefix[:-1], ()), module)
            for dotted in meant if is_alone else ():
                here, _, key = dotted.rpartition(".")
                if here == prefix[:-1] and not (key in space or dotted in others or key.startswith("__") and not key.endswith("__")):
                    tell("test_replaced", "%s in %s is gone" % (key, file))

    def lambdas(module):
        return [new_place(space=vars(module), holder=module, key=key, name="<lambda>", file=file_name(module), globals=vars(module), home=None,
                          entries=[made[1]], is_decorated=False, module=module, decorators=[])
                for key, made in callables(text(file_name(module))).items() if made[0]]

    def look_at_partials(module):
        """A partial() calls what its file says that it calls."""
        space, file = vars(module), file_name(module)
        for key, made in callables(text(file)).items():
            meant, value = None if made[0] else meaning(module, made[1]), space.get(key)
            if meant is not None and getattr(value, "func", None) is not meant and not has_words(text(file), key):
                tell("test_replaced", "%s in %s was replaced" % (key, file))

    def contents(found):
        """(function, what it has for keywords, cells of it and of what it wraps) of the functions at these places."""
        at = [plain_of(p.space.get(p.key)) for p in found if p.home is None]
        return [(f.__code__.co_name, f.__kwdefaults__, dict(f.__kwdefaults__ or {}), cells(f) if is_test_file(f.__code__.co_filename, repo) else [])
                for f in at if type(f) is function_type and (f.__kwdefaults__ or f.__closure__)]

    def look_at_contents(found):
        for name, by_name, before, closed in found:
            if closed and other_cells(closed) or before and any([by_name.get(k, found) is not v for k, v in before.items()]):
                tell("test_replaced", "what %s closes over, or has for keywords" % name)
    return places, is_replaced, look_at_partials, contents, look_at_contents
