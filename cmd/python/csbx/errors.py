# SPDX-License-Identifier: Apache-2.0
"""All errors that the package raises, in two families that never mix.

A SandboxError says that csbx failed: it says nothing about the program. A ProgramError says that
the program failed, and is raised only where it was asked for (`check=True`, `Result.check()`).
"""
from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """Everything this package raises, but for TypeError and ValueError of wrong arguments."""


class SandboxError(Error, RuntimeError):
    """csbx or its image server failed. `result` is there when it came as far as a container."""

    def __init__(self, message: str, exit_code: Optional[int] = None,
                 result: Optional["Result"] = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.result = result


class NotInstalled(SandboxError):
    """There is no csbx program where it was looked for."""


class Refused(SandboxError):
    """csbx started nothing: a bad option, no such image, no such container."""


class NoSuchFile(Refused, FileNotFoundError):
    """There is no file of that path in the sandbox. `filename` is the path."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message, 125)
        self.errno, self.filename = errno.ENOENT, path

    def __str__(self) -> str:
        return str(self.args[0])


class LaunchError(SandboxError):
    """The command is not in the container (exit code 127) or cannot be executed (126)."""


class ProgramError(Error):
    """The program ended, or was ended, without success. `result` says how."""

    def __init__(self, message: str, result: "Result") -> None:
        super().__init__(message)
        self.result = result


class ProgramTimeout(ProgramError):
    """It was not done within its time."""


class OutOfMemory(ProgramError):
    """It held more memory than it may."""
