# SPDX-License-Identifier: Apache-2.0
"""Sandbox: a container that stays, with commands and files, and is gone with the process that made it."""
from __future__ import annotations

import concurrent.futures
import contextlib
import os
import posixpath
import signal as signals
import threading
from typing import TYPE_CHECKING, List, Mapping, Optional, Sequence, Union

from . import build, listing, program
from .build import Callback, Input
from .call import Call, to_bytes
from .errors import Error, ProgramError, Refused, SandboxError
from .listing import Entry
from .options import Duration, seconds
from .result import Result
from .streams import Stream
from .sync import Running, perform

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import RunOptions, Variables

Words = Union[str, Sequence[str]]


class Sandbox:
    """Made by Sandbox.create(). Leaving a `with` block kills it, and so does the end of its owner."""

    def __init__(self, id: str, csbx: Optional[program.Path] = None) -> None:
        self.id, self.csbx = id, csbx
        self.files = Files(self)
        self.commands = Commands(self)

    @classmethod
    def create(cls, image: Optional[program.Path] = None, *, owner: Optional[int] = None,
               command: Sequence[str] = listing.SLEEP, csbx: Optional[program.Path] = None,
               **options: "Unpack[RunOptions]") -> "Sandbox":
        """Starts a container of an image, which stays until kill(), or until the process `owner` is gone (default: the
        calling one). command: its main process, for an image without sleep(1). options: as those of run()."""
        return cls(perform(build.sandbox(program.default_image(image), command, owner=owner or os.getpid(),
                                         csbx=csbx, given=options)), csbx)

    def __repr__(self) -> str:
        return f"Sandbox({self.id[:12]!r})"

    def run(self, cmd: Words, *, on_stdout: Callback = None, on_stderr: Callback = None,
            timeout: Optional[Duration] = None, cwd: Optional[str] = None, env: "Variables" = None,
            user: Optional[str] = None, input: Input = None, stdout: Stream = None, stderr: Stream = None,
            check: bool = False) -> Result:
        """Runs a command to its end. cmd: a list of words, or a string for the container's own sh.

        on_stdout, on_stderr: called with text as it comes; the result has it all the same, the head and the tail of
        1 MiB of each. stdout, stderr: a descriptor or an object with write() that takes the stream instead.
        """
        result = perform(self._exec(cmd, on_stdout, on_stderr, timeout, cwd, env, user, input=input,
                                    stdout=stdout, stderr=stderr))
        return result.check() if check else result

    def _exec(self, cmd: Words, on_stdout: Callback, on_stderr: Callback, timeout: Optional[Duration],
              cwd: Optional[str], env: "Variables", user: Optional[str], **streams: object) -> Call[Result]:
        given = {"timeout": timeout, "workdir": cwd, "env": env, "user": user}
        return build.exec(self.id, listing.words(cmd), on_stdout=on_stdout, on_stderr=on_stderr, csbx=self.csbx,
                          given=given, **streams)  # type: ignore[arg-type]

    def kill(self) -> None:
        """Ends everything in it and removes it. One that is gone already is no error."""
        with contextlib.suppress(Refused):
            perform(build.simple(["remove", "-f", self.id], self.csbx))

    def is_running(self) -> bool:
        return any(c["id"].startswith(self.id) and c["status"] == "running" for c in perform(build.listed(False, self.csbx)))

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()


class Files:
    """Files of a sandbox as its programs see them, mounts included."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def read(self, path: str) -> str:
        """Its text; bytes that are no UTF-8 are an error."""
        return self.read_bytes(path).decode("utf-8")

    def read_bytes(self, path: str) -> bytes:
        words = ["cp", "-L", f"{self._sandbox.id}:{_absolute(path)}", "-"]
        return build.only_file(self._of(path, build.simple(words, self._sandbox.csbx)), path)

    def write(self, path: str, data: Union[str, bytes]) -> None:
        """Makes or replaces a file; directories above it that are missing are made."""
        self._in(to_bytes(data), path)

    def put(self, source: program.Path, path: str) -> None:
        """Copies a file or a directory of the host to a path of the sandbox, as `csbx cp` does."""
        os.stat(source)
        self._in(source, path)

    def get(self, path: str, to: program.Path) -> None:
        """Copies a file or a directory of the sandbox to a path of the host."""
        self._of(path, build.copy_out(self._sandbox.id, _absolute(path), to, self._sandbox.csbx))

    def list(self, path: str = "/") -> List[Entry]:
        """The entries of a directory, sorted by name."""
        return listing.entries(path, self._sandbox.run(listing.list_command(_absolute(path))))

    def make_dir(self, path: str) -> None:
        """Makes a directory and those above it; one that is there is no error."""
        self._sandbox.run(["mkdir", "-p", "--", _absolute(path)], check=True)

    def remove(self, path: str) -> None:
        """Deletes a file, or a directory with all in it."""
        try:
            self._sandbox.run(["rm", "-r", "--", _absolute(path)], check=True)
        except ProgramError as e:
            raise self._error(e, path) from None

    def _of(self, path: str, call: Call[bytes]) -> bytes:
        try:
            return perform(call)
        except Refused as e:
            raise self._error(e, path) from None

    def _error(self, error: Error, path: str) -> Error:
        try:
            return listing.file_error(error, path, self._sandbox.run(listing.exists_command(path)))
        except SandboxError:
            return error  # the sandbox is gone

    def _in(self, source: Union[bytes, program.Path], path: str) -> None:
        call = build.copy_in(self._sandbox.id, source, _absolute(path), self._sandbox.csbx)
        try:
            perform(call)
        except Refused:
            self.make_dir(posixpath.dirname(path) or "/")
            perform(call)


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not a path from the sandbox's root")
    return path


class Commands:
    """Commands that run while the caller does something else."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def start(self, cmd: Words, *, on_stdout: Callback = None, on_stderr: Callback = None,
              timeout: Optional[Duration] = None, cwd: Optional[str] = None, env: "Variables" = None,
              user: Optional[str] = None, stdin: bool = False) -> "Command":
        """As Sandbox.run(), and returns at once. stdin: the command reads what write() gives it, until close_stdin()."""
        given = {"timeout": timeout, "cwd": cwd, "env": env, "user": user}
        return Command(self._sandbox, cmd, on_stdout, on_stderr, stdin, given)


def _nothing(text: str) -> None:
    """A callback, so that the output of a command that is killed is known as well."""


class Command:
    """A handle of a command that was started. Callbacks are called in a thread of its own."""

    def __init__(self, sandbox: Sandbox, cmd: Words, on_stdout: Callback, on_stderr: Callback, stdin: bool,
                 given: Mapping[str, object]) -> None:
        self.cmd = cmd
        self._running = Running()
        self._stdin: Optional[int] = None
        ours = None
        if stdin:
            ours, self._stdin = os.pipe()
        call = sandbox._exec(cmd, on_stdout or _nothing, on_stderr, stdin=ours, **given)  # type: ignore[arg-type]
        self._call = call
        self._done: "concurrent.futures.Future[Result]" = concurrent.futures.Future()
        threading.Thread(target=self._wait, args=(ours,), daemon=True).start()

    def __repr__(self) -> str:
        return f"Command({self.cmd!r:.60}, {'ended' if self._done.done() else 'running'})"

    def _wait(self, ours: Optional[int]) -> None:
        try:
            result = perform(self._call, self._running)
        except concurrent.futures.CancelledError:
            result = build.killed(self._call, listing.words(self.cmd))
        except BaseException as e:
            self._done.set_exception(e)
            return
        finally:
            if ours is not None:
                os.close(ours)
        self._done.set_result(result)

    def poll(self) -> Optional[Result]:
        """The result, or None while it runs."""
        return self._done.result() if self._done.done() else None

    def wait(self, timeout: Optional[Duration] = None, check: bool = False) -> Result:
        """Waits for its end; TimeoutError after `timeout`, and the command goes on."""
        try:
            result = self._done.result(seconds(timeout))
        except concurrent.futures.TimeoutError:
            if self._done.done():
                raise
            raise TimeoutError(f"{self!r} after {timeout}") from None
        self.close_stdin()
        return result.check() if check else result

    def write(self, data: Union[str, bytes]) -> None:
        """To its standard input; needs start(stdin=True)."""
        if self._stdin is None:
            raise ValueError("its standard input is closed: start(..., stdin=True) opens one")
        view = memoryview(to_bytes(data))
        while view:
            view = view[os.write(self._stdin, view):]

    def close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def kill(self, signal: int = signals.SIGKILL) -> None:
        """Kills it and its process group and waits for that, or sends another signal and does not wait."""
        if signal == signals.SIGKILL:
            self._running.end_all()
            self.wait()
        else:
            self._running.send(signal)
