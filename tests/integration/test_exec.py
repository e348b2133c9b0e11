# SPDX-License-Identifier: Apache-2.0
"""csbx exec: one process more in a container that runs."""
import base64
import json
import os
import resource
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import harness
import rawexec

pytestmark = pytest.mark.feature("userns")

SLEEP = ("sh", "-c", "echo up; while :; do sleep 1000; done")


def cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Running:
    """A container that runs in the background of a test."""

    def __init__(self, csbx, name, *options, command=SLEEP, env=None):
        self.csbx = csbx
        self.p = csbx.popen("start", *options, name, *command, env=env)
        assert self.p.stdout.readline() == b"up\n", self.p.stderr.read()

    def stop(self):
        self.p.send_signal(signal.SIGKILL)
        return self.end()

    def end(self):
        code = self.p.wait(timeout=20)
        self.p.stdout.close()
        self.p.stderr.close()
        return code


@pytest.fixture
def start(csbx, busybox_image):
    made = []

    def start(*options, image=busybox_image, name="box", **kw):
        if not made:
            csbx.ok("create", "-f", "--name", name, image)
        made.append(Running(csbx, name, *options, **kw))
        return made[-1]
    yield start
    for r in made:
        if r.p.returncode is None:
            r.stop()
    csbx.ok("gc")


@pytest.fixture
def box(csbx, start):
    """csbx with `box` running."""
    start()
    return csbx


@pytest.mark.both_users
def test_exit_codes_and_streams(box):
    assert box.ok("exec", "box", "echo", "a b") == "a b\n"
    p = box.run("exec", "box", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (p.returncode, p.stdout, p.stderr) == (7, "out\n", "err\n")
    assert box.run("exec", "box", "sh", "-c", "kill -SEGV $$").returncode == 139
    assert "not found" in box.fails("exec", "box", "no-such-program", code=127)
    assert "Permission denied" in box.fails("exec", "box", "/etc/passwd", code=126)


def test_stdin_and_its_end(box):
    data = bytes(range(256)) * 4096
    p = box.run("exec", "box", "sh", "-c", "cat; echo end >&2", stdin=data, text=False)
    assert p.stdout == data and p.stderr == b"end\n"
    assert box.ok("exec", "--interactive=no", "box", "cat", stdin="never") == ""


PROTECTIONS = """for n in user mnt pid net ipc uts cgroup; do readlink /proc/self/ns/$n; done
grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid|Gid|Groups)' /proc/self/status
cat /proc/self/limits /proc/self/oom_score_adj /proc/self/mountinfo; ls -l /proc/self/fd | wc -l; pwd; umask"""


@pytest.mark.both_users
def test_it_is_as_protected_as_the_main_process(csbx, start):
    start("--ulimit", "nofile=100:200", "--cap-drop", "CHOWN", "--pids-limit", "50",
          command=("sh", "-c", f"({PROTECTIONS}) >/tmp/main; echo up; sleep 1000"))
    main = csbx.ok("exec", "box", "cat", "/tmp/main")
    assert csbx.ok("exec", "box", "sh", "-c", PROTECTIONS) == main
    assert "nofile" not in main and "CapEff" in main


@pytest.mark.parametrize("limit, line", [("nofile=4:4", "files 4 4"), ("nofile=7:7", "files 7 7")])
def test_a_limit_leaves_room_for_what_csbx_passes(csbx, start, limit, line):
    start("--ulimit", limit)
    for options in ((), ("-w", "/")):
        seen = csbx.ok("exec", *options, "box", "sh", "-c", "cat /proc/self/limits -", stdin="input\n")
        assert line in " ".join(seen.split()) and seen.endswith("input\n")


def test_system_calls_are_filtered(csbx, start, python_image):
    start(image=python_image)
    script = "import ctypes, os; l = ctypes.CDLL(None, use_errno=True); r = l.syscall(%d, 0); print(r, ctypes.get_errno())"
    out = csbx.ok("exec", "box", "python3", "-c", script % 272)  # unshare(0)
    assert out == "-1 1\n" or out == "0 0\n"
    assert csbx.ok("exec", "box", "python3", "-c", script % 321) == "-1 1\n"  # bpf


def test_environment_and_directory(csbx, start):
    start("--env", "A=main", "--workdir", "/srv")
    env = dict(x.split("=", 1) for x in csbx.ok("exec", "box", "env").splitlines())
    assert env["A"] == "main" and env["HOME"] == "/root" and "TERM" not in env
    out = csbx.ok("exec", "-e", "A=other", "--env", "B", "-w", "/tmp", "box", "sh", "-c", "echo $A $B; pwd",
                  env={"B": "host", "CSBX_WORKDIR": "/no", "CSBX_ENV": "A=no"})
    assert out == "other host\n/tmp\n"
    assert csbx.ok("exec", "box", "pwd") == "/srv\n"
    csbx.fails("exec", "-w", "tmp", "box", "true", says="absolute")
    assert "/no/where" in csbx.fails("exec", "-w", "/no/where", "box", "true")


def test_user_by_name_and_number(csbx, start):
    start("--userns", "subuid", "-w")
    csbx.ok("exec", "box", "sh", "-c", "echo new:x:1234:1001::/home/new:/bin/sh >>/etc/passwd; "
            "echo more:x:77:new >>/etc/group; chmod 700 /root")
    assert csbx.ok("exec", "-u", "new", "box", "sh", "-c", "id -u; id -g; id -G; echo $HOME") == \
        "1234\n1001\n1001 77\n/home/new\n"
    assert csbx.ok("exec", "-u", "5:6", "box", "sh", "-c", "id -u; id -g") == "5\n6\n"
    caps = csbx.ok("exec", "-u", "new", "box", "grep", "-E", "Cap(Prm|Eff|Amb)", "/proc/self/status")
    assert {x.split()[1] for x in caps.splitlines()} == {"0" * 16}
    # As docker: the container's directory, though the user could not have entered it.
    assert csbx.ok("exec", "-u", "new", "-w", "/root", "box", "pwd") == "/root\n"
    csbx.fails("exec", "-u", "nobody-here", "box", "true", says="nobody-here")


def test_a_container_of_one_id_has_no_other_users(csbx, start):
    start("--userns", "one")
    err = csbx.fails("exec", "-u", "1000", "box", "true", code=126, says="no such id")
    assert "subuid" in err
    assert csbx.ok("exec", "-u", "0", "box", "id", "-u") == "0\n"


def test_passwd_that_is_a_trap(csbx, start):
    """The container's files are read as hostile input: no links out, no waiting, no megabytes."""
    start("--userns", "subuid")
    for trap in ("ln -s /proc/1/environ /etc/passwd", "mkfifo /etc/passwd", "mkdir /etc/passwd",
                 "dd if=/dev/zero of=/etc/passwd bs=1M count=3 2>/dev/null"):
        csbx.ok("exec", "box", "sh", "-c", f"rm -rf /etc/passwd; {trap}")
        csbx.fails("exec", "-u", "root", "box", "true", says="root", timeout=10)
        out = csbx.ok("exec", "-u", "1000", "box", "grep", "^Uid", "/proc/self/status", timeout=10)
        assert out.split()[1] == "1000"


# --- life and death -------------------------------------------------------------------------------

def pids_of(csbx, word):
    """The number of processes of the container that have the word in their command line."""
    out = csbx.ok("exec", "box", "ps", "-o", "args")
    return sum(word in line and "ps " not in line for line in out.splitlines())


def wait_until(what, seconds=10):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_it_dies_with_its_client(box):
    p = box.popen("exec", "box", "sh", "-c", "echo up; sleep 4711 | cat")
    assert p.stdout.readline() == b"up\n"
    p.kill()
    p.wait()
    p.stdout.close()
    p.stderr.close()
    wait_until(lambda: pids_of(box, "4711") == 0)


def test_it_dies_with_a_client_that_leaves_at_once(csbx, start):
    """It leads no process group yet when it is to be killed with its group."""
    start(command=("sh", "-c", "echo up; exec sleep 4711"))
    csbx.ok("exec", "box", "true")
    (name,) = [x for x in harness.list_tree(csbx.dirs["run"] / "instances") if x.endswith(".sock")]
    source = Path(rawexec.__file__).read_bytes()
    subprocess.run([sys.executable, "-", csbx.dirs["run"] / "instances" / name, "50"], input=source, check=True,
                   timeout=60, cwd="/", **csbx.identity())
    wait_until(lambda: pids_of(csbx, "4711") == 1)


def test_detached_it_stays(box):
    assert box.ok("exec", "-d", "box", "sh", "-c", "sleep 4711") == ""
    assert pids_of(box, "4711") == 1
    assert "not found" in box.fails("exec", "-d", "box", "no-such-program", code=127)


def test_it_dies_with_its_container(box):
    p = box.popen("exec", "box", "sh", "-c", "echo up; sleep 1000 & sleep 1000")
    assert p.stdout.readline() == b"up\n"
    box.run("exec", "box", "sh", "-c", "kill -9 -1")
    code = p.wait(timeout=10)
    err = p.stderr.read().decode()
    p.stdout.close()
    p.stderr.close()
    assert code == 137, err


def test_background_output_is_not_waited_for_long(box):
    begin = time.monotonic()
    out = box.ok("exec", "box", "sh", "-c", "(sleep 30; echo late) & echo early")
    assert out == "early\n"
    assert time.monotonic() - begin < 8


def test_signals_reach_it(box):
    p = box.popen("exec", "box", "sh", "-c", "trap 'echo got; exit 9' USR1; echo up; while :; do sleep 0.1; done")
    assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGUSR1)
    assert p.communicate(timeout=20)[0] == b"got\n" and p.returncode == 9


def test_timeout(box):
    assert box.run("exec", "--timeout", "300ms", "box", "sleep", "1000").returncode == 124
    p = box.run("exec", "--timeout", "300ms", "--kill-after", "200ms", "--json", "box", "sh", "-c",
                "trap '' TERM; echo partial; while :; do sleep 0.1; done")
    r = json.loads(p.stdout)
    assert p.returncode == 124 and r["status"] == "timeout" and r["timed_out"] and r["stdout"] == "partial\n"
    assert pids_of(box, "partial") == 0


def test_result_and_output_limits(box):
    r = json.loads(box.ok("exec", "--json", "box", "sh", "-c", "printf '\\377'; echo err >&2"))
    assert r["status"] == "exited" and r["encoding"] == "base64" and r["argv"][0] == "sh"
    assert base64.b64decode(r["stdout"]) == b"\xff" and base64.b64decode(r["stderr"]) == b"err\n"
    p = box.run("exec", "--json", "--max-output-kill", "64k", "box", "yes")
    r = json.loads(p.stdout)
    assert p.returncode == 137 and r["status"] == "output_limit" and r["stdout_bytes"] == 65536
    r = json.loads(box.ok("exec", "--json", "--max-output", "1k", "box", "seq", "100000"))
    assert r["truncated"]["stdout"] and len(r["stdout"]) <= 1100
    r = json.loads(box.run("exec", "--json", "box", "no-such-program").stdout)
    assert r["status"] == "launch_error" and r["error"]["code"] == "command_not_found"


def test_many_at_once(box):
    many = [box.popen("exec", "box", "sh", "-c", f"cat; exit {i % 100}", stdin=subprocess.PIPE) for i in range(200)]
    for i, p in enumerate(many):
        out, err = p.communicate(str(i).encode(), timeout=60)
        assert (p.returncode, out, err) == (i % 100, str(i).encode(), b"")


def test_many_at_once_with_few_descriptors(csbx, busybox_image):
    """A client that finds the supervisor full waits; execs that were left running are not in the way."""
    csbx.ok("create", "--name", "small", busybox_image)
    p = subprocess.Popen(["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *csbx.argv(["start", "small", *SLEEP])],
                         env=csbx.env, cwd=csbx.work, stdout=subprocess.PIPE, **csbx.identity())
    assert p.stdout.readline() == b"up\n"
    for options in ((), ("-d",)):
        many = [csbx.popen("exec", *options, "small", "sleep", "0.3") for _ in range(150)]
        for q in many:
            out, err = q.communicate(timeout=60)
            assert (q.returncode, out, err) == (0, b"", b"")
    csbx.ok("kill", "small")
    assert p.wait(timeout=20) == 137
    p.stdout.close()


def test_without_a_descriptor_for_a_while(csbx, busybox_image):
    """No client can hang up and make room here: the supervisor listens again when there are descriptors again."""
    csbx.ok("create", "--name", "small", busybox_image)
    p = csbx.popen("start", "small", *SLEEP)
    assert p.stdout.readline() == b"up\n"
    csbx.ok("exec", "small", "true")
    limit = resource.prlimit(p.pid, resource.RLIMIT_NOFILE)
    used = {int(x) for x in os.listdir(f"/proc/{p.pid}/fd")}
    first_free = next(n for n in range(1000) if n not in used)
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (first_free, limit[1]))
    q = csbx.popen("exec", "small", "echo", "well")
    before = cpu_ticks(p.pid)
    with pytest.raises(subprocess.TimeoutExpired):
        q.wait(timeout=1)
    assert cpu_ticks(p.pid) - before < 50, "it spins"
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, limit)
    out, err = q.communicate(timeout=60)
    assert (q.returncode, out, err) == (0, b"well\n", b"")
    csbx.ok("kill", "small")
    assert p.wait(timeout=20) == 137
    p.stdout.close()
    p.stderr.close()


def test_a_client_that_does_not_read_stops_nobody(box):
    p = box.popen("exec", "box", "yes")
    assert p.stdout.read(2) == b"y\n"
    for _ in range(5):
        assert box.ok("exec", "box", "echo", "well", timeout=10) == "well\n"
    p.stdout.close()
    assert p.wait(timeout=10) == 141 or p.returncode == 1
    p.stderr.close()


# --- which container ------------------------------------------------------------------------------

def test_which_container(csbx, start):
    csbx.fails("exec", "nothing", "true", says="not running")
    start()
    (first,) = [x["id"] for x in json.loads(csbx.ok("list", "--json"))["instances"]]
    start()
    err = csbx.fails("exec", "box", "true", says="2 instances run")
    assert first in err
    assert csbx.ok("exec", first, "echo", "by id") == "by id\n"
    assert csbx.ok("exec", first[:6], "echo", "by its beginning") == "by its beginning\n"


def test_a_stopped_supervisor_is_told(csbx, start):
    r = start()
    r.p.send_signal(signal.SIGSTOP)
    try:
        csbx.fails("exec", "box", "true", says="does not answer", timeout=30)
    finally:
        r.p.send_signal(signal.SIGCONT)
    assert csbx.ok("exec", "box", "echo", "again") == "again\n"


def test_nothing_is_left_of_a_killed_supervisor(csbx, start):
    r = start()
    csbx.ok("exec", "box", "true")
    sockets = [x for x in harness.list_tree(csbx.dirs["run"] / "instances") if x.endswith(".sock")]
    assert len(sockets) == 1
    r.stop()
    csbx.ok("gc")
    assert harness.list_tree(csbx.dirs["run"] / "instances") == []
    csbx.fails("exec", "box", "true", says="not running")


@pytest.mark.needs_root
def test_another_user_gets_nothing(csbx, start):
    """Not even who finds the socket: the directory is closed, and the peer's id is compared."""
    start()
    csbx.ok("exec", "box", "true")
    env = {**csbx.env, "HOME": "/nonexistent"}
    p = subprocess.run(csbx.argv(["exec", "box", "true"]), env=env, user="csbx-test2", capture_output=True, check=False)
    assert p.returncode == 125 and p.stdout == b""


# --- terminals ------------------------------------------------------------------------------------

@pytest.mark.both_users
def test_terminal(box, terminal):
    t = terminal(*box.argv(["exec", "box", "sh"]), rows=33, columns=77)
    t.expect("# ")
    t.send("stty size; tty; test -t 2 && echo err''-tty\n")
    t.expect("33 77")
    t.expect("/dev/pts/")
    t.expect("err-tty")
    t.resize(41, 90)
    t.send("sh -c 'echo rea''dy; exec cat'\n")
    t.expect("ready")
    t.send("\x03")
    t.expect("# ")
    t.send("stty size\n")
    t.expect("41 90")
    t.send("sh -c 'echo slee''ping; exec sleep 1000'\n")
    t.expect("sleeping")
    t.send("\x1a")
    t.expect("Stopped")
    t.send("kill -9 %1; wait; echo left $?\n")
    t.expect(r"left \d+")
    t.send("sh -c 'echo rea''dy; exec cat'\n")
    t.expect("ready")
    t.send("\x03")
    t.expect("# ")
    t.send("exit 5\n")
    assert t.wait() == 5
    assert termios.tcgetattr(t.slave) == t.modes


def test_terminal_of_another_user(csbx, start, terminal):
    start("--userns", "subuid")
    t = terminal(*csbx.argv(["exec", "-u", "1000", "box", "sh", "-c", "stat -c %u $(tty); echo x >/dev/tty"]))
    t.expect("1000\r\nx\r\n")
    assert t.wait() == 0


def test_no_terminal_when_not_asked_for(csbx, start, terminal):
    start()
    t = terminal(*csbx.argv(["exec", "--tty=no", "box", "sh", "-c", "tty; test -t 1 || echo none"]))
    t.expect("none")
    assert t.wait() == 0


def test_at_the_limit_of_processes(csbx, start):
    """If the watchdog counts the processes, csbx refuses one more; it would be the end of all."""
    csbx.env["CSBX_CGROUP_PARENT"] = "none"
    start("--pids-limit", "3", "--userns", "subuid",
          command=("sh", "-c", "sleep 1000 & one=$!; sleep 1000 & trap 'kill $one' USR1; echo up; wait; wait"))
    said = csbx.fails("exec", "box", "true", says="--pids-limit")
    assert "Resource temporarily unavailable" in said
    csbx.ok("kill", "-s", "USR1", "box")
    wait_until(lambda: csbx.run("exec", "box", "true").returncode == 0)


def test_memory_of_the_container(csbx, start):
    """All of it is killed for memory, and so says the result of what exec started in it."""
    start("--memory", "50m", command=("sh", "-c", "echo up; while ! [ -e /tmp/go ]; do sleep 0.05; done; "
                                      "dd if=/dev/zero of=/dev/null bs=300M count=100"))
    p = csbx.popen("exec", "--json", "box", "sh", "-c", "touch /tmp/go; sleep 1000", text=True)
    result = json.loads(p.communicate(timeout=60)[0])
    assert p.returncode == 137 and result["status"] == "oom" and result["oom_killed"], result
    assert result["signal"] == 9 and result["exit_code"] is None and result["detected"] in ("tick", "event"), result


def test_what_stays_is_found_by_its_name_alone(csbx, busybox_image):
    """An exec into one of many reads none of the others' files. A list would remove the dead one among them."""
    csbx.ok("run", "--keep", "-d", "--name", "stays", busybox_image, "sleep", "600")
    dead = Path(csbx.env["CSBX_RUNTIME_PATH"]) / "instances" / "0123456789ab"
    dead.touch(mode=0o600)
    try:
        assert csbx.ok("exec", "stays", "echo", "hi") == "hi\n"
        assert dead.exists()
        csbx.ok("list")
        assert not dead.exists()
    finally:
        csbx.run("remove", "-f", "stays")
