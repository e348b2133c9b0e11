# SPDX-License-Identifier: Apache-2.0
"""Readers that do not read, and a machine that has nothing left: processes, descriptors, disk."""
import contextlib
import json
import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

import harness
import images
from apisocket import frames, listening, read_all, wait_for

pytestmark = pytest.mark.feature("userns")

UP = "Connection: Upgrade\r\nUpgrade: tcp\r\n"
LINES = 40000
PING = b"GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n"


@pytest.mark.both_users
def test_readers_that_do_not_read(box):
    """
    One of the log holds up nothing. One that is attached holds up its container, as with Docker, until it goes;
    what the others and the log get is all there.
    """
    work = f"i=0; while test $i -lt {LINES}; do echo a line that is of some length $i; i=$((i+1)); done"
    c = box.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["sh", "-c", work]}).json["Id"]
    with contextlib.ExitStack() as stack:
        def asks(text):
            s, head = stack.enter_context(box.connect()), b""
            s.sendall(text.encode())
            while not head.endswith(b"\r\n\r\n"):
                head += s.recv(1)
            return s
        stalls = asks(f"POST /containers/{c}/attach?stream=1&stdout=1 HTTP/1.1\r\n{UP}\r\n")
        assert box.ask("POST", f"/containers/{c}/start").status == 204
        asks(f"GET /containers/{c}/logs?stdout=1&follow=1 HTTP/1.1\r\n\r\n")
        with pytest.raises(TimeoutError):
            waits = asks(f"POST /containers/{c}/wait HTTP/1.1\r\nConnection: close\r\n\r\n")
            waits.settimeout(1)
            waits.recv(100)
        stalls.close()
        waits.settimeout(30)
        assert b'"StatusCode":0' in read_all(waits)
    lines = b"".join(text for _, text in frames(box.ask("GET", f"/containers/{c}/logs?stdout=1").body)).splitlines()
    assert len(lines) == LINES and lines[-1].endswith(b" %d" % (LINES - 1))


@contextlib.contextmanager
def limited(pid, which, soft):
    before = resource.prlimit(pid, which)
    resource.prlimit(pid, which, (soft, before[1]))
    yield
    resource.prlimit(pid, which, before)


@pytest.mark.both_users
def test_no_process_is_left_for_a_connection(engine):
    with limited(engine.process.pid, resource.RLIMIT_NPROC, 1), contextlib.ExitStack() as stack:
        for _ in range(6):  # by processes that wait, as long as there are some
            with contextlib.suppress(BrokenPipeError):  # turned away already
                stack.enter_context(engine.connect()).sendall(b"GET /_ping HTTP/1.1\r\n\r\n")
        got = engine.raw(PING)
        assert got.startswith(b"HTTP/1.1 503 ") and got.endswith(b'{"message":"too many connections"}')
    assert engine.ask("GET", "/_ping").status == 200


@pytest.mark.both_users
def test_no_descriptor_is_left_for_a_connection(engine):
    """The client waits, and costs the engine next to no time."""
    pid, ticks = engine.process.pid, os.sysconf("SC_CLK_TCK")
    time.sleep(1.5)  # processes that wait have ended but for one
    wait_for(lambda: len(harness.descendants(pid)) == 1)
    used = len(os.listdir(f"/proc/{pid}/fd"))
    with limited(pid, resource.RLIMIT_NOFILE, used), engine.connect(timeout=1) as s:
        before = time_of(pid)
        s.sendall(PING)
        with pytest.raises(TimeoutError):
            s.recv(10)
        assert time_of(pid) - before < ticks / 5
        s.settimeout(30)
    with engine.connect() as s:
        s.sendall(PING)
        assert b" 200 " in read_all(s)


def time_of(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def asked(csbx, *steps):
    """Answers to the steps of apiwire.py, asked by the engine's user: it serves no other, root neither."""
    program = (Path(__file__).parent / "apiwire.py").read_text(encoding="utf-8")
    p = subprocess.run(["/usr/bin/python3", "-c", program, csbx.dirs["run"] / "docker.sock"], input=json.dumps(steps),
                       capture_output=True, text=True, cwd="/", timeout=120, check=True, **csbx.identity())
    return json.loads(p.stdout)


def step(method, path, body=None, **how):
    return {"method": method, "path": path, **({"body": body} if body else {}), **how}


MADE = {"Image": "box", "Cmd": ["sleep", "600"]}


@pytest.mark.needs_root
def test_a_disk_that_is_full(csbx):
    """A new object is refused with the reason, and nothing of it is there; objects that are there stay."""
    data = csbx.dirs["data"]
    options = f"size=64m,mode=0700,uid={csbx.owner.pw_uid},gid={csbx.owner.pw_gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", data], check=True)
    try:
        path = csbx.work / "box.tar"
        images.busybox_image().write_docker_archive(path, tags=("box:latest",))
        path.chmod(0o644)
        csbx.ok("docker", "load", "-q", "-i", path)
        with listening(csbx):
            run_full(csbx, data)
        csbx.run("gc", "--servers")
        harness.wait_for_no_process(csbx.known)
    finally:
        subprocess.run(["umount", "-l", data], check=True)


def run_full(csbx, data):
    made = asked(csbx, step("POST", "/containers/create?name=old", MADE), step("POST", "/containers/old/start"))
    assert [status for status, _, _ in made] == [201, 204], made
    with open(data / "fill", "wb", 0) as f:
        for size in (65536, 512):  # a page is taken at once, or not
            with contextlib.suppress(OSError):
                while f.write(b"x" * size):
                    pass
    before = sorted(os.listdir(data / "containers"))
    ((status, _, body),) = asked(csbx, step("POST", "/containers/create?name=new", MADE))
    assert status == 500 and "No space left on device" in body["json"]["message"], (status, body)
    assert sorted(os.listdir(data / "containers")) == before
    # A container that runs goes on, and ends; its end is known.
    found = asked(csbx, step("GET", "/containers/json?all=1"),
                  step("POST", "/containers/old/exec", {"Cmd": ["echo", "hi"], "AttachStdout": True}, save=["e", "Id"]),
                  step("POST", "/exec/$e/start", {"Detach": False}), step("POST", "/containers/old/wait", begin="w"),
                  step("POST", "/containers/old/kill"), {"end": "w"})
    assert [x["Names"] for x in found[0][2]["json"]] == [["/old"]]
    assert found[2][2] == {"frames": [[1, "hi\n"]]} and found[5][2]["json"]["StatusCode"] == 137
    os.unlink(data / "fill")
    ends = asked(csbx, step("POST", "/containers/create?name=new", MADE), step("DELETE", "/containers/new"), step("DELETE", "/containers/old"))
    assert [status for status, _, _ in ends] == [201, 204, 204]
