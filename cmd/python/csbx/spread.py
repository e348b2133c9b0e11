# SPDX-License-Identifier: Apache-2.0
"""Batches past one machine: lines are cut into shards, and any concurrent.futures executor runs them.

A worker needs this package, csbx and the image, by the same names. It judges a shard by one csbx. A shard whose worker was
lost is given out again. With a directory that all workers see, what is judged already is not judged again: csbx adds each
record to the shard's file there as it comes, and holds the file's lock until it has ended, also without its worker.
"""
from __future__ import annotations

import concurrent.futures
import contextlib
import fcntl
import hashlib
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import batch, program
from .batch import Record
from .call import Ended, loads
from .errors import Error, SandboxError

if TYPE_CHECKING:
    from typing_extensions import Unpack
    from .options import EvalOptions, JudgeOptions

Line = Union[str, Mapping[str, Any]]
IN_FLIGHT = 64  # shards that are given out at a time: enough for every worker, and an endless iterable is not read to its end


class _Shard(NamedTuple):
    first: int  # the number of its first line
    labels: List[Any]
    lines: List[bytes]


def evaluate(lines: Iterable[Line], *, image: Optional[program.Path] = None,
             executor: Optional[concurrent.futures.Executor] = None, shard: int = 32, keep: Optional[program.Path] = None,
             ordered: bool = False, retries: int = 3, workers: Optional[int] = None,
             csbx: Optional[program.Path] = None, **options: "Unpack[EvalOptions]") -> Iterator[Record]:
    """Judges snippets, as eval_batch() does, on the workers of an executor, and yields a record for each line.

    executor: any of concurrent.futures or with its submit(), as that of dask (default: this process). shard: lines a task.
    keep: a directory that all workers see; lines that have a record in it are passed over, and their records yielded.
    ordered: records come in the order of the lines. retries: how often a shard is given out again when its worker was
    lost. workers: containers at a time of one task (default: one a CPU of the worker's machine).
    """
    argv = batch.words("eval", image, workers, options)
    return _spread("eval", argv, lines, executor, shard, keep, ordered, retries, csbx)


def test_many(lines: Iterable[Mapping[str, Any]], *, image: Optional[program.Path] = None,
              executor: Optional[concurrent.futures.Executor] = None, shard: int = 4, keep: Optional[program.Path] = None,
              ordered: bool = False, retries: int = 3, workers: Optional[int] = None, runner: Optional[str] = None,
              csbx: Optional[program.Path] = None, **options: "Unpack[JudgeOptions]") -> Iterator[Record]:
    """As evaluate(), of repositories: a line is what `csbx test --batch` takes, and a record has a TestResult.

    runner: pytest or unittest, of all lines (default: pytest).
    """
    argv = batch.words("test", image, workers, options) + ([] if runner is None else [f"--runner={runner}"])
    return _spread("test", argv, lines, executor, shard, keep, ordered, retries, csbx)


test_many.__test__ = False  # type: ignore[attr-defined]  # no test, whatever pytest makes of its name


def _spread(verb: str, argv: List[str], lines: Iterable[Line], executor: Optional[concurrent.futures.Executor],
            size: int, keep: Optional[program.Path], ordered: bool, retries: int,
            csbx: Optional[program.Path]) -> Iterator[Record]:
    batch.check_lines(lines)
    if size < 1:
        raise ValueError(f"shard: {size!r} is not a number of lines")
    with contextlib.ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        where = None if keep is None else os.path.abspath(os.fspath(keep))
        if where is not None:
            os.makedirs(where, exist_ok=True)
        work = _Work(verb, argv, executor, where, retries, None if csbx is None else os.fspath(csbx))
        stack.callback(work.cancel)
        found = work.records(_shards(verb, lines, size))
        yield from (_in_order(found) if ordered else (record for _, record in found))


class _Work:
    """Shards that are given out."""

    def __init__(self, verb: str, argv: List[str], executor: concurrent.futures.Executor, keep: Optional[str],
                 retries: int, csbx: Optional[str]) -> None:
        self.verb, self.argv, self.executor, self.keep = verb, argv, executor, keep
        self.retries, self.csbx = retries, csbx
        self.out: "Dict[concurrent.futures.Future[List[str]], Tuple[_Shard, int]]" = {}

    def submit(self, shard: _Shard, tries: int = 0) -> None:
        self.out[self.executor.submit(judge_shard, self.verb, self.argv, shard.lines, self.keep, self.csbx,
                                      shard.first, tries)] = shard, tries

    def records(self, shards: Iterator[_Shard]) -> Iterator[Tuple[int, Record]]:
        more = True
        while more or self.out:
            while more and len(self.out) < IN_FLIGHT:
                shard = next(shards, None)
                more = shard is not None
                if shard is not None:
                    self.submit(shard)
            done, _ = concurrent.futures.wait(self.out, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                yield from self._of(future)

    def _of(self, future: "concurrent.futures.Future[List[str]]") -> Iterator[Tuple[int, Record]]:
        shard, tries = self.out.pop(future)
        try:
            texts = future.result()
        except (Error, TypeError, ValueError):
            raise  # csbx failed there, or was asked for what is wrong: a second try would end so, too
        except (Exception, concurrent.futures.CancelledError):
            if tries >= self.retries:
                raise
            self.submit(shard, tries + 1)  # the worker was lost
            return
        for text in texts:
            number = loads(text)["id"]
            _, result, error = batch.record(loads(text), self.verb)
            yield number, Record(shard.labels[number - shard.first], result, error)

    def cancel(self) -> None:
        for future in self.out:
            future.cancel()


def _shards(verb: str, lines: Iterable[Line], size: int) -> Iterator[_Shard]:
    """A line's id on its way is its number; the caller's is its label."""
    made = _Shard(0, [], [])
    labels = batch.Labels()
    for number, line in enumerate(lines):
        made.labels.append(labels.of(number, line))
        made.lines.append(batch.line(number, line, verb))
        if len(made.lines) == size:
            yield made
            made = _Shard(number + 1, [], [])
    if made.lines:
        yield made


def _in_order(found: Iterator[Tuple[int, Record]]) -> Iterator[Record]:
    waiting: Dict[int, Record] = {}
    due = 0
    for number, record in found:
        waiting[number] = record
        while due in waiting:
            yield waiting.pop(due)
            due += 1


def judge_shard(verb: str, argv: List[str], lines: List[bytes], keep: Optional[str], csbx: Optional[str],
                first: int, tries: int) -> List[str]:
    """What a worker does. Returns the records as csbx wrote them, one for each line."""
    del first, tries  # they tell tasks of equal lines apart, for executors that do one of those only
    records: Dict[int, str] = {}
    with contextlib.ExitStack() as stack:
        where = keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="csbx-py-"))
        digest = hashlib.sha256(b"".join([verb.encode(), b"\n", *lines])).hexdigest()[:24]
        path = os.path.join(where, f"{verb}-{digest}.jsonl")
        lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stack.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = stack.enter_context(tempfile.TemporaryFile(prefix="csbx-py-"))
        given = stack.enter_context(tempfile.TemporaryFile(prefix="csbx-py-"))
        given.writelines(lines)
        given.seek(0)
        p = subprocess.run([program.find(csbx), *argv, f"--output={path}"], stdin=given, stdout=subprocess.DEVNULL,
                           stderr=said, pass_fds=(lock,), start_new_session=True, check=False)
        if p.returncode not in (0, 1):  # 1: a record says which line was wrong
            said.seek(0)
            raise SandboxError(Ended(p.returncode, stderr=said.read()).said(), p.returncode)
        with open(path, encoding="utf-8") as f:
            records.update((loads(text)["id"], text) for text in f)  # the last one: a second run of what was no run
    if len(records) != len(lines):
        raise SandboxError(f"csbx {verb}: {len(records)} records of {len(lines)} lines")
    return list(records.values())
