# SPDX-License-Identifier: Apache-2.0
"""The results that SandboxExecutor returns: of a command, of a run of pytest, of a check of two lists of tests.

Each has two spellings: returncode and return_code, elapsed_seconds and duration, and so on.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, NamedTuple, Sequence

TIMED_OUT = -1
PASSED = ("passed", "xfailed")


class CheckedTests(NamedTuple):
    """resolved: all of the first pass now and all of the second still."""

    resolved: bool
    fail_to_pass: Dict[str, bool]
    pass_to_pass: Dict[str, bool]


class _Ended:
    """The members that the results of a command and of a run of tests share."""

    returncode: int
    elapsed_seconds: float
    stdout: str
    stderr: str
    timed_out: bool

    @property
    def success(self) -> bool:
        return self.returncode == 0 and not self.timed_out

    @property
    def return_code(self) -> int:
        return self.returncode

    @property
    def duration(self) -> float:
        return self.elapsed_seconds

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    def __bool__(self) -> bool:
        return self.success

    def to_dict(self) -> Dict[str, Any]:
        d = asdict(self)
        return {**d, "return_code": self.returncode, "duration": self.elapsed_seconds}


@dataclass
class ExecResult(_Ended):
    """returncode: the command's own; minus the number of a signal; -1: not done in time; -2: csbx failed.

    truncated: more was written than the executor's max_output, and the middle of it is missing.
    """

    command: str
    returncode: int
    stdout: str = ""
    stderr: str = ""
    elapsed_seconds: float = 0.0
    timed_out: bool = False
    memory_exceeded: bool = False
    truncated: bool = False


@dataclass
class TestResult(_Ended):
    """passed, failed, errors: ids of tests, none of them read from what was printed.

    An expected failure (xfail) has passed. errors are tests whose setup or teardown failed, and
    files that could not be collected. tests: pytest's own word for each id. tamper: docs/judging.md.
    """

    __test__ = False  # no test class, whatever pytest makes of its name

    passed: List[str] = field(default_factory=list)
    failed: List[str] = field(default_factory=list)
    errors: List[str] = field(default_factory=list)
    raw_output: str = ""
    elapsed_seconds: float = 0.0
    timed_out: bool = False
    returncode: int = 0
    stdout: str = ""
    stderr: str = ""
    memory_exceeded: bool = False
    truncated: bool = False
    tests: Dict[str, str] = field(default_factory=dict)
    tamper: List[str] = field(default_factory=list)

    @property
    def all_passed(self) -> bool:
        """True when no test failed and the run came to its end. A run without any test counts as passed."""
        return self.returncode == 0 and not (self.failed or self.errors or self.timed_out)

    def check_tests(self, fail_to_pass: Sequence[str], pass_to_pass: Sequence[str] = ()) -> CheckedTests:
        """(resolved, fail_to_pass, pass_to_pass) of this run: which of these tests are in `passed`."""
        good = set(self.passed)
        first = {t: t in good for t in fail_to_pass}
        second = {t: t in good for t in pass_to_pass}
        return CheckedTests(all(first.values()) and all(second.values()), first, second)
