# SPDX-License-Identifier: Apache-2.0
"""Many snippets by one csbx: `csbx eval --batch`, fed and read as it goes."""
from __future__ import annotations

import base64
import contextlib
import subprocess
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Set, Union

from . import build, options, program
from .call import Ended, loads, to_bytes, without_cookie
from .cases import as_case
from .errors import SandboxError
from .result import EvalResult, Failure, TestResult
from .values import dumps

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions

STOP_S = 5.0


class Record(NamedTuple):
    """The outcome of one line: an EvalResult, of test_many() a TestResult, or an error that kept it from being run."""

    id: Any
    result: Any
    error: Optional[Failure]


def eval_batch(snippets: Iterable[Union[str, Mapping[str, Any]]], *, image: Optional[program.Path] = None,
               workers: Optional[int] = None, csbx: Optional[program.Path] = None,
               **given: "Unpack[EvalOptions]") -> Iterator[Record]:
    """Judges snippets, `workers` at a time (default: one a CPU), and yields records as they end.

    A snippet is its code, or a dict of what csbx.eval() takes: code, id, lang, function, cases,
    setup, check, stdin, args, env, files, timeout, memory. Its task_id is its id, too; without one
    its number, from 0, is it, which no other snippet may have as its id.
    snippets is asked for more only as they are worked on. A result of status sandbox_error is no verdict about its snippet;
    one that could not be read (an unknown member, malformed cases) has an error in the place of a
    result. Closing the iterator early ends what runs.
    """
    check_lines(snippets)
    return records_of(command(image, workers, csbx, given), snippets, [])


def check_lines(lines: Any) -> None:
    """A text has letters, and a dict has keys: they are taken for lines by mistake only."""
    if isinstance(lines, (str, bytes, bytearray, Mapping)):
        raise TypeError(f"lines: an iterable of snippets is wanted, not {type(lines).__name__}")


def command(image: Optional[program.Path], workers: Optional[int], csbx: Optional[program.Path],
            given: Mapping[str, Any]) -> List[str]:
    """The words of the csbx that judges a batch from its standard input."""
    return [program.find(csbx), *words("eval", image, workers, given)]


def words(verb: str, image: Optional[program.Path], workers: Optional[int], given: Mapping[str, Any]) -> List[str]:
    argv = [verb, "--image", build.operand(program.default_image(image)),
            *options.words(options.EVAL if verb == "eval" else options.JUDGE, given), "--batch", "-"]
    return argv if workers is None else [*argv, f"--jobs={workers}"]


def records_of(argv: List[str], snippets: Iterable[Union[str, Mapping[str, Any]]],
               started: "List[subprocess.Popen[bytes]]") -> Iterator[Record]:
    """Yields the records; started gets csbx, for a caller that wants to end it while the generator waits."""
    failed: List[BaseException] = []
    with contextlib.ExitStack() as stack:
        said = stack.enter_context(tempfile.TemporaryFile(prefix="csbx-py-"))
        p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                             start_new_session=True)
        started.append(p)
        writer = threading.Thread(target=_feed, args=(p, snippets, failed), daemon=True)
        stack.callback(writer.join)
        stack.callback(_stop, p)
        writer.start()
        assert p.stdout is not None
        for line in p.stdout:
            yield record(loads(line))
        p.wait()
        writer.join()
        if failed:
            raise failed[0]
        if p.returncode not in (0, 1):  # 1: a record says which line was wrong, or where csbx failed
            said.seek(0)
            raise SandboxError(Ended(p.returncode, stderr=said.read()).said(), p.returncode)


def _feed(p: "subprocess.Popen[bytes]", snippets: Iterable[Union[str, Mapping[str, Any]]],
          failed: List[BaseException]) -> None:
    """A thread of its own: csbx reads a line when it can work on it."""
    assert p.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        try:
            labels = Labels()
            for number, snippet in enumerate(snippets):
                p.stdin.write(line(labels.of(number, snippet), snippet))
                p.stdin.flush()
        except BrokenPipeError:
            pass  # csbx has ended, and says why
        except BaseException as e:  # the caller's own iterable, or a snippet of the wrong kind
            failed.append(e)
        p.stdin.close()


class Labels:
    """Ids of the lines of one batch. A line without one has its number, which no other line may have as its id."""

    def __init__(self) -> None:
        self.numbers: Set[int] = set()
        self.given: Set[int] = set()

    def of(self, number: int, line: Union[str, Mapping[str, Any]]) -> Any:
        members: Mapping[str, Any] = {} if isinstance(line, str) else line
        label = next((members[name] for name in ("id", "task_id", "instance_id") if members.get(name) is not None), None)
        if label is None:
            label, is_taken = number, number in self.given
            self.numbers.add(number)
        else:
            is_taken = isinstance(label, int) and label in self.numbers
            self.given.update([label] if isinstance(label, int) else [])
        if is_taken:
            raise ValueError(f"line {number}: the id {label} is also the number of a line without an id: "
                             "give all lines an id, or none")
        return label


def line(label: Any, snippet: Union[str, Mapping[str, Any]], verb: str = "eval") -> bytes:
    """As csbx reads it."""
    obj: Dict[str, Any] = {"code": snippet} if isinstance(snippet, str) else dict(snippet)
    obj["id"] = label
    if verb != "eval":
        return dumps(obj, default=_text).encode() + b"\n"
    for name in ("code", "setup", "check"):
        if isinstance(obj.get(name), str) and obj.get("lang") in (None, "python"):
            obj[name] = without_cookie(obj[name])
    if obj.get("cases") is not None:
        obj["cases"] = [as_case(c).to_json() for c in obj["cases"]]
    if obj.get("files") is not None:
        obj["files"] = {k: base64.b64encode(to_bytes(v)).decode() for k, v in obj["files"].items()}
    return dumps(obj, default=_text).encode() + b"\n"


def _text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8")
    raise TypeError(f"a snippet cannot have a {type(value).__name__}")


def record(obj: Dict[str, Any], verb: str = "eval") -> Record:
    """From what csbx wrote."""
    if "schema" not in obj:
        return Record(obj.get("id"), None, Failure(**{k: obj["error"].get(k) for k in ("code", "stage", "message")}))
    label = obj.pop("id", None)
    obj["id"] = obj.pop("instance", "")
    return Record(label, EvalResult.from_dict(obj) if verb == "eval" else TestResult.from_dict(obj), None)


def _stop(p: "subprocess.Popen[bytes]") -> None:
    if p.poll() is None:
        p.terminate()
        try:
            p.wait(STOP_S)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
    if p.stdout is not None:
        p.stdout.close()
