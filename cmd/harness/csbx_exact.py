# SPDX-License-Identifier: Apache-2.0
"""Says whether a function is the very one that a file defines by a name: its code, globals, builtins and defaults.

A function can be made anew from the code of another, with other globals and defaults; and old code can be put anywhere.
"""
import ast
import builtins
import types

from csbx_syntax import tree_and_nodes, tree_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

UNKNOWN = ("the text does not tell",)
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))


def is_plain(value):
    return type(value) in PLAIN or (type(value) is tuple and all(map(is_plain, value)))


def literal_of(node):
    """The value that an expression writes out and that cannot change; else UNKNOWN."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN
    return value if is_plain(value) else UNKNOWN


def defaults_of(args):
    """(values, {keyword: value}) that a definition has for arguments that are not given."""
    by_name = {a.arg: literal_of(d) for a, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None}
    return tuple(map(literal_of, args.defaults)), by_name


def is_same(value, wanted):
    """True for what a literal says, in type too. No code of the value runs for that."""
    if wanted is UNKNOWN:
        return True
    if type(value) is not type(wanted):
        return False
    return len(value) == len(wanted) and all(map(is_same, value, wanted)) if type(value) is tuple else value == wanted


def make_exact(ask):
    """is_exact(function, its file, name, [(possible first lines, defaults)], the names of its module)"""
    function_type, all_builtins, same = types.FunctionType, vars(builtins), is_same

    def has_defaults(function, defaults):
        given, by_name = defaults
        now, now_by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
        return len(now) == len(given) and all(map(same, now, given)) and \
            now_by_name.keys() == by_name.keys() and all([same(now_by_name[k], by_name[k]) for k in by_name])

    def is_exact(function, file, name, entries, space):
        if type(function) is not function_type:
            return False
        code = function.__code__
        return code.co_name == name and code.co_filename == file and not ask("strangers", [code]) and function.__globals__ is space and \
            getattr(function, "__builtins__", all_builtins) is all_builtins and \
            any([code.co_firstlineno in lines and has_defaults(function, defaults) for lines, defaults in entries])
    return is_exact


def always_defined(text):
    """Dotted names of the functions that a module defines whatever happens, with those of classes that it so defines."""
    try:
        todo, found = [("", tree_of(text))], set()
    except (SyntaxError, ValueError, RecursionError):
        return set()
    while todo:
        prefix, space = todo.pop()
        for node in space.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.add(prefix + node.name)
            elif isinstance(node, ast.ClassDef):
                todo.append((prefix + node.name + ".", node))
    return found


def name_in(node):
    """a.b.c of an expression that is no more than names; None: it is more."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id] + parts[::-1]) if isinstance(node, ast.Name) else None


def made_of(node):
    """What an expression makes to be called: (True, (lines, defaults)) of a lambda, (False, dotted name) of what a partial() calls;
    or None."""
    if isinstance(node, ast.Lambda):
        return True, ({node.lineno}, defaults_of(node.args))
    if isinstance(node, ast.Call) and (name_in(node.func) or "").rpartition(".")[2] == "partial" and node.args and name_in(node.args[0]):
        return False, name_in(node.args[0])
    return None


def callables_of(text):
    """Name -> made_of() of what a module binds once, at its top, to a lambda or a partial()."""
    try:
        tree, nodes = tree_and_nodes(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    bound += [name for n in nodes if isinstance(n, ast.Global) for name in n.names]
    bound += [(a.asname or a.name) for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
    bound += [n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    own = {n.targets[0].id: made_of(n.value) for n in tree.body if isinstance(n, ast.Assign) and len(n.targets) == 1 and
           isinstance(n.targets[0], ast.Name)}
    return {name: made for name, made in own.items() if made is not None and bound.count(name) == 1 and "*" not in bound}
