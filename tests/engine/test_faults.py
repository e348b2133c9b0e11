# SPDX-License-Identifier: Apache-2.0
"""Clients that vanish within every kind of stream, bodies without measure, and an engine that is killed again and again."""
import contextlib
import os
import random
import signal
import subprocess
import threading
import time

import pytest

import apisocket
import harness
import images
from apisocket import Engine, answers, wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

UP = "Connection: Upgrade\r\nUpgrade: tcp\r\n"
KILL_S = 12
WORKERS = 3


@pytest.fixture
def load(csbx):
    path = csbx.work / "box.tar"
    images.busybox_image().write_docker_archive(path, tags=("box:latest",))
    path.chmod(0o644)
    csbx.ok("docker", "load", "-q", "-i", path)


@pytest.fixture
def running(load, engine):
    made = engine.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["sh", "-c", "while :; do echo line; sleep 0.2; done"]})
    c = made.json["Id"]
    assert engine.ask("POST", f"/containers/{c}/start").status == 204
    yield c
    assert engine.ask("DELETE", f"/containers/{c}?force=1").status == 204


def exec_of(engine, c, *cmd, **more):
    body = {"Cmd": list(cmd), "AttachStdout": True, "AttachStderr": True, **more}
    return engine.ask("POST", f"/containers/{c}/exec", body).json["Id"]


def streams(engine, c):
    """Requests of clients that read a part of the answer and then go."""
    e, t = exec_of(engine, c, "sh", "-c", "while :; do echo x; done"), exec_of(engine, c, "sh", Tty=True, AttachStdin=True)
    start = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    return [
        f"POST /containers/{c}/attach?stream=1&stdout=1&stderr=1 HTTP/1.1\r\n{UP}\r\n",
        f"POST /containers/{c}/attach?stream=1&stdout=1&logs=1&stdin=1 HTTP/1.1\r\n\r\n",
        f"GET /containers/{c}/logs?stdout=1&follow=1 HTTP/1.1\r\n\r\n",
        *(f"POST /containers/{c}/wait?condition={w} HTTP/1.1\r\n\r\n" for w in ("not-running", "next-exit", "removed")),
        f"POST /exec/{e}/start HTTP/1.1\r\n{UP}{start}",
        f"POST /exec/{t}/start HTTP/1.1\r\n{UP}{start}",
        f"GET /containers/{c}/archive?path=/bin HTTP/1.1\r\n\r\n",
        f"PUT /containers/{c}/archive?path=/tmp HTTP/1.1\r\nContent-Length: 100000\r\n\r\nhalf a tar",
        f"PUT /containers/{c}/archive?path=/tmp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf ",
        "POST /containers/create HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"Image\":",
        "GET /images/get?names=box HTTP/1.1\r\n\r\n",
        "POST /images/load HTTP/1.1\r\nContent-Length: 100000\r\n\r\nhalf a tar",
        "POST /images/create?fromSrc=-&repo=half HTTP/1.1\r\nContent-Length: 100000\r\n\r\nhalf a tar",
        "POST /build?t=half HTTP/1.1\r\nContent-Length: 100000\r\n\r\nhalf a tar",
        "GET /events HTTP/1.1\r\n\r\n",
        f"GET /containers/{c}/stats HTTP/1.1\r\n\r\n",
        f"GET /containers/{c}/export HTTP/1.1\r\n\r\n",
        f"GET /containers/{c}/top HTTP/1.1\r\n\r\n",
    ]


@pytest.mark.parametrize("how", ["at once", "when it has begun", "its input only, then all"])
def test_a_client_that_vanishes_costs_its_own_process_only(engine, running, how):
    for text in streams(engine, running):
        with engine.connect() as s:
            s.sendall(text.encode())
            if how != "at once":
                s.settimeout(0.5)
                with contextlib.suppress(TimeoutError):
                    s.recv(100)
            if how.startswith("its input"):
                s.shutdown(1)
                with contextlib.suppress(TimeoutError):
                    s.recv(100)
    wait_for(lambda: len(harness.descendants(engine.process.pid)) == 1)  # that for the next connection
    assert engine.ask("GET", f"/containers/{running}/json").json["State"]["Running"]


def switches(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return [line for line in f if "ctxt_switches" in line]


def own_processes(engine):
    """Those that have a connection or wait for one; below them are others."""
    return [pid for pid, (parent, _, _) in harness.process_table().items() if parent == engine.process.pid]


def test_streams_that_wait_are_not_woken(engine, load):
    """A container that writes nothing: only events tell of its output, its end and its client's."""
    c = engine.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["sleep", "600"]}).json["Id"]
    assert engine.ask("POST", f"/containers/{c}/start").status == 204
    with contextlib.ExitStack() as stack:
        for asked in (f"GET /containers/{c}/logs?stdout=1&follow=1", f"POST /containers/{c}/wait", "GET /events",
                      f"POST /containers/{c}/attach?stream=1&stdout=1&stderr=1"):
            s = stack.enter_context(engine.connect())
            s.sendall(f"{asked} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 " in s.recv(4096)
        wait_for(lambda: len(own_processes(engine)) == 5)  # and one for the next connection
        own = own_processes(engine)
        time.sleep(0.6)  # once, after a moment, they give memory back
        before = [switches(pid) for pid in own]
        time.sleep(1)
        assert [switches(pid) for pid in own] == before
        assert engine.ask("DELETE", f"/containers/{c}?force=1").status == 204
    wait_for(lambda: len(harness.descendants(engine.process.pid)) == 1)  # that for the next connection


def held_kib(pid):
    """Memory of the process's own; where its page tables lie, and so their number, is random."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Private_Dirty:"))


def test_streams_that_wait_give_memory_back(engine, load):
    """Also one that had output: its buffers are empty. A process that has served before keeps some pages of that."""
    line = "x" * 1000
    c = engine.ask("POST", "/containers/create", {"Image": "box", "OpenStdin": True, "Cmd": [
        "sh", "-c", f"read go; for i in $(seq 100); do echo {line}; done; echo end; sleep 600"]}).json["Id"]
    assert engine.ask("POST", f"/containers/{c}/start").status == 204
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(engine.connect()) for _ in range(3)]
        for s, asked in zip(opened, (f"GET /containers/{c}/logs?stdout=1&follow=1", f"POST /containers/{c}/wait",
                                     f"POST /containers/{c}/attach?stream=1&stdout=1&stdin=1")):
            s.sendall(f"{asked} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 " in s.recv(4096)
        opened[2].sendall(b"go\n")
        for s in opened[0], opened[2]:
            seen = b""
            while b"end\n" not in seen:
                seen = seen[-10:] + s.recv(65536)
        wait_for(lambda: len(own_processes(engine)) == 4)
        own = own_processes(engine)
        held = lambda: [held_kib(pid) for pid in own]
        with contextlib.suppress(AssertionError):
            wait_for(lambda: max(held()) <= 112, 5)
        assert max(held()) <= 112, held()
        assert engine.ask("DELETE", f"/containers/{c}?force=1").status == 204


def living(pids):
    harness.reap()
    return [pid for pid in pids if pid in harness.process_table()]


def the_one_that_waits(engine):
    """When no other has anything left to do; one is also there alone while the next is made."""
    last = None
    while True:
        wait_for(lambda: len(own_processes(engine)) == 1)
        found = own_processes(engine)
        if len(found) == 1 and found == last:
            return found[0]
        last = found
        time.sleep(0.2)


def test_the_process_for_the_next_connection(csbx):
    """It is made anew where it is killed, and ends with the listener."""
    with apisocket.listening(csbx) as e:
        for _ in range(5):
            spare = the_one_that_waits(e)
            os.kill(spare, signal.SIGKILL)
            wait_for(lambda gone=spare: gone not in harness.descendants(e.process.pid))
            assert e.ask("GET", "/_ping").status == 200
        spare = the_one_that_waits(e)
        with e.connect() as served:
            served.sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
            assert b" 200 " in served.recv(4096)
            wait_for(lambda: len(harness.descendants(e.process.pid)) == 2)
            pids = harness.descendants(e.process.pid)
            e.process.send_signal(signal.SIGKILL)
            e.process.wait()
            wait_for(lambda: living(pids) == [spare])
            served.sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
            assert b" 200 " in served.recv(4096), "a connection that is served goes on"
        wait_for(lambda: not living(pids))
        os.unlink(e.path)


def test_a_process_serves_one_connection_after_another(csbx):
    """Of those that have nothing left to do some wait for a moment, then one."""
    with apisocket.listening(csbx) as e:
        wait_for(lambda: len(own_processes(e)) == 1)
        seen = set(own_processes(e))
        for _ in range(50):
            assert e.ask("GET", "/_ping").status == 200
            seen.update(own_processes(e))
        assert len(seen) <= 5, "50 connections"
        with contextlib.ExitStack() as stack:
            many = [stack.enter_context(e.connect()) for _ in range(80)]
            for _ in range(2):
                for s in many:
                    s.sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
                assert all(b" 200 " in s.recv(4096) for s in many), "more than there are channels for"
            assert len(own_processes(e)) >= 80
        wait_for(lambda: len(own_processes(e)) <= 4, 0.9)
        wait_for(lambda: len(own_processes(e)) == 1)


def test_a_supervisor_has_nothing_of_the_connection(csbx, load):
    """It is no child of the process that made it, which takes other connections while the container runs."""
    with apisocket.listening(csbx) as e:
        c = e.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["sleep", "600"]}).json["Id"]
        for again in ("start", "restart?t=0"):
            with e.connect() as s:
                s.sendall(f"POST /containers/{c}/{again} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
                assert b" 204 " in apisocket.read_all(s), "also its end is told"
            assert not [pid for pid in harness.descendants(e.process.pid) if pid not in own_processes(e)], again
            with e.connect() as s:
                s.sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
                assert b" 200 " in s.recv(4096)
        assert e.ask("DELETE", f"/containers/{c}?force=1").status == 204


@pytest.mark.parametrize("script, soon", [("true", True), ("echo data > /data", False)])
def test_a_removed_container_leaves_nothing(csbx, engine, load, script, soon):
    """What a program wrote is deleted when the answer comes; without that only csbx's own few files may follow it."""
    data = csbx.dirs["data"]

    def names():
        return [name for top in ("containers", "layers") for name in os.listdir(data / top) if name not in (".lock", ".ids")]
    c = engine.ask("POST", "/containers/create?name=gone", {"Image": "box", "Cmd": ["sh", "-c", script]}).json["Id"]
    assert engine.ask("POST", f"/containers/{c}/start").status == 204
    assert engine.ask("POST", f"/containers/{c}/wait").json["StatusCode"] == 0
    written = [str(path) for path in (data / "layers").rglob("upper/data")]
    assert len(written) == (not soon)
    assert engine.ask("DELETE", "/containers/gone").status == 204
    assert soon or not names()
    assert engine.ask("GET", f"/containers/{c}/json").status == 404
    assert engine.ask("POST", "/containers/create?name=gone", {"Image": "box"}).status == 201, "its name is free at once"
    assert engine.ask("DELETE", "/containers/gone").status == 204
    wait_for(lambda: not names())


def test_bodies_without_measure(engine):
    long = b'{"Image":"' + b"x" * (17 << 20) + b'"}'
    assert b" 413 " in engine.raw(b"POST /containers/create HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(long) + long)
    chunk = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
    assert b" 413 " in engine.raw(b"POST /containers/create HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 17)
    lied = b"POST /containers/create HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n{}"
    assert b" 413 " in engine.raw(lied)
    assert engine.ask("POST", "/containers/create", b"[" * 100000).status == 400
    assert engine.ask("GET", "/_ping").status == 200


class Killed:
    """An engine that is started again wherever it was killed."""

    def __init__(self, box):
        self.box, self.stop, self.kills = box, threading.Event(), 0
        self.process = box.popen("engine", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.engine = Engine(box, self.process)
        wait_for(lambda: answers(self.engine))

    def kill_now_and_then(self):
        rnd = random.Random(7)
        while not self.stop.wait(rnd.uniform(0.05, 0.4)):
            # Its own children: below them are supervisors, whose end is that of their container.
            children = own_processes(self)
            if rnd.random() < 0.5 and children:
                harness.kill_all([rnd.choice(children)])
            else:
                self.process.kill()
                self.process.wait()
                self.process = self.box.popen("engine", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.kills += 1

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def insist(fn, until):
    """As a client that tries again: csbx may have done the work although the answer was lost."""
    while True:
        try:
            return fn()
        except Exception:  # pylint: disable=broad-except  # whatever a client makes of a lost connection
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def known(answer):
    """A process that was killed while it answered is none of the client's doing: it asks again."""
    assert answer.status < 500, answer.body
    return answer


def work(killed, number, bad):
    """Rounds of what a harness does; each must find its container, its output and its exit code."""
    engine, until, n = killed.engine, time.monotonic() + KILL_S, 0
    while time.monotonic() < until:
        name = f"w{number}x{n}"
        n += 1
        # A client that asks anew may start one that has run meanwhile: once it has said its name.
        body = {"Image": "box", "Cmd": ["sh", "-c", f"test -e /ran || echo {name}; touch /ran; exit 7"]}

        def ask(method, path, *more):
            return insist(lambda: known(engine.ask(method, path, *more)), until + 60)

        made = ask("POST", f"/containers/create?name={name}", body)
        status = ask("GET", f"/containers/{name}/json").json["State"]["Status"]
        while status == "created":  # one that has ended would run again
            with contextlib.suppress(Exception):
                engine.ask("POST", f"/containers/{name}/start")
            status = ask("GET", f"/containers/{name}/json").json["State"]["Status"]
            assert time.monotonic() < until + 60, f"{name} cannot be started"
        code = insist(lambda: engine.ask("POST", f"/containers/{name}/wait").json["StatusCode"], until + 60)
        said = insist(lambda: engine.ask("GET", f"/containers/{name}/logs?stdout=1").body[8:], until + 60)
        if made.status not in (201, 409) or (code, said) != (7, f"{name}\n".encode()):
            bad.append((name, made.status, status, code, said))
        ask("DELETE", f"/containers/{name}")
    if n < 3:
        bad.append(f"worker {number} got through {n} rounds only")


def test_killed_at_random_it_loses_nothing(csbx, load):
    killed, bad = Killed(csbx), []
    threads = [threading.Thread(target=work, args=(killed, n, bad)) for n in range(WORKERS)]
    killer = threading.Thread(target=killed.kill_now_and_then)
    for t in (*threads, killer):
        t.start()
    for t in threads:
        t.join()
    killed.stop.set()
    killer.join()
    wait_for(lambda: answers(killed.engine))
    try:
        assert not bad, bad[:5]
        assert killed.kills > 10
        for one in killed.engine.ask("GET", "/containers/json?all=1").json:
            killed.engine.ask("DELETE", f"/containers/{one['Id']}?force=1")
    finally:
        killed.close()
        harness.wait_for_no_process(csbx.known)
    csbx.ok("gc")
    assert not [n for n in os.listdir(csbx.dirs["run"] / "engine") if not n.startswith(".")]
    assert not csbx.ok("docker", "ps", "-aq")
