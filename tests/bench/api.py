# SPDX-License-Identifier: Apache-2.0
"""P23: the Engine API by csbx engine, through docker-py, against a daemon of Docker's own made for it."""
import contextlib
import importlib.util
import shutil
import subprocess
import time
from pathlib import Path

from dialect import LOAD, archive, daemon, ordinary_priority
from measure import Failed, Samples
from running import pss_kib
from world import Unavailable

HERE = Path(__file__).resolve().parent
IDLE_S = 8  # after 5 s without a byte the process of a stream becomes a smaller one
CLIENT = (HERE / "apiclient.py").read_text(encoding="utf-8")


@contextlib.contextmanager
def engine(world):
    """Our socket, and the process that listens there."""
    p = subprocess.Popen([world.csbx, "engine"], env=world.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         **world.identity())
    path = Path(world.env["CSBX_RUNTIME_PATH"]) / "docker.sock"
    try:
        while not path.exists():
            if p.poll() is not None:
                raise Failed("csbx engine did not start")
            time.sleep(0.01)
        yield str(path), p
    finally:
        p.terminate()
        p.wait()


def client(world, path, what, count):
    """Milliseconds of each round."""
    out = world.run("/usr/bin/python3", "-c", CLIENT, path, what, count)
    return [float(line) for line in out.splitlines()]


def samples(ms):
    return Samples(ms, [0] * len(ms), [0] * len(ms), [0] * len(ms))


def kernel_kib(pid):
    """Page tables and the process's own memory; its stack in the kernel, and its two ends of a socket."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(("VmPTE:",))) + 16 + 4


def idle_streams(world, report, path, listener, count):
    """Measures the memory that each of many attached streams holds while it waits for output."""
    docker = [world.csbx, "docker"]
    world.run(*docker, "run", "-d", "--network", "none", "--name", "idle", LOAD, "sleep", "600")
    world.run(*docker, "create", "--name", "new", LOAD, "true")
    script = ("import resource, socket, sys\n"
              "n = int(sys.argv[2])\n"
              "resource.setrlimit(resource.RLIMIT_NOFILE, (n + 50, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n"
              "asked = ['GET /containers/idle/logs?stdout=1&follow=1', 'POST /containers/idle/wait',\n"
              "         'POST /containers/new/attach?stream=1&stdout=1&stderr=1']\n"
              "e = []\n"
              "for i in range(n):\n"
              "    s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])\n"
              "    s.sendall(f'{asked[i % 3]} HTTP/1.1\\r\\nHost: d\\r\\n\\r\\n'.encode())\n"
              "    assert b' 200 ' in s.recv(4096)\n"
              "    e.append(s)\n"
              "print('ready', flush=True); sys.stdin.read()\n")
    p = subprocess.Popen(["/usr/bin/python3", "-c", script, path, str(count)], env=world.env, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, **world.identity())
    try:
        if p.stdout.readline() != b"ready\n":
            raise Failed("the streams could not be opened")
        time.sleep(IDLE_S)
        children = Path(f"/proc/{listener.pid}/task/{listener.pid}/children").read_text(encoding="ascii").split()
        each = [pss_kib(int(c)) + kernel_kib(c) for c in children]
        report.value("P23", f"one of {len(each)} idle streams", sum(each) / len(each), "KiB", 130)
    finally:
        p.communicate()
        world.call([*docker, "rm", "-f", "idle", "new"])


def p23(world, report):
    """exec and run through docker-py, many at once, and the memory of idle streams."""
    if not importlib.util.find_spec("docker"):
        raise Unavailable("python3-docker is not installed")
    for program in "csbx-engine", "csbx-doze":
        shutil.copy2(world.build / program, world.bin)
    rounds = 5 if world.quick else 20
    with ordinary_priority(), daemon(world) as theirs, engine(world) as (path, listener):
        for docker in [world.csbx, "docker"], theirs:
            world.run(*docker, "load", "-q", "-i", archive(world))
        other = theirs[theirs.index("-H") + 1].removeprefix("unix://")
        for what, name, budget in (("exec", "exec create, start, inspect", 0.15), ("run", "containers.run of true", 0.05)):
            ours = samples(client(world, path, what, rounds))
            docker = samples(client(world, other, what, rounds))
            report.samples("P23", {f"csbx: {name}": ours, f"docker: {name}": docker}, f"csbx: {name}", {f"docker: {name}": budget})
        ours_ms, = client(world, path, "threads", 300)
        docker_ms, = client(world, other, "threads", 60 if world.quick else 300)
        report.value("P23", "execs a second by 32 threads, of Docker's", (300 / ours_ms) / ((60 if world.quick else 300) / docker_ms),
                     "x", 5, at_least=True)
        idle_streams(world, report, path, listener, 100 if world.quick else 1000)


BENCHES = {"P23": p23}
