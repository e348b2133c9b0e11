# SPDX-License-Identifier: Apache-2.0
"""csbx from Python: run, judge and test code in unprivileged containers.

    import csbx
    result = csbx.run("python.sqsh", ["python3", "-c", "print(6 * 7)"], timeout=5, memory="256m")
    assert result.success and result.stdout == "42\\n"

docs/python.md describes it. Nothing here runs code outside a container.
"""
from . import aio
from .api import Container, run, start
from .build import Logs
from .errors import (Error, LaunchError, NotInstalled, OutOfMemory, ProgramError, ProgramTimeout,
                     Refused, SandboxError)
from .program import configure
from .result import Failure, Limit, Limits, Result, Truncated, User

__version__ = "0.1.0"
__all__ = ["Container", "Error", "Failure", "LaunchError", "Limit", "Limits", "Logs", "NotInstalled",
           "OutOfMemory", "ProgramError", "ProgramTimeout", "Refused", "Result", "SandboxError",
           "Truncated", "User", "aio", "configure", "run", "start"]
