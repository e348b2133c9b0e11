# SPDX-License-Identifier: Apache-2.0
"""Runs commands for the host, which asks through a virtio serial port; one after the other.

A request is one line of JSON and `stdin_bytes` bytes after it:

    {"argv": [...], "user": NAME, "env": {...}, "cwd": DIR, "cgroup": DIR|null, "timeout_s": N,
     "stdin_bytes": N}

The answer is one line and what the command wrote: {"code": N, "timed_out": BOOL,
"stdout_bytes": N, "stderr_bytes": N}. A command ended by a signal has the code -SIGNAL, one that
could not be started has `error` in place of the code.

{"call": NAME, "source": PYTHON, "args": [...]} calls a function of the source in the agent itself, as
root: starting a process takes a tenth of a second under emulation. The answer has its `value`.
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


def become(user, groups, cgroup):
    """In the child: joins a control group while it is root, as a batch system does, then the user."""
    if cgroup:
        with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as f:
            f.write("0")
    os.setgroups(groups)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def run(ask, stdin):
    user = pwd.getpwnam(ask["user"])
    groups = os.getgrouplist(user.pw_name, user.pw_gid)
    p = subprocess.Popen(ask["argv"], env=ask["env"], cwd=ask["cwd"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                         preexec_fn=lambda: become(user, groups, ask["cgroup"]))
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


def call(ask):
    names = {}
    exec(compile(ask["source"], ask["call"], "exec"), names)  # pylint: disable=exec-used
    return {"value": names[ask["call"]](*ask["args"])}


def answer_to(ask, stdin):
    try:
        return (call(ask), b"", b"") if "call" in ask else run(ask, stdin)
    except Exception as e:  # pylint: disable=broad-except
        return {"error": f"{type(e).__name__}: {e}"}, b"", b""


def main():
    port = Port()
    while True:
        ask = json.loads(port.line())
        stdin = port.take(ask.get("stdin_bytes", 0))
        answer, out, err = answer_to(ask, stdin)
        answer.update(stdout_bytes=len(out), stderr_bytes=len(err))
        port.send(json.dumps(answer).encode() + b"\n" + out + err)


if __name__ == "__main__":
    main()
