# SPDX-License-Identifier: Apache-2.0
"""Looks whether the functions of the tests' modules, of what they import from the repository, and of each conftest.py are
those that the files have.

Code that a test calls can put another function in the place of one that the test asserts with.
"""
import builtins
import operator
import os
import sys
import types

from csbx_imports import imported_by, is_of_tests, root_of
from csbx_kinds import make_kinds, spaces_of
from csbx_owned import make_owned
from csbx_places import file_of, make_places
from csbx_texts import bound_by_imports, constants_of, displays_of, is_as_written, names_stored, says, sets_item_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

PLACES_MAX = 20000
SETTINGS = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml")
WRITERS = ("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "add", "discard", "__setitem__")


def make_helpers(ask, repo, text_of):
    """(begin(modules of tests, of each conftest.py), look(file of the test)), which tell what was replaced."""
    text, has_words, imports, module_type, modules = text_of, says, bound_by_imports, types.ModuleType, sys.modules
    spaces, file_name, is_not, places_max, is_dir_of = spaces_of, file_of, operator.is_not, PLACES_MAX, os.path.dirname
    map_to, get = map, lambda space, key: space.get(key)
    builtin_names, stored, of_python = frozenset(vars(builtins)), names_stored, (vars(builtins), builtins)
    imported, constants, is_test_file, real_path = imported_by, constants_of, is_of_tests, os.path.realpath
    displays, as_written, sets_item, root, base = displays_of, is_as_written, sets_item_of, root_of, os.path.basename
    paths = frozenset(map(os.path.realpath, sys.path))
    new = object()
    writers, settings = tuple("." + w for w in WRITERS), SETTINGS
    is_of_others, kinds, look_at_kinds = make_kinds(ask, repo, text_of)
    begin_owned, look_at_owned = make_owned(ask, repo, text_of)
    places, is_replaced, look_at_partials, contents, look_at_contents = make_places(ask, repo, text_of, is_of_others)

    def tell(kind, detail):
        ask("found", kind, detail)

    def is_own(module):
        file = file_name(module)
        return isinstance(module, module_type) and isinstance(file, str) and file.startswith(repo + "/") and file.endswith(".py") and \
            ask("vouched", file)

    def beside(tests, conftests):
        """The modules to look at, each once."""
        found = {id(m): m for m in list(tests) + list(conftests) if is_own(m)}
        homes = tuple(is_dir_of(file_name(m)) + "/" for m in tests if is_own(m))
        names = {n for m in list(found.values()) for sources in imports(text(file_name(m))).values()
                 for module, attribute in sources for n in (module, "%s.%s" % (module, attribute))}
        for name, module in list(modules.items()):
            file = file_name(module)
            if (name in names or (isinstance(file, str) and file.startswith(homes) and homes)) and is_own(module):
                found[id(module)] = module
        return list(found.values())

    def fixed(module):
        """[content, name, file, value, what it was last] of the numbers and texts that a file of tests binds, of its classes' too."""
        file = file_name(module)
        values, own_kinds = constants(text(file)), [id(k[0]) for k in kinds(module) if k[5]]
        return [[space, name, file, values[prefix + name], None] for prefix, holder, space in spaces(module) for name in list(space)
                if type(name) is str and prefix + name in values and (holder is module or id(holder) in own_kinds)]

    def look_at_constants(known):
        for entry in known["constants"]:
            space, key, file, value, was = entry
            now = space.get(key, value)
            if now is was:
                continue
            entry[4] = now
            if (type(now) is not type(value) or now != value) and not any(has_words(text(file_name(m)), key) for m, _ in known["beside"]):
                tell("test_replaced", "%s in %s was replaced" % (key, file))

    def written_out(module):
        """[content, name, file, expression, names of the module, what it was last] of the lists and dicts that a file of tests writes out."""
        file = file_name(module)
        found, own_kinds = displays(text(file)), [id(k[0]) for k in kinds(module) if k[5]] if displays(text(file)) else []
        return [[space, name, file, found[prefix + name], vars(module), new] for prefix, holder, space in spaces(module) for name in list(space)
                if type(name) is str and prefix + name in found and (holder is module or id(holder) in own_kinds)]

    def is_written_to(known, key):
        """True where a file of tests has words for writing to a list of that name, or for another in its place."""
        words = [(key + w).encode("utf-8", "replace") for w in writers]
        return any(has_words(t, key) or any(w in t for w in words) or sets_item(t, key) for t in [text(file_name(m)) for m, _ in known["beside"]])

    def look_at_displays(known):
        """What they hold is looked at once: tests may write to it, or have what they test do so."""
        for entry in known["displays"]:
            space, key, file, meant, names, was = entry
            now = space.get(key, entry)
            if now is was:
                continue
            is_first, entry[5] = was is new, now
            if not (is_first and as_written(meant, now, names)) and not is_written_to(known, key):
                tell("test_replaced", "%s in %s was replaced" % (key, file))

    def is_on_the_way(known, own):
        """True for a file in a directory that modules were imported from at the begin, that tests lie in, or that tests put there."""
        home = root(own, repo)
        of_tests = [f for f in known["helped_files"] if isinstance(f, str)]
        if home == repo or real_path(home) in paths or home in [root(f, repo) for f in of_tests]:
            return True
        name = base(home).encode("utf-8", "replace")
        return any((b"sys.path" in t or b"pythonpath" in t) and name in t for t in map(text, of_tests + [repo + "/" + s for s in settings]))

    def look_at_written(file):
        if is_test_file(file, repo) and ask("written", file):
            tell("test_replaced", "%s is not as it was before the patches and the run" % file)

    def look_at_imports(module):
        """Tells of a module that is another than the file of that name beside the one that imports it, and that a patch, the run
        or a library stands for."""
        file, session = file_name(module), ask("known").get("session")
        is_own_first = session is not None and getattr(session.config.option, "importmode", "prepend") == "prepend"
        for name, meant in imported(file, text(file), repo, is_own_first):
            found = modules.get(name, module)
            look_at_written(meant)
            if found is module or not ask("vouched", meant):
                continue
            own = file_name(found)
            is_told = isinstance(own, str)
            is_another = is_told and ask("vouched", own) and getattr(found, "__name__", None) == name and \
                (not own.startswith(repo + "/") or is_on_the_way(ask("known"), own))
            replaces_itself = not isinstance(found, module_type) and b"sys.modules" in text(meant)
            if not (is_told and real_path(own) == real_path(meant)) and not is_another and not replaces_itself:
                tell("test_replaced", "%s, which %s imports, is not %s" % (name, file, meant))

    def is_submodule(module, key):
        """True for a module of a package, which Python itself puts there when it is imported, and which cannot be called."""
        space = vars(module)
        found, name = space.get(key), space.get("__name__")
        file = vars(found).get("__file__") if type(found) is module_type else None
        return isinstance(file, str) and isinstance(name, str) and "__path__" in space and modules.get(name + "." + key) is found and \
            file.startswith(is_dir_of(file_name(module)) + "/") and ask("vouched", file)

    def names_of_python(module, keys, files):
        """Tells of names that Python has, and that a module got beside those that its file binds, where the files of tests have
        no words for that (mock.patch("helper.open")): its functions call these now."""
        odd = [k for k in keys if type(k) is not str or (k in builtin_names and not k.startswith("__") and not is_submodule(module, k))]
        if not odd:
            return
        try:
            names, computes, _ = stored(compile(text(file_name(module)), file_name(module), "exec", 0, True))
        except (SyntaxError, ValueError):
            return
        for key in odd:
            if type(key) is not str or not (key in names or computes or any(has_words(text(f), key) for f in files)):
                tell("test_replaced", "%s in %s is not of it" % (str.__str__(key) if isinstance(key, str) else "a name", file_name(module)))

    def look_at_names(known, files):
        for at, (module, before) in enumerate(known["beside"]):
            if vars(module).keys() != before:
                names_of_python(module, vars(module).keys() - before, files)
                known["beside"][at] = module, frozenset(vars(module))

    def begin(tests, conftests):
        """Modules of tests are groups of their own: each is looked at when its tests run."""
        known, of_tests = ask("known"), {file_name(m) for m in tests}
        groups, known["helped"], known["beside"], known["kinds"], known["constants"], known["contents"] = {}, {}, [], [], [], []
        known["displays"], known["helped_files"] = [], [file_name(m) for m in list(tests) + list(conftests)]
        for module in conftests:
            look_at_written(str(file_name(module)))
        for module in beside(tests, conftests):
            look_at_imports(module)
            look_at_partials(module)
            if vars(module).get("__builtins__") not in of_python:
                tell("test_replaced", "%s has builtins of its own" % file_name(module))
            known["kinds"] += kinds(module)
            if file_name(module) in of_tests or is_test_file(file_name(module), repo):
                known["constants"] += fixed(module)
                known["displays"] += written_out(module)
            names_of_python(module, list(vars(module)), [f for f in of_tests if isinstance(f, str)])
            known["beside"].append((module, frozenset(vars(module))))
            file = file_name(module)
            groups.setdefault(file if file in of_tests else "", []).extend(places(module))
        for name, found in groups.items():
            found = found[:places_max]
            known["contents"] += contents(found)
            known["helped"][name] = [p.space for p in found], [p.key for p in found], found, [None] * len(found)
        known["conftests"] = [file_name(m) for m in conftests if is_own(m)]
        begin_owned(known)

    def look(file):
        """At what tests of a file use; None: at all."""
        known = ask("known")
        files = [f for f in known["helped"] if f and file in (None, f)] + known["conftests"]
        look_at_names(known, files)
        look_at_constants(known)
        look_at_displays(known)
        look_at_kinds(known["kinds"])
        look_at_contents(known["contents"])
        look_at_owned(known)
        for name in list(known["helped"]) if file is None else ("", file):
            contents, keys, found, was = known["helped"].get(name, ((), (), (), []))
            now = list(map_to(get, contents, keys))
            if not any(map_to(is_not, was, now)):
                continue
            known["helped"][name] = contents, keys, found, now
            for place, old, new in zip(found, was, now):
                if old is not new and is_replaced(place, old, new, [file or place.file, place.file] + known["conftests"]):
                    tell("test_replaced", "%s in %s was replaced" % (place.key, place.file))
    return begin, look
