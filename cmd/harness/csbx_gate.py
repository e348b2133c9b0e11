# SPDX-License-Identifier: Apache-2.0
"""Says which imports are allowed when: no module of the repository before the session has begun, and until pytest is
complete no module that a patch brought, or that has another of its name outside."""
import os
import sys
from importlib.machinery import PathFinder


class Gate:
    """The first finder of sys.meta_path."""

    def __init__(self, repo):
        self.repo, self.is_closed, self.outside_first, self.brought = repo, True, frozenset(), frozenset()
        sys.meta_path.insert(0, self)

    def is_inside(self, path):
        full = os.path.realpath(path)
        return full == self.repo or full.startswith(self.repo + "/")

    def _is_of_repository(self, spec):
        if isinstance(spec.origin, str) and os.path.isabs(spec.origin):
            return self.is_inside(spec.origin)
        return any(self.is_inside(p) for p in spec.submodule_search_locations or ())

    def find_outside(self, name, path=None, target=None):
        """As all finders would together, where the repository is not there."""
        places = [p for p in (sys.path if path is None else path) if p and not self.is_inside(p)]
        for finder in list(sys.meta_path):
            look = getattr(finder, "find_spec", None)
            if finder is self or look is None:
                continue
            spec = look(name, places if finder is PathFinder else path, target)
            if spec is not None and not self._is_of_repository(spec):
                return spec
        return None

    def find_spec(self, name, path=None, target=None):
        if self.is_closed:
            spec = self.find_outside(name, path, target)
        elif path is None and name in self.outside_first | self.brought:
            spec = self.find_outside(name, path, target)
            if spec is None and name not in self.brought:
                return None
        else:
            return None
        if spec is None:
            raise ModuleNotFoundError("No module named %r outside of the repository" % name, name=name)
        return spec

    def open(self, outside_first=(), brought=()):
        """The repository may be imported from, but for the names given."""
        self.outside_first, self.brought = frozenset(outside_first), frozenset(brought) - frozenset(outside_first)
        self.is_closed = False

    def remove(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
