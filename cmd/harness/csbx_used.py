# SPDX-License-Identifier: Apache-2.0
"""Finds what the tests that were collected are run with, by the objects: the functions of their fixtures, plugins, and the classes that they are
made from. A file of one that a patch changed, outside of the tests' directories, is told as csbx_support tells it, whatever words lead to it.

What the files say, now and as they were, is read before any code of the repository runs.
"""
import ast
import builtins
import os
import sys
import types
import unittest

from csbx_state import class_names, function_of, functions_in, module_names
from csbx_support import DEFINITIONS, asserts, last_of, parsed
from csbx_texts import text_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

LAYERS_MAX = 64
WORDS = (b"fixture", b"TestCase", b"assert", b"fail", b"setUp", b"setup_", b"def test")  # without one of these the texts are not parsed
# Methods that a test is run by, or that assert by their names.
OF_TESTS = ("test", "setUp", "tearDown", "asyncSetUp", "asyncTearDown", "setup_method", "setup_class", "teardown_method", "teardown_class", "assert")


class Facts:
    """Of a file that a patch changed: was_there; names_fixtures; asserting: the classes that assert, before or after; bound, of_tests:
    the names that it bound before, and those of classes that tests may have been made from then."""

    def __init__(self, before, now):
        texts = [t for t in (before, now) if t is not None]
        trees = [parsed(t if any(w in t for w in WORDS) else b"") for t in texts]
        self.was_there = before is not None
        self.names_fixtures = any(b"fixture" in t for t in texts)
        self.asserting = {n.name for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and asserts(n)}
        nodes = list(ast.walk(trees[0])) if self.was_there else []
        self.bound = {n.name for n in nodes if isinstance(n, DEFINITIONS)} | {n.id for n in nodes if isinstance(n, ast.Name) and is_stored(n)}
        self.of_tests = {n.name for n in nodes if isinstance(n, ast.ClassDef) and is_for_tests(n)}


def is_stored(node):
    return isinstance(node.ctx, ast.Store)


def is_for_tests(node):
    return asserts(node) or any(last_of(b).endswith("TestCase") for b in node.bases) or \
        any(n.name.startswith(OF_TESTS) for n in node.body if isinstance(n, DEFINITIONS))


def facts_of(repo, paths, before):
    """file -> Facts, of the files that patches changed. before: file -> its text as it was, of those that were there."""
    files = [os.path.join(repo, p) for p in paths if p.endswith(".py")]
    return {f: Facts(before.get(f), text_of(f)) for f in files}


def held_by(thing, get=object.__getattribute__):
    """What an object has for attributes of its own; no code of its class is asked."""
    try:
        held = get(thing, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def codes_in(value, functions_of=functions_in, inner_of=function_of, held=held_by, layers_max=LAYERS_MAX):
    """The codes of the functions that a thing is, or wraps."""
    todo, found = [value], []
    for _ in range(layers_max):
        if not todo:
            break
        one = inner_of(todo.pop())
        parts = functions_of(one)
        found += [f.__code__ for f in parts]
        for own in map(held, parts or [one]):
            todo += [own[key] for key in ("__wrapped__", "_fixture_function") if key in own]
    return found


def make_used(ask, repo, facts):
    """begin(entries), look(items, plugins), look_at_classes(classes), end(): what tests are run with, and what fixtures were asked for late."""
    codes, members, names_of_module, plain, modules = codes_in, class_names, module_names, object.__getattribute__, sys.modules
    bases_of, name_of = type.__dict__["__mro__"].__get__, type.__dict__["__name__"].__get__
    case_type, module_type = unittest.TestCase, types.ModuleType
    of_tests, held, real_path, inside = OF_TESTS, held_by, os.path.realpath, repo + "/"
    nothing, is_kind = object(), issubclass

    def tell(file):
        known = ask("known")["used"]
        if file not in known["told"]:
            known["told"].add(file)
            ask("send", {"t": "tamper", "kind": "test_support", "detail": file[len(inside):]})

    def tell_of_former(name, way):
        """What lies in a new file was in one that a patch changed."""
        for file, its in facts.items():
            if its.was_there and way(its, name):
                tell(file)

    def get(thing, name, default=nothing):
        try:
            return plain(thing, name)
        except AttributeError:
            return default

    def file_of(code):
        known = ask("known")["used"]["files"]
        if code.co_filename not in known:
            known[code.co_filename] = real_path(code.co_filename)
        return known[code.co_filename]

    def file_of_module(name):
        module = modules.get(name) if type(name) is str else None
        file = names_of_module(module).get("__file__") if is_kind(type(module), module_type) else None
        return real_path(file) if type(file) is str else None

    def was_fixture(its, name):
        return its.names_fixtures and name in its.bound

    def was_of_tests(its, name):
        return name in its.of_tests

    def look_at_fixture(definition):
        known = ask("known")["used"]
        name, made_of = get(definition, "argname"), codes(get(definition, "func"))
        made_of = [c for c in made_of if not [e for e in known["of_entries"] if e is c]]
        files = [f for f in map(file_of, made_of) if f in facts]
        for file in files:
            if facts[file].was_there and facts[file].names_fixtures:
                tell(file)
        if (files or not codes(get(definition, "func"))) and type(name) is str and not [f for f in files if f in known["told"]]:
            tell_of_former(name, was_fixture)

    def look_at_plugin(plugin):
        if is_kind(type(plugin), module_type):
            own = names_of_module(plugin)
            files = [real_path(own["__file__"])] if type(own.get("__file__")) is str else []
        else:
            own = members(plugin if isinstance(plugin, type) else type(plugin))
            files = [file_of_module(own.get("__module__"))]
        if [f for f in files if f in ask("known")["used"]["homes"]]:
            return  # what a plugin of an entry point has registered
        hooks = [v for k, v in list(own.items()) if type(k) is str and k[:7] == "pytest_"]
        for file in files + [file_of(c) for v in hooks for c in codes(v)]:
            if file in facts and facts[file].was_there:
                tell(file)

    def look_at_base(base):
        own, name = members(base), name_of(base)
        home, files = file_of_module(own.get("__module__")), set()
        if home in facts and (case_type in bases_of(base) or name in facts[home].asserting):
            files.add(home)
        for key, value in list(own.items()):
            is_of_tests = type(key) is str and key.startswith(of_tests)
            files.update(f for f in map(file_of, codes(value)) if f in facts and (is_of_tests or name in facts[f].asserting))
        for file in files:
            if facts[file].was_there:
                tell(file)
        if [f for f in files if not facts[f].was_there] or home in facts and not facts[home].was_there:
            tell_of_former(name, was_of_tests)

    def look_at_classes(classes):
        """The classes of tests, and what they are made from."""
        bases = {id(b): b for kind in classes for b in bases_of(kind)} if facts else {}
        for base in bases.values():
            look_at_base(base)

    def begin(entries):
        """Before any conftest.py. entries: plugins that entry points of installed packages name; one of the repository is what is judged."""
        known = ask("known")["used"] = {"told": set(), "files": {}, "of_entries": [], "homes": set()}
        for plugin in [p for p in entries if is_kind(type(p), module_type)]:
            file = names_of_module(plugin).get("__file__")
            known["homes"].update([real_path(file)] if type(file) is str else [])
            known["of_entries"] += [c for v in list(names_of_module(plugin).values()) for c in codes(v) if c.co_filename.startswith(inside)]

    def look(items, plugins):
        if not facts:
            return
        definitions, classes = {}, {}
        for item in items:
            named = get(held(item).get("_fixtureinfo"), "name2fixturedefs", {})
            definitions.update((id(d), d) for those in (list(named.values()) if type(named) is dict else ()) for d in those)
            kind = getattr(item, "cls", None)
            classes.update([(id(kind), kind)] if isinstance(kind, type) else [])
        for definition in definitions.values():
            look_at_fixture(definition)
        look_at_classes(classes.values())
        for plugin in [p for p in plugins if not str(get(p, "__file__", "")).endswith("/conftest.py")]:
            look_at_plugin(plugin)

    def end():
        """Fixtures that a test asked for by a call."""
        for definition, _ in list(ask("known")["values"].values()) if facts else ():
            look_at_fixture(definition)
    return types.SimpleNamespace(begin=begin, look=look, look_at_classes=look_at_classes, end=end)
