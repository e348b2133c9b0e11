# SPDX-License-Identifier: Apache-2.0
"""Published ports among containers: one at a time has a port, and none is lost by a kill."""
import json
import os
import select
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.feature("userns")
TAKEN = "failed: port is already allocated"


@pytest.fixture
def docker(csbx, busybox_image):
    def call(*args, **kw):
        return csbx.run("docker", *args, **kw)

    call.image = str(busybox_image)
    call.ok = lambda *args, **kw: csbx.ok("docker", *args, **kw)
    yield call
    left = call.ok("ps", "-aq").split()
    if left:
        call("rm", "-f", *left)
    csbx.ok("gc")


@pytest.fixture
def port():
    """One that was free a moment ago."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def publish(docker, port, *options, name=None):
    return docker("run", "-d", *(("--name", name) if name else ()), "-p", f"{port}:{port}", *options, docker.image, "sleep", "1000")


@pytest.mark.both_users
def test_one_of_many_at_once(docker, port):
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: publish(docker, port), range(8)))
    good = [p for p in done if p.returncode == 0]
    assert len(good) == 1, [p.stderr for p in done]
    assert all(p.returncode == 125 and TAKEN in p.stderr for p in done if p is not good[0])
    assert len(docker.ok("ps", "-q").split()) == 1


def supervisor_of(pid):
    """The first process above PID that is csbx itself: csbx-init is between them."""
    comm = ""
    while comm != "csbx":
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            pid = int(next(x for x in f if x.startswith("PPid:")).split()[1])
        with open(f"/proc/{pid}/comm", encoding="ascii") as f:
            comm = f.read().strip()
    return pid


def test_a_killed_supervisor_keeps_no_port(csbx, docker, port):
    assert publish(docker, port, name="one").returncode == 0
    assert TAKEN in publish(docker, port).stderr
    supervisor = supervisor_of(json.loads(docker.ok("inspect", "one"))[0]["State"]["Pid"])
    gone = os.pidfd_open(supervisor)
    os.kill(supervisor, signal.SIGKILL)
    select.select([gone], [], [])
    os.close(gone)
    assert publish(docker, port).returncode == 0


def test_an_end_is_told_after_the_port_is_free(docker, port):
    for _ in range(10):
        assert docker("run", "--rm", "-p", f"{port}:{port}", docker.image, "true").returncode == 0
        assert publish(docker, port, "--rm", name="dd").returncode == 0
        docker.ok("stop", "-t", "0", "dd")


def test_the_program_can_bind_to_it(docker, port):
    docker.ok("run", "-d", "--name", "web", "-p", f"{port}:{port}", docker.image, "sh", "-c",
              f"while :; do echo hello | nc -l -p {port}; done")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as s:
                assert s.recv(100) == b"hello\n"
                break
        except ConnectionError:
            time.sleep(0.02)
    else:
        raise AssertionError("nothing answers")


def test_a_range(docker):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        first = min(s.getsockname()[1], 60000)
    wide = f"{first}-{first + 200}"
    p = docker("run", "-d", "-p", f"{wide}:{wide}/udp", docker.image, "sleep", "1000")
    if p.returncode:
        assert "address already in use" in p.stderr  # the machine's own
        return
    got = docker("run", "-d", "-p", f"{first + 200}:{first + 200}/udp", docker.image, "sleep", "1000")
    assert got.returncode == 125 and f"0.0.0.0:{first + 200} {TAKEN}" in got.stderr
    assert docker("run", "-d", "-p", f"{first + 200}:{first + 200}/sctp", docker.image, "true").returncode == 0
