# SPDX-License-Identifier: Apache-2.0
"""Finds files outside of the tests' directories that tests are run with: plugins, modules with fixtures, what cases are made from, and what lets
failed assertions through. By the words of files and by paths; it imports nothing."""
import ast
import os

from csbx_imports import module_at, root_of
from csbx_managers import managers_that_swallow
from csbx_swallows import dotted_of, last_of
from csbx_syntax import tree_of
from csbx_texts import text_of

DEPTH_MAX = 16
SETTINGS = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml")
WORDS = (b"fixture", b"TestCase", b"AssertionError", b"self.assert", b"contextmanager", b"__exit__", b"__aexit__",
         b"suppress")  # without one of these a file is left aside
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def texts_in(node):
    return [v for n in ast.walk(node) for v in [getattr(n, "value", getattr(n, "s", None))] if isinstance(v, str)]


class Files:
    """The files of the repository, each parsed once. older: file -> text, of those that are to be seen as they were."""

    def __init__(self, repo, older=()):
        self.repo, self.trees, self.bound, self.older = repo, {}, {}, dict(older)

    def tree(self, file):
        if file not in self.trees:
            self.trees[file] = parsed(self.older[file] if file in self.older else text_of(file))
        return self.trees[file]

    def defined(self, file, name):
        return [n for n in self.tree(file).body if isinstance(n, DEFINITIONS) and n.name == name]

    def place_of(self, file, level, module):
        """The path that a module is at, without an end."""
        parts, base = module.split(".") if module else [], file
        for _ in range(level):
            base = os.path.dirname(base)
        bases = [base] if level else [root_of(file, self.repo), self.repo, self.repo + "/src", self.repo + "/lib"]
        places = [os.path.join(b, *parts) for b in bases if not parts or module_at(b + "/" + parts[0]) or os.path.isdir(b + "/" + parts[0])]
        return places[0] if places else None

    def bindings(self, file):
        """name -> (place of a module, name in it or None) of all that a file imports."""
        if file not in self.bound:
            found = self.bound[file] = {}
            for node in ast.walk(self.tree(file)):
                for a in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                    is_from = isinstance(node, ast.ImportFrom)
                    name = (node.module or "") if is_from else a.name if a.asname else a.name.partition(".")[0]
                    place = self.place_of(file, node.level if is_from else 0, name)
                    if place is not None:
                        found[a.asname or (a.name if is_from else name)] = place, a.name if is_from else None
        return self.bound[file]

    def find(self, file, dotted, depth=0):
        """(file, name there) of what a dotted name means in a file, by way of the files that hand it on; None: no file of the repository."""
        first, *rest = dotted.split(".")
        if not rest and self.defined(file, first):
            return file, first
        if first not in self.bindings(file) or depth > DEPTH_MAX:
            return None
        place, name = self.bindings(file)[first]
        rest = ([name] if name else []) + rest
        while rest and (module_at(place + "/" + rest[0]) or os.path.isdir(place + "/" + rest[0])):
            place += "/" + rest.pop(0)
        target = module_at(place)
        if target is None or not target.startswith(self.repo + "/"):
            return None
        return self.find(target, ".".join(rest), depth + 1) if rest else (target, None)

    def imported(self, file):
        found = [self.find(file, name) for name in self.bindings(file)]
        return {f for f, _ in filter(None, found)}


def parsed(text):
    try:
        return tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse("")


def has_fixtures(tree):
    return any(last_of(d) == "fixture" for n in ast.walk(tree) if isinstance(n, DEFINITIONS) for d in n.decorator_list)


def lets_through(nodes):
    """True for a context manager that names AssertionError where it handles exceptions."""
    for node in (n for one in nodes for n in ast.walk(one)):
        types = [node.type] if isinstance(node, ast.ExceptHandler) and node.type is not None else \
            node.args if isinstance(node, ast.Call) and last_of(node) in ("suppress", "issubclass") else \
            [node.left] + node.comparators if isinstance(node, ast.Compare) else []
        if any(last_of(n) == "AssertionError" for t in types for n in ast.walk(t)):
            return True
    return False


def asserts(node):
    return any(isinstance(n, ast.Assert) or (isinstance(n, ast.Attribute) and n.attr.startswith(("assert", "fail"))) for n in ast.walk(node))


def made_from(files, file, node, seen):
    """(the files that the bases of a class are of, and theirs, where they assert or are of unittest; whether it is of unittest itself)"""
    bases = [b for b in map(dotted_of, node.bases) if b]
    found, is_case = set(), any(b.rpartition(".")[2].endswith("TestCase") for b in bases)
    for place in filter(None, [files.find(file, b) for b in bases]):
        if place not in seen and place[1]:
            seen.add(place)
            for base in [n for n in files.defined(*place) if isinstance(n, ast.ClassDef)]:
                more, is_so = made_from(files, place[0], base, seen)
                found |= more | ({place[0]} if is_so or asserts(base) else set())
                is_case = is_case or is_so
    return found, is_case


def managed_by(files, place, seen):
    """(the files that a context manager and the classes that it is made from are of, whether one of them lets failed assertions through)"""
    found, is_so = set(), False
    for node in files.defined(*place) if place[1] and place not in seen else ():
        found, is_so = found | {place[0]}, is_so or lets_through([node])
        for base in filter(None, [files.find(place[0], b) for b in map(dotted_of, getattr(node, "bases", ())) if b]):
            more, is_also = managed_by(files, base, seen | {place})
            found, is_so = found | more, is_so or is_also
    return found, is_so


def plugins_of(files, file):
    """Files that a file names by `pytest_plugins`."""
    nodes = [n for n in files.tree(file).body if isinstance(n, ast.Assign) and "pytest_plugins" in [getattr(t, "id", None) for t in n.targets]]
    return files_named(files, file, [t for n in nodes for t in texts_in(n.value)])


def files_named(files, file, names):
    places = [files.place_of(file, 0, n) for n in names if all(p.isidentifier() for p in n.split("."))]
    return {f for f in map(module_at, filter(None, places)) if f}


def words_for_plugins(repo, args):
    """NAME of each `-p NAME`, of the command and of settings."""
    words = list(args)
    for name in SETTINGS:
        words += [""] + text_of(os.path.join(repo, name)).decode("utf-8", "replace").replace('"', " ").replace("'", " ").replace(",", " ").split()
    return [b if a == "-p" else a[2:] for a, b in zip(words, words[1:] + [""]) if a.startswith("-p") and not a.startswith(("-p=", "-pno:"))]


def may_support(text):
    return any(w in text for w in WORDS)


def support_of(repo, tests, args, before):
    """Paths of files that patches changed, and that tests are run with. tests: paths of the files of tests; before: file -> text, of those
    that were there, as they were."""
    files, former = Files(repo), Files(repo, before)
    tests = [os.path.join(repo, t) for t in tests] if before else []
    found = files_named(files, os.path.join(repo, "x.py"), words_for_plugins(repo, args)) if before else set()
    for test in [t for t in tests if b"pytest_plugins" in text_of(t)]:
        found |= plugins_of(files, test)
    was = {f: parsed(text) for f, text in before.items() if may_support(text) or may_support(text_of(f))}
    for test in tests if was else ():
        found |= {f for f in files.imported(test) if f in was and (has_fixtures(was[f]) or has_fixtures(files.tree(f)))}
        for node in ast.walk(files.tree(test)):
            if isinstance(node, ast.ClassDef):
                for those in (files, former):
                    homes, is_case = made_from(those, test, node, set())
                    found |= homes if is_case else set()
            elif isinstance(node, (ast.With, ast.AsyncWith)):  # one that names AssertionError counts where the patch brings it, too
                for name in filter(None, map(dotted_of, [i.context_expr for i in node.items])):
                    (now, is_so), (then, was_so) = [managed_by(f, f.find(test, name) or (None, None), frozenset()) for f in (files, former)]
                    found |= now | then if is_so and not was_so else set()
        found |= managers_that_swallow(files, former, test, was)
    return {os.path.relpath(f, repo) for f in found if f in before}
