# SPDX-License-Identifier: Apache-2.0
"""Looks for what may have marked a test that was skipped, or expected to fail: a decorator, a `pytestmark` or a hook of the tests that takes its
mark from code which a patch changed. By the texts of files alone: a mark does not say who made it.
"""
import ast
import builtins
import os
import sys

from csbx_defs import DEFINITIONS, dotted_name
from csbx_imports import is_of_tests, module_at, named_in, root_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

# What a file of tests names when it marks tests itself, by the library.
WORDS = frozenset(("skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure", "importorskip", "SkipTest", "skipTest",
                   "__unittest_skip__", "__unittest_expecting_failure__"))
WAYS_TO_ADD = ("add_marker", "applymarker")
WAYS_TO_NAME = frozenset(("globals", "vars", "locals", "setattr", "exec", "eval", "__dict__", "modules", "import_module", "__getattr__"))
IMPORTS, ALIASES = (ast.Import, ast.ImportFrom), (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With)
FUNCTIONS, COMPOUND = DEFINITIONS[:2], (ast.If, ast.Try, ast.With)
FILES_MAX, STEPS_MAX = 16, 2000


def parsed(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse("")


def simple(body):
    """The statements of a module or class, with those beneath `if`, `try` and `with`."""
    todo, found = list(body), []
    while todo:
        node = todo.pop(0)
        found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers") if isinstance(node, COMPOUND + (ast.ExceptHandler,)) else ():
            todo += getattr(node, part, ())
    return found


def names_in(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def names_used(top):
    """Names that a statement of a module makes use of; of a function without its own variables."""
    if not isinstance(top, DEFINITIONS) or isinstance(top, ast.ClassDef):
        return names_in(top)
    nodes = list(ast.walk(top))
    own = {n.arg for n in nodes if isinstance(n, ast.arg)} | {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return names_in(top) - own | {name for n in nodes if isinstance(n, ast.Global) for name in n.names}


def bound_by(node):
    """Names that a statement binds."""
    if isinstance(node, DEFINITIONS):
        return [node.name]
    if isinstance(node, IMPORTS):
        return [a.asname or a.name.partition(".")[0] for a in node.names]
    targets = getattr(node, "targets", [getattr(node, "target", None)]) + [i.optional_vars for i in getattr(node, "items", ())]
    return [n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)] if isinstance(node, ALIASES) else []


class Index:
    """What a file binds, and what may mark what it defines: dotted name -> expressions and statements; "" is the module."""

    def __init__(self, text):
        self.tree, self.bound, self.places, self.stars = parsed(text), {}, {}, []
        for top in self.tree.body:
            for node in simple([top]):
                for name in bound_by(node):
                    self.bound.setdefault(name, []).append((top, node))
        self.inner = {name: node for node in ast.walk(self.tree) if isinstance(node, IMPORTS) for name in bound_by(node)}
        self.stars = [n for n in ast.walk(self.tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
        self.add_places("", self.tree.body)
        self.places.setdefault("", []).extend(added_in(self.tree))

    def add_places(self, prefix, body):
        for node in simple(body):
            if isinstance(node, DEFINITIONS):
                more = [k.value for k in getattr(node, "keywords", ())]
                self.places.setdefault(prefix + node.name, []).extend(node.decorator_list + more)
                if isinstance(node, ast.ClassDef):
                    self.add_places(prefix + node.name + ".", node.body)
            elif not isinstance(node, IMPORTS + COMPOUND + (ast.ExceptHandler,)):
                for name in names_in(node):
                    place = prefix[:-1] if name == "pytestmark" else prefix + name
                    self.places.setdefault(place, []).append(node)


def added_in(tree):
    """The marks that the functions of a file add by a call, and what the variables there have that are added."""
    found = []
    for top in tree.body:
        nodes = list(ast.walk(top))
        calls = [n for n in nodes if isinstance(n, ast.Call) and getattr(n.func, "attr", None) in WAYS_TO_ADD]
        todo, seen = [a for c in calls for a in c.args + [k.value for k in c.keywords]], set()
        while todo:
            one = todo.pop()
            found.append(one)
            names = names_in(one) - seen
            seen |= names
            todo += [v for n in nodes if isinstance(n, ALIASES) and names & set(bound_by(n))
                     for v in [getattr(n, "value", getattr(n, "iter", None))] if v is not None]
    return found


def is_untouched(index, was, name):
    """True where what a name means in a file is made by the same statements as before, as far as they are of that file."""
    old = {ast.dump(n) for n in was.tree.body}
    new = [n for n in index.tree.body if ast.dump(n) not in old]
    inside = [n for one in new for n in ast.walk(one)]
    if any(getattr(n, "attr", getattr(n, "id", getattr(n, "name", None))) in WAYS_TO_NAME for n in inside):
        return False
    written = {name for n in inside if isinstance(n, ast.Global) for name in n.names}
    written |= {x for n in inside if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load) for x in names_in(n)}
    todo, seen, others = [name], set(), list(map(id, new))
    while todo:
        one = todo.pop()
        tops = [top for top, _ in index.bound.get(one, ())]
        if one in written or any(id(t) in others for t in tops) or (not tops and one in was.bound):
            return False
        seen.add(one)
        todo += {n for t in tops for n in names_used(t)} - seen
    return True


class Leads:
    """Where the names in expressions lead to. One is made for each test that is looked at."""

    def __init__(self, repo, indexes, text, is_vouched, older, own_file):
        self.repo, self.indexes, self.text, self.is_vouched, self.older = repo, indexes, text, is_vouched, older
        self.own_file, self.seen = own_file, set()

    def is_theirs(self, file):
        return file == self.own_file or is_of_tests(file, self.repo)

    def index(self, file, text=None):
        key = file, text is None
        if key not in self.indexes:
            for old in list(self.indexes)[:-FILES_MAX]:
                del self.indexes[old]
            self.indexes[key] = Index(self.text(file) if text is None else text)
        return self.indexes[key]

    def place_of(self, file, level, module):
        """The path that a module is at, without an end; None: it is not of the repository."""
        parts, base = module.split(".") if module else [], file
        for _ in range(level):
            base = os.path.dirname(base)
        for place in [base] if level else [root_of(file, self.repo), self.repo, self.repo + "/src", self.repo + "/lib"]:
            if not parts or module_at(place + "/" + parts[0]) or os.path.isdir(place + "/" + parts[0]):
                return os.path.join(place, *parts)
        top = getattr(sys.modules.get(parts[0]), "__file__", None)
        if not isinstance(top, str) or not top.startswith(self.repo + "/"):
            return None
        base = os.path.dirname(os.path.dirname(top) if os.path.basename(top) == "__init__.py" else top)
        return os.path.join(base, *parts)

    def targets(self, file, node, name, rest):
        """[(file, dotted name)] of what a name means that an import binds."""
        is_from = isinstance(node, ast.ImportFrom)
        for a in node.names:
            module = (node.module or "") if is_from else a.name if a.asname else a.name.partition(".")[0]
            if (a.asname or (a.name if is_from else module)) == name or a.name == "*":
                place = self.place_of(file, node.level if is_from else 0, module)
                more = ([name if a.name == "*" else a.name] if is_from else []) + rest
                return [self.target(place, more)] if place else []
        return []

    def loaded(self, file, node, rest):
        """As targets(), of `calc = pytest.importorskip("calc")`."""
        names = [n for v in [getattr(node, "value", None)] if isinstance(node, ast.Assign) and v is not None for n in named_in(v)]
        places = [self.place_of(file, 0, n) for n in names]
        return [self.target(p, rest) for p in places if p]

    def target(self, place, rest):
        while rest:
            file = module_at(place)
            if file and rest[0] in self.index(file).bound and not module_at(place + "/" + rest[0]):
                break
            if not (module_at(place + "/" + rest[0]) or os.path.isdir(place + "/" + rest[0])):
                break
            place, rest = place + "/" + rest[0], rest[1:]
        return module_at(place) or place, ".".join(rest)

    def nodes_for(self, file, name):
        index = self.index(file)
        return [n for _, n in index.bound.get(name, ())] or ([index.inner[name]] if name in index.inner else [])

    def is_of_library(self, file, dotted):
        """True for a name that a file imports from outside of the repository."""
        first, *rest = dotted.split(".")
        nodes = self.nodes_for(file, first)
        return nodes != [] and all(isinstance(n, IMPORTS) and not self.targets(file, n, first, rest) for n in nodes)

    def says_itself(self, file, node):
        """True where a file of tests names a mark of the library that skips, or expects a failure."""
        names = [dotted_name(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
        return any(n and n.rpartition(".")[2] in WORDS and (self.is_of_library(file, n) or not self.nodes_for(file, n.partition(".")[0]))
                   for n in names)

    def is_marked_anyway(self, file, dotted):
        """True where the text marks it by the library and without a condition: no other mark makes a difference."""
        for node in self.index(file).places.get(dotted, ()):
            node = node.value if isinstance(node, ast.Assign) else node
            callee, given = (node.func, node) if isinstance(node, ast.Call) else (node, None)
            word = (isinstance(callee, (ast.Name, ast.Attribute)) and dotted_name(callee) or "").rpartition(".")[2]
            has_condition = given is not None and (word == "xfail" and given.args or any(k.arg in (None, "condition") for k in given.keywords))
            if word in ("skip", "xfail", "expectedFailure") and not has_condition and self.says_itself(file, callee):
                return True
        return False

    def roots(self, file, node, is_theirs):
        """Dotted names in an expression or statement, but in what a function of a library is called with, a condition that is asked later
        (a lambda), or, in a file that is not of tests, what any function is called with."""
        todo, found = [node], []
        while todo:
            one = todo.pop()
            dotted = dotted_name(one) if isinstance(one, (ast.Name, ast.Attribute)) else None
            if dotted:
                found.append(dotted)
                continue
            if one is not node and isinstance(one, FUNCTIONS) and (one.decorator_list or one.args.vararg):
                todo += one.decorator_list  # what stands for the test, and runs when that does
                continue
            callee = dotted_name(one.func) if isinstance(one, ast.Call) and not isinstance(one.func, ast.Call) else None
            if isinstance(one, ast.Call) and not is_theirs:
                todo.append(one.func)
            elif not (callee and self.is_of_library(file, callee) and callee.rpartition(".")[2] != "partial"):
                later = [a for a in getattr(one, "args", ()) if isinstance(a, ast.Lambda)] if isinstance(one, ast.Call) else []
                todo += [n for n in ast.iter_child_nodes(one) if n not in later]
        return found

    def of_node(self, file, node):
        found = [self.resolve(file, d) for d in sorted(set(self.roots(file, node, self.is_theirs(file))))]
        return next(filter(None, found), None)

    def of_place(self, file, dotted):
        self.seen.add((file, dotted))  # a test that is bound once more, by a call with itself
        try:
            found = [self.of_node(file, n) for n in self.index(file).places.get(dotted, ())]
        except (RecursionError, MemoryError):
            found = ["more than can be looked at"]
        return next(filter(None, found), None)

    def resolve(self, file, dotted):
        """"NAME of FILE" of what a patch changed; None: it leads to nothing of that kind."""
        if (file, dotted) in self.seen or len(self.seen) > STEPS_MAX or not file.endswith(".py") or not dotted:
            return None
        self.seen.add((file, dotted))
        name, *rest = dotted.split(".")
        nodes, is_theirs = self.nodes_for(file, name), self.is_theirs(file)
        stars = self.index(file).stars if not nodes else []
        if not self.is_vouched(file):
            was = self.index(file, self.older[file]) if file in self.older else None
            if was is None or not (nodes or stars) or not is_untouched(self.index(file), was, name):
                return "%s of %s" % (name, os.path.relpath(file, self.repo))
        for node in nodes + stars:
            if isinstance(node, IMPORTS):
                found = [self.resolve(*t) for t in self.targets(file, node, name, rest)]
            elif self.loaded(file, node, rest):
                found = [self.resolve(*t) for t in self.loaded(file, node, rest)]
            elif is_theirs and self.says_itself(file, node):
                continue
            else:
                found = [self.of_node(file, node)] if is_theirs or not isinstance(node, DEFINITIONS) else []
            if any(found):
                return next(filter(None, found))
        return None


def make_givers(ask, repo, text_of):
    """look(name of a test that a mark skipped, or expects to fail, its class or None, the name of its function, files that may give marks)"""
    leads, text, modules = Leads, text_of, sys.modules

    def is_vouched(file):
        return ask("vouched", file)

    def look(test, kind, name, files):
        known = ask("known")
        if not known["has_changed"]:
            return
        places = [(f, "") for f in files] + [(f, name) for f in files[:1]]
        for base in kind.__mro__ if isinstance(kind, type) else ():
            home = getattr(modules.get(base.__module__), "__file__", None)
            if isinstance(home, str) and home.startswith(repo + "/"):
                places += [(home, ""), (home, base.__qualname__), (home, "%s.%s" % (base.__qualname__, name))]
        own = leads(repo, known["indexes"], text, is_vouched, known["older"], files[0] if files else None)
        if any(f.endswith(".py") and is_vouched(f) and own.is_theirs(f) and own.is_marked_anyway(f, d) for f, d in places):
            return
        for file, dotted in places:
            its = leads(repo, known["indexes"], text, is_vouched, known["older"], files[0] if files else None)
            if (file, dotted) not in known["givers"] and file.endswith(".py") and is_vouched(file) and its.is_theirs(file):
                known["givers"][file, dotted] = its.of_place(file, dotted)
            if known["givers"].get((file, dotted)):
                ask("found", "outcome_call", "%s may be marked by %s, which a patch changed" % (test, known["givers"][file, dotted]))
    return look
