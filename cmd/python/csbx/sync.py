# SPDX-License-Identifier: Apache-2.0
"""Makes calls and waits for them. Any number of threads may."""
from __future__ import annotations

import contextlib
import subprocess
import time
from typing import Any, List, TypeVar

from .call import Call, Started, prepared
from .errors import SandboxError

T = TypeVar("T")
KILL_S = 5.0  # how long `csbx kill` may take before csbx itself is killed, and its container with it
TERM_S = 1.0  # how long csbx may take after SIGTERM where there is no container of that name
PAUSE_S = 0.05


def perform(call: Call[T]) -> T:
    with prepared(call) as started:
        stdin = subprocess.PIPE if call.input is not None else call.stdin
        try:
            p = subprocess.Popen(
                started.argv, stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=subprocess.PIPE if call.stdout is None else call.stdout,
                stderr=subprocess.PIPE if call.stderr is None else call.stderr, **started.options)
        except OSError as e:
            raise SandboxError(f"{started.argv[0]}: {e.strerror}") from e
        try:
            out, err = p.communicate(call.input, call.backstop_s)
        except subprocess.TimeoutExpired:
            end(call, started, p)
            raise SandboxError(f"csbx did not end within {call.backstop_s} s") from None
        except BaseException:
            end(call, started, p)
            raise
        ended = started.ended(p.returncode, out, err)
    return call.finish(ended)


def kill_command(call: Call[Any], started: Started) -> List[str]:
    return [started.argv[0], "kill", call.kill_name or ""]


def end(call: Call[Any], started: Started, p: "subprocess.Popen[bytes]") -> None:
    """Ends the container, then csbx.

    Killing csbx alone would end the container too, but leave a record for `csbx gc`. `csbx kill`
    finds a container only once it is known, so it is tried until csbx has ended.
    """
    deadline = time.monotonic() + (KILL_S if call.kill_name else TERM_S)
    if p.poll() is None and not call.kill_name:
        p.terminate()
    while p.poll() is None and time.monotonic() < deadline:
        if call.kill_name:
            subprocess.run(kill_command(call, started), stdin=subprocess.DEVNULL, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
            p.communicate(timeout=PAUSE_S)
    p.kill()
    p.wait()
    for stream in (p.stdin, p.stdout, p.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
