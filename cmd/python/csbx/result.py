# SPDX-License-Identifier: Apache-2.0
"""The result object (schema 1, docs/result.md of csbx) as dataclasses.

Fields are named as in the object. A field that the object has in base64 (`files`, and both streams when either is not
UTF-8) is bytes here; `to_dict()` gives the object back as it came, fields that this version of the package does not
know included.
"""
from __future__ import annotations

import base64
import copy
import shlex
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar

from .errors import LaunchError, OutOfMemory, ProgramError, ProgramTimeout, SandboxError
from .values import from_json, shown

R = TypeVar("R", bound="Result")
SHOWN = 60  # characters of the output in a repr
COMMAND_SHOWN, LINES_SHOWN = 200, 10  # in the message of a ProgramError


@dataclass(frozen=True)
class Limit:
    """The limit that was asked for, and the mechanism that held it: cgroup2, watchdog, rlimit, affinity or none."""

    asked: Optional[float] = None
    enforced_by: Optional[str] = None


@dataclass(frozen=True)
class Limits:
    memory: Limit = Limit()
    cpus: Limit = Limit()
    pids: Limit = Limit()


@dataclass(frozen=True)
class Failure:
    """Why csbx, not the program, failed."""

    code: str
    stage: Optional[str]
    message: str


@dataclass(frozen=True)
class User:
    uid: int
    gid: int
    name: Optional[str]


@dataclass(frozen=True)
class Truncated:
    stdout: bool = False
    stderr: bool = False


@dataclass(frozen=True)
class Logs:
    """The output that a detached container has written: as text and as it was, as a Result has both."""

    stdout: str = ""
    stderr: str = ""
    stdout_data: bytes = field(default=b"", repr=False)
    stderr_data: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, out: bytes, err: bytes) -> "Logs":
        return cls(out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), out, err)


@dataclass(frozen=True, repr=False)
class Result:
    """The end of a command in a container."""

    status: str
    success: bool
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    completed: Optional[bool] = None
    timed_out: bool = False
    timeout_s: Optional[float] = None
    oom_killed: bool = False
    detected: Optional[str] = None
    memory_limit_bytes: Optional[int] = None
    memory_peak_bytes: Optional[int] = None
    stdout: str = ""
    stderr: str = ""
    stdout_data: bytes = field(default=b"", repr=False)
    stderr_data: bytes = field(default=b"", repr=False)
    stdout_bytes: Optional[int] = None
    stderr_bytes: Optional[int] = None
    truncated: Truncated = Truncated()
    encoding: Optional[str] = None
    started_at: str = ""
    wall_s: float = 0.0
    cpu_user_s: float = 0.0
    cpu_sys_s: float = 0.0
    setup_s: float = 0.0
    teardown_s: float = 0.0
    max_pids: Optional[int] = None
    limits: Limits = Limits()
    degraded: List[str] = field(default_factory=list)
    error: Optional[Failure] = None
    files: Dict[str, Optional[bytes]] = field(default_factory=dict, repr=False)
    id: str = ""
    name: Optional[str] = None
    image: str = ""
    argv: List[str] = field(default_factory=list)
    cwd: str = ""
    user: Optional[User] = None
    schema: int = 1
    csbx_version: str = ""
    raw: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_dict(cls: Type[R], obj: Mapping[str, Any]) -> R:
        known = {f.name for f in fields(cls)}
        values = {k: v for k, v in obj.items() if k in known and k != "raw"}
        values.update(cls._convert(obj))
        return cls(**values, raw=copy.deepcopy(dict(obj)))

    @classmethod
    def _convert(cls, obj: Mapping[str, Any]) -> Dict[str, Any]:
        """The members that are more than strings and numbers."""
        new: Dict[str, Any] = {}
        for name in ("stdout", "stderr"):
            data = _stream(obj.get(name), obj.get("encoding"))
            new[name + "_data"] = data
            new[name] = data.decode("utf-8", "replace")
        limits = obj.get("limits") or {}
        new["limits"] = Limits(**{k: Limit(**_only(Limit, limits.get(k)))
                                  for k in ("memory", "cpus", "pids")})
        new["truncated"] = Truncated(**_only(Truncated, obj.get("truncated")))
        if obj.get("error") is not None:
            new["error"] = Failure(**_only(Failure, obj["error"]))
        if obj.get("user") is not None:
            new["user"] = User(**_only(User, obj["user"]))
        new["files"] = {k: None if v is None else base64.b64decode(v)
                        for k, v in (obj.get("files") or {}).items()}
        return new

    def to_dict(self) -> Dict[str, Any]:
        """The object as csbx wrote it."""
        return copy.deepcopy(self.raw)

    @property
    def passed(self) -> bool:
        """The verdict: success, and what was asked besides (cases and checks, tests)."""
        return self.success

    def __repr__(self) -> str:
        said = f", {self.stdout[-SHOWN:]!r}" if self.stdout else ""
        return f"<{type(self).__name__}: {self.summary()}, {self.wall_s:.3g} s{said}>"

    def summary(self) -> str:
        """One line on how it ended."""
        if self.success and not self.passed:
            return "ended with exit code 0, and not all that was asked has passed"
        if self.status == "exited":
            return f"ended with exit code {self.exit_code}"
        if self.status == "signaled":
            return f"ended by signal {self.signal}"
        if self.status == "timeout":
            return f"not done within {self.timeout_s} s"
        if self.status == "oom":
            return f"held more than {self.memory_limit_bytes} bytes of memory"
        return self.error.message if self.error else self.status

    def check(self: R) -> R:
        """Itself, or ProgramError when the program did not succeed."""
        if self.passed:
            return self
        kind = {"timeout": ProgramTimeout, "oom": OutOfMemory}.get(self.status, ProgramError)
        raise kind("\n".join([f"{_short(shlex.join(self.argv))}: {self.summary()}" if self.argv else self.summary(),
                              *_last_lines(self.stderr)]), self)

    def raise_for_sandbox(self) -> None:
        """SandboxError when this result says nothing about the program."""
        if self.status == "launch_error":
            raise LaunchError(self.summary(), self.exit_code, self)
        if self.status == "sandbox_error":
            raise SandboxError(self.summary(), self.exit_code, self)


@dataclass(frozen=True)
class ErrorSummary:
    """The error that ended a program."""

    type: Optional[str] = None
    message: Optional[str] = None
    line: Optional[int] = None

    def __str__(self) -> str:
        return ": ".join(x for x in (self.type, self.message) if x)


@dataclass(frozen=True, repr=False)
class CaseResult:
    """The outcome of one case of a function. csbx made its verdict outside the container."""

    name: str = ""
    passed: bool = False
    outcome: str = "not_run"
    output: Any = None
    expected: Any = None
    detail: Optional[str] = None
    duration_ms: Optional[float] = None
    weight: float = 1.0
    expected_type: Optional[str] = None
    expected_exception: Optional[str] = None

    def __repr__(self) -> str:
        """Python refuses to write a whole number of more than 4,300 digits, which an answer may be."""
        said = ", ".join(f"{f.name}={shown(getattr(self, f.name))}" for f in fields(self))
        return f"{type(self).__name__}({said})"


@dataclass(frozen=True, repr=False)
class EvalResult(Result):
    """The end of a snippet and, when there were cases or a check, the verdict if it is right."""

    cases: Optional[List[CaseResult]] = None
    all_passed: Optional[bool] = None
    score: Optional[float] = None
    error_summary: Optional[ErrorSummary] = None
    feedback: List[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.success if self.all_passed is None else self.all_passed

    @classmethod
    def _convert(cls, obj: Mapping[str, Any]) -> Dict[str, Any]:
        new = super()._convert(obj)
        if obj.get("cases") is not None:
            new["cases"] = [_case(c) for c in obj["cases"]]
        if obj.get("error_summary") is not None:
            new["error_summary"] = ErrorSummary(**_only(ErrorSummary, obj["error_summary"]))
        new["feedback"] = list(obj.get("feedback") or [])
        return new


@dataclass(frozen=True)
class Outcome:
    """Test ids that are as they should be, and those that are not."""

    success: List[str] = field(default_factory=list)
    failure: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Note:
    """A patch that does not apply, a module that cannot be collected, a sign of tampering: what, and why."""

    what: str
    message: str


@dataclass(frozen=True, repr=False)
class TestResult(Result):
    """The outcome of each test of a repository."""

    tests: Dict[str, str] = field(default_factory=dict)
    durations_s: Dict[str, float] = field(default_factory=dict, repr=False)
    resolved: Optional[bool] = None
    all_passed: Optional[bool] = None
    fail_to_pass: Outcome = Outcome()
    pass_to_pass: Outcome = Outcome()
    patch_applied: Optional[bool] = None
    patch_tool: Optional[str] = None
    patch_errors: List[Note] = field(default_factory=list)
    collection_errors: List[Note] = field(default_factory=list)
    tamper: List[Note] = field(default_factory=list)
    runner: Dict[str, Optional[str]] = field(default_factory=dict)

    __test__ = False  # no test class, whatever pytest makes of its name

    @property
    def passed(self) -> bool:
        return bool(self.all_passed if self.resolved is None else self.resolved)

    @classmethod
    def _convert(cls, obj: Mapping[str, Any]) -> Dict[str, Any]:
        new = super()._convert(obj)
        for name in ("fail_to_pass", "pass_to_pass"):
            new[name] = Outcome(**_only(Outcome, obj.get(name)))
        for name, what, why in (("patch_errors", "patch", "message"), ("tamper", "kind", "detail"),
                                ("collection_errors", "id", "message")):
            new[name] = [Note(n[what], n[why]) for n in obj.get(name) or []]
        return new


def _short(text: str) -> str:
    return text if len(text) <= COMMAND_SHOWN else text[:COMMAND_SHOWN] + "..."


def _last_lines(stderr: str) -> List[str]:
    """The end of stderr, for a message."""
    return [_short(line) for line in stderr.rstrip().splitlines()[-LINES_SHOWN:]]


def _case(obj: Mapping[str, Any]) -> CaseResult:
    values = _only(CaseResult, obj)
    for name in ("output", "expected"):
        values[name] = from_json(obj.get(name))
    return CaseResult(**values)


def _only(cls: Any, obj: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """The members that a dataclass knows: a later csbx may have more."""
    return {f.name: (obj or {})[f.name] for f in fields(cls) if f.name in (obj or {})}


def _stream(text: Optional[str], encoding: Optional[str]) -> bytes:
    if text is None:
        return b""
    return base64.b64decode(text) if encoding == "base64" else text.encode("utf-8", "surrogatepass")
