# SPDX-License-Identifier: Apache-2.0
"""Spares (CSBX_SPARES): a container made ahead is taken by a start that differs in nothing it hands down, and by no other."""
import ctypes
import os
import resource
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

LINGER_S = 30
WAIT_S = 20


class Spares:
    """Starts of one container that may have been made ahead."""

    def __init__(self, csbx):
        self.csbx = csbx
        self.env = {"CSBX_SPARES": "always", "CSBX_LINGER": str(LINGER_S), "CSBX_DEBUG": "1"}

    def start(self, *words, options=(), env=None, **kw):
        """(result, whether a spare was taken)"""
        p = self.csbx.run("start", *options, "c", *words, env={**self.env, **(env or {})}, **kw)
        return p, "a spare is taken" in p.stderr

    def popen(self, *words, **kw):
        return self.csbx.popen("start", "c", *words, env=self.env, **kw)

    def sockets(self):
        return list((self.csbx.dirs["run"] / "spares").glob("*.sock"))

    def await_one(self, n=1):
        deadline = time.monotonic() + WAIT_S
        while len(self.sockets()) < n:
            assert time.monotonic() < deadline, "no spare was made"
            time.sleep(0.01)

    def make(self, **kw):
        p, taken = self.start("true", **kw)
        assert p.returncode == 0 and not taken, p.stderr
        self.await_one()

    def takes(self, *words, **kw):
        p, taken = self.start(*words, **kw)
        assert taken, p.stderr
        return p

    def makes_its_own(self, *words, **kw):
        p, taken = self.start(*words, **kw)
        assert not taken, p.stderr
        return p

    def processes(self):
        """{name: pid} of the maker, of the spare's pid 1 and of its main process."""
        found = {}
        for path in Path("/proc").glob("[0-9]*/comm"):
            try:
                is_maker = path.read_text(encoding="ascii").strip() == "csbx-spares"
                if is_maker and str(self.csbx.dirs["run"]).encode() in (path.parent / "environ").read_bytes():
                    found["maker"] = int(path.parent.name)
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
        if "maker" in found:
            found["pid1"] = child_of(found["maker"])
            found["main"] = child_of(found["pid1"])
        return found


def child_of(pid):
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


def wait_gone(*pids):
    deadline = time.monotonic() + WAIT_S
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, f"left: {[pid for pid in pids if is_alive(pid)]}"
        time.sleep(0.01)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def spares(csbx, busybox_image):
    csbx.ok("create", "--name", "c", busybox_image)
    s = Spares(csbx)
    yield s
    # The server does not stay for a spare, nor a spare without its server.
    csbx.ok("gc", "--servers")
    deadline = time.monotonic() + WAIT_S
    while list((csbx.dirs["run"] / "spares").glob("*")):
        assert time.monotonic() < deadline, "a spare outlives its server"
        csbx.ok("gc")  # what killed makers have left
        time.sleep(0.01)


@pytest.mark.both_users
def test_the_second_start_takes_one_and_brings_its_own_words(spares):
    spares.make()
    p = spares.takes("sh", "-c", "echo $A; cat; echo wrong >&2; exit 7", options=["-e", "A=b"], stdin="in\n")
    assert p.returncode == 7 and p.stdout == "b\nin\n" and "wrong\n" in p.stderr
    spares.await_one()
    p = spares.takes("sh", "-c", "kill -9 $$")
    assert p.returncode == 137
    spares.await_one()
    p = spares.takes("no-such-program")
    assert p.returncode == 127 and "command not found" in p.stderr


def test_nothing_of_one_start_is_there_in_the_next(spares):
    spares.make()
    spares.takes("sh", "-c", "echo x >/left; echo x >/dev/shm/left; echo x >/tmp/left")
    spares.await_one()
    p = spares.takes("sh", "-c", "ls /left /dev/shm/left /tmp/left 2>/dev/null; id -u; ls /proc/self/fd; cat /proc/net/dev | wc -l")
    lines = p.stdout.split()
    assert not [x for x in lines if "left" in x] and lines[1:5] == ["0", "1", "2", "3"]


def inside(p):
    """What a program sees of its process, but for its numbers."""
    return [line for line in p.stdout.splitlines() if not line.startswith(("Pid:", "NSpid", "NStgid", "NSpgid", "NSsid", "Tgid:", "Vm", "Rss", "voluntary", "nonvoluntary"))]


@pytest.mark.both_users
def test_the_program_is_placed_as_in_a_container_of_its_own(spares):
    words = ["sh", "-c", "cat /proc/self/status /proc/self/limits /proc/self/mountinfo /proc/self/cgroup /proc/self/uid_map; cat /proc/self/oom_score_adj; umask; pwd; env; "
             "ls -l /proc/self/fd | sed 's/.*root  *root//'; cat /etc/hosts /etc/hostname /etc/passwd; hostname"]
    cold, taken = spares.start(*words)
    assert not taken
    spares.await_one()
    warm = spares.takes(*words)
    # Mounts and groups have numbers of their own in each container.
    def plain(lines):
        return [" ".join(w for w in line.split() if not w.isdigit() and "pipe:" not in w and w.count(":") != 1) for line in lines if "SigQ" not in line]
    assert plain(inside(warm)) == plain(inside(cold))


HAND_DOWN = {
    "limit": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    "nice": lambda: os.nice(5),
    "umask": lambda: os.umask(0o077),
    "affinity": lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    "oom score": lambda: Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii"),
    "no_new_privs": lambda: libc_prctl(38, 1, 0, 0, 0),
    "timer slack": lambda: libc_prctl(29, 123456, 0, 0, 0),
    "policy": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    "core dumps": lambda: Path("/proc/self/coredump_filter").write_text("0x1", encoding="ascii"),
    "personality": lambda: ctypes.CDLL(None).personality(0x0040000),
    "io priority": lambda: ctypes.CDLL(None).syscall(251, 1, 0, 3 << 13),
    "huge pages": lambda: libc_prctl(41, 1, 0, 0, 0),
}


def libc_prctl(*words):
    assert ctypes.CDLL(None, use_errno=True).prctl(*words) == 0, os.strerror(ctypes.get_errno())


@pytest.mark.parametrize("what", HAND_DOWN)
def test_a_caller_who_hands_down_something_else_gets_its_own(spares, what):
    if what == "affinity" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU: there is no other set")
    spares.make()
    p = spares.makes_its_own("true", preexec_fn=HAND_DOWN[what])
    assert p.returncode == 0
    spares.takes("true")


@pytest.mark.parametrize("options", [["--hostname", "other"], ["--read-only"], ["--cap-drop", "KILL"], ["--user", "5"], ["-w"], ["--network", "host"],
                                     ["--shm-size", "1m"], ["--ulimit", "nofile=50"], ["--workdir", "/tmp"], ["--tmpfs", "/x"], ["--mount", "/tmp:/x"],
                                     ["--memory", "64m"], ["--pids-limit", "20"], ["--security-opt", "seccomp=unconfined"], ["--cap-add", "NET_ADMIN"]],
                         ids=" ".join)
def test_another_specification_gets_its_own(spares, options):
    spares.make()
    assert spares.makes_its_own("true", options=options).returncode == 0


def test_a_limit_leaves_room_for_what_csbx_passes(spares):
    options = ["--ulimit", "nofile=5:5"]
    spares.make(options=options)
    assert spares.takes("sh", "-c", "ulimit -n; ulimit -Hn; cat", options=options, stdin="input\n").stdout == "5\n5\ninput\n"


def filter_self():
    """A filter that allows everything."""
    class Prog(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
    allow = (ctypes.c_ubyte * 8)(*(0x06).to_bytes(2, "little"), 0, 0, *(0x7fff0000).to_bytes(4, "little"))
    libc_prctl(38, 1, 0, 0, 0)
    libc_prctl(22, 2, ctypes.byref(Prog(1, ctypes.cast(allow, ctypes.c_void_p))), 0, 0)


def confine_self():
    """A Landlock domain that mounts are allowed in: only binding TCP ports is handled."""
    libc = ctypes.CDLL(None, use_errno=True)
    attr = (ctypes.c_uint64 * 2)(0, 1)
    libc_prctl(38, 1, 0, 0, 0)
    fd = libc.syscall(444, ctypes.byref(attr), 16, 0)
    assert fd >= 0 and libc.syscall(446, fd, 0) == 0, os.strerror(ctypes.get_errno())
    os.close(fd)


def no_new_privs():
    libc_prctl(38, 1, 0, 0, 0)


def test_a_caller_under_a_filter_gets_its_own_and_leaves_none(spares):
    p = spares.makes_its_own("true", preexec_fn=filter_self)
    assert p.returncode == 0
    time.sleep(0.5)
    assert not spares.sockets()


def has_landlock_of_ports():
    return ctypes.CDLL(None).syscall(444, None, 0, 1) >= 4


@pytest.mark.skipif(not has_landlock_of_ports(), reason="Landlock ABI 4 is needed for a domain that allows mounts")
@pytest.mark.parametrize("first, second", [(no_new_privs, confine_self), (confine_self, no_new_privs), (confine_self, confine_self)],
                         ids=["no domain, then one", "one, then none", "two domains"])
def test_a_caller_in_another_domain_gets_its_own(spares, first, second):
    """Both have no_new_privs, so that nothing but the domain differs; what a process shows of itself says nothing of it."""
    spares.make(preexec_fn=first)
    assert spares.makes_its_own("true", preexec_fn=second).returncode == 0


def test_traced_starts_get_their_own(spares):
    def traced():
        assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0
    spares.make()
    with spares.popen("true", preexec_fn=traced) as p:
        for _ in range(100):
            pid, status = os.waitpid(p.pid, 0)
            if not os.WIFSTOPPED(status):
                break
            sig = os.WSTOPSIG(status)
            ctypes.CDLL(None).ptrace(7, pid, 0, 0 if sig == signal.SIGTRAP else sig)
        p.returncode = os.waitstatus_to_exitcode(status)
        assert p.returncode == 0 and b"a spare is taken" not in p.stderr.read()


@pytest.mark.parametrize("victim", ["maker", "pid1", "main"])
def test_a_killed_spare_leaves_nothing_and_costs_one_start_its_head_start(spares, victim):
    spares.make()
    pids = spares.processes()
    os.kill(pids[victim], signal.SIGKILL)
    wait_gone(*pids.values())
    assert spares.start("echo", "ok")[0].stdout == "ok\n"


@pytest.mark.parametrize("victim", ["maker", "pid1", "main"])
def test_a_stopped_spare_is_waited_for_a_moment_and_ended(spares, victim):
    spares.make()
    pids = spares.processes()
    os.kill(pids[victim], signal.SIGSTOP)
    try:
        p, taken = spares.start("echo", "ok")
        assert p.stdout == "ok\n" and not taken, p.stderr
    finally:
        if is_alive(pids["maker"]):
            os.kill(pids["maker"], signal.SIGCONT)
        if victim == "maker":
            os.kill(pids["maker"], signal.SIGKILL)
    wait_gone(pids["main"])


def test_a_spare_goes_with_its_server(spares):
    spares.make()
    pids = spares.processes()
    name = next((spares.csbx.dirs["run"] / "servers").glob("*.sock"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(name))
        server = struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    os.kill(server, signal.SIGKILL)
    wait_gone(*pids.values())
    assert spares.start("echo", "ok")[0].stdout == "ok\n"


def test_a_server_does_not_stay_for_a_spare(spares):
    spares.env["CSBX_LINGER"] = "1"
    spares.make()
    wait_gone(*spares.processes().values())
    assert not spares.sockets()


@pytest.mark.parametrize("what", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_maker_that_is_told_to_leaves(spares, what):
    spares.make()
    pids = spares.processes()
    os.kill(pids["maker"], what)
    wait_gone(*pids.values())
    assert not list((spares.csbx.dirs["run"] / "spares").glob("*"))


def test_a_killed_maker_takes_a_taken_one_along(spares):
    spares.make()
    pids = spares.processes()
    with spares.popen("sh", "-c", "echo on; sleep 60", text=True) as p:
        assert p.stdout.readline() == "on\n"
        os.kill(pids["maker"], signal.SIGKILL)
        assert p.wait(WAIT_S) == 125
    wait_gone(*pids.values())


def test_a_killed_start_takes_its_container_along_though_its_pid_1_is_stopped(spares):
    spares.make()
    pids = spares.processes()
    with spares.popen("sh", "-c", "echo on; sleep 60", text=True) as p:
        assert p.stdout.readline() == "on\n"
        os.kill(pids["pid1"], signal.SIGSTOP)
        p.kill()
    wait_gone(pids["pid1"], pids["main"])


def test_others_reach_a_container_that_was_a_spare(spares):
    spares.make()
    with spares.popen("sh", "-c", "echo on; sleep 60", text=True) as p:
        assert p.stdout.readline() == "on\n"
        assert spares.csbx.ok("exec", "c", "echo", "here") == "here\n"
        p.terminate()
        assert p.wait(WAIT_S) == 143


@pytest.mark.both_users
def test_starts_side_by_side_share_none(spares):
    spares.make()
    many = [spares.popen("sh", "-c", "echo x >>/f; cat /f", text=True) for _ in range(8)]
    for p in many:
        out, err = p.communicate(timeout=60)
        assert p.returncode == 0 and out == "x\n", err


def test_killed_starts_at_any_time(spares):
    spares.make()
    for us in range(0, 6000, 300):
        with spares.popen("true", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            time.sleep(us / 1e6)
            p.kill()
    deadline = time.monotonic() + WAIT_S
    while not spares.start("true")[1]:
        assert time.monotonic() < deadline, "no spare any more"


def test_words_of_the_setting(spares):
    p, _ = spares.start("true", env={"CSBX_SPARES": "perhaps"})
    assert p.returncode == 125 and "CSBX_SPARES perhaps: yes, no or always" in p.stderr
    p, taken = spares.start("true", env={"CSBX_SPARES": "no"})
    assert p.returncode == 0 and not taken and not spares.sockets()


def test_none_is_made_where_no_cpu_can_be_idle(spares):
    def on_one_cpu():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    assert spares.makes_its_own("true", env={"CSBX_SPARES": "yes"}, preexec_fn=on_one_cpu).returncode == 0
    time.sleep(0.5)
    assert not spares.sockets()
