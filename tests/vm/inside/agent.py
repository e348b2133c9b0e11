# SPDX-License-Identifier: Apache-2.0
"""Runs commands for the host, which asks through a virtio serial port; one after the other.

A request is one line of JSON and `stdin_bytes` bytes after it:

    {"argv": [...], "user": NAME, "env": {...}, "cwd": DIR, "cgroup": DIR|null, "timeout_s": N,
     "stdin_bytes": N}

The answer is one line and what the command wrote: {"code": N, "timed_out": BOOL,
"stdout_bytes": N, "stderr_bytes": N}. A command ended by a signal has the code -SIGNAL, one that
could not be started has `error` in place of the code.
"""
import json
import os
import pwd
import signal
import subprocess
import time

PORT = "/dev/virtio-ports/csbx.agent"


class Port:
    """The byte stream to the host. It reads as ended while the host is not connected."""

    def __init__(self):
        self.fd = os.open(PORT, os.O_RDWR | os.O_CLOEXEC)
        self.buffer = b""

    def fill(self):
        while not (data := os.read(self.fd, 1 << 18)):
            time.sleep(0.02)
        self.buffer += data

    def line(self):
        while b"\n" not in self.buffer:
            self.fill()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def take(self, size):
        parts, have = [self.buffer], len(self.buffer)
        while have < size:
            self.buffer = b""
            self.fill()
            parts.append(self.buffer)
            have += len(self.buffer)
        data = b"".join(parts)
        self.buffer = data[size:]
        return data[:size]

    def send(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.fd, view[:1 << 16]):]


def enter(cgroup):
    """Joins a control group before the command becomes its user, as a batch system does."""
    if cgroup:
        with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as f:
            f.write("0")


def run(ask, stdin):
    user = pwd.getpwnam(ask["user"])
    identity = {"user": user.pw_uid, "group": user.pw_gid,
                "extra_groups": os.getgrouplist(user.pw_name, user.pw_gid)}
    p = subprocess.Popen(ask["argv"], env=ask["env"], cwd=ask["cwd"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                         preexec_fn=lambda: enter(ask["cgroup"]), **identity)
    try:
        out, err = p.communicate(stdin, timeout=ask["timeout_s"])
        return {"code": p.returncode, "timed_out": False}, out, err
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        try:
            out, err = p.communicate(timeout=5)
        except subprocess.TimeoutExpired as e:  # somebody else holds the pipes
            out, err = e.stdout or b"", e.stderr or b""
        return {"code": p.returncode, "timed_out": True}, out, err


def main():
    port = Port()
    while True:
        ask = json.loads(port.line())
        stdin = port.take(ask["stdin_bytes"])
        try:
            answer, out, err = run(ask, stdin)
        except (OSError, KeyError, subprocess.SubprocessError) as e:
            answer, out, err = {"error": f"{type(e).__name__}: {e}"}, b"", b""
        answer.update(stdout_bytes=len(out), stderr_bytes=len(err))
        port.send(json.dumps(answer).encode() + b"\n" + out + err)


if __name__ == "__main__":
    main()
