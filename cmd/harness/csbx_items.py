# SPDX-License-Identifier: Apache-2.0
"""Looks at what pytest calls for a test: the item's class, its object, the values of its fixtures, and the objects of pytest that prepare it."""
import builtins
import os
import sys
import types

from csbx_apart import set_apart
from csbx_outcomes import leads_to
from csbx_state import functions_in

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

PARTS = ("_setupstate", "config", "_fixturemanager", "_request", "stash", "_store", "ihook")  # objects of pytest that hold others


def strictly(obj):
    """The function that a test is, or that its method is of. Any object can have a __func__."""
    return obj.__func__ if type(obj) is types.MethodType else obj


def homes_of_plugins(manager, repo):
    """Directories and files of installed plugins: they may put something of their own in the place of a test."""
    homes = set()
    for plugin in manager.get_plugins():
        name = plugin.__name__ if type(plugin) is types.ModuleType else type(plugin).__module__
        top = sys.modules.get(name.partition(".")[0])
        file = getattr(top, "__file__", None)
        if isinstance(file, str) and not file.startswith(repo + "/") and top is not builtins:
            homes.add(os.path.dirname(file) + "/" if getattr(top, "__path__", None) else file)
    return tuple(homes)


def make_items(ask, repo):
    """(begin(session), collected(items), look(item, file), engine(things), note_value(definition, result))"""
    strict, wraps, parts, class_members, bases_of = strictly, leads_to, PARTS, type.__dict__["__dict__"].__get__, type.__dict__["__mro__"].__get__
    plain_get, homes = object.__getattribute__, homes_of_plugins
    functions_of = functions_in

    def tell(kind, detail):
        ask("found", kind, detail)

    def is_strange(kind):
        """True for a class with a method of code that a patch or the run brought."""
        known = ask("known")["kinds_seen"]
        if id(kind) not in known:
            made = [f for b in bases_of(kind) for v in list(class_members(b).values()) for f in functions_of(v)]
            known[id(kind)] = kind, any(not ask("vouched", f.__code__) for f in made)
        return known[id(kind)][1]

    def held(thing):
        try:
            return plain_get(thing, "__dict__")
        except AttributeError:
            return {}

    def kinds_of(thing, name, depth=1):
        """Of what an object of pytest holds, by place."""
        found = {}
        for key, value in list(held(thing).items()):
            place = name + "." + key
            found[place] = type(value)
            if depth and key in parts:
                found.update(kinds_of(value, place, depth - 1))
        return found

    def compare(before, thing, name):
        """Tells of a place that had an object of pytest's or of Python's, and has one of a class of a patch or of the run."""
        for place, kind in kinds_of(thing, name).items():
            was = before.get(place)
            if was is not None and kind is not was and is_strange(kind) and not is_strange(was):
                tell("pytest_modified", "%s is a %s" % (place, kind.__name__))

    def begin(session):
        known = ask("known")
        known["engine"] = [(n, t, kinds_of(t, n)) for n, t in (("session", session), ("config", session.config), ("plugins", session.config.pluginmanager))]
        known["homes"] = homes(session.config.pluginmanager, repo)

    def engine():
        for name, thing, before in ask("known")["engine"]:
            compare(before, thing, name)

    def collected(items):
        known = ask("known")
        for item in items:
            known["objects"][id(item)] = strict(item.obj) if hasattr(item, "obj") else None, kinds_of(item, "item")
        for kind in {type(i) for i in items}:
            if is_strange(kind):
                tell("test_replaced", "tests are made of %s.%s" % (kind.__module__, kind.__name__))

    def may_wrap(function, files):
        """True for code of the tests' own files, or of a plugin, in the place of what was collected."""
        code = getattr(function, "__code__", None)
        file = code.co_filename if code is not None else ""
        return file.startswith(ask("known")["homes"]) or (file in files and ask("vouched", code))

    def values(item):
        """The values that a test is called with are those that its fixtures gave."""
        given, definitions = held(item).get("funcargs"), held(held(item).get("_request")).get("_fixture_defs")
        known = ask("known")["values"]
        if type(given) is not dict or type(definitions) is not dict:
            return
        for name, value in list(given.items()):
            definition = definitions.get(name)
            its = known.get(id(definition), (None, None))
            is_it = its[0] is definition and its[1] is value
            if not is_it and type(definition).__name__ == "FixtureDef":
                tell("test_replaced", "the value of the fixture %s of %s" % (name, item.nodeid))

    def look(item, file):
        known = ask("known")
        was, before = known["objects"].get(id(item), (None, {}))
        now, files = strict(item.obj), [file] + known["conftests"] + known["helped_files"]
        if was is not None and now is not was and not (wraps(now, was) and may_wrap(now, files)):
            tell("test_replaced", "what is called for %s is another than what was collected" % item.nodeid)
        compare(before, item, "item")
        values(item)

    def watch_marks(node_type):
        """Marks that the tests add while they run are added by a call, with nothing of a patch on the stack."""
        own, of = node_type.add_marker, id

        @set_apart
        def add_marker(self, marker, append=True):
            ask("witness")  # which tells of code of a patch on the stack
            before = [of(m) for m in self.own_markers]
            own(self, marker, append)
            ask("may_fail", [self.nodeid])
            ask("known")["marked"].update([(of(m), m) for m in self.own_markers if of(m) not in before])
        node_type.add_marker = add_marker

    def is_brought(value):
        """Something to call of code that a patch or the run brought."""
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        return not ask("vouched", code) if code is not None else is_strange(type(value))

    def captured():
        """What pytest captures by, while it does so for a test: streams with another method, handlers for logs with a filter of a patch."""
        log = sys.modules.get("logging")
        for thing in [sys.stdout, sys.stderr, *getattr(getattr(log, "root", None), "handlers", ())]:
            if not str(type(thing).__module__).startswith("_pytest."):
                continue
            own, name = held(thing), type(thing).__name__
            for key in [k for k, v in list(own.items()) if callable(getattr(type(thing), k, None)) and is_brought(v)]:
                tell("pytest_modified", "%s of pytest's %s" % (key, name))
            if any(is_brought(f) for f in list(own.get("filters", ()))):
                tell("pytest_modified", "a filter of pytest's %s" % name)

    def is_marked(mark):
        return ask("known")["marked"].get(id(mark)) is mark

    def note_value(definition, result):
        ask("known")["values"][id(definition)] = definition, result
    return types.SimpleNamespace(begin=begin, collected=collected, look=look, engine=engine, note_value=note_value,
                                 watch_marks=watch_marks, is_marked=is_marked, captured=captured)
