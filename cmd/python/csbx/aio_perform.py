# SPDX-License-Identifier: Apache-2.0
"""Makes calls and awaits them. A cancelled call ends its container before CancelledError goes on."""
from __future__ import annotations

import asyncio
import contextlib
import inspect
import subprocess
import time
from typing import Any, Awaitable, List, Tuple, TypeVar

from .call import Call, Started, own_containers, piped, prepared
from .errors import SandboxError
from .streams import CHUNK_BYTES, Sink
from .sync import KILL_S, PAUSE_S

T = TypeVar("T")


async def perform(call: Call[T]) -> T:
    with prepared(call) as started:
        stdin = subprocess.PIPE if call.input is not None else call.stdin
        spawning = asyncio.ensure_future(asyncio.create_subprocess_exec(
            *started.argv, stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=piped(call.stdout), stderr=piped(call.stderr), **started.options))
        try:
            p = await asyncio.shield(spawning)
        except OSError as e:
            raise SandboxError(f"{started.argv[0]}: {e.strerror}") from e
        except asyncio.CancelledError:
            p = await to_its_end(spawning)  # cancelled itself, it would kill csbx half-way
            await to_its_end(_end(call, started, p))
            raise
        pumping = _pumps(call, p)
        try:
            out, err = await asyncio.wait_for(_communicate(p, call.input, pumping), call.backstop_s)
        except asyncio.TimeoutError:
            await to_its_end(_end(call, started, p))
            raise SandboxError(f"csbx did not end within {call.backstop_s} s") from None
        except BaseException:  # cancelled, or a sink failed
            await to_its_end(_end(call, started, p))
            raise
        finally:
            for task in pumping:
                task.cancel()
        assert p.returncode is not None
        ended = started.ended(p.returncode, out, err)
    return call.finish(ended)


def _pumps(call: Call[Any], p: asyncio.subprocess.Process) -> "List[asyncio.Task[None]]":
    """Tasks that feed sinks; communicate() leaves their pipes alone."""
    tasks = []
    for name, sink in (("stdout", call.stdout), ("stderr", call.stderr)):
        if isinstance(sink, Sink):
            tasks.append(asyncio.ensure_future(_feed(getattr(p, name), sink)))
            setattr(p, name, None)
    return tasks


async def _feed(pipe: asyncio.StreamReader, sink: Sink) -> None:
    while data := await pipe.read(CHUNK_BYTES):
        await _given(sink.feed(data))
    await _given(sink.feed(b"", final=True))


async def _given(value: Any) -> None:
    """A callback may be a coroutine function."""
    if inspect.isawaitable(value):
        await value


async def _communicate(p: asyncio.subprocess.Process, input: "bytes | None",
                       pumping: "List[asyncio.Task[None]]") -> "Tuple[bytes, bytes]":
    done: "List[Any]" = await asyncio.gather(p.communicate(input), *pumping)
    out_err: "Tuple[bytes, bytes]" = done[0]
    return out_err


async def to_its_end(awaitable: Awaitable[T]) -> T:
    """Awaits it, a second cancellation notwithstanding: nothing may stay behind."""
    task = asyncio.ensure_future(awaitable)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return task.result()


async def _end(call: Call[Any], started: Started, p: asyncio.subprocess.Process) -> None:
    """As sync.end()."""
    deadline = time.monotonic() + KILL_S
    reader = asyncio.ensure_future(p.communicate())
    csbx = started.argv[0]
    while p.returncode is None:
        if not call.supervises or time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                p.kill()
        elif ids := own_containers(await _ask(csbx, "list", "--json"), p.pid):
            await _ask(csbx, "kill", *ids)
        await asyncio.wait([reader], timeout=PAUSE_S)
    await asyncio.wait([reader])


async def _ask(*argv: str) -> bytes:
    p = await asyncio.create_subprocess_exec(
        *argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        return (await asyncio.wait_for(p.communicate(), KILL_S))[0]
    except asyncio.TimeoutError:
        p.kill()
        return (await p.communicate())[0]
