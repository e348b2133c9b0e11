# SPDX-License-Identifier: Apache-2.0
"""Makes calls and waits for them. Any number of threads may."""
from __future__ import annotations

import concurrent.futures
import contextlib
import os
import subprocess
import threading
import time
from typing import Any, Dict, List, Optional, Tuple, TypeVar

from .call import Call, Started, own_containers, piped, prepared
from .errors import SandboxError
from .streams import CHUNK_BYTES, Sink

T = TypeVar("T")
KILL_S = 5.0  # how long `csbx kill` may take before csbx itself is killed, and its container with it
PAUSE_S = 0.05


class Running:
    """Calls that other threads may end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Dict[int, Tuple[Call[Any], Started, "subprocess.Popen[bytes]"]] = {}
        self._ended = False

    def check(self) -> None:
        if self._ended:
            raise concurrent.futures.CancelledError

    def add(self, call: Call[Any], started: Started, p: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            self._calls[p.pid] = call, started, p

    def remove(self, p: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            del self._calls[p.pid]

    def send(self, signal: int) -> None:
        """To each csbx, which passes it on."""
        with self._lock:
            for _, _, p in self._calls.values():
                p.send_signal(signal)

    def end_all(self) -> None:
        """Ends every container, until the threads that wait for them have seen it."""
        deadline = time.monotonic() + KILL_S
        while True:
            with self._lock:
                self._ended = True
                calls = list(self._calls.values())
            if not calls:
                return
            for call, started, p in calls:
                ask_to_end(call, started, p, forced=time.monotonic() > deadline)
            time.sleep(PAUSE_S)


def perform(call: Call[T], running: Optional[Running] = None) -> T:
    running = running or Running()
    running.check()
    with prepared(call) as started:
        stdin = subprocess.PIPE if call.input is not None else call.stdin
        try:
            p = subprocess.Popen(
                started.argv, stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=piped(call.stdout), stderr=piped(call.stderr), **started.options)
        except OSError as e:
            raise SandboxError(f"{started.argv[0]}: {e.strerror}") from e
        running.add(call, started, p)
        pumps = Pumps(call, started, p)
        try:
            running.check()
            out, err = p.communicate(call.input, call.backstop_s)
            pumps.join()
        except subprocess.TimeoutExpired:
            end(call, started, p)
            raise SandboxError(f"csbx did not end within {call.backstop_s} s") from None
        except BaseException:
            end(call, started, p)
            raise
        finally:
            pumps.join()
            running.remove(p)
        running.check()
        ended = started.ended(p.returncode, out, err)
    return call.finish(ended)


class Pumps:
    """Threads that feed sinks while the caller waits. An error of a sink ends the call and is the call's."""

    def __init__(self, call: Call[Any], started: Started, p: "subprocess.Popen[bytes]") -> None:
        self._failed: List[BaseException] = []
        self._threads = []
        self._call, self._started, self._p = call, started, p
        for name, sink in (("stdout", call.stdout), ("stderr", call.stderr)):
            if isinstance(sink, Sink):
                pipe = getattr(p, name)
                setattr(p, name, None)  # communicate() leaves it alone
                self._threads.append(threading.Thread(target=self._feed, args=(pipe, sink), daemon=True))
        for thread in self._threads:
            thread.start()

    def _feed(self, pipe: Any, sink: Sink) -> None:
        with pipe:
            try:
                for data in iter(lambda: os.read(pipe.fileno(), CHUNK_BYTES), b""):
                    sink.feed(data)
                sink.feed(b"", final=True)
            except BaseException as e:
                self._failed.append(e)
                deadline = time.monotonic() + KILL_S
                while self._p.poll() is None:
                    ask_to_end(self._call, self._started, self._p, forced=time.monotonic() > deadline)
                    time.sleep(PAUSE_S)

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        if self._failed:
            raise self._failed.pop(0)


def ask_to_end(call: Call[Any], started: Started, p: "subprocess.Popen[bytes]", forced: bool) -> None:
    """One attempt. A container is found only once it runs."""
    if forced or not call.supervises:
        p.kill()
        return
    with contextlib.suppress(subprocess.TimeoutExpired):
        ids = own_containers(_ask(started.argv[0], "list", "--json"), p.pid)
        if ids:
            _ask(started.argv[0], "kill", *ids)


def _ask(*argv: str) -> bytes:
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.DEVNULL, timeout=KILL_S).stdout


def end(call: Call[Any], started: Started, p: "subprocess.Popen[bytes]") -> None:
    """Ends the container, then csbx.

    Killing csbx alone would end the container too, but leave a record for `csbx gc`.
    """
    deadline = time.monotonic() + KILL_S
    while p.poll() is None:
        ask_to_end(call, started, p, forced=time.monotonic() > deadline)
        with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
            p.communicate(timeout=PAUSE_S)
    for stream in (p.stdin, p.stdout, p.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
