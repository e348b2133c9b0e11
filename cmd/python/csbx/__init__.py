# SPDX-License-Identifier: Apache-2.0
"""csbx from Python: run, judge and test code in unprivileged containers.

    import csbx
    result = csbx.run("python.sqsh", ["python3", "-c", "print(6 * 7)"], timeout=5, memory="256m")
    assert result.success and result.stdout == "42\\n"

docs/python.md describes it. This package runs no judged code outside a container.
"""
from . import aio
from .api import Container, eval, import_image, inspect, load, ps, run, start, test
from .batch import Record, eval_batch
from .cases import UNSET, Case
from .errors import (Error, LaunchError, NoSuchFile, NotInstalled, OutOfMemory, ProgramError, ProgramTimeout,
                     Refused, SandboxError)
from .pool import Pool
from .program import configure
from .result import (CaseResult, ErrorSummary, EvalResult, Failure, Limit, Limits, Logs, Note, Outcome,
                     Result, TestResult, Truncated, User)
from .sandbox import Command, Sandbox
from .spread import evaluate, test_many

__version__ = "0.1.0"
__all__ = ["UNSET", "Case", "CaseResult", "Command", "Container", "Error", "ErrorSummary", "EvalResult", "Failure",
           "LaunchError", "Limit", "Limits", "Logs", "NoSuchFile", "Note", "NotInstalled", "OutOfMemory", "Outcome",
           "Pool", "ProgramError", "ProgramTimeout", "Record", "Refused", "Result", "Sandbox", "SandboxError",
           "TestResult", "Truncated", "User", "aio", "configure", "eval", "eval_batch", "evaluate", "import_image", "inspect", "load",
           "ps", "run", "start", "test", "test_many"]
