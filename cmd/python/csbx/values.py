# SPDX-License-Identifier: Apache-2.0
"""Python values as the JSON that csbx reads cases from, and back (docs/judging.md of csbx)."""
from __future__ import annotations

import base64
import json
import math
import re
import secrets
from typing import Any, Callable, Dict, List, Optional

DEPTH_MAX = 90
LONG_BITS = 13000  # less than the 4300 digits that Python refuses to write
SHOWN_DIGITS = 200


def digits_of(value: int) -> str:
    """Of a whole number of any length; Python refuses to write more than 4,300 at once."""
    if value < 0:
        return "-" + digits_of(-value)
    if value.bit_length() <= LONG_BITS:
        return str(value)
    half = int(value.bit_length() * math.log10(2)) // 2
    high, low = divmod(value, 10 ** half)
    return digits_of(high) + digits_of(low).zfill(half)


def dumps(obj: Any, **how: Any) -> str:
    """As json.dumps(), with whole numbers of any length."""
    try:
        return json.dumps(obj, **how)
    except ValueError:  # too many digits, or what it says again below
        pass
    word, long = secrets.token_hex(16), []

    def replaced(value: Any) -> Any:
        if isinstance(value, int) and value.bit_length() > LONG_BITS:
            long.append(value)
            return f"{word}{len(long) - 1}."
        if isinstance(value, (list, tuple)):
            return [replaced(v) for v in value]
        return {k: replaced(v) for k, v in value.items()} if isinstance(value, dict) else value
    text = json.dumps(replaced(obj), **how)
    return re.sub(f'"{word}([0-9]+)[.]"', lambda found: digits_of(long[int(found[1])]), text) if long else text


def to_json(value: Any, depth: int = 0) -> Any:
    """Exact types only: a value that has no word there (an object of some class) is a TypeError."""
    if depth > DEPTH_MAX:
        raise ValueError(f"nested more than {DEPTH_MAX} deep")
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        if math.isfinite(value):
            return value
        return {"$float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if kind is complex:
        return {"$complex": [to_json(value.real), to_json(value.imag)]}
    if kind is range:
        parts = [value.start, value.stop, value.step]
        if not all(-(1 << 63) <= n < 1 << 63 for n in parts):
            raise ValueError("a case cannot have a range of numbers beyond 64 bits")
        return {"$range": parts}
    if kind in (bytes, bytearray):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if kind is list:
        return [to_json(v, depth + 1) for v in value]
    if kind is tuple:
        return {"$tuple": [to_json(v, depth + 1) for v in value]}
    if kind in (set, frozenset):
        return {"$set": [to_json(v, depth + 1) for v in value]}
    if kind is dict:
        return _dict_to_json(value, depth)
    raise TypeError(f"a case cannot have a {kind.__name__}: None, bool, int, float, str, bytes, "
                    "list, tuple, dict, set, complex and range can be sent")


def _dict_to_json(value: Dict[Any, Any], depth: int) -> Any:
    plain = all(type(k) is str for k in value)
    if plain and not any(k.startswith("$") for k in value):
        return {k: to_json(v, depth + 1) for k, v in value.items()}
    pairs: List[Any] = [[to_json(k, depth + 1), to_json(v, depth + 1)] for k, v in value.items()]
    return {"$dict": pairs}


def _as_member(value: Any) -> Any:
    """A set within a set, or within a key, is a frozenset."""
    if isinstance(value, set):
        return frozenset(value)
    return tuple(_as_member(v) for v in value) if isinstance(value, tuple) else value


class _Long(int):
    """A whole number of more digits than Python writes: its repr has the first ones."""

    def __repr__(self) -> str:
        size = abs(self)
        first = str(size // 10 ** max(0, int(size.bit_length() * math.log10(2)) - SHOWN_DIGITS))
        return ("-" if self < 0 else "") + first[:SHOWN_DIGITS] + "..."


def shown(value: Any) -> str:
    """repr() of what from_json() returned."""
    return repr(_shortened(value))


def _shortened(value: Any) -> Any:
    if type(value) is int and value.bit_length() > LONG_BITS:
        return _Long(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_shortened(v) for v in value)
    if isinstance(value, dict):
        return {_shortened(k): _shortened(v) for k, v in value.items()}
    return value


Other = Callable[[str, str], Any]


def from_json(obj: Any, other: Optional[Other] = None) -> Any:
    """The value; one that Python cannot have is as JSON has it; an object of one member that is no word of the above is a dict like any other.

    other(type, repr) makes the values that csbx has no word for; without it they stay the objects that tell these two.
    """
    if isinstance(obj, list):
        return [from_json(v, other) for v in obj]
    if not isinstance(obj, dict):
        return obj
    if other is not None and set(obj) == {"$other", "repr"}:
        return other(obj["$other"], obj["repr"])
    if len(obj) == 1:
        ((word, inner),) = obj.items()
        if word == "$tuple":
            return tuple(from_json(v, other) for v in inner)
        if word == "$bytes":
            return base64.b64decode(inner)
        if word == "$float":
            return float(inner)
        if word == "$complex":
            return complex(*(float(from_json(v)) for v in inner))
        if word == "$range":
            return range(*inner)
        try:
            if word == "$set":
                return {_as_member(from_json(v, other)) for v in inner}
            if word == "$dict":
                return {_as_member(from_json(k, other)): from_json(v, other) for k, v in inner}
        except TypeError:  # judged code may write its answer by hand, as what no Python makes: a set of lists
            pass
    return {k: from_json(v, other) for k, v in obj.items()}
