# SPDX-License-Identifier: Apache-2.0
"""SandboxedCoder: a named container that runs scripts, in the place of shell loops over
`enroot remove; enroot create; enroot start`.

Every execute() is a fresh start: the files that a script leaves behind are gone, as with a read-only enroot container,
unless `writable=True`; then files stay until reset() or recreate().

There are two interfaces: SandboxedCoder, whose execute() returns stdout and raises where the code
failed, and SandboxedPythonCoder, whose methods are awaited and whose execute() returns both streams.
"""
from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from typing import Any, Dict, List, Optional, Tuple, Union

from .. import aio_perform, build, program, sync
from ..call import Call, without_cookie
from ..errors import SandboxError
from ..result import Result

SCRIPT = "/work/script.py"  # what tracebacks name
CUT = "stdout is cut: {} bytes were written; max_output says how many are kept"


class _Coder:
    """The part that both classes share: it prepares the calls of every method and makes none of them."""

    def __init__(self, docker_image: str, sqsh_image_path: Optional[str], container_name: str,
                 timeout: Optional[float], memory: Union[None, int, str], writable: bool,
                 network: bool, max_output: Union[None, int, str], csbx: Optional[program.Path]) -> None:
        self.docker_image = docker_image
        self.sqsh_image_path = sqsh_image_path
        self.container_name = container_name
        self.timeout, self.memory = timeout, memory
        self.writable, self.network, self.max_output = writable, network, max_output
        self.csbx = csbx
        self._initialized = False

    def _image_call(self) -> Optional[Call[bytes]]:
        """The import, where the image is not there yet."""
        if "://" not in self.docker_image or os.path.exists(self._image()):
            return None
        argv: List[str] = ["import", "-q", "-o", self._image(), self.docker_image]
        return build.simple(argv, self.csbx)

    def _image(self) -> str:
        """The squashfs file; beside the caller, named after the container, where none was said.

        One that is there counts before an image of csbx's of the other name.
        """
        file = build.path(self.sqsh_image_path or self.container_name + ".sqsh")
        if "://" in self.docker_image:
            return file
        is_other = bool(self.sqsh_image_path) and os.path.exists(file) and not os.path.exists(self.docker_image)
        return file if is_other else self.docker_image

    def _create_call(self) -> Call[bytes]:
        return build.simple(["create", "-f", "--name", self.container_name, self._image()], self.csbx)

    def _start_call(self, directory: str) -> Call[Result]:
        given: Dict[str, Any] = {"timeout": self.timeout, "memory": self.memory,
                                 "network": self.network, "max_output": self.max_output, "volumes": [f"{directory}/{os.path.basename(SCRIPT)}:{SCRIPT}:ro"]}
        command = ["python3", SCRIPT]
        if self.writable:
            return build.start_writable(self.container_name, command, csbx=self.csbx, given=given)
        return build.run(self.container_name, command, csbx=self.csbx, given=given)

    def _output(self, result: Result) -> Tuple[str, str]:
        """Both streams, and behind stderr what they cannot say themselves."""
        stderr = result.stderr
        said = []
        if result.status not in ("exited", "signaled"):
            said.append(f"TIMEOUT after {self.timeout:g}s" if result.timed_out else result.summary())
        if result.truncated.stdout:
            said.append(CUT.format(result.stdout_bytes))
        if said:
            stderr += ("" if not stderr or stderr.endswith("\n") else "\n") + "\n".join(said) + "\n"
        return result.stdout, stderr

    def _must_be_there(self, method: str) -> None:
        if not self._initialized:
            raise RuntimeError(f"Container not initialized. Call {method}() first.")


def _script(directory: str, code: str) -> None:
    """The container sees this file, and nothing that it could write: what a script leaves is the container's to remove."""
    with open(os.path.join(directory, "script.py"), "w", encoding="utf-8",
              errors="surrogatepass") as f:
        f.write(without_cookie(code))


class SandboxedCoder(_Coder):
    """Runs Python scripts in containers of one image.

    image: an image file, or a URI to import it from (docker://python:3.12), then into
    sqsh_image_path. max_output: how much of each stream is kept, "1m" without it. Any number of
    threads may call execute(), but with writable=True they take turns.
    """

    def __init__(self, image: str = "docker://python:3.10", container_name: str = "sandbox", *,
                 sqsh_image_path: Optional[str] = None, timeout: Optional[float] = None,
                 memory: Union[None, int, str] = None, writable: bool = False,
                 network: bool = False, max_output: Union[None, int, str] = None,
                 csbx: Optional[program.Path] = None) -> None:
        super().__init__(os.fspath(image), sqsh_image_path, container_name, timeout, memory,
                         writable, network, max_output, csbx)
        self._turn = threading.Lock()

    def setup(self) -> None:
        """Imports the image where it is not there, and makes the container."""
        self._import()
        self.recreate()

    def recreate(self) -> None:
        """Makes the container anew; nothing of an older one stays."""
        try:
            sync.perform(self._create_call())
        except SandboxError as e:
            raise RuntimeError(f"Failed to recreate container: {e}") from e
        self._initialized = True

    def reset(self) -> None:
        """The same, and the image is imported where it is not there."""
        try:
            self._import()
            sync.perform(self._create_call())
        except RuntimeError as e:
            raise RuntimeError(f"Failed to reset container: {e}") from e
        self._initialized = True

    def _import(self) -> None:
        call = self._image_call()
        if call is not None:
            try:
                sync.perform(call)
            except SandboxError as e:
                raise RuntimeError(f"Failed to import image: {e}") from e

    def run(self, code: str) -> Result:
        """As execute(), with all there is to know; it raises nothing where the code failed."""
        self._must_be_there("reset")
        with tempfile.TemporaryDirectory(prefix="csbx-py-") as directory:
            _script(directory, code)
            call = self._start_call(directory)
            if not self.writable:
                return sync.perform(call)
            with self._turn:
                return sync.perform(call)

    def execute(self, code: str) -> str:
        """Runs code as a script; returns what it wrote to stdout, all of it.

        RuntimeError where it did not end with exit code 0, or where it wrote more than max_output.
        """
        result = self.run(code)
        stdout, stderr = self._output(result)
        if not result.success or result.truncated.stdout:
            raise RuntimeError(f"Execution failed:\n{stderr}")
        return stdout

    def outputs(self, code: str) -> Tuple[str, str]:
        """(stdout, stderr) of a script, whether it failed or not."""
        return self._output(self.run(code))

    def remove(self) -> None:
        """Removes the container; the image file stays."""
        sync.perform(build.simple(["remove", "-f", self.container_name], self.csbx))
        self._initialized = False

    def __enter__(self) -> "SandboxedCoder":
        self.setup()
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class AsyncSandboxedCoder(_Coder):
    """The later interface: methods to await, and execute() returns (stdout, stderr)."""

    def __init__(self, docker_image: str = "docker://python:3.10",
                 sqsh_image_path: Optional[str] = "python-image.sqsh",
                 container_name: str = "sandbox", *, timeout: Optional[float] = None,
                 memory: Union[None, int, str] = None, writable: bool = False,
                 network: bool = False, max_output: Union[None, int, str] = None,
                 csbx: Optional[program.Path] = None) -> None:
        super().__init__(os.fspath(docker_image), sqsh_image_path, container_name, timeout, memory,
                         writable, network, max_output, csbx)
        self._turn: Optional[asyncio.Lock] = None  # made in the loop that uses it

    async def setup(self) -> None:
        call = self._image_call()
        if call is not None:
            try:
                await aio_perform.perform(call)
            except SandboxError as e:
                raise RuntimeError(f"Failed to import image: {e}") from e
        await self.recreate()

    async def recreate(self) -> None:
        try:
            await aio_perform.perform(self._create_call())
        except SandboxError as e:
            raise RuntimeError(f"Failed to recreate container: {e}") from e
        self._initialized = True

    reset = recreate

    async def run(self, code: str) -> Result:
        self._must_be_there("recreate")
        with tempfile.TemporaryDirectory(prefix="csbx-py-") as directory:
            _script(directory, code)
            call = self._start_call(directory)
            if not self.writable:
                return await aio_perform.perform(call)
            self._turn = self._turn or asyncio.Lock()
            async with self._turn:
                return await aio_perform.perform(call)

    async def execute(self, code: str) -> Tuple[str, str]:
        """(stdout, stderr) of a script, whether it failed or not."""
        return self._output(await self.run(code))

    outputs = execute

    async def remove(self) -> None:
        await aio_perform.perform(build.simple(["remove", "-f", self.container_name], self.csbx))
        self._initialized = False

    async def __aenter__(self) -> "AsyncSandboxedCoder":
        await self.setup()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.remove()


SandboxedPythonCoder = _SandboxedPythonCoder = AsyncSandboxedCoder
