# SPDX-License-Identifier: Apache-2.0
"""start -d and run -d, and what reaches them: logs, stop, kill, wait."""
import json
import os
import signal
import subprocess
import time

import pytest

import harness

pytestmark = pytest.mark.feature("userns")

LOOP = "while :; do sleep 0.05; done"


@pytest.fixture
def box(csbx, busybox_image):
    """csbx with a container `box`; detached starts end with the test."""
    csbx.ok("create", "-n", "box", busybox_image)
    csbx.env["CSBX_TIMEOUT"] = "60"
    yield csbx
    for run in json.loads(csbx.ok("list", "--json"))["instances"]:
        csbx.run("kill", run["id"])
    csbx.ok("remove", "-f", "box")
    csbx.ok("gc")


def start(csbx, script, *options):
    out = csbx.ok("start", "-d", *options, "box", "sh", "-c", script)
    assert len(out) == 13
    return out.strip()


def wait_for_log(csbx, run, text):
    end = time.monotonic() + 20
    while text not in csbx.ok("logs", run):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.both_users
def test_start_logs_wait(box):
    run = start(box, "echo out; echo err >&2; exit 7")
    assert box.ok("wait", run) == "7\n"
    p = box.run("logs", run)
    assert (p.stdout, p.stderr) == ("out\n", "err\n")
    assert box.ok("wait", "box") == "7\n"
    assert box.ok("logs", "-t", run, "-f").split()[1] == "out"
    assert json.loads(read_result(box, run))["exit_code"] == 7


@pytest.mark.parametrize("script", ["echo said", "sleep 0.02; echo said", "sleep 0.05; echo >&2 said"])
def test_logs_of_a_name_with_its_kept_layer(box, script):
    """Start after start: of the last one, whole once it has ended, and never less than it was."""
    for i in range(6):
        box.ok("start", "-w", "-d", "box", "sh", "-c", f"{script} {i}")
        before = ""
        for _ in range(3):
            p = box.run("logs", "box")
            assert p.returncode == 0 and p.stdout + p.stderr in ("", f"said {i}\n") and len(p.stdout + p.stderr) >= len(before), p
            before = p.stdout + p.stderr
        box.ok("wait", "box")
        p = box.run("logs", "box")
        assert p.stdout + p.stderr == f"said {i}\n"


def test_it_has_no_terminal_and_survives_its_session(box):
    script = f"echo {LOOP!r} >/dev/null; tty; cat; echo eof; {LOOP}"
    p = subprocess.run(["setsid", "-w", *box.argv(["start", "-d", "box", "sh", "-c", script])], env=box.env,
                       capture_output=True, check=True, **box.identity())
    run = p.stdout.decode().strip()
    wait_for_log(box, run, "eof")
    assert box.ok("logs", run) == "not a tty\neof\n"
    assert [x["id"] for x in json.loads(box.ok("list", "--json"))["instances"]] == [run]
    box.ok("kill", run)


def test_what_fails_before_it_runs_is_told(box):
    assert "not found" in box.fails("start", "-d", "box", "no-such-program", code=127)
    assert "nowhere" in box.fails("start", "-d", "--mount", "/nowhere:/x", "box", "true")
    box.fails("start", "-d", "--json", "box", "true", says="--json")
    box.fails("start", "-d", "--tty", "box", "true", says="--tty")
    assert not (box.dirs["data"] / "runs").exists() or not os.listdir(box.dirs["data"] / "runs")


def test_stop_lets_it_finish(box):
    run = start(box, f"trap 'echo bye; exit 3' TERM; echo up; {LOOP}")
    wait_for_log(box, run, "up")
    box.ok("stop", "box")
    assert box.ok("wait", run) == "3\n"
    assert box.ok("logs", run) == "up\nbye\n"
    box.fails("stop", run, says="not running")


def test_stop_does_not_wait_for_who_does_not_listen(box):
    run = start(box, "exec sleep 1000")
    begin = time.monotonic()
    box.ok("stop", run)
    assert time.monotonic() - begin < 3
    assert box.ok("wait", run) == "143\n"


def test_stop_kills_after_its_time(box):
    run = start(box, f"trap '' TERM; echo up; {LOOP}")
    wait_for_log(box, run, "up")
    box.ok("stop", "-t", "200ms", run)
    assert box.ok("wait", run) == "137\n"
    result = json.loads(read_result(box, run))
    assert result["status"] == "killed" and result["signal"] == 9


def read_result(csbx, run):
    return subprocess.run(["cat", csbx.dirs["data"] / "runs" / run / "result"], capture_output=True, check=True,
                          **csbx.identity()).stdout


def test_kill(box):
    run = start(box, f"trap 'echo usr1' USR1; echo up; setsid sleep 1000 & {LOOP}")
    wait_for_log(box, run, "up")
    box.ok("kill", "-s", "SIGUSR1", run)
    wait_for_log(box, run, "usr1")
    box.ok("kill", "box")
    assert box.ok("wait", run) == "137\n"
    box.fails("kill", "-s", "NOSUCH", "box", says="no such signal")


def test_a_stopped_main_process_is_stopped_all_the_same(box):
    run = start(box, "echo up; kill -STOP $$; echo on")
    wait_for_log(box, run, "up")
    box.ok("stop", "-t", "2s", run)
    assert box.ok("wait", run) in ("143\n", "137\n")


def test_an_attached_start_is_stopped_too(box):
    p = box.popen("start", "box", "sh", "-c", f"echo up; {LOOP}")
    assert p.stdout.readline() == b"up\n"
    box.ok("kill", "box")
    assert p.communicate(timeout=20)[0] == b"" and p.returncode == 137


def test_limits_and_a_result_file(box):
    file = box.work / "r.json"
    file.touch()
    file.chmod(0o666)
    run = start(box, LOOP, "--timeout", "300ms", f"--json={file}")
    assert box.ok("wait", run) == "124\n"
    r = json.loads(file.read_text())
    assert r["status"] == "timeout" and r["id"] == run


def test_a_log_has_an_end(box):
    """Output without end neither fills the disk nor holds up the writer."""
    run = start(box, "dd if=/dev/zero bs=1M count=48 2>/dev/null | tr '\\0' x; echo; echo last")
    assert box.ok("wait", run) == "0\n"
    out = box.ok("logs", run)
    assert out.endswith("x\nlast\n") and 8 << 20 <= len(out) <= 16 << 20
    sizes = subprocess.run(["du", "-sb", box.dirs["data"] / "runs" / run], capture_output=True, check=True,
                           **box.identity()).stdout
    assert int(sizes.split()[0]) < 18 << 20


def test_following_sees_everything(box):
    run = start(box, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; printf '\\377\\000'")
    p = box.run("logs", "-f", run, text=False)
    assert p.stdout == b"".join(b"line %d\n" % i for i in range(1, 3001)) + b"\xff\0"


def test_a_killed_supervisor(box):
    run = start(box, f"echo up; {LOOP}")
    wait_for_log(box, run, "up")
    (pid,) = [x["supervisor_pid"] for x in json.loads(box.ok("list", "--json"))["instances"]]
    os.kill(pid, signal.SIGKILL)
    box.fails("wait", run, says="killed")
    assert box.ok("logs", run) == "up\n"
    assert harness.wait_for_no_process(box.known) == {}
    box.ok("gc")


def test_removal_takes_the_runs_along(box):
    ended, other = start(box, "true"), start(box, "true", "--hostname", "x")
    assert box.ok("wait", ended, other) == "0\n0\n"
    running = start(box, LOOP)
    box.fails("remove", "-f", "box", says="in use")
    box.ok("kill", running)
    box.ok("remove", "-f", "box")
    box.fails("logs", ended, says="no detached start")
    box.fails("wait", "box", says="no detached start")


@pytest.mark.parametrize("verb", ["stop", "kill", "logs", "wait"])
def test_who_is_not_there(csbx, verb):
    csbx.fails(verb, "nobody")


def test_many(box):
    runs = [start(box, f"echo {i}; exit {i}") for i in range(20)]
    assert box.ok("wait", *runs) == "".join(f"{i}\n" for i in range(20))
    assert [box.ok("logs", r) for r in runs] == [f"{i}\n" for i in range(20)]


def test_gc_removes_a_run_that_never_began(csbx):
    runs = csbx.dirs["data"] / "runs"
    subprocess.run(["mkdir", "-m", "700", runs, runs / ("ab" * 6)], check=True, **csbx.identity())
    assert "run " in csbx.ok("gc", "--dry-run")
    csbx.ok("gc")
    assert not harness.list_tree(runs)


def test_a_name_goes_before_the_beginning_of_an_id(box, busybox_image):
    first = start(box, f"echo first; {LOOP}")
    name = first[:6]
    box.ok("create", "-n", name, busybox_image)
    second = box.ok("start", "-d", name, "sh", "-c", f"echo second; {LOOP}").strip()
    wait_for_log(box, second, "second")
    assert box.ok("logs", name) == "second\n"
    assert box.ok("exec", name, "hostname").strip() == name
    box.ok("kill", name, first)
    assert box.ok("wait", name) == "137\n"
    box.ok("remove", "-f", name)


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return f.read().rsplit(") ", 1)[1].split()[0]


def test_asked_while_it_ends(box):
    """Requests to a supervisor whose container has just ended must not end it: its result comes."""
    run = start(box, LOOP)
    one = json.loads(box.ok("inspect", run))["instances"][0]
    supervisor = one["supervisor_pid"]
    os.kill(supervisor, signal.SIGSTOP)
    os.kill(one["init_pid"], signal.SIGKILL)
    while state_of(one["init_pid"]) != "Z":
        time.sleep(0.01)
    for _ in range(500):  # they queue: it reads one each time round
        os.kill(supervisor, 40)  # EXEC_WAKE_SIGNAL
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(supervisor, number)
    os.kill(supervisor, signal.SIGCONT)
    p = box.run("wait", run)
    assert (p.returncode, p.stdout, p.stderr) == (0, "125\n", "")
    assert json.loads(read_result(box, run))["status"] == "sandbox_error"


def test_removal_takes_a_run_that_is_writing_its_result(box):
    """The supervisor lets go of the container first and then writes the result of the run."""
    late = "inject=renameat,renameat2:delay_enter=250ms"
    slowly = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=renameat,renameat2", "-e", late]
    begun = subprocess.Popen([*slowly, *box.argv(["start", "-d", "--userns", "one", "box", "sh", "-c", LOOP])], env=box.env, cwd=box.work,
                             stdout=subprocess.PIPE, text=True, **box.identity())
    running = begun.stdout.readline().strip()
    box.ok("kill", running)
    box.ok("remove", "-f", "box")
    box.fails("wait", "box", says="no detached start")
    begun.communicate(timeout=20)


def test_removal_right_behind_a_kill(box):
    """A kill is done when the container counts as unused, and not as soon as its supervisor hangs up."""
    late = "inject=unlinkat:delay_enter=200ms"
    slowly = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=unlinkat", "-e", late]
    begun = subprocess.Popen([*slowly, *box.argv(["start", "-d", "--userns", "one", "box", "sh", "-c", LOOP])], env=box.env, cwd=box.work,
                             stdout=subprocess.PIPE, text=True, **box.identity())
    running = begun.stdout.readline().strip()
    box.ok("kill", running)
    box.ok("remove", "-f", "box")
    begun.communicate(timeout=20)
