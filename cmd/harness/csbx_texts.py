# SPDX-License-Identifier: Apache-2.0
"""Says which names a file of tests binds, imports and assigns to, by its text."""
import ast
import builtins
import codecs
import dis
import re
import sys
import types

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

ENCODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
WAYS_TO_NAME = frozenset(("globals", "vars", "locals", "setattr", "exec", "__dict__", "modules", "import_module"))


def names_stored(code):
    """(global names that a module's code binds, whether it binds others by computing them, modules it takes all names of)"""
    found, computed, stars, imported, todo = set(), False, [], None, [(code, True)]
    while todo:
        one, is_top = todo.pop()
        for i in dis.get_instructions(one):
            if i.opname in ("STORE_NAME", "STORE_GLOBAL", "DELETE_NAME") and (is_top or i.opname != "STORE_NAME"):
                found.add(i.argval)
            imported = i.argval if i.opname == "IMPORT_NAME" else imported
            if i.opname == "IMPORT_STAR" or "IMPORT_STAR" in str(i.argrepr):
                stars.append(imported)
        computed = computed or bool(WAYS_TO_NAME & set(one.co_names))
        todo += [(c, False) for c in one.co_consts if isinstance(c, types.CodeType)]
    return found, computed or bool(stars), stars


def names_imported(text):
    """name -> [(module, attribute or None)] of what is bound by imports at the top of a module, and by nothing else."""
    found, others, todo = {}, set(), [ast.parse(text)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            for a in node.names:
                found.setdefault(a.asname or a.name.split(".")[0], []).append((a.name if a.asname else a.name.split(".")[0], None))
        elif isinstance(node, ast.ImportFrom):
            for a in node.names:
                found.setdefault(a.asname or a.name, []).append((node.module or "", a.name) if not node.level else ("", ""))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(node.name)
            others.update(n for inner in ast.walk(node) if isinstance(inner, ast.Global) for n in inner.names)
            continue
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        todo += ast.iter_child_nodes(node)
    return {name: sources for name, sources in found.items() if name not in others and ("", "") not in sources}


def bound_by_imports(text):
    try:
        return names_imported(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}


def attributes_set(text):
    """Names of attributes that a file assigns to."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}


def text_of(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def keep_encodings(files):
    """Has Python know, from here on, by which codecs it reads these files, whatever is registered later. others() -> names
    of those whose modules hold something else by then."""
    held, names = [], set()
    for line in [l for f in files for l in text_of(f).split(b"\n", 2)[:2]]:
        named = ENCODING.match(line)
        try:
            name = codecs.lookup(named.group(1).decode("ascii", "replace")).name if named else None
        except LookupError:  # one of the repository's own
            continue
        module = sys.modules.get("encodings." + name.replace("-", "_")) if name else None
        if module is not None and name not in names:
            names.add(name)
            held.append((name, vars(module), tuple(vars(module).items())))
    held = tuple(held)  # which no code can empty that finds it

    def others():
        return [name for name, now, was in held if any(now.get(key) is not value for key, value in was)]
    return others
