# SPDX-License-Identifier: Apache-2.0
"""docker as a harness uses it: terminals, signals, many execs at once, and nothing left behind."""
import json
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.feature("userns")

ROUNDS = 3
MANY = 40
LOOP = "while :; do sleep 0.05; done"


@pytest.fixture
def docker(csbx, busybox_image):
    """Calls docker; the fixture removes what a test leaves. docker.image runs without a network."""
    def call(*args, **kw):
        return csbx.run("docker", *args, **kw)

    call.argv = lambda *args: csbx.argv(["docker", *args])
    call.popen = lambda *args, **kw: csbx.popen("docker", *args, **kw)
    call.image = ("--network", "none", str(busybox_image))
    call.ok = lambda *args, **kw: csbx.ok("docker", *args, **kw)
    yield call
    left = call.ok("ps", "-aq").split()
    if left:
        call("rm", "-f", *left)
    csbx.ok("gc")


def wait_for(condition, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.both_users
def test_run_on_a_terminal(docker, terminal):
    t = terminal(*docker.argv("run", "--rm", "-it", *docker.image, "sh"))
    t.expect(r"[#$] ")
    t.send("tty; stty size; echo $TERM\n")
    t.expect("/dev/pts/0")
    t.expect("24 80")
    t.expect("xterm")
    t.resize(30, 100)
    t.wait_for(lambda: "30 100" in ask_size(t))
    t.send("exit 5\n")
    assert t.wait() == 5
    assert docker.ok("ps", "-aq") == ""


def ask_size(t):
    t.send("stty size\n")
    return t.expect(r"\d+ \d+\r").group()


def test_exec_on_a_terminal(docker, terminal):
    docker.ok("run", "-d", "--name", "box1", *docker.image, "sleep", "300")
    t = terminal(*docker.argv("exec", "-it", "box1", "sh"))
    t.expect(r"[#$] ")
    # One job: between two there is a moment in which no process hears the key.
    t.send("sh -c 'stty size; exec sleep 1000'\n")
    t.expect("24 80")
    t.send("\x03")
    t.expect(r"[#$] ")
    t.send("exit 6\n")
    assert t.wait() == 6


def test_attach_to_a_terminal(docker, terminal):
    docker.ok("run", "-d", "-it", "--name", "box1", *docker.image, "sh")
    t = terminal(*docker.argv("attach", "box1"))
    t.send("\necho a''b\n")
    t.expect("ab")
    t.send("exit 3\n")
    assert t.wait() == 3
    assert docker.ok("wait", "box1") == "3\n"


def test_run_passes_signals_on(docker):
    script = f"trap 'echo got; exit 7' TERM; echo ready; {LOOP}"
    with docker.popen("run", "--rm", *docker.image, "sh", "-c", script, stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"ready\n"
        p.send_signal(signal.SIGTERM)
        assert p.stdout.read() == b"got\n"
        assert p.wait(30) == 7


def test_a_container_outlives_its_client(docker):
    script = f"echo ready; while ! test -e /go; do sleep 0.05; done; echo more; {LOOP}"
    with docker.popen("run", "--name", "box1", *docker.image, "sh", "-c", script, stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"ready\n"
        p.kill()
        p.wait(30)
    docker.ok("exec", "box1", "touch", "/go")
    wait_for(lambda: docker.ok("logs", "box1") == "ready\nmore\n")
    docker.ok("kill", "box1")
    assert docker.ok("wait", "box1") == "137\n"


def test_a_client_that_does_not_read_holds_up_the_writer(docker):
    script = "i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789012345678901234567890; " \
             "i=$((i+1)); done; touch /done; sleep 300"
    with docker.popen("run", "--name", "box1", *docker.image, "sh", "-c", script, stdout=subprocess.PIPE) as p:
        wait_for(lambda: docker("exec", "box1", "true").returncode == 0)
        assert docker("exec", "box1", "test", "-e", "/done").returncode == 1
        read = 0
        while read < 4000 * 62:
            read += len(p.stdout.read1(65536))
        wait_for(lambda: docker("exec", "box1", "test", "-e", "/done").returncode == 0)
        docker.ok("kill", "box1")
        assert p.wait(30) == 137


def test_a_harness(docker, tmp_path):
    """Start, files in, 32 execs at once of which some take too long, files out, kill: several times."""
    into = tmp_path / "in"
    into.mkdir()
    (into / "patch").write_text("data", encoding="utf-8")
    tmp_path.chmod(0o777)
    for n in range(ROUNDS):
        name = f"round{n}"
        docker.ok("run", "-d", "--name", name, *docker.image, "sleep", "3600")
        docker.ok("cp", into, f"{name}:/testbed")

        def execute(i, name=name):
            if i % 8:
                return docker("exec", "-i", "-e", f"I={i}", name, "sh", "-c", "read x; echo $I $x $(cat /testbed/patch) | tee /testbed/out$I",
                              stdin=f"in{i}\n").stdout == f"{i} in{i} data\n"
            p = docker("exec", name, "timeout", "-s", "KILL", "0.2", "sleep", "60")
            return p.returncode == 137

        with ThreadPoolExecutor(32) as pool:
            assert all(pool.map(execute, range(32)))
        # None of the killed processes is there; sleep is, and the ps that looks.
        assert docker.ok("exec", name, "ps", "-o", "args").count("sleep 60") == 0
        docker.ok("cp", f"{name}:/testbed/.", tmp_path / name)
        assert (tmp_path / name / "out7").read_text(encoding="utf-8") == "7 in7 data\n"
        assert len(list((tmp_path / name).iterdir())) == 1 + 28
        docker.ok("kill", name)
        docker.ok("cp", f"{name}:/testbed/out1", tmp_path / f"{name}.out")
        docker.ok("rm", name)
        assert docker.ok("ps", "-aq") == ""


def pss_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


def test_many_at_once(docker, csbx):
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: docker.ok("run", "-d", *docker.image, "sleep", "3600").strip(), range(MANY)))
        assert sorted(docker.ok("ps", "-q", "--no-trunc").split()) == sorted(ids)
        said = list(pool.map(lambda i: docker.ok("exec", i, "hostname"), ids))
    assert said == [f"{i[:12]}\n" for i in ids]
    supervisors = [row["supervisor_pid"] for row in json.loads(csbx.ok("list", "--json"))["instances"]]
    assert len(supervisors) == MANY
    assert max(map(pss_kib, supervisors)) < 1024
    docker.ok("rm", "-f", *ids)
    assert docker.ok("ps", "-aq") == ""


def test_one_name_from_many_sides(docker):
    """Whatever happens to one name at once: each creation has one winner, and all ends."""
    calls = [("create", "--name", "one1", *docker.image, "sleep", "600"), ("start", "one1"), ("exec", "one1", "true"),
             ("stop", "-t", "0", "one1"), ("rm", "-f", "one1"), ("run", "-d", "--name", "one1", *docker.image, "sleep", "600"),
             ("kill", "one1"), ("restart", "-t", "0", "one1")]
    results = []
    lock = threading.Lock()

    def worker(n):
        for i in range(4):
            p = docker(*calls[(n + 3 * i) % len(calls)], timeout=120)
            with lock:
                results.append((p.args, p.returncode, p.stdout, p.stderr))

    threads = [threading.Thread(target=worker, args=(n,)) for n in range(64)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(240)
    assert not any(t.is_alive() for t in threads)
    assert len(results) == 256
    docker("rm", "-f", "one1")
    assert docker.ok("ps", "-aq") == ""


def test_one_creation_wins(docker):
    with ThreadPoolExecutor(64) as pool:
        made = list(pool.map(lambda _: docker("run", "-d", "--name", "one1", *docker.image, "sleep", "600"), range(64)))
    assert sorted(p.returncode for p in made) == [0] + [125] * 63
    winner = next(p.stdout.strip() for p in made if not p.returncode)
    assert all(winner in p.stderr for p in made if p.returncode)
    docker.ok("rm", "-f", "one1")


def test_volumes_come_and_go(docker):
    assert docker.ok("volume", "create", "data") == "data\n"
    nameless = docker.ok("volume", "create").strip()
    assert len(nameless) == 64
    docker.ok("create", "--name", "user", "-v", "data:/d", *docker.image, "true")
    assert docker.ok("volume", "ls") == "DRIVER    VOLUME NAME\n" + "".join(
        f"local     {name}\n" for name in sorted(["data", nameless]))
    assert docker.ok("volume", "ls", "-q", "--filter", "name=^da") == "data\n"
    assert docker.ok("volume", "ls", "-q", "-f", "dangling=true").strip() == nameless
    assert docker.ok("volume", "ls", "--filter", "label=x", "--format", "{{.Name}}") == ""
    busy = docker("volume", "rm", "data")
    assert (busy.returncode, busy.stdout) == (1, "")
    assert "Error response from daemon: remove data: volume is in use - [" in busy.stderr
    assert docker.ok("volume", "prune", "-f") == (
        f"Deleted Volumes:\n{nameless}\n\nTotal reclaimed space: 0B\n")
    docker.ok("rm", "user")
    assert docker.ok("volume", "prune", "-f") == "Total reclaimed space: 0B\n"
    assert docker.ok("volume", "rm", "data", "-f", "nope") == "data\nnope\n"
    assert docker.ok("volume", "ls", "-q") == ""


def test_labels_of_volumes(docker):
    docker.ok("volume", "create", "--label", "a=1", "--label", "b", "--label", "c=x=y,z", "one")
    docker.ok("volume", "create", "two")
    nameless = docker.ok("volume", "create", "--label", "a=2").strip()
    show = ("volume", "inspect", "-f", "{{json .Labels}}")
    assert docker.ok(*show, "one") == '{"a":"1","b":"","c":"x=y,z"}\n'
    assert docker.ok(*show, "two") == "null\n"
    assert docker.ok(*show, nameless) == '{"a":"2"}\n'
    docker.ok("volume", "create", "--label", "a=3", "one")
    assert docker.ok(*show, "one") == '{"a":"1","b":"","c":"x=y,z"}\n', "it is there already"
    assert docker.ok("volume", "ls", "-q", "-f", "label=a=1", "-f", "label=b") == "one\n"
    assert sorted(docker.ok("volume", "ls", "-q", "-f", "label=a").split()) == sorted(["one", nameless])
    assert docker.ok("volume", "ls", "-q", "-f", "label=a", "-f", "label=d") == ""
    assert docker.ok("volume", "ls", "-f", "name=one", "--format", "{{.Labels}}") == "a=1,b=,c=x=y,z\n"
    docker.ok("volume", "prune", "-af", "--filter", "label!=a")
    assert sorted(docker.ok("volume", "ls", "-q").split()) == sorted(["one", nameless])
    docker.ok("volume", "prune", "-af", "--filter", "label=a=1")
    assert docker.ok("volume", "ls", "-q") == nameless + "\n"


@pytest.mark.parametrize("words, rc, text", [
    (("rm", "nope"), 1, "Error response from daemon: get nope: no such volume"),
    (("create", "a b"), 1, 'create a b: "a b" includes invalid characters for a local volume name'),
    (("create", "-d", "nfs", "x"), 1, 'error looking up volume plugin nfs: plugin "nfs" not found'),
    (("create", "-o", "a=b", "x"), 125, "a volume is a directory of csbx's own, and has no options"),
    (("ls", "--filter", "what=x"), 1, "Error response from daemon: invalid filter 'what'"),
    (("ls", "--filter", "dangling=x"), 1, "invalid filter 'dangling=[x]'"),
    (("prune", "-f", "--filter", "until=1h"), 1, "invalid filter 'until'"),
])
def test_volumes_that_cannot_be(docker, words, rc, text):
    p = docker("volume", *words)
    assert (p.returncode, p.stdout) == (rc, "")
    assert text in p.stderr
    assert docker.ok("volume", "ls", "-q") == ""


def test_container_prune(docker):
    old = docker.ok("create", "--name", "old", "--label", "kind=x", *docker.image, "true").strip()
    done = docker.ok("create", "--name", "done", *docker.image, "true").strip()
    docker.ok("start", "-a", "done")
    docker.ok("run", "-d", "--name", "runs", *docker.image, "sleep", "1000")
    bad = docker("container", "prune", "-f", "--filter", "what=x")
    assert (bad.returncode, bad.stderr) == (1, "Error response from daemon: invalid filter 'what'\n")
    nothing = "Total reclaimed space: 0B\n"
    assert docker.ok("container", "prune", "-f", "--filter", "until=1h") == nothing
    asked = docker("container", "prune", stdin="n\n")
    assert asked.stdout == ("WARNING! This will remove all stopped containers.\n"
                            "Are you sure you want to continue? [y/N] ")
    assert docker.ok("container", "prune", "-f", "--filter", "label=kind=x") == (
        f"Deleted Containers:\n{old}\n\n{nothing}")
    assert docker.ok("container", "prune", "-f").startswith(
        f"Deleted Containers:\n{done}\n\nTotal reclaimed space: ")
    assert docker.ok("ps", "-a", "--format", "{{.Names}}") == "runs\n"


# --- stop -----------------------------------------------------------------------------------------

def test_of_two_stops_the_less_patient_has_the_say(docker):
    docker.ok("run", "-d", "--name", "box1", *docker.image, "sh", "-c", f"trap 'touch /asked' TERM; touch /up; {LOOP}")
    wait_for(lambda: docker("exec", "box1", "test", "-e", "/up").returncode == 0)
    with docker.popen("stop", "-t", "90", "box1", stdout=subprocess.PIPE) as patient:
        wait_for(lambda: docker("exec", "box1", "test", "-e", "/asked").returncode == 0)
        begin = time.monotonic()
        docker.ok("stop", "-t", "1", "box1")
        assert time.monotonic() - begin < 45 and patient.wait(30) == 0
    assert docker.ok("wait", "box1") == "137\n"


@pytest.mark.parametrize("words", [["wait"], ["restart"], ["update", "--memory", "64m"], ["network", "disconnect", "bridge"], ["logs"], ["stop"],
                                   ["run", "--rm", "--volumes-from=box1"]], ids=lambda words: words[0])
def test_what_is_gone_is_none_of_csbx_start(docker, csbx, words):
    """A container may go between the looks at the store and at what runs: here its directory is away, and its process is not."""
    docker.ok("run", "-d", "--name", "box1", *docker.image, "sleep", "60")
    store = csbx.dirs["data"] / "containers"
    (store / "box1").rename(store.parent / "away")
    try:
        p = docker(*words, "box1") if words[0] != "run" else docker(*words, *docker.image, "true")
    finally:
        (store.parent / "away").rename(store / "box1")
    assert p.returncode in (1, 125) and "o such container: box1" in p.stderr and "csbx start" not in p.stderr, p.stderr


# --- out of memory: one process dies, as with the kernel's own killer ------------------------------

HOG = "a = bytearray(b'x') * (1 << 30)"


def oom_killed(docker, name="box1"):
    return docker.ok("inspect", "-f", "{{.State.OOMKilled}} {{.State.Running}}", name).strip()


@pytest.fixture
def small(docker, python_image):
    """A container that stays, with 100 MB."""
    docker.ok("run", "-d", "--name", "box1", "--network", "none", "-m", "100m", str(python_image), "sleep", "300")
    return docker


def test_an_exec_past_the_memory_dies_alone(small):
    assert oom_killed(small) == "false true"
    for _ in range(3):
        p = small("exec", "box1", "python3", "-c", HOG)
        assert (p.returncode, p.stdout, p.stderr) == (137, "", ""), p
    assert small.ok("exec", "box1", "echo", "alive") == "alive\n"
    assert oom_killed(small) == "true true"
    # Its end is its own; that it has been short of memory is told as docker does.
    small("stop", "-t", "0", "box1")
    assert oom_killed(small) == "true false"
    small.ok("start", "box1")
    assert oom_killed(small) == "false true"


def test_a_child_past_the_memory_dies_alone(small):
    p = small("exec", "box1", "sh", "-c", f"python3 -c \"{HOG}\"; echo rc=$?; exit 5")
    assert p.returncode == 5 and "rc=137\n" in p.stdout, p
    assert oom_killed(small) == "true true"


def test_who_is_small_survives_many_hogs(small):
    with small.popen("exec", "box1", "sh", "-c", "echo up; while ! test -e /go; do sleep 0.05; done; echo done",
                     stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"up\n"
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda _: small("exec", "box1", "python3", "-c", HOG).returncode, range(8)))
        assert ends == [137] * 8
        small.ok("exec", "box1", "touch", "/go")
        assert p.stdout.read() == b"done\n" and p.wait(30) == 0


def test_a_main_process_past_the_memory_ends_the_container(docker, python_image):
    image = ("--network", "none", "-m", "100m", str(python_image))
    p = docker("run", "--name", "box1", *image, "python3", "-c", HOG)
    assert p.returncode == 137 and oom_killed(docker) == "true false", p
    p = docker("run", "--name", "box2", *image, "sh", "-c", f"python3 -c \"{HOG}\"; echo rc=$?; exit 6")
    assert p.returncode == 6 and "rc=137\n" in p.stdout and oom_killed(docker, "box2") == "true false", p


def test_files_past_the_memory_kill_their_writer(docker, python_image):
    """The files it wrote stay, and the other processes go on."""
    docker.ok("run", "-d", "--name", "box1", "--network", "none", "-m", "100m", "--shm-size", "500m", str(python_image),
              "sleep", "300")
    p = docker("exec", "box1", "dd", "if=/dev/zero", "of=/dev/shm/f", "bs=4M", "count=100")
    assert p.returncode == 137 and oom_killed(docker) == "true true", p


def test_csbx_exec_says_that_it_was_the_memory(small, csbx):
    p = csbx.run("exec", "--json", "box1", "python3", "-c", HOG)
    result = json.loads(p.stdout)
    assert (result["status"], result["oom_killed"], result["signal"]) == ("oom", True, 9), result
    p = csbx.run("exec", "--json", "box1", "sh", "-c", "kill -9 $$")
    assert json.loads(p.stdout)["status"] == "signaled"


def test_a_container_of_another_runtime_directory(docker, csbx):
    """A shell of cron or su has no XDG_RUNTIME_DIR: what it cannot end it says so of, and does not wait for ever."""
    docker.ok("run", "-d", "--name", "apart", *docker.image, "sleep", "600")
    env = csbx.env.pop("CSBX_RUNTIME_PATH", None), csbx.env.get("XDG_RUNTIME_DIR")
    try:
        csbx.env["XDG_RUNTIME_DIR"] = str(csbx.work / "other")
        (csbx.work / "other").mkdir(mode=0o700)
        if csbx.user:
            os.chown(csbx.work / "other", csbx.owner.pw_uid, csbx.owner.pw_gid)
        p = csbx.run("docker", "rm", "-f", "apart", timeout=60)
        assert p.returncode == 1 and "another runtime directory" in p.stderr, p
    finally:
        for name, value in zip(("CSBX_RUNTIME_PATH", "XDG_RUNTIME_DIR"), env):
            csbx.env.pop(name, None)
            if value is not None:
                csbx.env[name] = value
    docker.ok("rm", "-f", "apart")
