# SPDX-License-Identifier: Apache-2.0
"""Many runs at once with common options.

Every run of a Pool is a container of its own; a pool is threads and options, not a set of warm
interpreters, so a result is the same whether or not it came from one.
"""
from __future__ import annotations

import concurrent.futures
import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence, TypeVar

from . import build, program
from .build import Code, Input
from .call import Call
from .cases import CaseLike
from .result import EvalResult, Result, TestResult
from .sync import Running, perform

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions, JudgeOptions, RunOptions

T = TypeVar("T")
Future = concurrent.futures.Future


class Pool:
    """workers: how many containers may run at a time (default: one a CPU).

    image and options are those of each call that says nothing else. Leaving a `with` block waits
    for what was submitted; leaving it by an exception, or close(cancel=True), kills what runs and
    drops what has not begun.
    """

    def __init__(self, image: Optional[program.Path] = None, workers: Optional[int] = None, *,
                 csbx: Optional[program.Path] = None, **options: "Unpack[JudgeOptions]") -> None:
        self.image, self.csbx, self.options = image, csbx, options
        self.workers = workers or len(os.sched_getaffinity(0))
        self._running = Running()
        self._threads = concurrent.futures.ThreadPoolExecutor(self.workers, "csbx-pool")

    def submit(self, command: Sequence[str], *, input: Input = None,
               **options: "Unpack[RunOptions]") -> "Future[Result]":
        """As csbx.run() with the pool's image, later: a Future of its result."""
        given = {**self.options, **options}
        return self._submit(build.run(program.default_image(self.image), command, input=input,
                                      csbx=self.csbx, given=given))

    def run(self, command: Sequence[str], *, input: Input = None,
            **options: "Unpack[RunOptions]") -> Result:
        return self.submit(command, input=input, **options).result()

    def map(self, commands: Iterable[Sequence[str]],
            **options: "Unpack[RunOptions]") -> Iterator[Result]:
        """Results in the order of the commands, as they come."""
        return self._in_order([self.submit(c, **options) for c in commands])

    def submit_eval(self, code: Code, *, lang: Optional[str] = None, args: Sequence[str] = (),
                    stdin: Input = None, function: Optional[str] = None,
                    cases: Optional[Iterable[CaseLike]] = None, setup: Optional[Code] = None,
                    check: Optional[Code] = None, files: Optional[Mapping[str, Code]] = None,
                    **options: "Unpack[EvalOptions]") -> "Future[EvalResult]":
        """As csbx.eval() with the pool's image, later: a Future of its result."""
        return self._submit(build.eval(
            code, image=self.image, lang=lang, args=args, stdin=stdin, function=function,
            cases=cases, setup=setup, check=check, files=files, csbx=self.csbx,
            given={**self.options, **options}))

    def map_eval(self, codes: Iterable[Code],
                 **options: "Unpack[EvalOptions]") -> Iterator[EvalResult]:
        """Results in the order of the snippets, as they come."""
        return self._in_order([self.submit_eval(c, **options) for c in codes])

    def submit_test(self, repo: Optional[program.Path] = None, *, options: Optional[Mapping[str, Any]] = None,
                    **what: Any) -> "Future[TestResult]":
        """As csbx.test() with the pool's image; `options` is a dict here."""
        return self._submit(build.test(repo, image=self.image, csbx=self.csbx,
                                       given={**self.options, **(options or {})}, **what))

    def close(self, cancel: bool = False) -> None:
        """Waits for what was submitted; with cancel, ends it first."""
        if cancel:
            self._running.end_all()
        self._threads.shutdown(wait=True)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, kind: Any, *exc: object) -> None:
        self.close(cancel=kind is not None)

    def _submit(self, call: Call[T]) -> "Future[T]":
        return self._threads.submit(lambda: perform(call, self._running))

    def _in_order(self, futures: Iterable["Future[T]"]) -> Iterator[T]:
        for future in futures:
            yield future.result()
