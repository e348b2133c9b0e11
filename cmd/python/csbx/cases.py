# SPDX-License-Identifier: Apache-2.0
"""Cases of a function that is judged: arguments, and what is expected of them."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Mapping, Optional, Protocol, Sequence, Union

from .values import dumps, to_json


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = _Unset()


@dataclass
class Case:
    """expected: the value (None too), compared as `compare` says: "equal", "set",
    {"close": {"rel": 1e-6}}, or "stdout", with what the call printed. expected_type: the name of
    its type. expected_exception: a type's name, or {"type": ..., "message_re": ...}. stdin: for a
    program without a function.
    """

    args: Sequence[Any] = ()
    expected: Any = UNSET
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    name: Optional[str] = None
    expected_type: Optional[str] = None
    expected_exception: Union[None, str, Mapping[str, str]] = None
    compare: Union[None, str, Mapping[str, Any]] = None
    weight: float = 1.0
    stdin: Union[None, str, bytes] = None

    def to_json(self) -> Dict[str, Any]:
        obj: Dict[str, Any] = {"args": [to_json(x) for x in self.args]}
        if self.stdin is not None:
            obj = {"stdin": to_json(self.stdin)}
        if self.kwargs:
            obj["kwargs"] = {k: to_json(v) for k, v in self.kwargs.items()}
        if self.expected is not UNSET:
            obj["expected"] = to_json(self.expected)
        for key in ("name", "expected_type", "expected_exception", "compare"):
            if getattr(self, key):
                obj[key] = getattr(self, key)
        if self.weight != 1:
            obj["weight"] = self.weight
        return obj


SPELLINGS = {"input_args": "args", "input_kwargs": "kwargs", "expected_output": "expected",
             "input": "stdin", "output": "expected"}


class ToCase(Protocol):
    def to_case(self) -> Case: ...


CaseLike = Union[Case, ToCase, Mapping[str, Any], Sequence[Any]]


def as_case(case: CaseLike) -> Case:
    """From a Case, a dict of its members, or a pair (args, expected)."""
    if isinstance(case, Case):
        return case
    if isinstance(case, Mapping):
        return Case(**{SPELLINGS.get(k, k): v for k, v in case.items()})
    if isinstance(case, (list, tuple)) and len(case) == 2:
        return Case(tuple(case[0]), case[1])
    if hasattr(case, "to_case"):
        return case.to_case()
    raise TypeError(f"not a case: {case!r:.80}; a Case, a dict, or a pair (args, expected)")


def cases_json(cases: Iterable[Case]) -> bytes:
    return dumps([c.to_json() for c in cases], allow_nan=False).encode()
