# SPDX-License-Identifier: Apache-2.0
"""The calls people make today, with the same arguments and results, on containers.

None of them ever runs code outside a container: where there is no csbx, or it cannot start one,
they say so and run nothing. docs/judging.md shows each before and after.
"""
from .coder import AsyncSandboxedCoder, SandboxedCoder, SandboxedPythonCoder

__all__ = ["AsyncSandboxedCoder", "SandboxedCoder", "SandboxedPythonCoder"]
