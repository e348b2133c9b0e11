# SPDX-License-Identifier: Apache-2.0
"""Finds in a syntax tree what code imports or calls that was forbidden.

Runs inside a container, on its own: even the parser of hostile text is kept from the host. It
guards against what was not meant; what is meant to get past it does, and meets the container.

Arguments: yes or no (whether other imports are allowed) and the forbidden names; the code is on
standard input. Prints a line for each thing found, and END. Imports little: a start is awaited.
"""
from __future__ import annotations

import ast
import sys


def dotted(node: ast.AST) -> str | None:
    """a.b.c of an expression, or None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return inner and inner + "." + node.attr
    return None


def imported(node: ast.AST) -> list[tuple[str, str]]:
    """Names that a node imports, each with what it is called then."""
    if isinstance(node, ast.Import):
        return [(a.name, a.asname or a.name) for a in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [("%s.%s" % (node.module, a.name), a.asname or a.name) for a in node.names]
    if isinstance(node, ast.Call) and dotted(node.func) in ("__import__", "importlib.import_module") and node.args:
        name = getattr(node.args[0], "value", None)
        return [(name, name)] if isinstance(name, str) else []
    return []


def covers(name: str, forbidden: str) -> bool:
    return name == forbidden or name.startswith(forbidden + ".")


def find(code: str | bytes, names: list[str], imports: bool) -> list[str]:
    """Sentences, one for each forbidden thing, in the order of the code's lines."""
    found: dict[str, int] = {}
    known: dict[str, str] = {}
    nodes = sorted((n for n in ast.walk(ast.parse(code)) if hasattr(n, "lineno")), key=lambda n: n.lineno)
    for node in nodes:
        for name, called in imported(node):
            known[called] = name
            bad = [f for f in names if covers(name, f)]
            if bad or not imports:
                found.setdefault("Forbidden import: %s" % (bad[0] if bad else name), node.lineno)
    for node in nodes:
        said = dotted(node.func) if isinstance(node, ast.Call) else None
        first, _, rest = (said or "").partition(".")
        whole = known.get(first, first) + ("." + rest if rest else "")
        for f in names:
            if said and "." in f and covers(whole, f):
                found.setdefault("Forbidden call: %s" % f, node.lineno)
    return ["%s (line %d)" % item for item in found.items()]


if __name__ == "__main__":
    try:
        for line in find(sys.stdin.buffer.read(), sys.argv[2:], sys.argv[1] == "yes"):
            print(line)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # whoever runs it says what is wrong with it
    print("END")
