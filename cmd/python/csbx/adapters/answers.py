# SPDX-License-Identifier: Apache-2.0
"""Compares a case's answer by Python's own ==, where csbx compares by other rules.

In: the answer as csbx wrote it, which is data and no object of the judged code, and the expected
value. Out: True when Python calls the two equal: True is an int, everything is an object, a tuple
is no list, Decimal("1.5") is 1.5.
"""
from __future__ import annotations

import ast
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence

from ..values import from_json, shown, to_json

REPR_BYTES_MAX = 200  # csbx keeps no more of the repr of a value that it has no word for
NUMBER = r"(-?\d+)"


class Told:
    """A value that csbx has no word for: the name of its class and its repr are all that is known."""

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text

    def __eq__(self, other: object) -> bool:
        """Equal to what has that class and that repr, where the repr is whole."""
        return type(other).__name__ == self.kind and len(self.text) < REPR_BYTES_MAX and repr(other) == self.text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.text


class Shown:
    """The same to be written only, so that it may be in a set."""

    def __init__(self, kind: str, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _whole(match: "re.Match[str]") -> Any:
    return [int(x) for x in match.groups() if x is not None]


# By the name of a class: what its repr looks like, and the value of that.
WORDS: Dict[str, Any] = {
    "Decimal": (r"Decimal\('([-+\w.]+)'\)\Z", lambda m: Decimal(m[1])),
    "Fraction": (rf"Fraction\({NUMBER}, {NUMBER}\)\Z", lambda m: Fraction(*_whole(m))),
    "complex": (r"(\(?[-+\w.]+\)?)\Z", lambda m: complex(m[1])),
    "range": (rf"range\({NUMBER}, {NUMBER}(?:, {NUMBER})?\)\Z", lambda m: range(*_whole(m))),
    "dict_keys": (r"dict_keys\((\[.*\])\)\Z", lambda m: set(ast.literal_eval(m[1]))),
    "dict_items": (r"dict_items\((\[.*\])\)\Z", lambda m: set(ast.literal_eval(m[1])))}


def _value_of_other(kind: str, text: str) -> Any:
    pattern, make = WORDS.get(kind, (None, None))
    match: Optional["re.Match[str]"] = None
    if pattern is not None and len(text) < REPR_BYTES_MAX:
        match = re.match(pattern, text, re.ASCII | re.DOTALL)
    try:
        made: Callable[["re.Match[str]"], Any] = make
        return Told(kind, text) if match is None else made(match)
    except (ArithmeticError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Told(kind, text)


def value_of(raw: Any) -> Any:
    return from_json(raw, _value_of_other)


def has_other(raw: Any) -> bool:
    """True when csbx had no word for the value, or for one in it."""
    if isinstance(raw, dict):
        return set(raw) == {"$other", "repr"} or any(has_other(v) for v in raw.values())
    return isinstance(raw, list) and any(has_other(v) for v in raw)


def text_of(raw: Any) -> str:
    """repr() of the answer, what csbx has no word for included."""
    return shown(from_json(raw, Shown))


def is_sendable(value: Any) -> bool:
    try:
        to_json(value)
        return True
    except (TypeError, ValueError):
        return False


def type_names(expected_type: str) -> str:
    """
    What isinstance() takes as its second argument, in csbx's words: names with `|` between them. A
    name in a module is its last part, as a class calls itself. "": everything is an object.
    """
    try:
        names = list(_names_in(ast.parse(expected_type.strip(), mode="eval").body))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return expected_type
    return "" if "object" in names else " | ".join(names)


def _names_in(node: ast.AST) -> Iterator[str]:
    parts: Sequence[ast.AST] = ()
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and node.value is None:
        yield "NoneType"
    elif isinstance(node, ast.Call) and ast.dump(node) == NONE_TYPE:
        yield "NoneType"
    elif isinstance(node, ast.Tuple):
        parts = node.elts
    elif type(node).__name__ == "Index":  # what is within [], before Python 3.9
        parts = (getattr(node, "value"),)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = (node.left, node.right)
    elif isinstance(node, ast.Subscript) and list(_names_in(node.value)) == ["Union"]:
        parts = (node.slice,)
    elif isinstance(node, ast.Subscript) and list(_names_in(node.value)) == ["Optional"]:
        parts = (node.slice, ast.Constant(None))
    else:
        raise ValueError("no name of a type")
    for part in parts:
        yield from _names_in(part)


NONE_TYPE = ast.dump(ast.parse("type(None)", mode="eval").body)


def has_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(has_nan(v) for pair in value.items() for v in pair)
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(has_nan(v) for v in value)
    return isinstance(value, float) and value != value


def equals(raw: Any, expected: Any) -> bool:
    """By Python's ==, but that a NaN is equal to a NaN where csbx said so already (has_nan)."""
    try:
        return bool(value_of(raw) == expected)
    except (ArithmeticError, RecursionError, TypeError):
        return False
