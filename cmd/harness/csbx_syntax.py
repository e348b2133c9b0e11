# SPDX-License-Identifier: Apache-2.0
"""The syntax trees of files, by their text. Many looks ask for the same ones, one after the other: while Keeping() is entered, each text is
parsed once.

It is entered where no tested code runs until it is left: that code could reach the trees, and change them.
"""
import ast
import builtins

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

NODES_MAX = 200000  # some 60 MB
KEPT = {"trees": None, "made": {}, "nodes": 0}


class Keeping:
    def __enter__(self):
        KEPT.update(trees={}, made={}, nodes=0)

    def __exit__(self, *_):
        KEPT.update(trees=None, made={}, nodes=0)


def _keep(text, entry):
    KEPT["nodes"] += len(entry[1])
    if KEPT["nodes"] > NODES_MAX:
        KEPT.update(trees={}, made={}, nodes=len(entry[1]))
    KEPT["trees"][text] = entry


def tree_and_nodes(text):
    """(tree, all its nodes as ast.walk() gives them), to be read only. Raises what ast.parse() does."""
    entry = (KEPT["trees"] or {}).get(text)
    if entry is None:
        tree = ast.parse(text)
        entry = tree, list(ast.walk(tree))
        if KEPT["trees"] is not None:
            _keep(text, entry)
    return entry


def tree_of(text):
    return ast.parse(text) if KEPT["trees"] is None else tree_and_nodes(text)[0]


def nodes_of(text):
    return tree_and_nodes(text)[1]


def once(make, text):
    """make(text), to be read only."""
    key = make, text
    if key in KEPT["made"]:
        return KEPT["made"][key]
    made = make(text)
    if KEPT["trees"] is not None:
        KEPT["made"][key] = made
    return made
