# SPDX-License-Identifier: Apache-2.0
"""Containers that stay: create --keep, start, stop, restart, pause, rename, ps, remove."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import harness
import images

pytestmark = pytest.mark.feature("userns")

SLOW_S = 30
LOOP = "while :; do sleep 0.05; done"


@pytest.fixture
def box(csbx, busybox_image):
    """csbx whose containers all go with the test."""
    csbx.image = str(busybox_image)
    csbx.env["CSBX_TIMEOUT"] = "120"
    yield csbx
    for row in ps(csbx):
        csbx.run("unpause", row["id"])
        csbx.run("remove", "-f", row["name"])
    csbx.ok("gc")


def ps(csbx, *filters):
    words = [w for f in filters for w in ("--filter", f)]
    return json.loads(csbx.ok("ps", "-a", "--json", *words))


def show(csbx, name):
    rows = [row for row in ps(csbx) if row["name"] == name]
    assert len(rows) == 1, rows
    return rows[0]


def until(wanted, what):
    end = time.monotonic() + SLOW_S
    while not (got := wanted()):
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.01)
    return got


def keep(csbx, name, script, *options):
    csbx.ok("create", "--keep", "--name", name, *options, csbx.image, "sh", "-c", script)


def run_detached(csbx, name, script, *options):
    out = csbx.ok("run", "--keep", "-d", "--name", name, *options, csbx.image, "sh", "-c", script).strip()
    assert len(out) == 12
    return out


@pytest.mark.both_users
def test_it_is_started_again_and_keeps_what_it_writes(box):
    keep(box, "box", "n=$(cat /n || echo 0); echo $((n+1)) >/n; cat /n; exit $((n+3))")
    row = show(box, "box")
    assert (row["status"], len(row["id"])) == ("created", 64)
    assert "started" not in row and box.ok("ps") .count("\n") == 1
    p = box.run("start", "box")
    assert (p.returncode, p.stdout) == (3, "1\n")
    assert box.ok("start", "-d", "box") == row["id"][:12] + "\n"
    assert box.ok("wait", "box") == "4\n"
    row = show(box, "box")
    assert (row["status"], row["exit_code"]) == ("exited", 4) and row["finished"] > row["started"]
    assert box.ok("wait", row["id"]) == "4\n" and box.ok("logs", row["id"][:12]) == "2\n"
    box.ok("start", "-d", row["id"][:6])
    assert box.ok("wait", "box") == "5\n"
    assert box.ok("logs", "box") == "2\n3\n"
    box.ok("remove", "-f", row["id"])
    assert ps(box) == []
    assert not [n for n in os.listdir(box.dirs["data"] / "layers") if not n.startswith(".")]


def test_the_options_are_its_own(box):
    keep(box, "box", "echo $A; pwd; hostname", "--env", "A=b", "--workdir", "/tmp", "--hostname", "h")
    assert box.ok("start", "box") == "b\n/tmp\nh\n"
    box.fails("start", "--env", "A=c", "box", says="own options")
    box.fails("start", "box", "true", says="own command")
    box.fails("create", "--env", "A=c", box.image, says="--keep")
    box.fails("create", box.image, "true", says="--keep")
    assert box.ok("run", "--rm", box.image, "echo", "gone after it") == "gone after it\n" and list(ps(box)) == [show(box, "box")]


def test_one_of_many_creators_wins(box):
    codes = []

    def create():
        codes.append(box.run("create", "--keep", "--name", "box", box.image, "true").returncode)
    threads = [threading.Thread(target=create) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(codes) == [0] + [125] * 15
    said = box.fails("create", "--keep", "--name", "box", box.image, "true", says="exists (csbx remove box ")
    assert "(-f" not in said, "--keep refuses it"
    assert len(ps(box)) == 1
    box.ok("start", "box")


def test_one_start_at_a_time(box):
    keep(box, "box", LOOP)
    results = []

    def start():
        results.append(box.run("start", "-d", "box"))
    threads = [threading.Thread(target=start) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(p.returncode for p in results) == [0] + [125] * 7
    assert all("running already" in p.stderr for p in results if p.returncode)
    box.ok("remove", "-f", "nothing")
    box.ok("kill", "box")
    assert box.ok("wait", "box") == "137\n"


def test_what_cannot_run_stays_created(box):
    box.ok("create", "--keep", "--name", "box", box.image, "no-such-program")
    box.fails("start", "-d", "box", code=127, says="not found")
    row = show(box, "box")
    assert (row["status"], row["exit_code"]) == ("created", 127) and "no-such-program" in row["error"]
    box.fails("start", "box", code=127)


def test_auto_remove(box):
    p = box.run("run", "--keep", "--rm", "--name", "box", box.image, "sh", "-c", "exit 5")
    assert p.returncode == 5 and ps(box) == []
    run = run_detached(box, "box", "read x </never; " + LOOP, "--rm")
    with subprocess.Popen(box.argv(["wait", run]), env=box.env, stdout=subprocess.PIPE, text=True,
                          **box.identity()) as waiting:
        box.ok("stop", "box")
        assert waiting.communicate(timeout=SLOW_S)[0] == "143\n"
    assert ps(box) == []
    box.fails("run", "--keep", "--rm", "--name", "box", box.image, "no-such-program", code=127)
    assert ps(box) == []
    assert not [n for n in os.listdir(box.dirs["data"] / "layers") if not n.startswith(".")]


# --- stop -------------------------------------------------------------------------------------------

def test_a_first_process_does_not_hear_what_it_does_not_catch(box):
    """With --init=no, as docker's pid 1: no handler, no signal, and stop does not wait for it."""
    run_detached(box, "box", "exec sleep 1000", "--init=no")
    until(lambda: box.ok("exec", "box", "cat", "/proc/2/comm") == "sleep\n", "the shell, which catches some, is gone")
    box.ok("kill", "-s", "TERM", "box")
    box.ok("exec", "box", "sh", "-c", "kill -TERM 1; kill -INT 1; kill -KILL 1")
    assert show(box, "box")["status"] == "running"
    begin = time.monotonic()
    box.ok("stop", "-t", "60", "box")
    assert time.monotonic() - begin < 10
    assert show(box, "box")["exit_code"] == 137


def test_a_first_process_hears_what_it_catches(box):
    run_detached(box, "box", f"trap 'echo got; exit 7' TERM; echo up; {LOOP}", "--init=no")
    until(lambda: "up" in box.ok("logs", "box"), "up")
    box.ok("exec", "box", "kill", "-TERM", "1")
    assert box.ok("wait", "box") == "7\n" and box.ok("logs", "box") == "up\ngot\n"
    box.ok("start", "-d", "box")
    until(lambda: box.ok("logs", "box").count("up") == 2, "up again")
    box.ok("stop", "box")
    assert show(box, "box")["exit_code"] == 7


def test_stop_signal_and_time(box):
    run_detached(box, "box", f"trap 'exit 9' USR1; echo up; {LOOP}", "--stop-signal", "USR1")
    until(lambda: "up" in box.ok("logs", "box"), "up")
    box.ok("stop", "box")
    assert show(box, "box")["exit_code"] == 9
    run_detached(box, "deaf", f"trap '' TERM; echo up; {LOOP}", "--stop-timeout", "0.2s")
    until(lambda: "up" in box.ok("logs", "deaf"), "up")
    box.ok("stop", "deaf", "box")
    assert show(box, "deaf")["exit_code"] == 137


def test_restart(box):
    run_detached(box, "box", "echo start >>/starts; wc -l </starts; exec sleep 1000")
    until(lambda: box.ok("logs", "box") == "1\n", "1")
    first = show(box, "box")
    box.ok("restart", "box")
    until(lambda: box.ok("logs", "box") == "1\n2\n", "2")
    again = show(box, "box")
    assert again["id"] == first["id"] and again["started"] > first["started"] and again["pid"] != first["pid"]
    run_detached(box, "gone", "echo again >>/etc/hostname; exec sleep 1000", "--rm")
    until(lambda: "again" in box.ok("exec", "gone", "cat", "/etc/hostname"), "again")
    box.ok("restart", "gone")
    assert show(box, "gone")["status"] == "running"
    until(lambda: box.ok("exec", "gone", "cat", "/etc/hostname").count("again") == 2, "twice")
    box.ok("stop", "gone")
    assert len(ps(box)) == 1


def test_restarts_at_once_do_not_keep_each_other_waiting(box):
    run_detached(box, "box", "exec sleep 300")
    for _ in range(3):
        waiter = box.popen("wait", "box")
        started = [box.popen("restart", "-t", "1ms", "box") for _ in range(8)]
        for p in [*started, waiter]:
            p.communicate(timeout=SLOW_S)
        assert 0 in [p.returncode for p in started]
        assert waiter.returncode == 0
        assert show(box, "box")["status"] == "running"


# --- pause, rename ----------------------------------------------------------------------------------

@pytest.mark.parametrize("limits", [(), ("--memory", "64m")], ids=["by signal", "with limits"])
def test_pause(box, limits):
    run_detached(box, "box", "while :; do echo x; (sleep 0.01 &) ; sleep 0.02; done", *limits)
    until(lambda: "x" in box.ok("logs", "box"), "output")
    box.ok("pause", "box")
    assert show(box, "box")["status"] == "paused" and "paused" in box.ok("ps")
    box.fails("pause", "box", says="paused already")
    box.fails("exec", "box", "true", says="paused")
    until(lambda: (a := box.ok("logs", "box")) and time.sleep(0.3) is None and box.ok("logs", "box") == a, "silence")
    quiet = box.ok("logs", "box")
    box.ok("unpause", "box")
    box.fails("unpause", "box", says="not paused")
    until(lambda: box.ok("logs", "box") != quiet, "more output")
    assert box.ok("exec", "box", "echo", "in") == "in\n"
    box.ok("pause", "box")
    box.ok("stop", "box")
    assert show(box, "box")["status"] == "exited"


def test_rename(box):
    run = run_detached(box, "box", "echo hi; exec sleep 1000")
    keep(box, "other", "true")
    box.fails("rename", "box", "other", says="exists")
    box.ok("rename", "box", "new")
    assert {row["name"]: row["status"] for row in ps(box)} == {"new": "running", "other": "created"}
    assert box.ok("exec", "new", "echo", "in") == "in\n"
    box.fails("exec", "box", "true")
    box.ok("rename", run, "newer")
    until(lambda: box.ok("logs", "newer") == "hi\n", "its log")
    box.ok("stop", "newer")
    assert show(box, "newer")["status"] == "exited"
    box.ok("start", "-d", "newer")
    box.ok("remove", "-f", "newer")
    box.ok("create", "-n", "recipe", box.image)
    box.ok("start", "--rw", "recipe", "sh", "-c", "echo kept >/f")
    box.ok("rename", "recipe", "dish")
    assert box.ok("start", "--rw", "dish", "cat", "/f") == "kept\n"


# --- ps ---------------------------------------------------------------------------------------------

def test_filters(box):
    keep(box, "one", "exit 1", "--label", "job=7", "--label", "kind=a")
    keep(box, "two", "exit 2", "--label", "job=8")
    box.ok("create", "-n", "recipe", "--label", "job=7", box.image)
    run_detached(box, "three", "exec sleep 1000", "--label", "job=7")
    box.run("start", "one")
    box.run("start", "two")

    def names(*filters):
        return sorted(row["name"] for row in ps(box, *filters))
    assert names("label=job") == ["one", "recipe", "three", "two"]
    assert names("label=job=7", "label=kind=a") == ["one"]
    assert names("label=job=9") == []
    assert names("status=exited") == ["one", "two"]
    assert names("status=exited", "status=running") == ["one", "three", "two"]
    assert names("exited=2") == ["two"] and names("name=e", "status=running") == ["three"]
    assert names("id=" + show(box, "two")["id"][:10]) == ["two"]
    assert names("before=two") == ["one"] and names("since=recipe") == ["three"]
    assert names("ancestor=" + box.image) == ["one", "recipe", "three", "two"]
    box.fails("ps", "--filter", "status=odd", says="created, running")
    box.fails("ps", "--filter", "colour=red", says="name=")
    assert box.ok("ps", "-q") == show(box, "three")["id"][:12] + "\n"
    box.ok("remove", "-f", *box.ok("ps", "-aq", "--filter", "label=job=8").split())
    assert names("status=exited") == ["one"]


@pytest.mark.both_users
@pytest.mark.parametrize("mode", ["0", "111", "222"])
def test_a_root_that_a_program_closed(box, mode):
    """Root inside goes on with it; nothing gives it another mode."""
    run = f"echo up; stat -c %a /; chmod {mode} /; echo x >>/f; exit 3"
    assert box.run("docker", "run", "--name", "box", box.image, "sh", "-c", run).stdout.startswith("up\n755\n")
    for words in (("docker", "start", "-a", "box"), ("start", "box")):
        p = box.run(*words)
        assert (p.returncode, p.stdout) == (3, f"up\n{mode}\n"), p
    assert "A /f\n" in box.ok("docker", "diff", "box")
    box.ok("docker", "cp", "box:/f", "f")
    assert (box.work / "f").read_text() == "x\n" * 3
    box.ok("docker", "cp", "f", "box:/g")
    assert box.run("docker", "start", "-a", "box").stdout == f"up\n{mode}\n"
    assert "A /g\n" in box.ok("docker", "diff", "box")
    assert b"x\n" * 4 in box.ok("docker", "export", "box", text=False)
    box.ok("docker", "commit", "box", "made:1")
    assert box.ok("docker", "run", "--rm", "made:1", "cat", "/g") == "x\n" * 3
    box.ok("docker", "rm", "box")
    box.ok("docker", "rmi", "made:1")
    assert not [name for name in os.listdir(box.dirs["data"] / "layers") if name[0] != "."]


@pytest.mark.both_users
def test_a_root_that_a_program_closed_starts_by_its_policy(box):
    box.ok("docker", "run", "-d", "--name", "box", "--restart", "on-failure:2", box.image, "sh", "-c", "echo up; chmod 0 /; exit 4")
    assert box.ok("docker", "wait", "box") == "4\n"
    assert box.ok("logs", "box") == "up\n" * 3
    box.ok("docker", "rm", "box")


@pytest.mark.both_users
def test_a_step_of_a_build_that_closes_the_root(box):
    box.ok("docker", "run", "--name", "base", box.image, "true")
    box.ok("docker", "commit", "base", "base:1")
    box.ok("docker", "build", "-q", "-t", "made:1", "-", stdin="FROM base:1\nRUN echo one >/f; chmod 0 /\nRUN cat /f >/g\n")
    assert box.ok("docker", "run", "--rm", "made:1", "cat", "/f", "/g") == "one\none\n"
    box.ok("docker", "rm", "base")
    box.ok("docker", "rmi", "made:1", "base:1")


# --- volumes ----------------------------------------------------------------------------------------

@pytest.mark.both_users
def test_volumes(box):
    """Named: made when missing, filled by the first start, shared, kept, refused to rm while used."""
    first = box.ok("run", "--volume", "data:/etc", box.image, "sh", "-c", "cat /etc/passwd; echo 1 >/etc/mark; id -u")
    assert "root" in first
    assert box.ok("run", "--volume", "data:/d:ro", box.image, "sh", "-c",
                  "cat /d/mark; test -e /d/passwd && echo filled; echo 2 >/d/mark 2>/dev/null || echo refused") == \
        "1\nfilled\nrefused\n"
    keep(box, "box", "echo 3 >/d/mark", "--volume", "data:/d")
    box.ok("start", "box")
    box.fails("volume", "rm", "data", says="in use")
    assert box.ok("volume", "prune", "-a") == ""
    shown = json.loads(box.ok("volume", "inspect", "data"))[0]
    assert shown["used_by"] == [show(box, "box")["id"]] and not shown["anonymous"]
    with open(os.path.join(shown["path"], "mark")) as f:
        assert f.read() == "3\n"
    box.ok("remove", "-f", "box")
    assert "data" in box.ok("volume", "ls") and box.ok("volume", "ls", "-q") == "data\n"
    box.ok("volume", "rm", "data")
    name = box.ok("volume", "create").strip()
    assert len(name) == 64 and box.ok("volume", "prune") == name + "\n"
    assert box.ok("volume", "create", "mine") == "mine\n" and box.ok("volume", "prune") == ""
    assert box.ok("volume", "prune", "--all") == "mine\n"
    box.fails("volume", "rm", "mine", says="no such volume")
    box.fails("volume", "create", "../x", says="no name")
    box.fails("run", "--volume", "a b:/d", box.image, "true", says="neither")


def test_filling_a_volume_copies_links_as_links(box, make_image):
    from ociimage import D, F, L
    image = make_image([D("d"), F("d/f", b"data", mode=0o640), L("d/out", "/etc/passwd"), L("d/up", "../../../../etc"),
                        D("d/sub", mode=0o711), F("d/sub/x", b"x", mode=0o755), D("etc"), F("etc/passwd", b"secret"),
                        L("linked", "d")], name="links")
    box.fails("run", "--volume", "v:/d", "--volume", "w:/linked", image, "/none", code=127)
    path = json.loads(box.ok("volume", "inspect", "v"))[0]["path"]
    assert sorted(os.listdir(path)) == ["f", "out", "sub", "up"]
    assert os.readlink(f"{path}/out") == "/etc/passwd" and os.readlink(f"{path}/up") == "../../../../etc"
    assert os.stat(f"{path}/f").st_mode & 0o7777 == 0o640 and os.stat(f"{path}/sub").st_mode & 0o7777 == 0o711
    with open(f"{path}/sub/x") as f:
        assert f.read() == "x"
    box.ok("volume", "prune", "--all")


@pytest.fixture
def filler(box, make_image):
    """An image with 4,000 files in /d, and what a start with the volume sees there."""
    from ociimage import D, F, L, entry_from_file
    box.image = make_image([D("bin"), entry_from_file(images.busybox_program(), "bin/busybox", mode=0o755),
                            *(L(f"bin/{name}", "busybox") for name in ("sh", "ls", "cat", "wc", "rm")), D("d"), *(F(f"d/f{i}", b"data") for i in range(4000))], name="filler")
    box.argv_of_look = ["run", "--volume", "v:/d", box.image, "sh", "-c", "ls /d | wc -l; cat /d/* | wc -c"]
    yield box
    box.ok("volume", "prune", "--all")


def volume_files(box):
    top = box.dirs["data"] / "volumes/v/_data"
    return len(os.listdir(top)) if top.exists() else 0


@pytest.mark.both_users
def test_all_starts_wait_for_the_one_that_fills_a_volume(filler):
    for _ in range(3):
        starts = [filler.popen(*filler.argv_of_look) for _ in range(4)]
        assert {p.communicate(timeout=60)[0] for p in starts} == {b"4000\n16000\n"}
        filler.ok("volume", "rm", "v")


@pytest.mark.both_users
def test_a_volume_that_a_killed_start_has_filled_in_part(filler):
    """Files that are there stay; the one that was being copied is not there in part."""
    for count in (1, 300, 1000):
        p = filler.popen(*filler.argv_of_look)
        while volume_files(filler) < count:
            assert p.poll() is None
        harness.kill_all([p.pid, *harness.descendants(p.pid)])
        p.communicate(timeout=60)
        assert not harness.wait_for_no_process(filler.known)
        assert volume_files(filler) < 4000, "it was over before"
        assert filler.ok(*filler.argv_of_look) == "4000\n16000\n"
        assert not (filler.dirs["data"] / "volumes/v/filling").exists()
        filler.ok("run", "--volume", "v:/d", filler.image, "rm", "/d/f7")
        assert filler.ok(*filler.argv_of_look) == "3999\n15996\n", "a start that was not killed fills once"
        filler.ok("volume", "rm", "v")


@pytest.mark.both_users
def test_a_volume_in_which_a_program_stands_in_the_way(filler):
    """What it has made by the names of the image's stays, and so does what csbx's own name for a new file is: starts go on."""
    filler.ok("volume", "create", "v")
    data = filler.dirs["data"] / "volumes/v/_data"
    for name in (".csbx-fill", "f7"):
        (data / name).mkdir()
    (data / "f8").symlink_to("/proc")
    (data.parent / "filling").touch()
    for path in (data / ".csbx-fill", data / "f7", data / "f8", data.parent / "filling"):
        os.chown(path, filler.owner.pw_uid, filler.owner.pw_gid, follow_symlinks=False)
    for _ in range(2):
        out = filler.ok("run", "--volume", "v:/d", filler.image, "sh", "-c", "ls /d | wc -l; test -d /d/f7 && readlink /d/f8; cat /d/f9 | wc -c")
        assert out.split() == ["4000", "/proc", "4"]
    assert not (data.parent / "filling").exists() and sorted(p.name for p in data.iterdir() if p.name.startswith(".")) == [".csbx-fill"]
    filler.ok("volume", "rm", "v")


@pytest.mark.both_users
def test_a_volume_in_which_a_program_removes_what_is_there(box, make_image):
    """What it has taken away while a start fills the volume is not there, and the start goes on."""
    from ociimage import D, F, L, entry_from_file
    deep = [e for i in range(20) for e in (D(f"d/s{i}"), D(f"d/s{i}/t"), *(F(f"d/s{i}/t/f{k}", b"data") for k in range(40)),
                                           *(L(f"d/s{i}/t/l{k}", "f0") for k in range(40)), *(D(f"d/s{i}/t/e{k}") for k in range(40)))]
    image = make_image([D("bin"), entry_from_file(images.busybox_program(), "bin/busybox", mode=0o755),
                        *(L(f"bin/{name}", "busybox") for name in ("sh", "rm", "true")), D("d"), *deep], name="deep")
    remover = box.popen("run", "--volume", "v:/w", image, "sh", "-c", "echo up; while :; do rm -rf /w/*; done")
    assert remover.stdout.readline() == b"up\n"
    try:
        for _ in range(10):
            box.ok("run", "--volume", "v:/d", image, "true")
    finally:
        remover.terminate()
        remover.communicate(timeout=20)
    box.ok("volume", "rm", "v")


# --- kills ------------------------------------------------------------------------------------------

def supervisor_of(csbx, name):
    return next(i for i in json.loads(csbx.ok("list", "--json"))["instances"] if i["name"] == name)


@pytest.mark.parametrize("whom", ["supervisor_pid", "pid", "payload"])
def test_a_kill_of_any_process_is_told_truly(box, whom):
    run_detached(box, "box", "test -e /f || echo a >/f; echo up; exec sleep 1000")
    until(lambda: "up" in box.ok("logs", "box"), "up")
    pid = show(box, "box")["pid"] if whom == "payload" else supervisor_of(box, "box")[whom]
    with subprocess.Popen(box.argv(["wait", "box"]), env=box.env, stdout=subprocess.PIPE, text=True,
                          **box.identity()) as waiting:
        os.kill(pid, signal.SIGKILL)
        told = waiting.communicate(timeout=SLOW_S)[0]
    row = show(box, "box")
    assert row["status"] == "exited" and row["finished"] >= row["started"]
    assert row["exit_code"] == {"pid": 125}.get(whom, 137) and told == f"{row['exit_code']}\n"
    box.ok("start", "-d", "box")
    assert box.ok("exec", "box", "cat", "/f") == "a\n"
    box.ok("remove", "-f", "box")


def test_auto_remove_of_what_was_killed_is_left_to_gc(box):
    run_detached(box, "box", "exec sleep 1000", "--rm")
    os.kill(supervisor_of(box, "box")["supervisor_pid"], signal.SIGKILL)
    until(lambda: show(box, "box")["status"] == "exited", "exited")
    assert "box" in box.ok("gc")
    assert ps(box) == []


def test_auto_remove_of_what_was_killed_and_runs_again(box):
    run_detached(box, "box", "echo a >>/f; cat /f; exec sleep 1000", "--rm")
    until(lambda: box.ok("logs", "box") == "a\n", "a")
    os.kill(supervisor_of(box, "box")["supervisor_pid"], signal.SIGKILL)
    until(lambda: show(box, "box")["status"] == "exited", "exited")
    box.ok("start", "-d", "box")
    until(lambda: box.ok("logs", "box") == "a\na\na\n", "twice")
    box.ok("stop", "box")
    assert ps(box) == []


def test_owner(box):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as owner:
        run_detached(box, "box", "exec sleep 1000", "--owner", str(owner.pid))
        run_detached(box, "other", "exec sleep 1000", "--label", f"csbx.owner={owner.pid}")
        keep(box, "idle", "true", "--owner", str(owner.pid))
        assert len(box.ok("ps", "-q").split()) == 2
        owner.communicate(b"\n")
    until(lambda: [row["name"] for row in ps(box)] == ["idle"], "the end of what ran")
    box.fails("start", "idle", says="gone")
    assert "idle" in box.ok("gc") and ps(box) == []
    box.fails("create", "--keep", "--owner", str(owner.pid), "--name", "late", box.image, says="gone")
    box.fails("create", "--keep", "--owner", f"{os.getpid()}:1", "--name", "late", box.image, says="gone")


def test_kills_at_any_time_leave_what_can_be_removed(box):
    """SIGKILL of the starting command and its supervisor after ever longer: ps tells, start works."""
    keep(box, "box", "exec sleep 1000")
    for i in range(24):
        p = subprocess.Popen(box.argv(["start", "-d", "box"]), env=box.env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True, **box.identity())
        with contextlib.suppress(subprocess.TimeoutExpired):
            p.wait(i * 0.003)
        for pid in supervisors(box):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            p.kill()
        p.wait()
        until(lambda: show(box, "box")["status"] in ("created", "exited"), "not running")
    until(lambda: box.run("start", "-d", "box").returncode == 0, "a start")
    assert show(box, "box")["status"] == "running"
    box.ok("remove", "-f", "box")
    assert ps(box) == []


def test_a_kill_of_the_image_server_is_a_failure_of_csbx(box):
    run_detached(box, "box", "echo up; exec sleep 1000")
    until(lambda: "up" in box.ok("logs", "box"), "up")
    servers = json.loads(box.ok("list", "--servers", "--json"))
    rows = servers["servers"] if isinstance(servers, dict) else servers
    os.kill(rows[0]["pid"], signal.SIGKILL)
    assert box.ok("wait", "box") == "125\n"
    row = show(box, "box")
    assert (row["status"], row["exit_code"]) == ("exited", 125) and "server" in row["error"]
    box.ok("start", "-d", "box")
    box.ok("remove", "-f", "box")


def test_after_a_crash_of_the_machine(box):
    """As after a reboot: no processes, no runtime directory, and a layer that another boot has marked."""
    run_detached(box, "box", "test -e /f || echo a >/f; echo up; exec sleep 1000")
    until(lambda: "up" in box.ok("logs", "box"), "up")
    row = show(box, "box")
    os.kill(supervisor_of(box, "box")["supervisor_pid"], signal.SIGKILL)
    until(lambda: show(box, "box")["status"] == "exited", "exited")
    box.ok("gc")
    mark = box.dirs["data"] / "layers" / row["id"] / "dirty"
    mark.unlink()
    mark.symlink_to("01234567-89ab-cdef-0123-456789abcdef")
    again = show(box, "box")
    assert (again["status"], again["exit_code"], again["started"]) == ("exited", 137, row["started"])
    box.fails("start", "-d", "box", says="incomplete")
    assert show(box, "box")["status"] == "exited"
    box.ok("start", "-d", "--force", "box")
    assert box.ok("exec", "box", "cat", "/f") == "a\n"


def test_many_at_one_name(box):
    """64 commands of all kinds at once, each may win or lose: none hangs, and nothing is left."""
    commands = [["run", "--keep", "-d", "--name", "box", box.image, "sleep", "1000"], ["start", "-d", "box"],
                ["exec", "box", "true"], ["stop", "-t", "1", "box"], ["remove", "-f", "box"], ["ps", "-a"],
                ["rename", "box", "cox"], ["rename", "cox", "box"]]
    running = [subprocess.Popen(box.argv(commands[i % len(commands)]), env=box.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **box.identity())
               for i in range(64)]
    for p in running:
        out, err = p.communicate(timeout=120)
        assert p.returncode in (0, 125, 137) and "garbled" not in err and "damaged" not in err, (p.args, out, err)
    for name in ("box", "cox"):
        box.ok("remove", "-f", name)
    assert ps(box) == []
    assert not [n for n in os.listdir(box.dirs["data"] / "layers") if not n.startswith(".")]


def supervisors(csbx):
    """Processes of csbx with this test's data directory in their environment."""
    wanted = f"CSBX_DATA_PATH={csbx.dirs['data']}".encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() != "csbx":
                    continue
            with open(f"/proc/{pid}/environ", "rb") as f:
                if wanted in f.read().split(b"\0"):
                    yield int(pid)
