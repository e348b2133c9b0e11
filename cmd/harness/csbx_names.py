# SPDX-License-Identifier: Apache-2.0
"""Finds the names of modules that files of the repository stand for, as far as paths tell; it imports nothing."""
import itertools
import os
import sys
from importlib.machinery import PathFinder

from csbx_parts import standard_names
from csbx_tree import Links, Tree, real_path

MODULE_ENDS = (".py", ".so", ".pyc")


def site_directories():
    """The directories of installed packages, programs and libraries; a repository may hold some of them."""
    found = {sys.prefix, sys.base_prefix}
    for path in sys.path:
        if os.path.basename(path) in ("site-packages", "dist-packages"):
            found.add(path)
    for variable in ("PATH", "LD_LIBRARY_PATH"):
        found.update(p for p in os.environ.get(variable, "").split(":") if os.path.isabs(p))
    return [os.path.realpath(p) for p in found]


def root_of_tests(repo, file):
    """The directory that pytest imports a test file from: the nearest above it that is no package."""
    here = os.path.dirname(file)
    while here and os.path.exists(os.path.join(repo, here, "__init__.py")):
        here = os.path.dirname(here)
    return here + "/" if here else ""


def module_of(path, root):
    """The top-level module that a file below the root makes importable, or is a part of; None: none."""
    if not path.startswith(root):
        return None
    first, *rest = path[len(root):].split("/")
    if rest:
        return first if path.endswith(MODULE_ENDS) and "." not in first else None
    return first.split(".")[0] if first.endswith(MODULE_ENDS) else None


class Looks:
    """Made before the patches."""

    def __init__(self, repo, ids):
        self.repo, self.standard = repo, standard_names()
        tree = Tree(repo, has_git=False)
        self.files, self.links = frozenset(tree.files), frozenset(tree.links())
        inside = {os.path.realpath(p) for p in sys.path} if repo != "/" else set()
        self.roots = {"", "src/", "lib/"} | {os.path.relpath(p, repo) + "/" for p in inside if p.startswith(repo + "/")}
        self.roots |= {root_of_tests(repo, i.partition("::")[0]) for i in ids if i.partition("::")[0] in self.files}
        self.sites = [s for s in site_directories() if s.startswith(repo + "/")]
        by_links = [p + "/__init__.py" for p in self.links]
        self.had = {root: {module_of(p, root) for p in itertools.chain(self.files, by_links)} for root in self.roots}
        self.outside = {}

    def others(self, changed):
        """([(another name of a changed file, by links; whether it is new)], whether there are more)."""
        links = Links(self.repo, [p for p in self.links.union(changed) if os.path.islink(os.path.join(self.repo, p))])
        found = {}
        for path in changed if links.links else ():
            for name, used in links.others(path).items():
                was_there = name in self.files or (path in self.files and self.links.issuperset(used))
                found[name] = found.get(name, True) and not was_there
        return sorted(i for i in found.items() if i[0] not in changed), not links.left

    def is_installed(self, path):
        full = real_path(os.path.join(self.repo, path))
        return any(full.startswith(s + "/") for s in self.sites)

    def is_outside(self, name):
        """True when another module of that name is installed outside of the repository."""
        if name not in self.outside:
            places = [p for p in sys.path if p and not (os.path.realpath(p) + "/").startswith(self.repo + "/")]
            spec = PathFinder.find_spec(name, places)
            self.outside[name] = spec is not None and spec.origin is not None and not real_path(spec.origin).startswith(self.repo + "/")
        return self.outside[name]

    def _new_names(self, path):
        return {m for root in self.roots for m in [module_of(path, root)] if m and m not in self.had[root]} - {"__main__"}  # the program itself

    def _standard_names(self, path):
        """Names of the standard library or of pytest that the file would take. A package begins with its __init__."""
        found = set()
        for root in self.roots:
            name, rest = module_of(path, root), path[len(root):].split("/")
            if name in self.standard and (len(rest) == 1 or rest[1].startswith("__init__.")):
                found.add(name)
        return found

    def _is_in_the_place(self, path):
        """True for a package or a library that is imported in the place of a module beside it."""
        here, name = os.path.split(path)
        first = name.partition(".")[0]
        stem = here if first == "__init__" else os.path.join(here, first) if name.endswith(".so") else ""
        return path not in self.files and stem != "" and name.endswith(MODULE_ENDS) and os.path.lexists(os.path.join(self.repo, stem + ".py"))

    def is_taken(self, name):
        """True for the name of an installed module, or of one of the standard library, by which the repository had none to import."""
        was_there = any(root + name + end in self.files for root in self.roots for end in (".py", "/__init__.py"))
        return name.isidentifier() and not was_there and (name in self.standard or self.is_outside(name))

    def is_shadow(self, path):
        return bool(self._standard_names(path) or any(map(self.is_outside, self._new_names(path)))) or self._is_in_the_place(path)

    def shadows(self, paths):
        return {n for p in paths for n in self._standard_names(p)}

    def brought(self, paths):
        """Top-level modules that were not there before, with directories that are packages without saying so."""
        return {n for p in paths for n in self._new_names(p)}
