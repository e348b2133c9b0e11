# SPDX-License-Identifier: Apache-2.0
"""CodeSandbox: in the place of generated scripts whose stdout is searched for a marker line.

The cases never enter the container that runs the code: it gets the arguments of one call after
the other, and csbx compares what comes back, so no marker can be forged and no test be replaced.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .. import build, program, sync
from ..cases import UNSET, Case, CaseLike, as_case
from ..result import CaseResult, EvalResult
from ..values import shown
from .answers import equals, has_nan, has_other, is_sendable, text_of, type_names

FORBIDDEN_MODULES = ("os.system", "subprocess", "shutil", "socket", "requests", "urllib", "http", "ftplib")


@dataclass(init=False)
class TestCase:
    """One call of the function and the answer expected of it.

    args or input_args, kwargs or input_kwargs, expected or expected_output. csbx compares only the answers that are
    given. expected_output=None is not compared either; expected=None is, but beside expected_type and
    expected_exception. Values are equal as Python has it, and an expected NaN to a NaN. Where an exception is expected,
    nothing else is. expected_type is what isinstance() takes: "int", "(int, str)", "int | None".
    """

    __test__ = False  # no test class, whatever pytest makes of its name

    name: str
    input_args: Sequence[Any]
    input_kwargs: Dict[str, Any]
    expected_output: Any
    expected_type: str
    expected_exception: str
    weight: float

    def __init__(self, name: str = "", input_args: Sequence[Any] = (),
                 input_kwargs: Optional[Mapping[str, Any]] = None, expected_output: Any = None,
                 expected_type: str = "", expected_exception: str = "", weight: float = 1.0, *,
                 args: Optional[Sequence[Any]] = None, kwargs: Optional[Mapping[str, Any]] = None,
                 expected: Any = UNSET) -> None:
        self.name = name
        self.input_args = tuple(input_args if args is None else args)
        self.input_kwargs = dict((input_kwargs if kwargs is None else kwargs) or {})
        self.expected_output = expected_output if expected is UNSET else expected
        self.expected_type, self.expected_exception = expected_type, expected_exception
        self.weight = weight
        if expected is None and not (expected_type or expected_exception):
            self.expected_type = "NoneType"

    @property
    def args(self) -> Sequence[Any]:
        return self.input_args

    @args.setter
    def args(self, args: Sequence[Any]) -> None:
        self.input_args = args

    @property
    def kwargs(self) -> Dict[str, Any]:
        return self.input_kwargs

    @kwargs.setter
    def kwargs(self, kwargs: Dict[str, Any]) -> None:
        self.input_kwargs = kwargs

    @property
    def expected(self) -> Any:
        return self.expected_output

    @expected.setter
    def expected(self, expected: Any) -> None:
        self.expected_output = expected

    def to_dict(self) -> Dict[str, Any]:
        d: Dict[str, Any] = {"name": self.name, "input_args": str(self.input_args)}
        if self.expected_output is not None:
            d["expected_output"] = str(self.expected_output)[:100]
        if self.expected_exception:
            d["expected_exception"] = self.expected_exception
        return d

    def to_case(self) -> Case:
        case = Case(tuple(self.input_args), UNSET, self.input_kwargs, self.name or None, weight=self.weight)
        if self.expected_exception:
            case.expected_exception = self.expected_exception
            return case
        if self.expected_output is not None:
            case.expected = self.expected_output
        case.expected_type = type_names(self.expected_type) or None
        return case


@dataclass
class SandboxResult:
    """The outcome of one run. test_results: a dict a case: name, passed, output, expected, detail, duration_ms.

    truncated: more was written than the sandbox's max_output, and the middle of it is missing.
    """

    success: bool = False
    exit_code: int = -1
    stdout: str = ""
    stderr: str = ""
    exception: str = ""
    duration: float = 0.0
    max_memory_mb: float = 0.0
    test_results: List[Dict[str, Any]] = field(default_factory=list)
    all_passed: bool = False
    feedback: List[str] = field(default_factory=list)
    truncated: bool = False

    def to_dict(self) -> Dict[str, Any]:
        return {"success": self.success, "exit_code": self.exit_code, "stdout": self.stdout[:500],
                "stderr": self.stderr[:500], "exception": self.exception[:300],
                "duration": f"{self.duration:.2f}s", "max_memory_mb": f"{self.max_memory_mb:.1f}",
                "test_results": self.test_results, "all_passed": self.all_passed}


class CodeSandbox:
    """Runs code, and cases of one of its functions, in a fresh container.

    forbidden_modules: names that the code must not import, and functions (os.system) that it must
    not call; None: a list of the usual ones, []: none. allow_imports=False: no import at all. This is a courtesy to the
    author of the code, and costs a second start: the container itself prevents forbidden acts. timeout is for loading
    the code and for each case. max_output: how much of each stream is kept, "1m" without it. Every case has the code as
    it was loaded: the next call does not see what one leaves behind.
    """

    def __init__(self, timeout: float = 30.0, max_memory_mb: int = 256, allow_imports: bool = True,
                 forbidden_modules: Optional[List[str]] = None, *,
                 max_output: Union[None, int, str] = None, image: Optional[program.Path] = None,
                 csbx: Optional[program.Path] = None) -> None:
        self.timeout, self.max_memory_mb = timeout, max_memory_mb
        self.allow_imports = allow_imports
        self.forbidden_modules = list(FORBIDDEN_MODULES if forbidden_modules is None
                                      else forbidden_modules)
        self.max_output, self.image, self.csbx = max_output, image, csbx

    def run(self, code: str, func_name: str = "", test_cases: Optional[Iterable[CaseLike]] = None,
            setup_code: str = "") -> SandboxResult:
        """Without cases: success says that the code came to its end. With cases: that all passed."""
        cases = [as_case(c) for c in test_cases or []]
        if cases and not func_name:
            return SandboxResult(exception="Test cases without the name of a function",
                                 stderr="Function '' not found in code")
        for number, case in enumerate(cases):
            case.name = case.name or f"case {number + 1}"
        call = build.eval(code, image=self.image, function=func_name if cases else None,
                          cases=[_as_sent(c) for c in cases] or None, setup=setup_code or None, csbx=self.csbx,
                          given={**self._forbidden(), "timeout": self.timeout,
                                 "max_output": self.max_output, "memory": f"{self.max_memory_mb}m"})
        return _translate(sync.perform(call), cases, self.timeout)

    def _forbidden(self) -> Dict[str, List[str]]:
        """A name with a dot may be a function: the code must not call it by another name either."""
        return {"deny_import": self.forbidden_modules + ([] if self.allow_imports else ["*"]),
                "deny_call": [name for name in self.forbidden_modules if "." in name]}


def _as_sent(case: Case) -> Case:
    """A value that csbx has no word for is compared here alone."""
    return case if is_sendable(case.expected) else replace(case, expected=UNSET)


def _translate(result: EvalResult, cases: Sequence[Case], timeout: float) -> SandboxResult:
    raws = result.raw.get("cases") or []
    judged = [_case(found, case, raw.get("output"))
              for found, case, raw in zip(result.cases or [], cases, raws)]
    all_passed = bool(judged) and len(judged) == len(cases) and all(t["passed"] for t in judged)
    made = SandboxResult(
        success=result.success and (all_passed or not cases),
        exit_code=_exit_code(result), stdout=result.stdout, stderr=result.stderr,
        duration=result.wall_s, max_memory_mb=(result.memory_peak_bytes or 0) / (1 << 20),
        test_results=judged, all_passed=all_passed, feedback=list(result.feedback),
        truncated=result.truncated.stdout or result.truncated.stderr)
    if result.status == "policy_violation":
        made.stderr = "SECURITY VIOLATION: " + "; ".join(result.feedback)
        made.exception = "Security check failed"
    elif result.status == "timeout":
        made.exception = f"Timeout after {timeout}s"
    elif result.error_summary is not None and result.error_summary.type in SYNTAX:
        message = WHERE.sub("", result.error_summary.message or "")
        made.exception, made.exit_code = f"Syntax error: Line {result.error_summary.line}: {message}", -1
    elif not made.success:
        made.exception = "\n".join(result.stderr.strip().splitlines()[-5:])
        if not made.exception and not all_judged(result):
            made.exception = result.summary()
    return made


WHERE = re.compile(r" \([^()]*, line \d+\)\Z")
SYNTAX = ("SyntaxError", "IndentationError", "TabError")


def all_judged(result: EvalResult) -> bool:
    """The code itself is in order, and only its answers are wrong."""
    return bool(result.cases) and result.status == "exited" and result.error_summary is None


def _exit_code(result: EvalResult) -> int:
    """As subprocess has it: -1 for a timeout, minus the signal's number."""
    if result.status == "timeout":
        return -1
    if result.signal is not None:
        return -result.signal
    return -1 if result.exit_code is None else result.exit_code


def _case(found: CaseResult, case: Case, raw: Any) -> Dict[str, Any]:
    detail = found.detail or ""
    answered = detail.startswith("returned ") or (found.passed and not case.expected_exception)
    passed = found.passed
    if answered and not case.expected_exception:
        passed = _as_python_has_it(found, case, raw)
        if passed != found.passed:
            detail = "" if passed else f"returned {text_of(raw)}, expected {shown(case.expected)}"
    return {"name": found.name, "passed": passed, "output": text_of(raw)[:200] if answered else "",
            "expected": shown(None if case.expected is UNSET else case.expected)[:200], "detail": detail or "OK",
            "duration_ms": round(found.duration_ms or 0.0, 2)}


def _as_python_has_it(found: CaseResult, case: Case, raw: Any) -> bool:
    """csbx's verdict, but where its rules are others. A long answer is a text about it, and csbx has compared it whole."""
    is_compared = case.expected is not UNSET and case.compare in (None, "equal")
    if found.passed:
        if not is_compared or has_nan(case.expected) or (isinstance(raw, str) and is_sendable(case.expected)):
            return True
        return equals(raw, case.expected)
    if found.outcome == "wrong_type":  # True is an int
        is_int = isinstance(raw, bool) and "int" in (case.expected_type or "").split(" | ")
        return is_int and (not is_compared or equals(raw, case.expected))
    return found.outcome == "wrong_value" and is_compared and has_other(raw) and equals(raw, case.expected)


class CodeFeedbackExtractor:
    """Finds hints for the author of the code, for the next try."""

    ERROR_PATTERNS = {
        "NameError": "A name is used that is not defined: look for misspelling and for what is defined too late.",
        "TypeError": "An operation or a call got a value of the wrong type: look at the arguments.",
        "ValueError": "A value is of the right type and still not acceptable: look at what is converted or unpacked.",
        "IndexError": "An index lies outside of its sequence: look at the bounds and at empty input.",
        "KeyError": "A key is not in its dictionary: test for it, or use get().",
        "AttributeError": "An object has no such attribute: look at its type and at the spelling.",
        "ModuleNotFoundError": "A module is not installed: use the standard library.",
        "ImportError": "An import failed: look at the name of the module and of what is taken from it.",
        "SyntaxError": "It is not valid Python: look at brackets, colons and quotes.",
        "IndentationError": "The indentation is wrong: use four blanks a level.",
        "ZeroDivisionError": "Something is divided by zero: handle that case first.",
        "RecursionError": "The recursion has no end: add or correct its base case.",
        "MemoryError": "It needs too much memory: keep less at a time.",
        "Timeout": "It takes too long: look for a loop without an end, or for a better algorithm.",
    }

    @classmethod
    def extract(cls, sandbox_result: SandboxResult) -> List[str]:
        if sandbox_result.success:
            return []
        if "SECURITY" in sandbox_result.stderr:
            return ["It uses what is forbidden here: " +
                    sandbox_result.stderr.split(":", 1)[-1].strip() + "; do without."]
        said = [f"Test '{t.get('name', '?')}' failed: {t.get('detail', '')}"
                for t in sandbox_result.test_results if not t.get("passed", True)]
        text = sandbox_result.stderr + sandbox_result.exception + "".join(said)
        said += [hint for name, hint in cls.ERROR_PATTERNS.items() if name in text]
        said += [s for s in sandbox_result.feedback if s not in said and not sandbox_result.test_results]
        if not said:
            said.append("It failed: " + (sandbox_result.exception or sandbox_result.stderr
                                         or f"exit code {sandbox_result.exit_code}").strip()[:200])
        return said
