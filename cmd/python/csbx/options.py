# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments to options of the command line: one table, used by every call."""
from __future__ import annotations

import datetime
import math
import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from typing import TypedDict

Size = Union[int, str]  # bytes, or as csbx has it: "256m"
Duration = Union[float, str, datetime.timedelta]  # seconds, or as csbx has it: "500ms", "2m"
Path = Union[str, "os.PathLike[str]"]


Variables = Optional[Mapping[str, Optional[str]]]


class ExecOptions(TypedDict, total=False):
    """Options of exec."""

    timeout: Optional[Duration]
    kill_after: Optional[Duration]
    env: Mapping[str, Optional[str]]
    env_file: Union[Path, Sequence[Path]]
    workdir: Optional[str]
    user: Optional[str]
    max_output: Optional[Size]
    max_output_kill: Optional[Size]


class JudgeOptions(ExecOptions, total=False):
    """Options of eval and test."""

    memory: Optional[Size]
    cpus: Optional[float]
    pids_limit: Optional[int]
    limits: Optional[str]
    ulimit: Mapping[str, Union[int, str]]
    network: Union[None, bool, str]
    mounts: Sequence[str]
    volumes: Sequence[str]
    tmpfs: Sequence[str]
    devices: Sequence[str]
    read_only: bool
    upper_size: Optional[Size]
    shm_size: Optional[Size]
    fetch: Sequence[str]
    entrypoint: Optional[str]
    hostname: Optional[str]
    ipc: Optional[str]
    userns: Optional[str]
    group_add: Sequence[str]
    cap_add: Sequence[str]
    cap_drop: Sequence[str]
    security_opt: Sequence[str]
    labels: Mapping[str, str]
    fake_root: bool
    allow_root: bool
    no_job_env: bool
    stop_signal: Optional[str]
    stop_timeout: Optional[Duration]


class EvalOptions(JudgeOptions, total=False):
    """Options of eval."""

    deny_import: Sequence[str]
    deny_call: Sequence[str]
    allow_command: Sequence[str]
    in_place: bool  # a check has its arguments back as each call leaves them
    warm: Optional[bool]  # of one snippet: takes a container that an earlier call has left (docs/judging.md)
    lanes: Optional[bool]  # of a batch: False gives each snippet a container of its own


class RunOptions(JudgeOptions, total=False):
    """Options of run and start."""

    name: Optional[str]


def _text(flag: str) -> Callable[[Any], List[str]]:
    def make(value: Any) -> List[str]:
        return [f"--{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    return make


def _number(flag: str) -> Callable[[Any], List[str]]:
    def make(value: Any) -> List[str]:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ValueError(f"{flag}: {value!r} is not a number above 0")
        return [f"--{flag}={value:g}"]
    return make


UNITS_S = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(value: Optional[Duration]) -> Optional[float]:
    """The number that a duration stands for."""
    if value is None:
        return None
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        read = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|[smhd]?)", value)
        if read is None:
            raise ValueError(f"not a duration: {value!r}")
        return float(read[1]) * UNITS_S[read[2]]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"not a duration: {value!r}")
    return float(value)


def _seconds(flag: str) -> Callable[[Any], List[str]]:
    def make(value: Any) -> List[str]:
        try:
            given_s = seconds(value)
        except (TypeError, ValueError):
            given_s = None
        if given_s is None or not 0 < given_s < 1e9:
            raise ValueError(f"{flag}: {value!r} is not a number of seconds above 0")
        return [f"--{flag}={math.ceil(given_s * 1000)}ms"]
    return make


def _flag(flag: str) -> Callable[[Any], List[str]]:
    return lambda value: [f"--{flag}"] if value else []


def _each(flag: str) -> Callable[[Any], List[str]]:
    one = _text(flag)

    def make(values: Any) -> List[str]:
        if isinstance(values, (str, os.PathLike)):
            return one(values)
        return [word for value in values for word in one(value)]
    return make


def _pairs(flag: str) -> Callable[[Any], List[str]]:
    def make(values: Mapping[str, Any]) -> List[str]:
        for name in values:
            if not name or "=" in name:
                raise ValueError(f"{flag}: {name!r} is not a name")
        return [f"--{flag}={k}" if v is None else f"--{flag}={k}={v}" for k, v in values.items()]
    return make


def _network(value: Any) -> List[str]:
    return [f"--network={ {True: 'host', False: 'none'}.get(value, value) }"]


EXEC: Dict[str, Callable[[Any], List[str]]] = {
    "timeout": _seconds("timeout"), "kill_after": _seconds("kill-after"), "env": _pairs("env"),
    "env_file": _each("env-file"), "workdir": _text("workdir"), "user": _text("user"),
    "max_output": _text("max-output"), "max_output_kill": _text("max-output-kill")}

JUDGE: Dict[str, Callable[[Any], List[str]]] = {
    **EXEC, "memory": _text("memory"), "cpus": _number("cpus"),
    "pids_limit": _text("pids-limit"), "limits": _text("limits"), "ulimit": _pairs("ulimit"),
    "network": _network, "mounts": _each("mount"), "volumes": _each("volume"),
    "tmpfs": _each("tmpfs"), "devices": _each("device"), "read_only": _flag("read-only"),
    "upper_size": _text("upper-size"), "shm_size": _text("shm-size"), "fetch": _each("fetch"),
    "entrypoint": _text("entrypoint"), "hostname": _text("hostname"), "ipc": _text("ipc"),
    "userns": _text("userns"), "group_add": _each("group-add"), "cap_add": _each("cap-add"),
    "cap_drop": _each("cap-drop"), "security_opt": _each("security-opt"),
    "labels": _pairs("label"), "fake_root": _flag("fake-root"), "allow_root": _flag("allow-root"),
    "no_job_env": _flag("no-job-env"), "stop_signal": _text("stop-signal"),
    "stop_timeout": _seconds("stop-timeout")}

EVAL: Dict[str, Callable[[Any], List[str]]] = {
    **JUDGE, "deny_import": _each("deny-import"), "deny_call": _each("deny-call"),
    "allow_command": _each("allow-command"),
    "in_place": _flag("in-place"),
    "warm": _flag("warm"),
    "lanes": lambda value: ["--lanes=yes" if value else "--lanes=no"]}

RUN: Dict[str, Callable[[Any], List[str]]] = {**JUDGE, "name": _text("name")}


def words(table: Mapping[str, Callable[[Any], List[str]]], given: Mapping[str, Any]) -> List[str]:
    """Options of the command line; None stands for not given, an unknown name is a TypeError."""
    argv: List[str] = []
    for name, value in given.items():
        if name not in table:
            raise TypeError(f"unknown option {name!r}")
        if value is not None:
            argv += table[name](value)
    for word in argv:
        if "\0" in word:
            raise ValueError(f"a NUL character in {word[:80]!r}")
    return argv
