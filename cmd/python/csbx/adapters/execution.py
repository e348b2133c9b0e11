# SPDX-License-Identifier: Apache-2.0
"""execute_code: in the place of exec() in a forked process behind a guard of replaced functions."""
from __future__ import annotations

import os
import signal
from dataclasses import asdict, dataclass
from typing import Any, Dict, Optional

from .. import aio_perform, build, program, sync
from ..call import Call
from ..result import EvalResult

MAXIMUM_OUTPUT_BYTES = 1 << 20
SAID = ("timeout", "memory_exceeded", "truncated", "error", "stdout", "stderr")


@dataclass(repr=False)
class ExecutionResult:
    """success: the code came to its end without an exception and without sys.exit().

    truncated: it wrote more than maximum_output_bytes, and the middle is missing.
    """

    success: bool
    stdout: str
    stderr: str
    error: Optional[str] = None
    timeout: bool = False
    memory_exceeded: bool = False
    truncated: bool = False

    def __repr__(self) -> str:
        """success, and of the other fields those that say something."""
        said = ["success", *(name for name in SAID if getattr(self, name))]
        return f"ExecutionResult({', '.join(f'{name}={getattr(self, name)!r}' for name in said)})"

    def to_dict(self) -> Dict[str, Any]:
        return asdict(self)


def execute_code(code: str, timeout: float = 5.0,
                 maximum_memory_bytes: Optional[int] = 256 * 1024 * 1024, *,
                 maximum_output_bytes: int = MAXIMUM_OUTPUT_BYTES, image: Optional[program.Path] = None,
                 csbx: Optional[program.Path] = None) -> ExecutionResult:
    """Runs code in a fresh container without a network; its output is there also when it failed.

    The source is text: a coding line in it says nothing. maximum_memory_bytes=None: all the memory
    that the machine has. maximum_output_bytes: how much of each stream is kept. image: an image with python3
    (csbx.configure(image=...) sets it for all calls). Raises csbx.SandboxError when csbx could not
    run the code at all, which says nothing about it.
    """
    return _translate(sync.perform(_call(code, timeout, maximum_memory_bytes, maximum_output_bytes, image, csbx)))


async def execute_code_async(code: str, timeout: float = 5.0,
                             maximum_memory_bytes: Optional[int] = 256 * 1024 * 1024, *,
                             maximum_output_bytes: int = MAXIMUM_OUTPUT_BYTES,
                             image: Optional[program.Path] = None, csbx: Optional[program.Path] = None) -> ExecutionResult:
    """The same to be awaited."""
    return _translate(await aio_perform.perform(_call(code, timeout, maximum_memory_bytes, maximum_output_bytes, image, csbx)))


def machine_memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _call(code: str, timeout: float, memory: Optional[int], output: int,
          image: Optional[program.Path], csbx: Optional[program.Path]) -> Call[EvalResult]:
    given = {"timeout": timeout, "memory": machine_memory_bytes() if memory is None else memory,
             "max_output": output}
    return build.eval(code, image=image, csbx=csbx, given=given)


def _translate(result: EvalResult) -> ExecutionResult:
    summary = result.error_summary
    exceeded = result.status == "oom" or bool(summary and summary.type == "MemoryError")
    return ExecutionResult(result.success, result.stdout, result.stderr, error_text(result),
                           result.status == "timeout", exceeded,
                           result.truncated.stdout or result.truncated.stderr)


def error_text(result: EvalResult) -> Optional[str]:
    """One line on what went wrong; None where nothing did."""
    summary = result.error_summary
    if result.success:
        return None
    if result.status == "timeout":
        return "Execution timed out"
    if result.status == "oom":
        return f"Memory limit exceeded: {result.memory_limit_bytes} bytes"
    if result.status == "signaled" and result.signal is not None:
        return f"Killed by signal {result.signal} ({signal.strsignal(result.signal)})"
    if summary is not None and summary.type == "MemoryError":
        return f"Memory limit exceeded: {summary.message or 'MemoryError'}"
    if summary is not None and summary.type:
        return f"{summary.type}: {summary.message or ''}"
    if result.status == "exited" and result.exit_code == 0:
        return "Exited before its last statement was done"
    return result.summary()
