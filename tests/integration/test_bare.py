# SPDX-License-Identifier: Apache-2.0
"""The bare start: csbx becomes the command; the tests look at its lock, its record and its joining."""
import ctypes
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


class Bare:
    """`csbx enroot ...` on a container called box."""

    def __init__(self, csbx, image):
        self.csbx = csbx
        self.bin = csbx.work / "bin"
        csbx.ok("shims", "bin")
        self.env = {**csbx.env, "PATH": f"{self.bin}:{csbx.env['PATH']}"}
        self.instances = Path(self.env["CSBX_RUNTIME_PATH"]) / "instances"
        self.ok("create", "-n", "box", image)

    def popen(self, *argv, env=None, **kw):
        kw = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kw}
        return subprocess.Popen(["enroot", *map(str, argv)], encoding="utf-8", cwd=self.csbx.work,
                                env={**self.env, **(env or {})}, **{**self.csbx.identity(), **kw})

    def run(self, *argv, **kw):
        p = self.popen(*argv, **{"stdin": subprocess.DEVNULL, **kw})
        out, err = p.communicate(timeout=120)
        return subprocess.CompletedProcess(argv, p.returncode, out, err)

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, p
        return p.stdout

    def up(self, *options, script="exec cat", **kw):
        """A start whose command runs; it ends when its input does."""
        p = self.popen("start", *options, "box", "sh", "-c", f"echo up; {script}", **kw)
        assert p.stdout.readline() == "up\n", p.communicate(timeout=60)
        return p


@pytest.fixture
def bare(csbx, busybox_image):
    return Bare(csbx, busybox_image)


def until(what, seconds=60):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def wait_stopped(p):
    """The signal that has stopped the caller's own child, as waitpid(2) tells it."""
    seen = []

    def look():
        pid, state = os.waitpid(p.pid, os.WUNTRACED | os.WNOHANG)
        if pid:
            assert os.WIFSTOPPED(state), state
            seen.append(os.WSTOPSIG(state))
        return seen
    until(look)
    return seen[0]


def end(p):
    out, err = p.communicate("", timeout=60)
    assert p.returncode == 0, (out, err)
    return out


def status(text):
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def test_becomes_the_command(bare):
    """The child that the caller made is the command: its pid, parent, session, group and terminal."""
    p = bare.up(script="echo $$ $PPID; exec cat")
    assert p.stdout.readline().split() == [str(p.pid), str(os.getpid())]
    assert os.getsid(p.pid) == os.getsid(0) and os.getpgid(p.pid) == os.getpgid(0)
    until(lambda: Path(f"/proc/{p.pid}/comm").read_text() == "cat\n")
    end(p)


def test_stop_is_seen_and_killed_by_its_signal(bare):
    """pyxis waits for these ends: WUNTRACED sees the stop, and a death by a signal is one."""
    p = bare.popen("start", "box", "sh", "-c", "kill -STOP $$; exit 3")
    assert wait_stopped(p) == signal.SIGSTOP
    row = bare.ok("list", "-f").splitlines()[1].split()
    assert row[:2] == ["box", str(p.pid)] and row[3].startswith("T")
    os.kill(p.pid, signal.SIGCONT)
    assert p.wait(60) == 3
    p.communicate()
    for sig in (signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1):
        p = bare.up()
        os.kill(p.pid, sig)
        assert p.wait(60) == -sig
        p.communicate()


@pytest.mark.parametrize("argv,code,says", [
    (("sh", "-c", "exit 7"), 7, ""), (("no-such",), 127, "[ERROR] no-such: command not found in the image"),
    (("/etc/passwd",), 126, "[ERROR] /etc/passwd: Permission denied"),
])
def test_exit_codes(bare, argv, code, says):
    p = bare.run("start", "box", *argv)
    assert (p.returncode, p.stderr) == (code, f"{says}\n" if says else "")


@pytest.mark.parametrize("options,caps", [((), 0), (("--root",), 0x800405fb)])
def test_security_state(bare, options, caps):
    """Rows 38 and 40: start and exec alike; no descriptor of the caller's but 0, 1 and 2."""
    with open("/etc/hostname", "rb") as leaked:
        p = bare.popen("start", *options, "box", "sh", "-c", "cat /proc/self/status; ls /proc/self/fd; echo end; exec cat",
                       pass_fds=[leaked.fileno()])
        lines = []
        while lines[-1:] != ["end\n"]:
            lines.append(p.stdout.readline())
            assert lines[-1], p.communicate(timeout=60)
        joined = bare.ok("exec", p.pid, "sh", "-c", "cat /proc/self/status; ls /proc/self/fd", pass_fds=[leaked.fileno()])
    for text in ("".join(lines[:-1]), joined):
        s = status(text)
        assert s["NoNewPrivs"] == "1" and s["Seccomp"] == "2"
        assert int(s["CapBnd"], 16) == int(s["CapPrm"], 16) == int(s["CapEff"], 16) == caps
        assert int(s["CapInh"], 16) == int(s["CapAmb"], 16) == 0
        assert re.findall(r"^\d+$", text, re.M) == ["0", "1", "2", "3"], text  # 3: the listing's own
    end(p)


def test_mounts_are_locked(bare):
    """Also a root user inside cannot make what is read-only writable, nor look below."""
    script = ("touch /x && echo wrote; umount /sys && echo umounted; mount -o remount,bind,rw /sys && echo remounted; "
              "mount -o remount,bind,rw / && echo remounted; umount /etc/hosts && echo umounted; echo end")
    assert bare.run("start", "--root", "box", "sh", "-c", script).stdout == "end\n"


def test_host_processes_are_out_of_reach(bare):
    """They are seen, as under enroot, but neither traced nor looked into, though they are the same user's."""
    victim = subprocess.Popen(["sleep", "60"], **bare.csbx.identity())
    try:
        script = (f"ls -d /proc/{victim.pid}; cat /proc/{victim.pid}/environ && echo read; "
                  f"ls /proc/{victim.pid}/root/ && echo entered; readlink /proc/{victim.pid}/exe && echo seen; "
                      f"cat /proc/{victim.pid}/maps && echo mapped; readlink /proc/{victim.pid}/fd/0 && echo opened; echo end")
        for options in ((), ("--root",)):
            assert bare.run("start", *options, "box", "sh", "-c", script).stdout == f"/proc/{victim.pid}\nend\n"
    finally:
        victim.kill()
        victim.wait()


def test_interpreter_is_not_csbx(bare):
    """#!/proc/self/exe: the kernel runs the sealed csbx-init, and no path of the host's."""
    work = bare.csbx.work / "d"
    work.mkdir()
    (work / "run").write_text("#!/proc/self/exe\n")
    os.chmod(work / "run", 0o755)
    p = bare.run("start", "-m", f"{work}:/d", "box", "/d/run")
    assert p.returncode != 0 and "Usage" not in p.stdout + p.stderr, p
    running = bare.up("-m", f"{work}:/d")
    p = bare.run("exec", running.pid, "/d/run")
    assert p.returncode != 0 and "Usage" not in p.stdout + p.stderr, p
    end(running)


def test_exec_refuses_who_is_in_no_container(bare):
    """By number alone nothing is joined: neither the host's processes nor one that has taken a dead one's number."""
    stranger = subprocess.Popen(["sleep", "60"], **bare.csbx.identity())
    running = bare.up()
    for pid in (stranger.pid, os.getpid()):
        p = bare.run("exec", pid, "true")
        assert p.returncode == 1 and "is in no container of yours" in p.stderr, p
    own = subprocess.Popen(["unshare", "-Ur", "-m", "sleep", "60"], **bare.csbx.identity())
    until(lambda: Path(f"/proc/{own.pid}/comm").read_text() == "sleep\n")
    p = bare.run("exec", own.pid, "true")
    assert p.returncode == 1 and "is in no container of yours" in p.stderr, p
    # The record of a live container with another start time is not believed: its number was given away.
    record = next((bare.instances).iterdir())
    assert bare.ok("list", "-f").splitlines()[1].split()[1] == str(running.pid)
    end(running)
    p = bare.run("exec", running.pid, "true")
    assert p.returncode == 1 and p.stderr.startswith("[ERROR] "), p
    until(lambda: not record.exists())
    for q in (stranger, own):
        q.kill()
        q.wait()


# As root: a process of the user's with a given number, in user and mount namespaces of its own, nested as a container's.
TAKE_NUMBER = """
import ctypes, os, sys
pid, uid, gid = map(int, sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
number = (ctypes.c_int * 1)(pid)
args = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17, 0, 0, 0, ctypes.addressof(number), 1, 0)
child = libc.syscall(435, args, ctypes.sizeof(args))  # clone3(2)
if child < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
if child:
    os.waitpid(child, 0)
    os._exit(0)
os.setgroups([]); os.setresgid(gid, gid, gid); os.setresuid(uid, uid, uid)
libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: its maps are its own to write
libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
for ids in ((uid, gid), (0, 0)):
    assert libc.unshare(0x10000000) == 0, ctypes.get_errno()
    open("/proc/self/setgroups", "w").write("deny")
    for name, outside in zip(("uid_map", "gid_map"), ids):
        open("/proc/self/" + name, "w").write(f"0 {outside} 1")
assert libc.unshare(0x20000) == 0, ctypes.get_errno()
os.write(1, b"there\\n")
os.read(0, 1)
os._exit(0)
"""


@pytest.mark.needs_root
@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="the number of clone3(2) there is not known here")
def test_a_number_that_was_given_away(bare):
    """The record of a container that was killed names a number that somebody else has now: it is not joined, nor listed."""
    owner = bare.csbx.owner
    running = bare.up()
    [record] = bare.instances.iterdir()
    kept = record.read_bytes()
    end(running)
    until(lambda: not record.exists())
    record.write_bytes(kept)
    os.chown(record, owner.pw_uid, owner.pw_gid)
    with open(record, "r+b") as f, subprocess.Popen(
            [sys.executable, "-c", TAKE_NUMBER, str(running.pid), str(owner.pw_uid), str(owner.pw_gid)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as other:
        fcntl.lockf(f, fcntl.LOCK_EX)  # as the process that keeps the record of a running one
        assert other.stdout.readline() == "there\n", other.communicate()
        p = bare.run("exec", running.pid, "true")
        assert p.returncode == 1 and f"process {running.pid} is in no container of yours" in p.stderr, p
        assert str(running.pid) not in bare.ok("list", "-f")
        other.communicate("\n", timeout=60)
    record.unlink(missing_ok=True)


def test_joined_process_takes_the_targets_place(bare):
    p = bare.up("-e", "FROM=start", script="cd /tmp; sleep 1000 & echo $!; exec cat")
    inside = int(p.stdout.readline())
    assert bare.ok("exec", "-e", "MORE=1", inside, "sh", "-c", "echo $FROM $MORE; pwd").split() == ["start", "1", "/tmp"]
    assert bare.run("exec", inside, "sh", "-c", "exit 9").returncode == 9
    spaces = bare.ok("exec", inside, "sh", "-c", "for n in user mnt net ipc uts pid; do ls -l /proc/self/ns/$n; done")
    mine = "".join(f"{os.readlink(f'/proc/{p.pid}/ns/{n}')}\n" for n in ("user", "mnt", "net", "ipc", "uts", "pid"))
    assert re.findall(r"\w+:\[\d+\]", spaces) == mine.split()
    os.kill(inside, signal.SIGKILL)
    end(p)


def test_kept_layer_is_locked_until_its_last_process(bare):
    """-w: one start at a time, though the main process may be gone and something else still lives in the layer."""
    p = bare.up("-w", script="echo kept > /f; sleep 1000 & echo $!; exec cat")
    left_behind = int(p.stdout.readline())
    refused = bare.run("start", "-w", "box", "true")
    assert refused.returncode == 1 and "in use" in refused.stderr, refused
    p.stdin.write("")
    p.stdin.close()
    p.stdin = None
    assert p.wait(60) == 0
    refused = bare.run("start", "-w", "box", "true")
    assert refused.returncode == 1 and "in use" in refused.stderr, refused
    os.kill(left_behind, signal.SIGKILL)
    p.communicate()
    again = []

    def free():  # the lock goes after the last mount of the layer, a moment after its last process
        again.append(bare.run("start", "-w", "box", "cat", "/f"))
        return "in use" not in again[-1].stderr
    until(free)
    assert (again[-1].returncode, again[-1].stdout) == (0, "kept\n"), again[-1]
    layers = list(Path(bare.env.get("CSBX_LAYER_PATH") or Path(bare.env["CSBX_DATA_PATH"]) / "layers").glob("*/lock"))
    assert layers
    until(lambda: not os.path.lexists(layers[0].parent / "dirty"))
    assert bare.ok("start", "box", "cat", "/f") == "kept\n"


def stat_of(pid):
    """Name, parent and CPU time in ticks of a process; None if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name, int(rest[1]), int(rest[11]) + int(rest[12])


def keeper_of(bare):
    """The keeper of the one image server that there is."""
    [sock] = (Path(bare.env["CSBX_RUNTIME_PATH"]) / "servers").iterdir()
    server = json.loads(bare.csbx.ok("status", sock.name, program="squashd_probe"))["pid"]
    [keeper] = [pid for pid in filter(str.isdigit, os.listdir("/proc"))
                if (stat_of(pid) or ("", 0))[:2] == ("csbx-keeper", server)]
    return keeper


def test_what_outlives_its_main_process_costs_nothing(bare):
    """Its keeper sleeps until the last process is gone, and is told of the main one's end once."""
    p = bare.up(script="sleep 1000 & echo $!; exec cat")
    left_behind = int(p.stdout.readline())
    keeper = keeper_of(bare)
    p.stdin.close()
    p.stdin = None
    assert p.wait(60) == 0
    until(lambda: not list(bare.instances.iterdir()))
    before = stat_of(keeper)[2]
    time.sleep(1)
    assert stat_of(keeper)[2] - before < os.sysconf("SC_CLK_TCK") // 10
    os.kill(left_behind, signal.SIGKILL)
    p.communicate()


def test_many_at_once(bare):
    """Row 29: no lock is shared, and nothing is left."""
    many = [bare.popen("start", "box", "sh", "-c", "echo $$", stdin=subprocess.DEVNULL) for _ in range(24)]
    for p in many:
        assert p.communicate(timeout=120)[0] == f"{p.pid}\n" and p.returncode == 0
    instances = bare.instances
    until(lambda: not list(instances.iterdir()))


def test_exec_waits_for_a_start(bare):
    """An exec by the number of a start whose hooks still run is served when it is inside; until then no list shows it."""
    go = bare.csbx.work / "go"
    conf = bare.csbx.work / "conf"
    conf.write_text(f"hooks() {{ echo >'{go}.hooks'; until [ -e '{go}' ]; do sleep 0.02; done; }}\n")
    p = bare.popen("start", "--conf", conf, "box", "sh", "-c", "echo up; exec cat")
    until(Path(f"{go}.hooks").exists)  # its record is written by then
    assert any(bare.instances.iterdir())
    assert not re.search(rf"^box +{p.pid} ", bare.ok("list", "-f"), re.M)
    joins = [bare.popen("exec", p.pid, "echo", "joined", stdin=subprocess.DEVNULL) for _ in range(6)]
    waits = set()  # those that have been seen asleep between two looks: rarely all at one moment

    def all_wait():
        ended = [(j.returncode, j.stderr.read()) for j in joins if j.poll() is not None]
        assert not ended
        waits.update(j for j in joins if "poll" in Path(f"/proc/{j.pid}/wchan").read_text())
        return len(waits) == len(joins)

    until(all_wait)
    assert all(j.poll() is None for j in joins)
    go.touch()
    for j in joins:
        assert (*j.communicate(timeout=60), j.returncode) == ("joined\n", "", 0)
    assert p.stdout.readline() == "up\n"
    end(p)


def test_faked_ids(bare):
    """Row 36: in a map of one id chown and setuid say that they did it, for root inside only."""
    script = "touch /tmp/f && chown 5:6 /tmp/f && echo done; stat -c %u:%g /tmp/f"
    assert bare.ok("start", "--root", "box", "sh", "-c", script) == "done\n0:0\n"
    assert "done" not in bare.run("start", "box", "sh", "-c", script).stdout


def test_limits_bring_a_supervisor(bare):
    """A limit needs a process that holds it: the command is then not the caller's child."""
    out = bare.ok("start", "box", "sh", "-c", "echo $$", env={"CSBX_TIMEOUT": "60"})
    assert out == "1\n" or int(out) < 10
    assert bare.run("start", "box", "sleep", "1000", env={"CSBX_TIMEOUT": "1"}).returncode == 124


def test_with_pid_the_supervisor_stops_too(bare):
    """--pid: processes of its own; a stop is passed on to the process that waits, and SIGCONT back."""
    p = bare.popen("start", "--pid", "box", "sh", "-c", "ls /proc | grep -c '^[0-9]'; kill -STOP $$; exit 4")
    wait_stopped(p)
    os.kill(p.pid, signal.SIGCONT)
    assert p.wait(60) == 4
    assert int(p.communicate()[0]) < 10


def test_inherits_what_any_program_does(bare):
    """ulimit, umask, ignored signals."""
    def set_up():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        ctypes.CDLL(None).umask(0o27)
    kw = bare.csbx.identity()
    p = subprocess.Popen(["sh", "-c", "ulimit -n 333; exec enroot start box sh -c 'ulimit -n; umask; grep SigIgn /proc/self/status'"],
                         env=bare.env, cwd=bare.csbx.work, stdout=subprocess.PIPE, encoding="utf-8", preexec_fn=set_up,
                         restore_signals=False, **kw)
    files, mask, ignored = p.communicate(timeout=60)[0].splitlines()
    assert (files, mask) == ("333", "0027") and int(ignored.split()[1], 16) & 1
