# SPDX-License-Identifier: Apache-2.0
"""Python values as the JSON that csbx reads cases from, and back (docs/judging.md of csbx)."""
from __future__ import annotations

import base64
import math
from typing import Any, Dict, List

DEPTH_MAX = 90


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


def from_json(obj: Any) -> Any:
    """The value; an object of one member that is no word of the above is a dict like any other."""
    if isinstance(obj, list):
        return [from_json(v) for v in obj]
    if not isinstance(obj, dict):
        return obj
    if len(obj) == 1:
        ((word, inner),) = obj.items()
        if word == "$tuple":
            return tuple(from_json(v) for v in inner)
        if word == "$set":
            return {from_json(v) for v in inner}
        if word == "$bytes":
            return base64.b64decode(inner)
        if word == "$float":
            return float(inner)
        if word == "$complex":
            return complex(*(float(from_json(v)) for v in inner))
        if word == "$range":
            return range(*inner)
        if word == "$dict":
            return {from_json(k): from_json(v) for k, v in inner}
    return {k: from_json(v) for k, v in obj.items()}
