# SPDX-License-Identifier: Apache-2.0
"""The result object (schema 1, docs/result.md of csbx) as dataclasses.

Fields are named as in the object. Where the object has bytes in base64 (`files`, and both streams
when either is not UTF-8) there are bytes here; `to_dict()` gives the object back as it came, fields
that this version of the package does not know included.
"""
from __future__ import annotations

import base64
import copy
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar

from .errors import LaunchError, OutOfMemory, ProgramError, ProgramTimeout, SandboxError

R = TypeVar("R", bound="Result")


@dataclass(frozen=True)
class Limit:
    """What was asked for, and who held it: cgroup2, watchdog, rlimit, affinity or none."""

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
class Result:
    """How a command in a container ended."""

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

    def summary(self) -> str:
        """One line on how it ended."""
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
        if self.success:
            return self
        kind = {"timeout": ProgramTimeout, "oom": OutOfMemory}.get(self.status, ProgramError)
        raise kind(self.summary(), self)

    def raise_for_sandbox(self) -> None:
        """SandboxError when this result says nothing about the program."""
        if self.status == "launch_error":
            raise LaunchError(self.summary(), self.exit_code, self)
        if self.status == "sandbox_error":
            raise SandboxError(self.summary(), self.exit_code, self)


def _only(cls: Any, obj: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """The members that a dataclass knows: a later csbx may have more."""
    return {f.name: (obj or {})[f.name] for f in fields(cls) if f.name in (obj or {})}


def _stream(text: Optional[str], encoding: Optional[str]) -> bytes:
    if text is None:
        return b""
    return base64.b64decode(text) if encoding == "base64" else text.encode("utf-8", "surrogatepass")
