# SPDX-License-Identifier: Apache-2.0
"""One call of the csbx program, prepared here and made by sync.py or aio.py.

A call uses no shell, and no file of the caller's but those that it names. Input that csbx reads from files (code,
cases, patches) lies in a private directory for as long as the call takes. The program's output comes inside the result
object on csbx's stdout; when the caller takes the output elsewhere, the object goes into an unlinked file that csbx
knows by descriptor.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field, replace
from typing import IO, Any, Callable, Dict, Generic, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union

from . import program
from .errors import Refused, SandboxError
from .result import Result, Truncated
from .streams import Sink

T = TypeVar("T")
Input = Union[None, int, IO[Any]]
Output = Union[None, int, Sink]
_DIGITS = 4000
BACKSTOP_S = 60.0  # csbx ends on its own long before that


@dataclass(frozen=True)
class Temp:
    """A word of the command line that is the path of a file with this content."""

    name: str
    data: bytes
    prefix: str = ""


@dataclass
class Call(Generic[T]):
    """argv without the program; `finish` makes the value of what csbx printed."""

    argv: List[Union[str, Temp]]
    finish: Callable[["Ended"], T]
    csbx: Optional[program.Path] = None
    input: Optional[bytes] = None
    stdin: Input = None
    stdout: Output = None
    stderr: Output = None
    timeout_s: Optional[float] = None
    supervises: bool = False  # it waits for a container of its own; killed, it would leave a record
    json: bool = True

    @property
    def takes_streams(self) -> bool:
        return self.stdout is not None or self.stderr is not None

    @property
    def backstop_s(self) -> Optional[float]:
        return None if self.timeout_s is None else self.timeout_s + BACKSTOP_S


@dataclass
class Ended:
    """The outcome of a call: csbx's exit code, its streams, and the result object."""

    returncode: int
    stdout: bytes = b""
    stderr: bytes = b""
    report: Optional[bytes] = None
    truncated: Optional[Truncated] = None  # of what was kept here, not by csbx

    def said(self) -> str:
        """csbx's own words: the last line that begins with its name, and the hint after it."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        for i in reversed(range(len(lines))):
            if lines[i].startswith("csbx: "):
                return "\n".join(lines[i:])
        return "\n".join(lines[-3:]) or f"csbx ended with exit code {self.returncode} and no word"


@dataclass
class Started:
    """A call whose files are in place."""

    argv: List[str]
    options: Dict[str, Any]
    sinks: Tuple[Output, Output] = (None, None)
    report: Optional[IO[bytes]] = field(default=None)

    def ended(self, returncode: int, out: Optional[bytes], err: Optional[bytes]) -> Ended:
        report = None
        if self.report is not None:
            self.report.seek(0)
            report = self.report.read()
        kept = [sink.kept if isinstance(sink, Sink) else data or b"" for sink, data in zip(self.sinks, (out, err))]
        cut = Truncated(*(isinstance(sink, Sink) and sink.truncated for sink in self.sinks))
        return Ended(returncode, kept[0], kept[1], report, cut)


@contextlib.contextmanager
def prepared(call: Call[Any]) -> Iterator[Started]:
    """The command line and the arguments of Popen; its files are there until the end."""
    with contextlib.ExitStack() as stack:
        where = None
        argv: List[str] = [program.find(call.csbx)]
        for word in call.argv:
            if isinstance(word, Temp):
                where = where or stack.enter_context(tempfile.TemporaryDirectory(prefix="csbx-py-"))
                path = os.path.join(where, word.name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "xb") as f:
                    f.write(word.data)
                argv.append(word.prefix + path)
            else:
                argv.append(word)
        started = Started(argv, {"start_new_session": True}, (call.stdout, call.stderr))
        if call.takes_streams:
            report = stack.enter_context(tempfile.TemporaryFile(prefix="csbx-py-"))
            started.report = report
            started.options["pass_fds"] = (report.fileno(),)
            started.argv[2:2] = [f"--result-fd={report.fileno()}", "--json-no-output"]
        elif call.json:
            started.argv[2:2] = ["--json"]
        yield started


def piped(stream: Output) -> Union[int, None]:
    """The argument of Popen: a pipe to us, or the descriptor."""
    return subprocess.PIPE if stream is None or isinstance(stream, Sink) else stream


def to_bytes(data: Union[str, bytes, bytearray, memoryview]) -> bytes:
    """Lone surrogates, which JSON can bring, stay: csbx says on reading that they are no UTF-8."""
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)


COMMENTS = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n|\Z)){1,2}")  # of the first two lines


def without_cookie(code: str) -> str:
    """Python source that is text already: a line that names an encoding says nothing of it any more.

    Characters of a comment become blanks; lines and columns stay.
    """
    at = COMMENTS.match(code)
    return re.sub("coding[:=]", "coding ", at[0]) + code[at.end():] if at else code


def own_containers(listed: bytes, pid: int) -> List[str]:
    """Ids in the answer of `csbx list --json` of what the csbx with that pid waits for."""
    try:
        return [x["id"] for x in json.loads(listed)["instances"] if x["supervisor_pid"] == pid]
    except (ValueError, KeyError, TypeError):
        return []


def _whole(text: str) -> int:
    """Python refuses to read more than 4,300 digits at once, which a program's answer may have."""
    digits, value = text.lstrip("-"), 0
    for at in range(0, len(digits), _DIGITS):
        part = digits[at:at + _DIGITS]
        value = value * 10 ** len(part) + int(part)
    return -value if text.startswith("-") else value


def loads(text: Union[str, bytes]) -> Any:
    """As json.loads(), with whole numbers of any length."""
    return json.loads(text, parse_int=_whole)


def result_of(cls: Callable[[Dict[str, Any]], Result]) -> Callable[[Ended], Any]:
    """Makes the typed result, or raises what says that csbx failed."""
    def finish(ended: Ended) -> Any:
        text = ended.stdout if ended.report is None else ended.report
        try:
            obj = loads(text)
        except ValueError:
            obj = None
        if not isinstance(obj, dict) or "status" not in obj:
            kind = Refused if ended.returncode == 125 else SandboxError
            raise kind(ended.said(), ended.returncode)
        result = cls(obj)
        if ended.report is not None:  # a stream that was not taken elsewhere came to us
            result = replace(result, stdout_data=ended.stdout, stderr_data=ended.stderr,
                             stdout=ended.stdout.decode("utf-8", "replace"),
                             stderr=ended.stderr.decode("utf-8", "replace"),
                             truncated=ended.truncated or result.truncated)
        result.raise_for_sandbox()
        return result
    return finish


def plain(ended: Ended) -> bytes:
    """stdout of a command without a result object."""
    if ended.returncode:
        raise Refused(ended.said(), ended.returncode)
    return ended.stdout


def command_words(command: Union[str, Sequence[str]]) -> List[str]:
    """A command is words; one string would mean a shell, and none is used."""
    if isinstance(command, (str, bytes)):
        raise TypeError("a command is a list of words; for a shell: ['sh', '-c', command]")
    argv = [os.fspath(w) for w in command]
    for word in argv:
        if not isinstance(word, str) or "\0" in word:
            raise ValueError(f"not a word of a command: {word!r}")
    return argv
