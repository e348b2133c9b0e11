# SPDX-License-Identifier: Apache-2.0
"""The synchronous calls."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import build, program
from .build import Code, Input, Patch
from .call import Input as Stdin
from .errors import SandboxError
from .cases import CaseLike
from .options import Duration, seconds
from .result import EvalResult, Logs, Result, TestResult
from .streams import Stream
from .sync import perform

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions, ExecOptions, JudgeOptions, RunOptions


def run(image: program.Path, command: Sequence[str] = (), *, input: Input = None,
        stdin: Stdin = None, stdout: Stream = None, stderr: Stream = None, check: bool = False,
        csbx: Optional[program.Path] = None, **options: "Unpack[RunOptions]") -> Result:
    """Runs a command in a fresh container of an image and returns how it ended.

    image: a squashfs file, a directory, or the name of a container made by `csbx create`.
    command: a list of words; none: what the image says. No shell reads them.
    input: what the command reads on stdin, or stdin: a file; else it reads nothing.
    stdout, stderr: a file, a descriptor or any object with write() that takes the stream; else it is in the result.
    An object that is no binary file gets text.
    check: raise ProgramError unless it ended with exit code 0.
    options: as those of `csbx run`, with _ for -: timeout and kill_after in seconds, memory as a
    number of bytes or "256m", env as a dict, network True for the host's, mounts, fetch, ...

    Raises SandboxError when csbx, not the command, failed.
    """
    result = perform(build.run(image, command, input=input, stdin=stdin, stdout=stdout,
                               stderr=stderr, csbx=csbx, given=options))
    return result.check() if check else result


def eval(code: Code, *, image: Optional[program.Path] = None, lang: Optional[str] = None,
         args: Sequence[str] = (), stdin: Input = None, function: Optional[str] = None,
         cases: Optional[Iterable[CaseLike]] = None, setup: Optional[Code] = None,
         check: Optional[Code] = None, files: Optional[Mapping[str, Code]] = None,
         csbx: Optional[program.Path] = None, **options: "Unpack[EvalOptions]") -> EvalResult:
    """Runs a snippet in a fresh container without a network, and judges it.

    code: its text. image: default_image() where there is none. lang: python, bash, node or c.
    cases: of the function `function` (Case, dicts, or pairs (args, expected)), or of stdin and
    stdout where there is none; setup: code that runs before it. check: asserting code, which runs
    in a container of its own. files: name -> content, beside the snippet.
    options: as those of run(); 5 seconds and 256 MiB where they say nothing.

    `completed` and `error_summary` of the result come from the snippet's own process: a help, no
    verdict. Only `cases` and `check` are verdicts.
    """
    return perform(build.eval(code, image=image, lang=lang, args=args, stdin=stdin,
                              function=function, cases=cases, setup=setup, check=check,
                              files=files, csbx=csbx, given=options))


def test(repo: Optional[program.Path] = None, *, image: Optional[program.Path] = None,
         repo_in_image: Optional[str] = None, clone: Optional[str] = None,
         commit: Optional[str] = None, patches: Union[Patch, Sequence[Patch]] = (),
         test_patch: Optional[Patch] = None, fail_to_pass: Sequence[str] = (),
         pass_to_pass: Sequence[str] = (), strict: bool = False, isolate: bool = False,
         runner: Optional[str] = None,
         python: Optional[str] = None, args: Sequence[str] = (),
         csbx: Optional[program.Path] = None, **options: "Unpack[JudgeOptions]") -> TestResult:
    """Runs the tests of a repository, after patches, in a fresh container, and judges them.

    repo: a directory, which is never changed, or repo_in_image: a path in the image, or clone: a
    URL, with commit. patches: texts, or path objects of files. fail_to_pass, pass_to_pass: test
    ids; without them the whole suite runs. strict: signs of tampering make it unresolved.
    isolate: each listed test in a container of its own; timeout is for each. args: for pytest. options: as those of run().
    """
    return perform(build.test(
        repo, image=image, repo_in_image=repo_in_image, clone=clone, commit=commit,
        patches=patches, test_patch=test_patch, fail_to_pass=fail_to_pass,
        pass_to_pass=pass_to_pass, strict=strict, isolate=isolate, runner=runner, python=python, args=args,
        csbx=csbx, given=options))


def start(image: program.Path, command: Sequence[str] = (), *, csbx: Optional[program.Path] = None,
          **options: "Unpack[RunOptions]") -> "Container":
    """Starts a container of an image that runs without its caller, and returns when it does."""
    return Container(perform(build.start(image, command, verb="run", csbx=csbx, given=options)), csbx)


class Container:
    """A detached container. As a context manager it is killed at the end."""

    def __init__(self, id: str, csbx: Optional[program.Path] = None) -> None:
        self.id, self.csbx = id, csbx

    def __repr__(self) -> str:
        return f"Container({self.id!r})"

    def exec(self, command: Sequence[str], *, input: Input = None, stdin: Stdin = None,
             stdout: Stream = None, stderr: Stream = None, check: bool = False,
             **options: "Unpack[ExecOptions]") -> Result:
        """Runs one command more in it. Arguments are those of run(); options those of `csbx exec`."""
        result = perform(build.exec(self.id, command, input=input, stdin=stdin, stdout=stdout,
                                    stderr=stderr, csbx=self.csbx, given=options))
        return result.check() if check else result

    def logs(self) -> Logs:
        """The output that it has written."""
        return perform(build.logs(self.id, self.csbx))

    def wait(self) -> int:
        """Waits until it has ended; returns its exit code."""
        return perform(build.wait(self.id, self.csbx))

    def stop(self, timeout: Duration = 10.0) -> None:
        """Asks its main process to end, and kills everything in it when it has not by then."""
        perform(build.simple(["stop", f"--time={seconds(timeout):g}s", self.id], self.csbx))

    def kill(self, signal: str = "KILL") -> None:
        """Kills it, or sends its main process another signal."""
        perform(build.simple(["kill", f"--signal={signal}", self.id], self.csbx))

    def __enter__(self) -> "Container":
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self.kill()
        except SandboxError:
            pass  # it has ended by itself


def import_image(source: str, output: program.Path, *, csbx: Optional[program.Path] = None) -> None:
    """Makes a squashfs file of an image. source: `docker://python:3.12`, `oci:DIR` or what else `csbx import` takes."""
    perform(build.imported(source, output=output, name=None, csbx=csbx))


def load(source: str, name: str, *, csbx: Optional[program.Path] = None) -> None:
    """Makes a container by that name of an image; calls take the name as their image."""
    perform(build.imported(source, output=None, name=name, csbx=csbx))


def inspect(name: str, *, csbx: Optional[program.Path] = None) -> Dict[str, Any]:
    """The object that `csbx inspect` prints of a container or of an instance."""
    return perform(build.shown(["inspect", name], csbx))


def ps(*, all: bool = False, csbx: Optional[program.Path] = None) -> List[Dict[str, Any]]:
    """What runs, an object each as `csbx ps --json` has them; with all also what does not run."""
    return perform(build.listed(all, csbx))
