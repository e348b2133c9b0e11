# SPDX-License-Identifier: Apache-2.0
"""Looks whether a module that the repository had, or one that is installed, is loaded from another file, which a patch brought.

A directory of tests comes before that of the repository, and a package finds its parts where its __path__ says: a new file there stands for
one that is still in its place. Any directory of the repository may come onto sys.path, by settings or by code.
"""
import builtins
import os
import sys
import types

from csbx_state import module_names

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

MODULE_ENDS = (".py", ".so", ".pyc")
OF_RUNNERS = ("conftest", "__main__", "setup")  # each directory has its own; a patch that touches one is told otherwise


def place_of(path):
    """(directories, name) of the module that a file is."""
    parts = path.split("/")
    if parts[-1].split(".")[0] == "__init__" and len(parts) > 1:
        parts.pop()
    return parts[:-1], parts[-1].split(".")[0]


def name_below(path, root):
    """The dotted name of a file of a module, as it is imported from a directory; None: it is not below."""
    if not path.startswith(root):
        return None
    places, name = place_of(path[len(root):])
    return ".".join(places + [name])


def doubles_of(repo, roots, before, changed):
    """file that was changed -> {dotted name: [(directory to import it from, file that was there)]} of files that are modules of the same
    name as others that the repository had, and has."""
    roots = [r for r in roots if not os.path.lexists(os.path.join(repo, r, "__init__.py"))]
    new = {p: place_of(p)[1] for p in changed if p.endswith(MODULE_ENDS)}
    stems, found = set(new.values()) - set(OF_RUNNERS), {}
    others = [p for p in before if p.endswith(MODULE_ENDS) and "__pycache__/" not in p and place_of(p)[1] in stems]
    for path, stem in new.items():
        own = {name_below(path, r) for r in roots} if path in before else ()
        for other in [o for o in others if place_of(o)[1] == stem and o != path and os.path.lexists(os.path.join(repo, o))]:
            for root in roots:
                name = name_below(other, root)
                if name is not None and name not in own:
                    home = os.path.normpath(os.path.join(repo, root))
                    found.setdefault(repo + "/" + path, {}).setdefault(name, []).append((home, repo + "/" + other))
    return found


def alikes_of(repo, before, changed, is_taken):
    """Like doubles_of(), of the modules that a patch brought and that installed ones have the names of, from whatever directory they are
    imported: (None, None) in the place of what was there. In a package they have another name. is_taken(name): of such a module."""
    modules = {"/".join(places + [name]) for places, name in map(place_of, (p for p in before if p.endswith(MODULE_ENDS)))}
    packages = {p.rpartition("/")[0] for p in changed if p.rpartition("/")[2].split(".")[0] == "__init__"}
    found = {}
    for path in [p for p in changed if p.endswith(MODULE_ENDS) and p not in before]:
        places, name = place_of(path)
        parts = places + [name]
        for at, first in enumerate(parts):
            top = "/".join(parts[:at + 1])
            is_part = at < len(places) and top in packages  # whose own file is looked at
            if top not in modules and not is_part and first not in OF_RUNNERS and is_taken(first):
                found.setdefault(repo + "/" + path, {})[".".join(parts[at:])] = [(None, None)]
    return found


def all_doubles_of(repo, looks, changed):
    """Both, by the looks of csbx_names."""
    found = doubles_of(repo, looks.roots, looks.files, changed)
    for file, names in alikes_of(repo, looks.files, changed, looks.is_taken).items():
        for name, others in names.items():
            found.setdefault(file, {}).setdefault(name, []).extend(others)
    return found


def make_shadows(doubles, tell, short):
    """(loaded(code), check()): code of a module that is about to run; all modules there are. doubles: of doubles_of()."""
    modules, names_of_module, module_type, _type, _str, _list = sys.modules, module_names, types.ModuleType, type, str, list
    paths, at_first = sys.path, frozenset(sys.path)

    def look(file):
        """A module is known by its file before it runs; then it may say another."""
        for name, module in _list(modules.items()):
            if _type(name) is _str and name in doubles[file] and _type(module) is module_type and names_of_module(module).get("__file__") == file:
                for home, other in doubles[file][name]:
                    if home is None:
                        tell("shadow", "%s is of %s, which a patch brought, and another is installed" % (name, short(file)))
                    elif home in at_first or home in [p for p in paths if _type(p) is _str]:
                        tell("shadow", "%s is of %s, which a patch brought, and not of %s" % (name, short(file), short(other)))

    def loaded(code):
        file = code.co_filename
        if code.co_name == "<module>" and _type(file) is _str and file in doubles:
            look(file)

    def check():
        for file in doubles:
            look(file)
    return loaded, check
