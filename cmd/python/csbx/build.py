# SPDX-License-Identifier: Apache-2.0
"""Python calls to calls of the program. The synchronous and the asyncio functions share these."""
from __future__ import annotations

import io
import json
import os
import signal
import tarfile
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import options, program
from .call import Call, Ended, Temp, command_words, plain, result_of, to_bytes, without_cookie
from .call import Input as Stdin
from .cases import CaseLike, as_case, cases_json
from .result import EvalResult, Logs, Result, TestResult
from .streams import Sink, Stream, callback_sink, output

Input = Union[None, str, bytes]
Code = Union[str, bytes]
Patch = Union[str, bytes, "os.PathLike[str]"]
Callback = Optional[Callable[[str], Any]]


def _input(input: Input, stdin: Stdin) -> Optional[bytes]:
    if input is not None and stdin is not None:
        raise ValueError("input and stdin exclude one another")
    return None if input is None else to_bytes(input)


def operand(image: program.Path) -> str:
    """An image or a name. A path object is a path, never a name; no word is read as an option."""
    text = os.fspath(image)
    if not text or "\0" in text:
        raise ValueError(f"not an image: {text!r}")
    return path(text) if isinstance(image, os.PathLike) or text.startswith("-") else text


def path(text: str) -> str:
    """With a slash in it: to csbx an operand without one is a name."""
    return text if "/" in text else "./" + text


def run(image: program.Path, command: Sequence[str], *, input: Input = None, stdin: Stdin = None,
        stdout: Stream = None, stderr: Stream = None, csbx: Optional[program.Path],
        given: Mapping[str, Any]) -> Call[Result]:
    argv: List[Union[str, Temp]] = ["run", *options.words(options.RUN, given), operand(image),
                                    *command_words(command)]
    return Call(argv, result_of(Result.from_dict), csbx, _input(input, stdin), stdin, output(stdout),
                output(stderr), options.seconds(given.get("timeout")), supervises=True)


def start_writable(name: str, command: Sequence[str], *, csbx: Optional[program.Path],
                   given: Mapping[str, Any]) -> Call[Result]:
    """A start that keeps what it writes. Only one at a time may."""
    argv: List[Union[str, Temp]] = ["start", "--rw", *options.words(options.RUN, given), name,
                                    *command_words(command)]
    return Call(argv, result_of(Result.from_dict), csbx, timeout_s=options.seconds(given.get("timeout")),
                supervises=True)


def start(image: program.Path, command: Sequence[str], *, verb: str, csbx: Optional[program.Path],
          given: Mapping[str, Any]) -> Call[str]:
    argv: List[Union[str, Temp]] = [verb, "-d", *options.words(options.RUN, given), operand(image),
                                    *command_words(command)]
    return Call(argv, lambda ended: plain(ended).decode("ascii").strip(), csbx, json=False)


def exec(target: str, command: Sequence[str], *, input: Input = None, stdin: Stdin = None, stdout: Stream = None,
         stderr: Stream = None, on_stdout: Callback = None, on_stderr: Callback = None,
         csbx: Optional[program.Path], given: Mapping[str, Any]) -> Call[Result]:
    """With a callback both streams come here, and the result has them as well."""
    sinks: List[Union[None, int, Sink]] = [output(stdout), output(stderr)]
    if on_stdout is not None or on_stderr is not None:
        if stdout is not None or stderr is not None:
            raise ValueError("stdout, stderr and on_stdout, on_stderr exclude one another")
        sinks = [callback_sink(on_stdout), callback_sink(on_stderr)]
    argv: List[Union[str, Temp]] = ["exec", *options.words(options.EXEC, given), target,
                                    *command_words(command)]
    return Call(argv, result_of(Result.from_dict), csbx, _input(input, stdin), stdin, sinks[0], sinks[1],
                options.seconds(given.get("timeout")))


def eval(code: Code, *, image: Optional[program.Path], csbx: Optional[program.Path],
         given: Mapping[str, Any], lang: Optional[str] = None, args: Sequence[str] = (),
         stdin: Input = None, function: Optional[str] = None,
         cases: Optional[Iterable[CaseLike]] = None, setup: Optional[Code] = None,
         check: Optional[Code] = None,
         files: Optional[Mapping[str, Code]] = None) -> Call[EvalResult]:
    argv: List[Union[str, Temp]] = ["eval", "--image", operand(program.default_image(image)),
                                    *options.words(options.EVAL, given)]
    if program.is_warm() and given.get("warm") is None:
        argv.append("--warm")
    if lang is not None:
        argv.append(f"--lang={lang}")
    if function is not None:
        argv.append(f"--function={function}")
    parts = 2  # of which each may take --timeout
    if cases is not None:
        made = [as_case(c) for c in cases]
        parts += len(made)
        argv.append(Temp("cases.json", cases_json(made), "--cases="))
    for flag, text in (("setup", setup), ("check", check)):
        if text is not None:
            argv.append(Temp(flag, _source(text, lang), f"--{flag}="))
    if stdin is not None:
        argv.append(Temp("stdin", to_bytes(stdin), "--stdin="))
    for name, data in (files or {}).items():
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"files: {name!r} is not a file's name")
        argv.append(Temp("files/" + name, to_bytes(data), "--files="))
    argv += ["--", Temp("snippet", _source(code, lang)), *command_words(args)]
    timeout_s = options.seconds(given.get("timeout"))
    return Call(argv, result_of(EvalResult.from_dict), csbx, supervises=True,
                timeout_s=None if timeout_s is None else parts * timeout_s)


def _source(code: Code, lang: Optional[str]) -> bytes:
    """Bytes may be in an encoding that they name; text has none."""
    if isinstance(code, str) and lang in (None, "python"):
        code = without_cookie(code)
    return to_bytes(code)


def _patch(number: str, patch: Patch) -> Union[str, Temp]:
    """A path object is a file; a string is the text of a patch."""
    flag = "--test-patch=" if number == "test" else "--patch="
    if isinstance(patch, os.PathLike):
        return flag + os.fspath(patch)
    if isinstance(patch, str) and "\n" not in patch and (patch.endswith((".diff", ".patch")) or os.path.lexists(patch)):
        raise ValueError(f"{patch!r:.80} is a file's name and no text of a patch: pathlib.Path(...) names a file")
    return Temp(f"{number}.patch", to_bytes(patch), flag)


def test(repo: Optional[program.Path], *, image: Optional[program.Path],
         csbx: Optional[program.Path], given: Mapping[str, Any],
         repo_in_image: Optional[str] = None, clone: Optional[str] = None,
         commit: Optional[str] = None, patches: Union[Patch, Sequence[Patch]] = (),
         test_patch: Optional[Patch] = None, fail_to_pass: Sequence[str] = (),
         pass_to_pass: Sequence[str] = (), strict: bool = False, isolate: bool = False,
         runner: Optional[str] = None,
         python: Optional[str] = None, args: Sequence[str] = ()) -> Call[TestResult]:
    argv: List[Union[str, Temp]] = ["test", "--image", operand(program.default_image(image)),
                                    *options.words(options.JUDGE, given)]
    for flag, value in (("repo", repo), ("repo-in-image", repo_in_image), ("clone", clone),
                        ("commit", commit), ("runner", runner), ("python", python)):
        if value is not None:
            argv.append(f"--{flag}={os.fspath(value)}")
    if isinstance(patches, (str, bytes, os.PathLike)):
        patches = [patches]
    argv += [_patch(str(i), p) for i, p in enumerate(patches)]
    if test_patch is not None:
        argv.append(_patch("test", test_patch))
    for flag, ids in (("fail-to-pass", fail_to_pass), ("pass-to-pass", pass_to_pass)):
        if isinstance(ids, str):
            raise TypeError(f"{flag}: a list of test ids")
        if ids:
            argv.append(Temp(flag, json.dumps(list(ids)).encode(), f"--{flag}=@"))
    if strict:
        argv.append("--strict")
    if isolate:
        argv.append("--isolate")
    argv += ["--", *command_words(args)]
    return Call(argv, result_of(TestResult.from_dict), csbx, timeout_s=None if isolate else options.seconds(given.get("timeout")),
                supervises=True)


def simple(argv: Sequence[str], csbx: Optional[program.Path]) -> Call[bytes]:
    """A verb whose stdout is its answer."""
    return Call(list(argv), plain, csbx, json=False)


def wait(target: str, csbx: Optional[program.Path]) -> Call[int]:
    return Call(["wait", target], lambda ended: int(plain(ended)), csbx, json=False)


def logs(target: str, csbx: Optional[program.Path]) -> Call[Logs]:
    def finish(ended: Ended) -> Logs:
        plain(Ended(ended.returncode, stderr=ended.stderr))
        return Logs.of(ended.stdout, ended.stderr)
    return Call(["logs", target], finish, csbx, json=False)


def sandbox(image: program.Path, command: Sequence[str], *, owner: int, csbx: Optional[program.Path],
            given: Mapping[str, Any]) -> Call[str]:
    """A container that stays until it is removed or the process `owner` is gone."""
    argv: List[Union[str, Temp]] = ["run", "-d", "--keep", "--rm", f"--owner={owner}",
                                    *options.words(options.RUN, given), operand(image), *command_words(command)]
    return Call(argv, lambda ended: plain(ended).decode("ascii").strip(), csbx, json=False)


def copy_in(target: str, source: Union[bytes, program.Path], path: str, csbx: Optional[program.Path]) -> Call[bytes]:
    """source: what a file is to hold, or the path of a file or directory of the host."""
    name: Union[str, Temp] = Temp("file", source) if isinstance(source, bytes) else _host_path(source)
    return Call(["cp", name, f"{target}:{path}"], plain, csbx, json=False)


def copy_out(target: str, path: str, to: program.Path, csbx: Optional[program.Path]) -> Call[bytes]:
    return Call(["cp", f"{target}:{path}", _host_path(to)], plain, csbx, json=False)


def only_file(tar: bytes, path: str) -> bytes:
    """Of a tar that `csbx cp` wrote of one file."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as t:
        member = t.next()
        data = t.extractfile(member) if member is not None and member.isfile() else None
        if data is None:
            raise IsADirectoryError(f"{path}: not a file")
        return data.read()


def killed(call: Call[Result], command: Sequence[str]) -> Result:
    """The result of a command that we killed: with its connection its process group ends, and csbx says no more of it."""
    kept = [stream.kept if isinstance(stream, Sink) else b"" for stream in (call.stdout, call.stderr)]
    return Result("signaled", False, signal=signal.SIGKILL, argv=list(command),
                  stdout=kept[0].decode("utf-8", "replace"), stderr=kept[1].decode("utf-8", "replace"),
                  stdout_data=kept[0], stderr_data=kept[1])


def _host_path(given: program.Path) -> str:
    """No word of it is an option, `-`, or NAME:PATH."""
    return os.path.abspath(os.fspath(given)) + ("/." if os.fspath(given).endswith("/.") else "")


def shown(argv: Sequence[str], csbx: Optional[program.Path]) -> Call[Any]:
    """A verb that prints JSON."""
    return Call(list(argv), lambda ended: json.loads(plain(ended)), csbx, json=False)


def listed(all: bool, csbx: Optional[program.Path]) -> Call[List[Dict[str, Any]]]:
    argv: List[Union[str, Temp]] = ["ps", "--json", *(["--all"] if all else [])]
    return Call(argv, _listed, csbx, json=False)


def _listed(ended: Ended) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = json.loads(plain(ended))
    return found


def imported(source: str, *, output: Optional[program.Path], name: Optional[str], csbx: Optional[program.Path]) -> Call[bytes]:
    """Of an image a squashfs file, or a container by that name."""
    if (output is None) == (name is None):
        raise ValueError("one of output, a file, and name, a container, has to be given")
    words = ["load", f"--name={name}"] if output is None else ["import", f"--output={os.fspath(output)}"]
    return Call([*words, "--", source], plain, csbx, json=False)
