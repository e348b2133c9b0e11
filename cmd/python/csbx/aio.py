# SPDX-License-Identifier: Apache-2.0
"""The same calls for asyncio. A cancelled call ends its container before CancelledError goes on."""
from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Optional, Sequence, TypeVar

from . import build, program
from .build import Input, Logs
from .call import Call, Started, Stream, prepared
from .errors import SandboxError
from .result import Result
from .sync import KILL_S, PAUSE_S, TERM_S, kill_command

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import ExecOptions, RunOptions

T = TypeVar("T")

__all__ = ["Container", "run", "start"]


async def perform(call: Call[T]) -> T:
    with prepared(call) as started:
        stdin = subprocess.PIPE if call.input is not None else call.stdin
        spawning = asyncio.ensure_future(asyncio.create_subprocess_exec(
            *started.argv, stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE if call.stdout is None else call.stdout,
            stderr=subprocess.PIPE if call.stderr is None else call.stderr, **started.options))
        try:
            p = await asyncio.shield(spawning)
        except OSError as e:
            raise SandboxError(f"{started.argv[0]}: {e.strerror}") from e
        except asyncio.CancelledError:
            p = await _to_its_end(spawning)  # cancelled itself, it would kill csbx half-way
            await _to_its_end(_end(call, started, p))
            raise
        try:
            out, err = await asyncio.wait_for(p.communicate(call.input), call.backstop_s)
        except asyncio.TimeoutError:
            await _to_its_end(_end(call, started, p))
            raise SandboxError(f"csbx did not end within {call.backstop_s} s") from None
        except asyncio.CancelledError:
            await _to_its_end(_end(call, started, p))
            raise
        assert p.returncode is not None
        ended = started.ended(p.returncode, out, err)
    return call.finish(ended)


async def _to_its_end(awaitable: Awaitable[T]) -> T:
    """Awaits it, a second cancellation notwithstanding: nothing may stay behind."""
    task = asyncio.ensure_future(awaitable)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return task.result()


async def _end(call: Call[Any], started: Started, p: asyncio.subprocess.Process) -> None:
    """As sync.end()."""
    deadline = time.monotonic() + (KILL_S if call.kill_name else TERM_S)
    reader = asyncio.ensure_future(p.communicate())
    if not call.kill_name:
        _signal(p.terminate)
    while p.returncode is None and time.monotonic() < deadline:
        if call.kill_name:
            killer = await asyncio.create_subprocess_exec(
                *kill_command(call, started), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
            await killer.wait()
        await asyncio.wait([reader], timeout=PAUSE_S)
    _signal(p.kill)
    await asyncio.wait([reader])


def _signal(send: Callable[[], None]) -> None:
    with contextlib.suppress(ProcessLookupError):
        send()


async def run(image: program.Path, command: Sequence[str] = (), *, input: Input = None,
              stdin: Stream = None, stdout: Stream = None, stderr: Stream = None,
              check: bool = False, csbx: Optional[program.Path] = None,
              **options: "Unpack[RunOptions]") -> Result:
    """As csbx.run()."""
    result = await perform(build.run(image, command, input=input, stdin=stdin, stdout=stdout,
                                     stderr=stderr, csbx=csbx, given=options))
    return result.check() if check else result


async def start(image: program.Path, command: Sequence[str] = (), *,
                csbx: Optional[program.Path] = None,
                **options: "Unpack[RunOptions]") -> "Container":
    """As csbx.start()."""
    made = await perform(build.start(image, command, verb="run", csbx=csbx, given=options))
    return Container(made, csbx)


class Container:
    """As csbx.Container, with methods to await; leaving `async with` kills it."""

    def __init__(self, id: str, csbx: Optional[program.Path] = None) -> None:
        self.id, self.csbx = id, csbx

    async def exec(self, command: Sequence[str], *, input: Input = None, stdin: Stream = None,
                   stdout: Stream = None, stderr: Stream = None, check: bool = False,
                   **options: "Unpack[ExecOptions]") -> Result:
        result = await perform(build.exec(self.id, command, input=input, stdin=stdin, stdout=stdout,
                                          stderr=stderr, csbx=self.csbx, given=options))
        return result.check() if check else result

    async def logs(self) -> Logs:
        return await perform(build.logs(self.id, self.csbx))

    async def wait(self) -> int:
        return await perform(build.wait(self.id, self.csbx))

    async def stop(self, timeout: float = 10.0) -> None:
        await perform(build.simple(["stop", f"--time={timeout:g}s", self.id], self.csbx))

    async def kill(self, signal: str = "KILL") -> None:
        await perform(build.simple(["kill", f"--signal={signal}", self.id], self.csbx))

    async def __aenter__(self) -> "Container":
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await self.kill()
        except SandboxError:
            pass  # it has ended by itself
