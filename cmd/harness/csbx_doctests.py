# SPDX-License-Identifier: Apache-2.0
"""Looks whether doctests are what the files have for docstrings: code of another file can set `__doc__` before they are collected."""
import ast
import builtins
import re
import sys
import types

from csbx_defs import dotted_name
from csbx_syntax import tree_of
from csbx_texts import bound_by_imports

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SETS = re.compile(rb"__doc__[ \t]*(?:[+%]?=[^=]|,)|[\"']__doc__[\"']|add_newdoc")  # words for giving something another text


def lines_of(text):
    """Without the indentation, which Python takes away from 3.13 on."""
    return [line.strip() for line in (text or "").split("\n")]


def docstrings(text):
    """dotted name -> ([docstrings], [names of decorators]) of what a file defines; "" is the module itself."""
    try:
        todo, found = [("", tree_of(text))], {"": ([], [])}
        found[""][0].append(lines_of(ast.get_docstring(todo[0][1], clean=False)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    while todo:
        prefix, space = todo.pop()
        for node in ast.iter_child_nodes(space):
            inner = prefix
            if isinstance(node, DEFINITIONS):
                inner = prefix + node.name + "."
                texts, names = found.setdefault(prefix + node.name, ([], []))
                texts.append(lines_of(ast.get_docstring(node, clean=False)))
                names += [dotted_name(d) for d in node.decorator_list]
            if not isinstance(node, ast.expr):
                todo.append((inner, node))
    return found


def make_doctests(ask, repo, text_of, older):
    """look(items): tells of doctests of another text than the file has, where no file of the repository had words for setting one."""
    text, texts_in, bound, sets, modules, module_type, lines = \
        text_of, docstrings, bound_by_imports, SETS, sys.modules, types.ModuleType, lines_of

    def is_of_library(file, name):
        """True for a decorator of a library, which may add to the text."""
        homes = [getattr(modules.get(m), "__file__", None) for m, _ in bound(text(file)).get((name or "").partition(".")[0], ())]
        return any([not (type(h) is str and h.startswith(repo + "/")) for h in homes])

    def is_said():
        files = [vars(m).get("__file__") for m in list(modules.values()) if type(m) is module_type]
        files = [f for f in files if type(f) is str and f.startswith(repo + "/")]
        return any([sets.search(older[f] if f in older else text(f) if ask("vouched", f) else b"") for f in files])

    def is_another(known, item):
        """True for a test of a docstring that the file does not have there."""
        file, test = str(getattr(item, "path", None) or item.fspath), item.dtest
        home, name = test.globs.get("__name__"), test.name
        if type(home) is not str or not file.startswith(repo + "/") or not file.endswith(".py") or not ask("vouched", file):
            return False
        if file not in known:
            known[file] = texts_in(text(file))
        wanted, decorators = known[file].get(name[len(home) + 1:] if name.startswith(home + ".") else "" if name == home else None, ((), ()))
        is_as_filed = not wanted or lines(test.docstring) in wanted
        return not is_as_filed and not any([is_of_library(file, d) for d in decorators])

    def look(items):
        files = {}
        odd = [i for i in items if type(i).__name__ == "DoctestItem" and type(i).__module__ == "_pytest.doctest" and is_another(files, i)]
        if odd and not is_said():
            for item in odd:
                ask("found", "test_replaced", "%s is not the text that its file has" % item.nodeid)
    return look
