# SPDX-License-Identifier: Apache-2.0
"""csbx.aio.Sandbox: as csbx.Sandbox, with methods to await; callbacks may be coroutine functions."""
from __future__ import annotations

import asyncio
import contextlib
import os
import posixpath
from typing import TYPE_CHECKING, List, Optional, Sequence, Union

from . import build, listing, program
from .aio_perform import perform
from .build import Callback, Input
from .call import Call, to_bytes
from .errors import Error, ProgramError, Refused, SandboxError
from .listing import Entry
from .options import Duration, seconds
from .result import Result
from .sandbox import Words, _absolute, _nothing
from .streams import Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import RunOptions, Variables


class Sandbox:
    """Made by `await Sandbox.create()`. Leaving an `async with` block kills it, and so does the end of its owner."""

    def __init__(self, id: str, csbx: Optional[program.Path] = None) -> None:
        self.id, self.csbx = id, csbx
        self.files = Files(self)
        self.commands = Commands(self)

    @classmethod
    async def create(cls, image: Optional[program.Path] = None, *, owner: Optional[int] = None,
                     command: Sequence[str] = listing.SLEEP, csbx: Optional[program.Path] = None,
                     **options: "Unpack[RunOptions]") -> "Sandbox":
        return cls(await perform(build.sandbox(program.default_image(image), command, owner=owner or os.getpid(),
                                               csbx=csbx, given=options)), csbx)

    def __repr__(self) -> str:
        return f"Sandbox({self.id[:12]!r})"

    async def run(self, cmd: Words, *, on_stdout: Callback = None, on_stderr: Callback = None,
                  timeout: Optional[Duration] = None, cwd: Optional[str] = None, env: "Variables" = None,
                  user: Optional[str] = None, input: Input = None, stdout: Stream = None, stderr: Stream = None,
                  check: bool = False) -> Result:
        given = {"timeout": timeout, "workdir": cwd, "env": env, "user": user}
        result = await perform(build.exec(self.id, listing.words(cmd), input=input, stdout=stdout, stderr=stderr,
                                          on_stdout=on_stdout, on_stderr=on_stderr, csbx=self.csbx, given=given))
        return result.check() if check else result

    async def kill(self) -> None:
        with contextlib.suppress(Refused):
            await perform(build.simple(["remove", "-f", self.id], self.csbx))

    async def is_running(self) -> bool:
        return any(c["id"].startswith(self.id) and c["status"] == "running" for c in await perform(build.listed(False, self.csbx)))

    async def __aenter__(self) -> "Sandbox":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.kill()


class Files:
    """As sandbox.Files."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def read(self, path: str) -> str:
        return (await self.read_bytes(path)).decode("utf-8")

    async def read_bytes(self, path: str) -> bytes:
        words = ["cp", "-L", f"{self._sandbox.id}:{_absolute(path)}", "-"]
        return build.only_file(await self._of(path, build.simple(words, self._sandbox.csbx)), path)

    async def write(self, path: str, data: Union[str, bytes]) -> None:
        await self._in(to_bytes(data), path)

    async def put(self, source: program.Path, path: str) -> None:
        os.stat(source)
        await self._in(source, path)

    async def get(self, path: str, to: program.Path) -> None:
        await self._of(path, build.copy_out(self._sandbox.id, _absolute(path), to, self._sandbox.csbx))

    async def list(self, path: str = "/") -> List[Entry]:
        return listing.entries(path, await self._sandbox.run(listing.list_command(_absolute(path))))

    async def make_dir(self, path: str) -> None:
        await self._sandbox.run(["mkdir", "-p", "--", _absolute(path)], check=True)

    async def remove(self, path: str) -> None:
        try:
            await self._sandbox.run(["rm", "-r", "--", _absolute(path)], check=True)
        except ProgramError as e:
            raise await self._error(e, path) from None

    async def _of(self, path: str, call: Call[bytes]) -> bytes:
        try:
            return await perform(call)
        except Refused as e:
            raise await self._error(e, path) from None

    async def _error(self, error: Error, path: str) -> Error:
        try:
            return listing.file_error(error, path, await self._sandbox.run(listing.exists_command(path)))
        except SandboxError:
            return error  # the sandbox is gone

    async def _in(self, source: Union[bytes, program.Path], path: str) -> None:
        call = build.copy_in(self._sandbox.id, source, _absolute(path), self._sandbox.csbx)
        try:
            await perform(call)
        except Refused:
            await self.make_dir(posixpath.dirname(path) or "/")
            await perform(call)


class Commands:
    """As sandbox.Commands."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def start(self, cmd: Words, *, on_stdout: Callback = None, on_stderr: Callback = None,
                    timeout: Optional[Duration] = None, cwd: Optional[str] = None, env: "Variables" = None,
                    user: Optional[str] = None, stdin: bool = False) -> "Command":
        ours, theirs = os.pipe() if stdin else (None, None)
        call = build.exec(self._sandbox.id, listing.words(cmd), stdin=ours, on_stdout=on_stdout or _nothing,
                          on_stderr=on_stderr, csbx=self._sandbox.csbx,
                          given={"timeout": timeout, "workdir": cwd, "env": env, "user": user})
        return Command(cmd, call, ours, theirs)


class Command:
    """As csbx.Command; callbacks are called in the event loop."""

    def __init__(self, cmd: Words, call: Call[Result], ours: Optional[int], theirs: Optional[int]) -> None:
        self.cmd, self._stdin = cmd, theirs
        self._task = asyncio.ensure_future(self._wait(call, ours))

    def __repr__(self) -> str:
        return f"Command({self.cmd!r:.60}, {'ended' if self._task.done() else 'running'})"

    async def _wait(self, call: Call[Result], ours: Optional[int]) -> Result:
        try:
            return await perform(call)
        except asyncio.CancelledError:
            return build.killed(call, listing.words(self.cmd))
        finally:
            if ours is not None:
                os.close(ours)

    def poll(self) -> Optional[Result]:
        return self._task.result() if self._task.done() else None

    async def wait(self, timeout: Optional[Duration] = None, check: bool = False) -> Result:
        done, _ = await asyncio.wait([self._task], timeout=seconds(timeout))
        if not done:
            raise TimeoutError(f"{self!r} after {timeout}")
        self.close_stdin()
        return self._task.result().check() if check else self._task.result()

    async def write(self, data: Union[str, bytes]) -> None:
        if self._stdin is None:
            raise ValueError("its standard input is closed: start(..., stdin=True) opens one")
        view, loop = memoryview(to_bytes(data)), asyncio.get_running_loop()
        while view:
            view = view[await loop.run_in_executor(None, os.write, self._stdin, view):]

    def close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    async def kill(self) -> None:
        """Kills it and its process group, and waits for that."""
        self._task.cancel()
        await self.wait()
