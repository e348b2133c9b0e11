# SPDX-License-Identifier: Apache-2.0
"""The same calls for asyncio. A cancelled call ends its container before CancelledError goes on."""
from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from . import batch, build, program
from .batch import Record
from .aio_perform import perform, to_its_end
from .build import Code, Input, Patch
from .call import Input as Stdin
from .errors import SandboxError
from .cases import CaseLike
from .options import Duration, seconds
from .result import EvalResult, Logs, Result, TestResult
from .sandbox_aio import Sandbox
from .streams import Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions, ExecOptions, JudgeOptions, RunOptions

__all__ = ["Container", "Sandbox", "eval", "eval_batch", "import_image", "inspect", "load", "ps", "run", "start", "test"]


async def run(image: program.Path, command: Sequence[str] = (), *, input: Input = None,
              stdin: Stdin = None, stdout: Stream = None, stderr: Stream = None,
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
    batch.check_lines(snippets)
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
        await to_its_end(_close(records, started, reading))


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

    async def exec(self, command: Sequence[str], *, input: Input = None, stdin: Stdin = None,
                   stdout: Stream = None, stderr: Stream = None, check: bool = False,
                   **options: "Unpack[ExecOptions]") -> Result:
        result = await perform(build.exec(self.id, command, input=input, stdin=stdin, stdout=stdout,
                                          stderr=stderr, csbx=self.csbx, given=options))
        return result.check() if check else result

    async def logs(self) -> Logs:
        return await perform(build.logs(self.id, self.csbx))

    async def wait(self) -> int:
        return await perform(build.wait(self.id, self.csbx))

    async def stop(self, timeout: Duration = 10.0) -> None:
        await perform(build.simple(["stop", f"--time={seconds(timeout):g}s", self.id], self.csbx))

    async def kill(self, signal: str = "KILL") -> None:
        await perform(build.simple(["kill", f"--signal={signal}", self.id], self.csbx))

    async def __aenter__(self) -> "Container":
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await self.kill()
        except SandboxError:
            pass  # it has ended by itself


async def import_image(source: str, output: program.Path, *, csbx: Optional[program.Path] = None) -> None:
    """As csbx.import_image()."""
    await perform(build.imported(source, output=output, name=None, csbx=csbx))


async def load(source: str, name: str, *, csbx: Optional[program.Path] = None) -> None:
    """As csbx.load()."""
    await perform(build.imported(source, output=None, name=name, csbx=csbx))


async def inspect(name: str, *, csbx: Optional[program.Path] = None) -> Dict[str, Any]:
    """As csbx.inspect()."""
    return await perform(build.shown(["inspect", name], csbx))


async def ps(*, all: bool = False, csbx: Optional[program.Path] = None) -> List[Dict[str, Any]]:
    """As csbx.ps()."""
    return await perform(build.listed(all, csbx))
