# SPDX-License-Identifier: Apache-2.0
"""The same calls for asyncio. A cancelled call ends its container before CancelledError goes on."""
from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Iterable, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union

from . import batch, build, program
from .batch import Record
from .build import Code, Input, Logs, Patch
from .call import Call, Started, Stream, own_containers, prepared
from .errors import SandboxError
from .cases import CaseLike
from .result import EvalResult, Result, TestResult
from .sync import KILL_S, PAUSE_S

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions, ExecOptions, JudgeOptions, RunOptions

T = TypeVar("T")

__all__ = ["Container", "eval", "eval_batch", "run", "start", "test"]


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


async def run(image: program.Path, command: Sequence[str] = (), *, input: Input = None,
              stdin: Stream = None, stdout: Stream = None, stderr: Stream = None,
              check: bool = False, csbx: Optional[program.Path] = None,
              **options: "Unpack[RunOptions]") -> Result:
    """As csbx.run()."""
    result = await perform(build.run(image, command, input=input, stdin=stdin, stdout=stdout,
                                     stderr=stderr, csbx=csbx, given=options))
    return result.check() if check else result


async def eval(code: Code, *, image: Optional[program.Path] = None, lang: Optional[str] = None,
               args: Sequence[str] = (), stdin: Input = None, function: Optional[str] = None,
               cases: Optional[Iterable[CaseLike]] = None, setup: Optional[Code] = None,
               check: Optional[Code] = None, files: Optional[Mapping[str, Code]] = None,
               csbx: Optional[program.Path] = None, **options: "Unpack[EvalOptions]") -> EvalResult:
    """As csbx.eval()."""
    return await perform(build.eval(code, image=image, lang=lang, args=args, stdin=stdin,
                              function=function, cases=cases, setup=setup, check=check,
                              files=files, csbx=csbx, given=options))


async def eval_batch(snippets: Iterable[Union[str, Mapping[str, Any]]], *, image: Optional[program.Path] = None,
                     workers: Optional[int] = None, csbx: Optional[program.Path] = None,
                     **given: "Unpack[EvalOptions]") -> AsyncIterator[Record]:
    """As csbx.eval_batch(), for `async for`; snippets is read in a thread of its own.

    Leaving the loop early ends what runs when the generator is closed (contextlib.aclosing).
    """
    started: "List[subprocess.Popen[bytes]]" = []
    records = batch.records_of(batch.command(image, workers, csbx, given), snippets, started)
    reading: "Optional[asyncio.Future[Optional[Record]]]" = None
    loop = asyncio.get_running_loop()
    try:
        while True:
            reading = loop.run_in_executor(None, next, records, None)
            record = await asyncio.shield(reading)
            if record is None:
                return
            yield record
    finally:
        await _to_its_end(_close(records, started, reading))


async def _close(records: Iterator[Record], started: "List[subprocess.Popen[bytes]]",
                 reading: "Optional[asyncio.Future[Optional[Record]]]") -> None:
    """A generator cannot be closed while it waits for csbx: that is ended first."""
    for p in started:
        if p.poll() is None:
            p.terminate()
    if reading is not None:
        await asyncio.wait([reading])
        if not reading.cancelled():
            reading.exception()  # that it was ended is no news
    await asyncio.get_running_loop().run_in_executor(None, getattr(records, "close"))


async def test(repo: Optional[program.Path] = None, *, image: Optional[program.Path] = None,
               repo_in_image: Optional[str] = None, clone: Optional[str] = None,
               commit: Optional[str] = None, patches: Union[Patch, Sequence[Patch]] = (),
               test_patch: Optional[Patch] = None, fail_to_pass: Sequence[str] = (),
               pass_to_pass: Sequence[str] = (), strict: bool = False, isolate: bool = False,
               runner: Optional[str] = None,
               python: Optional[str] = None, args: Sequence[str] = (),
               csbx: Optional[program.Path] = None, **options: "Unpack[JudgeOptions]") -> TestResult:
    """As csbx.test()."""
    return await perform(build.test(
        repo, image=image, repo_in_image=repo_in_image, clone=clone, commit=commit,
        patches=patches, test_patch=test_patch, fail_to_pass=fail_to_pass,
        pass_to_pass=pass_to_pass, strict=strict, isolate=isolate, runner=runner, python=python, args=args,
        csbx=csbx, given=options))


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
