# SPDX-License-Identifier: Apache-2.0
"""CodeSandbox: in the place of generated scripts whose stdout is searched for a marker line.

The cases never enter the container that runs the code: it gets the arguments of one call after
the other, and csbx compares what comes back, so no marker can be forged and no test be replaced.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .. import build, program, sync
from ..cases import UNSET, Case, CaseLike, as_case
from ..result import CaseResult, EvalResult
from ..values import from_json, shown
from .answers import equals, has_nan, is_other, is_sendable

FORBIDDEN_MODULES = ("os.system", "subprocess", "shutil", "socket", "requests", "urllib", "http", "ftplib")


class TestCase:
    """One call of the function and the answer expected of it.

    args or input_args, kwargs or input_kwargs, expected or expected_output. csbx compares only the answers that are
    given. expected_output=None is not compared either; expected=None is, but beside expected_type and
    expected_exception. Values are equal as Python has it, and an expected NaN to a NaN.
    """

    __test__ = False  # no test class, whatever pytest makes of its name

    def __init__(self, name: str = "", input_args: Sequence[Any] = (),
                 input_kwargs: Optional[Mapping[str, Any]] = None, expected_output: Any = UNSET,
                 expected_type: str = "", expected_exception: str = "", weight: float = 1.0, *,
                 args: Optional[Sequence[Any]] = None, kwargs: Optional[Mapping[str, Any]] = None,
                 expected: Any = UNSET) -> None:
        self.name = name
        self.input_args = tuple(input_args if args is None else args)
        self.input_kwargs = dict((input_kwargs if kwargs is None else kwargs) or {})
        self._expected = UNSET if expected_output is None else expected_output
        if expected is not UNSET:
            self._expected = expected
        self.expected_type, self.expected_exception = expected_type, expected_exception
        self.weight = weight

    @property
    def expected_output(self) -> Any:
        return None if self._expected is UNSET else self._expected

    args = property(lambda self: self.input_args)
    kwargs = property(lambda self: self.input_kwargs)
    expected = property(lambda self: self.expected_output)

    def __repr__(self) -> str:
        return f"TestCase({self.to_dict()})"

    def to_dict(self) -> Dict[str, Any]:
        d: Dict[str, Any] = {"name": self.name, "input_args": str(self.input_args)}
        if self.expected_output is not None:
            d["expected_output"] = str(self.expected_output)[:100]
        if self.expected_exception:
            d["expected_exception"] = self.expected_exception
        return d

    def to_case(self) -> Case:
        return Case(self.input_args, self._wanted(), self.input_kwargs, self.name or None,
                    self.expected_type or None, self.expected_exception or None,
                    weight=self.weight)

    def _wanted(self) -> Any:
        beside = self.expected_type or self.expected_exception
        return UNSET if self._expected is None and beside else self._expected


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
    """Everything is an object; and a value that csbx has no word for is compared here alone."""
    kind = None if case.expected_type == "object" else case.expected_type
    expected = case.expected if is_sendable(case.expected) else UNSET
    return replace(case, expected_type=kind, expected=expected)


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
        made.exception = f"Syntax error: Line {result.error_summary.line}: {result.error_summary.message}"
    elif not made.success and not all_judged(result):
        made.exception = "\n".join(result.stderr.strip().splitlines()[-5:]) or result.summary()
    return made


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
        passed = _as_python_has_it(found.passed, case, raw)
        if passed != found.passed:
            detail = "" if passed else f"returned {_shown(raw)}, expected {case.expected!r}"
    return {"name": found.name, "passed": passed, "output": _shown(raw)[:200] if answered else "",
            "expected": repr(None if case.expected is UNSET else case.expected)[:200], "detail": detail or "OK",
            "duration_ms": round(found.duration_ms or 0.0, 2)}


def _shown(raw: Any) -> str:
    return str(raw["repr"]) if is_other(raw) else shown(from_json(raw))


def _as_python_has_it(passed: bool, case: Case, raw: Any) -> bool:
    """csbx's verdict, but where its rules are others. A long answer is a text about it, and csbx has compared it whole."""
    is_compared = case.expected is not UNSET and case.compare in (None, "equal")
    if passed:
        if not is_compared or has_nan(case.expected) or (isinstance(raw, str) and is_sendable(case.expected)):
            return True
        return equals(raw, case.expected)
    if case.expected_type == "int" and isinstance(raw, bool):
        return not is_compared or equals(raw, case.expected)
    has_its_type = case.expected_type in (None, "object") or (is_other(raw) and raw["$other"] == case.expected_type)
    return is_compared and is_other(raw) and has_its_type and equals(raw, case.expected)


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
