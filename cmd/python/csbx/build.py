# SPDX-License-Identifier: Apache-2.0
"""Python calls to calls of the program. The synchronous and the asyncio functions share these."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import options, program
from .call import Call, Ended, Stream, Temp, command_words, instance_name, plain, result_of, to_bytes
from .result import Result

Input = Union[None, str, bytes]


class Logs(NamedTuple):
    """What a detached container has written."""

    stdout: bytes
    stderr: bytes


def _input(input: Input, stdin: Stream) -> Optional[bytes]:
    if input is not None and stdin is not None:
        raise ValueError("input and stdin exclude one another")
    return None if input is None else to_bytes(input)


def operand(image: program.Path) -> str:
    """An image or a name. A path without a slash must not be read as a name, nor as an option."""
    text = os.fspath(image)
    if not text or "\0" in text:
        raise ValueError(f"not an image: {text!r}")
    if isinstance(image, os.PathLike) and "/" not in text:
        return "./" + text
    return "./" + text if text.startswith("-") else text


def run(image: program.Path, command: Sequence[str], *, input: Input, stdin: Stream, stdout: Stream,
        stderr: Stream, csbx: Optional[program.Path], given: Mapping[str, Any]) -> Call[Result]:
    given = dict(given)
    given["name"] = name = given.get("name") or instance_name()
    argv: List[Union[str, Temp]] = ["run", *options.words(options.RUN, given), operand(image),
                                    *command_words(command)]
    return Call(argv, result_of(Result.from_dict), csbx, _input(input, stdin), stdin, stdout, stderr,
                given.get("timeout"), name)


def start(image: program.Path, command: Sequence[str], *, verb: str, csbx: Optional[program.Path],
          given: Mapping[str, Any]) -> Call[str]:
    argv: List[Union[str, Temp]] = [verb, "-d", *options.words(options.RUN, given), operand(image),
                                    *command_words(command)]
    return Call(argv, lambda ended: plain(ended).decode("ascii").strip(), csbx, json=False)


def exec(target: str, command: Sequence[str], *, input: Input, stdin: Stream, stdout: Stream,
         stderr: Stream, csbx: Optional[program.Path], given: Mapping[str, Any]) -> Call[Result]:
    argv: List[Union[str, Temp]] = ["exec", *options.words(options.EXEC, given), target,
                                    *command_words(command)]
    return Call(argv, result_of(Result.from_dict), csbx, _input(input, stdin), stdin, stdout, stderr,
                given.get("timeout"))


def simple(argv: Sequence[str], csbx: Optional[program.Path]) -> Call[bytes]:
    """A verb whose stdout is its answer."""
    return Call(list(argv), plain, csbx, json=False)


def wait(target: str, csbx: Optional[program.Path]) -> Call[int]:
    return Call(["wait", target], lambda ended: int(plain(ended)), csbx, json=False)


def logs(target: str, csbx: Optional[program.Path]) -> Call[Logs]:
    def finish(ended: Ended) -> Logs:
        plain(Ended(ended.returncode, stderr=ended.stderr))
        return Logs(ended.stdout, ended.stderr)
    return Call(["logs", target], finish, csbx, json=False)
