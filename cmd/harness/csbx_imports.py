# SPDX-License-Identifier: Apache-2.0
"""Finds which files of the repository the tests import, by the words of their files and by paths; it imports nothing."""
import ast
import builtins
import os

from csbx_syntax import nodes_of
from csbx_texts import text_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

FILES_MAX = 2000
OF_TESTS = ("test", "tests", "testing", "t", "spec", "specs", "unittest", "unittests", "testsuite")  # directories, in small letters


def named_in(node):
    """The modules that a statement names by texts: pytest_plugins = [...], import_module("...")."""
    if isinstance(node, ast.Assign) and "pytest_plugins" in [getattr(t, "id", None) for t in node.targets]:
        values = getattr(node.value, "elts", [node.value])
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in ("import_module", "__import__", "importorskip"):
        values = node.args[:1]
    else:
        return []
    texts = [v.value if hasattr(v, "value") else getattr(v, "s", None) for v in values]
    return [t for t in texts if isinstance(t, str) and all(part.isidentifier() for part in t.split("."))]


def imports_in(text):
    """[(levels up, module, names from it)] of all import statements of a file, those in functions too."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = [(0, a.name, ()) for n in nodes if isinstance(n, ast.Import) for a in n.names]
    found += [(0, name, ()) for n in nodes for name in named_in(n)]
    return found + [(n.level, n.module or "", tuple(a.name for a in n.names)) for n in nodes if isinstance(n, ast.ImportFrom)]


def root_of(file, repo):
    """The directory that a file is imported from: the nearest above it that is no package."""
    here = os.path.dirname(file)
    while here != repo and here.startswith(repo + "/") and os.path.exists(here + "/__init__.py"):
        here = os.path.dirname(here)
    return here


def module_at(place):
    """The file of a module, by its path without an end; None: there is none."""
    return next((f for f in (place + "/__init__.py", place + ".py") if os.path.isfile(f)), None)


def name_of(file, repo):
    """The dotted name by which a file is imported."""
    path = file[:-len("/__init__.py")] if file.endswith("/__init__.py") else file[:-len(".py")]
    return os.path.relpath(path, root_of(file, repo)).replace("/", ".")


def name_beside(file, repo, level, module):
    """The dotted name of a module that a file of the repository imports by levels up; "": there is no such file."""
    for _ in range(level):
        file = os.path.dirname(file)
    found = module_at(os.path.join(file, *module.split(".")) if module else file)
    return name_of(found, repo) if found and found.startswith(repo + "/") else ""


def imported_by(file, text, repo, is_own_first):
    """[(dotted name, file)] of the modules of the repository that a file of it imports. is_own_first: whether the directory
    that the file is imported from comes before that of the repository."""
    found = []
    for level, module, names in imports_in(text):
        base = file
        for _ in range(level):
            base = os.path.dirname(base)
        for base in [base] if level else [root_of(file, repo), repo][::1 if is_own_first else -1]:
            place = os.path.join(base, *module.split(".")) if module else base
            files = [f for f in [module_at(place)] + [module_at(place + "/" + n) for n in names if n != "*"] if f]
            found += [(name_of(f, repo) if level else os.path.relpath(f[:-3], base).replace("/", ".").replace(".__init__", ""), f) for f in files]
            if files:
                break
    return [(name, f) for name, f in found if f.startswith(repo + "/")]


def is_usual(name):
    return name.lower() in ("test", "tests")


def is_dir_of_tests(name):
    """By its name: what cmd/judge/test/tamper.c takes for one."""
    name = name.lower()
    return name in OF_TESTS or name.startswith(("test_", "tests_")) or name.endswith(("_test", "_tests"))


def is_named_as_test(path):
    name = os.path.basename(path)
    return name == "conftest.py" or (name.endswith(".py") and name.startswith("test_")) or name.endswith("_test.py")


def is_of_tests(file, repo):
    """True for a file that is of tests by its name, or by a directory that it lies in."""
    path = os.path.relpath(file, repo)
    return is_named_as_test(path) or any(map(is_dir_of_tests, path.split("/")[:-1]))


def homes_in(paths):
    """The directories of tests, as "a/tests/", that listed files lie in."""
    found = set()
    for path in paths:
        parts = path.split("/")[:-1]
        at = next((i for is_it in (is_usual, is_dir_of_tests) for i, part in enumerate(parts) if is_it(part)), None)
        if at is not None:
            found.add("/".join(parts[:at + 1]) + "/")
    return tuple(found)


def files_of_ids(repo, ids):
    """The files that ids name: by a path, or by a dotted name as unittest's are."""
    found = set()
    for one in ids:
        file = one.partition("::")[0]
        if "::" not in one and not one.endswith(".py"):
            words = one.partition(" (")[2].rstrip(")") if " (" in one else one
            parts = words.split(".")
            file = next((p for n in range(len(parts), 0, -1) for p in ["/".join(parts[:n]) + ".py"] if os.path.isfile(os.path.join(repo, p))), "")
        if file and os.path.isfile(os.path.join(repo, file)):
            found.add(os.path.normpath(file))
    return found


def conftests_of(repo, files):
    places = {os.path.join(*p) for f in files for parts in [f.split("/")[:-1]] for n in range(len(parts) + 1) for p in [[""] + parts[:n] + ["conftest.py"]]}
    return {p for p in places if os.path.isfile(os.path.join(repo, p))}


def files_behind(repo, ids):
    """(files of listed tests, these with each conftest.py and what of tests they import)"""
    listed = files_of_ids(repo, ids)
    homes, todo, seen = homes_in(listed), sorted(listed | conftests_of(repo, listed)), set()
    while todo and len(seen) < FILES_MAX:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        full = os.path.join(repo, path)
        for _, file in (f for is_own_first in (True, False) for f in imported_by(full, text_of(full), repo, is_own_first)):
            other = os.path.relpath(file, repo)
            if is_named_as_test(other) or other.startswith(homes):
                todo.append(other)
    return listed, seen


def tests_behind(files):
    """Files with the names of test modules that the files of listed tests import, and are no such files themselves. files: of files_behind()."""
    listed, seen = files
    return {p for p in seen - listed if os.path.basename(p).startswith("test") or p.endswith("_test.py")}
