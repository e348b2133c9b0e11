# SPDX-License-Identifier: Apache-2.0
"""Events of one command and its processes, from the kernel's tracefs (root).

Cheaper than ptrace by two orders of magnitude, so the times mean something: an event costs a
fraction of a microsecond. tracefs is mounted in a private mount namespace where it is not mounted
already (the caller sees to that) and a trace instance of our own leaves other tracing alone.
"""
import contextlib
import os
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

LINE = re.compile(r"^\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([\d.]+): (\w+): (.*)$")
TRACEFS = "/sys/kernel/tracing"
FUSE, FAULTS = ("fuse/fuse_request_send",), ("exceptions/page_fault_user",)
EVENTS = ("raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "sched/sched_process_fork",
          "sched/sched_process_exec", "sched/sched_process_exit")
BUFFER_KB = 8192


@dataclass
class Event:
    pid: int
    us: float
    name: str
    text: str

    def number(self, key):
        """Integer after `key=` or `key `, as the event's format has it."""
        return int(re.search(rf"\b{key}[= ](-?\d+)", self.text).group(1))


def syscall_names():
    """Number -> name, from the headers of the C library's kernel interface."""
    p = subprocess.run(["cc", "-E", "-dM", "-"], input="#include <sys/syscall.h>\n", text=True,
                       capture_output=True, check=True)
    return {int(n): name for name, n in re.findall(r"#define __NR_(\w+) (\d+)$", p.stdout, re.M)}


class Tracer:
    """A trace instance with those of the given events that this kernel has."""

    def __init__(self, events):
        self.dir = Path(TRACEFS) / "instances" / f"csbx-bench-{os.getpid()}"
        self.dir.mkdir()
        self.put("buffer_size_kb", BUFFER_KB)
        self.put("trace_clock", "mono")
        self.put("options/event-fork", 1)
        self.events = [e for e in events if (self.dir / "events" / e).is_dir()]
        self.put("tracing_on", 0)

    def put(self, name, value):
        (self.dir / name).write_text(f"{value}\n", encoding="ascii")

    def record(self, argv, env, uid, gid, others=()):
        """Runs a command as the user; returns its pid, exit code and the events of it, its
        descendants and the processes `others`."""
        pid = os.fork()
        if pid == 0:
            stopped_exec(argv, env, uid, gid)
        os.waitpid(pid, os.WUNTRACED)
        self.put("trace", "")
        self.put("set_event_pid", " ".join(map(str, [pid, *others])))
        for event in self.events:
            self.put(f"events/{event}/enable", 1)
        self.put("tracing_on", 1)
        os.kill(pid, signal.SIGCONT)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        self.put("tracing_on", 0)
        for event in self.events:
            self.put(f"events/{event}/enable", 0)
        return pid, code, self.read()

    def read(self):
        events = []
        for line in (self.dir / "trace").read_text(encoding="utf-8", errors="replace").splitlines():
            if m := LINE.match(line):
                events.append(Event(int(m[2]), float(m[3]) * 1e6, m[4], m[5]))
        return sorted(events, key=lambda e: e.us)

    def close(self):
        with contextlib.suppress(OSError):
            self.dir.rmdir()


def stopped_exec(argv, env, uid, gid):
    """Waits for a SIGCONT, then becomes the command as the user. Does not return."""
    try:
        os.kill(os.getpid(), signal.SIGSTOP)
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1):
            os.dup2(null, fd)
        if uid is not None:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
        os.execvpe(argv[0], argv, env)
    finally:
        os._exit(127)


def mounted():
    """True when this mount namespace has a tracefs."""
    return os.path.isdir(f"{TRACEFS}/instances")


def mount_and_exec(words):
    """Becomes the command in a private mount namespace that has a tracefs. Does not return."""
    setup = f'mount -t tracefs none {TRACEFS} && exec "$@"'
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", setup, "sh", *words])
