# SPDX-License-Identifier: Apache-2.0
"""Finds context managers of the judged code that tests use, and that swallow failed assertions since a patch. By the words of files."""
import ast
import builtins

from csbx_swallows import (CATCHERS, DEFINITIONS, FUNCTIONS, MAKERS, WITH, catches, dotted_of, exits_of, is_exit_of_all, is_wide, is_yield,
                           last_of, returned, within, yields)

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

DEPTH_MAX = 8
WAYS_TO_ENTER = ("enter_context", "enter_async_context", "enterContext", "enterAsyncContext", "enterClassContext")


def homes_of(files, file, node, depth=0):
    """The files by whose words a definition makes a context manager that swallows failed assertions; none: it makes no such one."""
    if depth > DEPTH_MAX:
        return set()
    if isinstance(node, ast.ClassDef):
        own = exits_of(node)
        if own or any(last_of(b) in CATCHERS for b in node.bases):
            return {file} if not own or any(map(is_exit_of_all, own)) else set()
        others = node.bases
    elif yields(node):
        if catches(within(node.body), is_wide, is_yield):
            return {file}
        others = [i.context_expr for w in within(node.body) if isinstance(w, WITH) and any(map(is_yield, within(w.body))) for i in w.items]
    else:
        others = [v for v, _ in returned(node.body) if isinstance(v, ast.Call)]
        if any(last_of(v) in CATCHERS and is_wide(v.args) for v in others):
            return {file}
    places = [files.find(file, d) for d in map(dotted_of, others) if d]
    return set().union(*[homes_at(files, *p, depth=depth + 1) for p in places if p and p[1]])


def homes_at(files, file, name, depth=0):
    return set().union(*[homes_of(files, file, n, depth) for n in files.defined(file, name)])


def managers_in(tree):
    """Expressions for context managers that a file enters, or has as decorators."""
    assigned, found = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assigned.setdefault(last_of(target), []).append(node.value)
        elif isinstance(node, WITH):
            found += [i.context_expr for i in node.items]
        elif isinstance(node, DEFINITIONS):
            found += node.decorator_list
        elif isinstance(node, ast.Call) and last_of(node) in WAYS_TO_ENTER:
            found += node.args[:1]
    return found + [v for n in found if not isinstance(n, ast.Call) and last_of(n) for v in assigned.get(last_of(n), ())]


def methods_in(tree, name):
    """class -> methods by that name that contextlib makes context managers of."""
    return {kind.name: [n for n in kind.body if isinstance(n, FUNCTIONS) and n.name == name and any(last_of(d) in MAKERS for d in n.decorator_list)]
            for kind in ast.walk(tree) if isinstance(kind, ast.ClassDef)}


def methods_that_swallow(files, older, test, was, name):
    found = set()
    for file in files.imported(test) & set(was):
        before = methods_in(older.tree(file), name)
        for kind, those in methods_in(files.tree(file), name).items():
            if before.get(kind) and not any(homes_of(older, file, n) for n in before[kind]):
                found = found.union(*[homes_of(files, file, n) for n in those])
    return found


def managers_that_swallow(files, older, test, was):
    """Files of was, which a patch has changed, by which context managers of a test swallow failed assertions, and did not before. One that
    was not there before may be what the patch is for."""
    found = set()
    for node in managers_in(files.tree(test)) if was else ():
        dotted = dotted_of(node)
        place, before = (files.find(test, dotted), older.find(test, dotted)) if dotted else (None, None)
        if place and place[1] and before and before[1] and older.defined(*before):
            now = homes_at(files, *place)
            if now and not homes_at(older, *before):
                found |= now | {before[0]}
        elif not place and last_of(node):
            found |= methods_that_swallow(files, older, test, was, last_of(node))
    return found & set(was)
