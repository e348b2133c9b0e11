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
from typing import Any, Callable, Dict, Mapping, Optional

from ..values import from_json, to_json

REPR_BYTES_MAX = 200  # csbx keeps no more of the repr of a value that it has no word for
NUMBER = r"(-?\d+)"


class _Unknown:
    """Equals nothing, itself neither."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


UNKNOWN = _Unknown()


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


def is_other(raw: Any) -> bool:
    """True when csbx had no word for the value, and told its class and its repr."""
    return isinstance(raw, dict) and set(raw) == {"$other", "repr"}


def value_of(raw: Any) -> Any:
    if not is_other(raw):
        return from_json(raw)
    pattern, make = WORDS.get(raw["$other"], (None, None))
    text = raw["repr"]
    match: Optional["re.Match[str]"] = None
    if pattern is not None and len(text) < REPR_BYTES_MAX:
        match = re.match(pattern, text, re.ASCII | re.DOTALL)
    try:
        made: Callable[["re.Match[str]"], Any] = make
        return UNKNOWN if match is None else made(match)
    except (ArithmeticError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN


def is_sendable(value: Any) -> bool:
    try:
        to_json(value)
        return True
    except (TypeError, ValueError):
        return False


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
