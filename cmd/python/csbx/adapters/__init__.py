# SPDX-License-Identifier: Apache-2.0
"""The calls people make today, with the same arguments and results, on containers.

None of them ever runs code outside a container: where there is no csbx, or it cannot start one,
they say so and run nothing. docs/judging.md shows each before and after.
"""
from .coder import AsyncSandboxedCoder, SandboxedCoder, SandboxedPythonCoder
from .execution import ExecutionResult, execute_code, execute_code_async
from .executor import CheckedTests, CommandResult, SandboxExecutor, TestRun
from .sandbox import CodeFeedbackExtractor, CodeSandbox, SandboxResult, TestCase

__all__ = ["AsyncSandboxedCoder", "CheckedTests", "CodeFeedbackExtractor", "CodeSandbox", "CommandResult",
           "ExecutionResult", "SandboxExecutor", "SandboxResult", "SandboxedCoder", "SandboxedPythonCoder",
           "TestCase", "TestRun", "execute_code", "execute_code_async"]
