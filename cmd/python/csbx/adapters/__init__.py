# SPDX-License-Identifier: Apache-2.0
"""The calls people make today, with the same arguments and results, on containers.

None of them ever runs code outside a container: if there is no csbx, or it cannot start one, they say so and run
nothing. docs/judging.md shows each before and after.
"""
from .coder import AsyncSandboxedCoder, SandboxedCoder, SandboxedPythonCoder, _SandboxedPythonCoder
from .execution import ExecutionResult, execute_code, execute_code_async
from .executor import ALLOWED_COMMANDS, MORE_COMMANDS, SandboxExecutor
from .outcome import CheckedTests, ExecResult, TestResult
from .sandbox import CodeFeedbackExtractor, CodeSandbox, SandboxResult, TestCase

CommandResult, TestRun = ExecResult, TestResult

__all__ = ["ALLOWED_COMMANDS", "AsyncSandboxedCoder", "CheckedTests", "CodeFeedbackExtractor", "CodeSandbox",
           "CommandResult", "ExecResult", "ExecutionResult", "MORE_COMMANDS", "SandboxExecutor", "SandboxResult",
           "SandboxedCoder", "SandboxedPythonCoder", "TestCase", "TestResult", "TestRun",
           "_SandboxedPythonCoder", "execute_code", "execute_code_async"]
