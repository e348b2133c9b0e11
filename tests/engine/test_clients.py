# SPDX-License-Identifier: Apache-2.0
"""Real clients: Debian's docker-py (python3-docker) and docker's own command line."""
import io
import json
import os
import tarfile
import time

import pytest

import harness
from apisocket import CLIENTS, frames, read_all, script, wait_for
from terminal import Terminal

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]


def made(engine, *cmd, **more):
    answer = engine.ask("POST", "/containers/create", {"Image": "box", "Cmd": list(cmd), **more})
    assert answer.status == 201, answer.body
    return answer.json["Id"]


# --- docker-py --------------------------------------------------------------------------------

def test_py_run(api):
    import docker
    assert api.ping() and api.containers.run("box", "echo hi", remove=True) == b"hi\n"
    with pytest.raises(docker.errors.ContainerError) as e:
        api.containers.run("box", ["sh", "-c", "echo bad >&2; exit 4"], remove=True)
    assert (e.value.exit_status, e.value.stderr) == (4, b"bad\n")
    with pytest.raises(docker.errors.ImageNotFound):
        api.containers.create("nope")
    with pytest.raises(docker.errors.NotFound):
        api.containers.get("nope")


def test_py_life(api):
    import docker
    c = api.containers.run("box", ["sh", "-c", "echo out; echo err >&2; exec sleep 60"], detach=True, name="dp",
                           mem_limit="64m", labels={"a": "b"}, environment={"X": "1"}, working_dir="/tmp",
                           tmpfs={"/t": "size=1m"}, user="root", ulimits=[docker.types.Ulimit(name="nofile", soft=99, hard=100)])
    wait_for(lambda: c.logs() == b"out\nerr\n" or c.logs() == b"err\nout\n")
    assert c.logs(stderr=False) == b"out\n" and c.logs(stdout=False) == b"err\n"
    assert c.logs(stdout=True, stderr=False, timestamps=True).split(b" ")[1] == b"out\n"
    c.reload()
    assert (c.status, c.labels, c.attrs["HostConfig"]["Memory"]) == ("running", {"a": "b"}, 64 << 20)
    assert c.exec_run("sh -c 'echo $X; pwd; ulimit -n'").output == b"1\n/tmp\n99\n"
    assert [x.name for x in api.containers.list(filters={"label": "a=b", "status": ["running"]})] == ["dp"]
    assert api.containers.list(filters={"name": "other"}) == []
    c.pause()
    c.reload()
    assert c.status == "paused"
    c.unpause()
    c.rename("dq")
    c.stop(timeout=1)
    assert c.wait()["StatusCode"] == 137
    c.restart(timeout=0)
    c.kill()
    assert c.wait(condition="not-running")["StatusCode"] == 137
    c.remove(v=True)
    with pytest.raises(docker.errors.NotFound):
        api.containers.get("dq")


def test_py_exec(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    assert c.exec_run(["sh", "-c", "echo o; echo e >&2; exit 3"], demux=True) == (3, (b"o\n", b"e\n"))
    assert c.exec_run("nosuch").exit_code == 127
    assert c.exec_run("tty", tty=True).output == b"/dev/pts/0\r\n"
    assert c.exec_run("sh -c 'pwd; echo $A'", workdir="/tmp", environment={"A": "b"}).output == b"/tmp\nb\n"
    assert b"".join(c.exec_run("echo str", stream=True)[1]) == b"str\n"
    e = api.api.exec_create(c.id, ["sh", "-c", "sleep 0.2; exit 9"])
    api.api.exec_start(e, detach=True)
    assert api.api.exec_inspect(e)["Running"] is True
    wait_for(lambda: not api.api.exec_inspect(e)["Running"])
    assert api.api.exec_inspect(e)["ExitCode"] == 9
    _, s = c.exec_run("cat", stdin=True, socket=True)
    s._sock.sendall(b"abc\n")
    s._sock.shutdown(1)
    assert frames(read_all(s._sock)) == [(1, b"abc\n")], "an input that ends ends the program"
    s.close()


def test_py_loses_no_output_that_comes_at_once(api):
    """What comes in one read with the answer's head is lost in docker-py."""
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    assert {c.exec_run("echo hello").output for _ in range(60)} == {b"hello\n"}


def test_what_a_slow_client_reads_with_the_head(box, api):
    """A client of many threads reads the head late."""
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    e = api.api.exec_create(c.id, "echo late")["Id"]
    with box.connect() as s:
        s.sendall(f"POST /exec/{e}/start HTTP/1.1\r\nContent-Length: 2\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n{{}}".encode())
        time.sleep(0.5)
        head = s.recv(65536)
        assert head.endswith(b"\r\n\r\n"), "the head comes alone"
        assert frames(read_all(s)) == [(1, b"late\n")]


def test_py_archives(api):
    import docker
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        one = tarfile.TarInfo("p.diff")
        one.size, one.mode, one.mtime = 3, 0o640, 1000000000
        t.addfile(one, io.BytesIO(b"abc"))
    assert c.put_archive("/tmp", b.getvalue()) and c.exec_run("cat /tmp/p.diff").output == b"abc"
    data, st = c.get_archive("/tmp/p.diff")
    assert (st["name"], st["size"], st["mode"], st["mtime"]) == ("p.diff", 3, 0o640, "2001-09-09T01:46:40Z")
    with tarfile.open(fileobj=io.BytesIO(b"".join(data))) as t:
        assert t.extractfile("p.diff").read() == b"abc"
    _, st = c.get_archive("/tmp")
    assert st["mode"] >> 31 == 1
    for fn in (lambda: c.put_archive("/nodir", b.getvalue()), lambda: c.get_archive("/nothing")):
        with pytest.raises(docker.errors.NotFound, match="Could not find the file"):
            fn()
    with pytest.raises(docker.errors.APIError, match="not a directory"):
        c.put_archive("/etc/passwd", b.getvalue())
    c.stop(timeout=0)
    assert b"".join(c.get_archive("/tmp/p.diff")[0]), "one that does not run has its files, too"


def test_py_terminal(api):
    c = api.containers.run("box", "sh", tty=True, stdin_open=True, detach=True)
    s = c.attach_socket(params={"stdin": 1, "stdout": 1, "stream": 1})
    c.resize(40, 100)
    s._sock.sendall(b"stty size; exit 5\n")
    s._sock.settimeout(20)
    assert b"\n40 100\r\n" in read_all(s._sock)
    s.close()
    assert c.wait()["StatusCode"] == 5


# --- docker's own command line -----------------------------------------------------------------

@pytest.mark.parametrize("client", CLIENTS)
def test_cli(box, client):
    assert script(box, client, """
        $D run --rm box echo hello
        echo input | $D run --rm -i box sh -c 'cat; echo err >&2; exit 3' || echo rc $?
        id=$($D run -d --name c1 box sh -c 'echo log; exec sleep 100'); test ${#id} = 64
        $D inspect -f '{{.State.Status}}' c1
        $D exec c1 sh -c 'exit 7' || echo rc $?
        echo in | $D exec -i c1 cat
        echo file >f; $D cp f c1:/tmp/g 2>/dev/null; $D exec c1 cat /tmp/g; $D cp c1:/tmp/g back 2>/dev/null; cat back
        $D ps --format '{{.Names}} {{.Image}} {{.State}}'
        $D logs c1; (sleep 0.5; $D stop -t 0 c1 >/dev/null) & $D logs -f c1; wait
        $D rm c1
        $D run --name c2 box nosuch 2>/dev/null || echo rc $?
        $D rm c2; $D ps -aq
    """) == (0, "hello\ninput\nrc 3\nrunning\nrc 7\nin\nfile\nfile\nc1 box running\nlog\nlog\nc1\nrc 127\nc2\n", "err\n")


@pytest.mark.parametrize("client", CLIENTS)
def test_cli_terminal(box, client):
    """Docker's client asks for the size when the container runs: a program may look before it has one, also with Docker."""
    script = "until stty size 2>/dev/null | grep -v '^0'; do sleep 0.05; done; read x; echo got $x; exit 6"
    argv = [client, "-H", f"unix://{box.path}", "run", "--rm", "-it", "box", "sh", "-c", script]
    t = Terminal(box.box, argv, rows=33, columns=77, **box.box.identity())
    try:
        t.expect("33 77")
        t.send("yes\r")
        t.expect("got yes")
        assert t.wait() == 6
    finally:
        t.close()


# --- faults -----------------------------------------------------------------------------------

@pytest.mark.parametrize("body,text", [
    (b"{", "JSON"), (b"[]", "no JSON object"), (b'{"Image":5}', "Image: not a string"),
    (b'{"Image":"box","Cmd":[1]}', "Cmd: not a list of strings"), (b'{"Image":"box","Tty":"x"}', "Tty"),
    (b'{"Image":"box","HostConfig":{"Memory":"1"}}', "Memory"), (b"{}", "no image"),
    (b'{"Image":"box","HostConfig":{"Memory":1024}}', "Minimum memory"),
    (b'{"Image":"box","HostConfig":{"Binds":["./x:/y"]}}', "absolute"),
    (b'{"Image":"box","HostConfig":{"Privileged":true}}', "privileged"),
    (b'{"Image":"box","HostConfig":{"NetworkMode":"nonet"}}', "nonet"),
    (b'{"Image":"box","Env":["=x"]}', "environment"),
])
def test_what_cannot_be_made(box, body, text):
    answer = box.ask("POST", "/containers/create", body)
    assert answer.status in (400, 404) and text in answer.message, answer.body
    assert box.ask("GET", "/containers/json?all=1").json == []


def test_statuses(box):
    c = made(box, "sleep", "60")
    ask = box.ask
    assert ask("POST", f"/containers/{c}/stop").status == 304
    assert ask("POST", f"/containers/{c}/kill").status == 409
    assert ask("POST", f"/containers/{c}/exec", {"Cmd": ["true"]}).status == 409
    assert ask("POST", f"/containers/{c}/start").status == 204
    assert ask("POST", f"/containers/{c}/start").status == 304
    assert ask("DELETE", f"/containers/{c}").status == 409
    assert ask("POST", f"/containers/{c}/exec", {"Cmd": []}).status == 400
    assert ask("POST", f"/containers/{c}/kill?signal=NONE").status == 400
    assert ask("POST", f"/containers/{c}/wait?condition=never").status == 400
    assert ask("GET", f"/containers/{c}/logs").status == 400
    assert ask("GET", "/containers/json?filters=x").status == 400
    assert ask("GET", "/containers/json?filters=%7B%22nokey%22%3A%5B%22a%22%5D%7D").status == 400
    assert ask("GET", "/containers/json?limit=x").status == 400
    for path in ("json", "logs?stdout=1", "archive?path=/"):
        assert ask("GET", f"/containers/nope/{path}").status == 404
    assert ask("GET", "/exec/" + "0" * 64 + "/json").status == 404
    missing = ask("POST", "/containers/create?name=xx", {"Image": "missing"})
    assert (missing.status, missing.message) == (404, "No such image: missing:latest")
    bad = made(box, "nosuch")
    answer = ask("POST", f"/containers/{bad}/start")
    assert answer.status == 400 and "executable file not found" in answer.message


def test_attach_and_wait_come_before_the_start(box):
    """The order of docker run; nothing of a program is lost that ends at once."""
    for _ in range(5):
        c = made(box, "sh", "-c", "echo out; echo err >&2; exit 8", HostConfig={"AutoRemove": True})
        with box.connect() as attached, box.connect() as waiting:
            answer = box.ask("POST", f"/containers/{c}/attach?stream=1&stdout=1&stderr=1", sock=attached,
                             headers={"Connection": "Upgrade", "Upgrade": "tcp"})
            assert answer.status == 101
            waiting.sendall(f"POST /containers/{c}/wait?condition=removed HTTP/1.1\r\nHost: d\r\n\r\n".encode())
            head = waiting.recv(4096)
            assert b" 200 OK" in head and b"StatusCode" not in head, "the head comes at once"
            assert box.ask("POST", f"/containers/{c}/start").status == 204
            assert sorted(frames(read_all(attached))) == [(1, b"out\n"), (2, b"err\n")]
            waiting.settimeout(20)
            assert json.loads(waiting.recv(4096).split(b"\r\n")[1])["StatusCode"] == 8


def test_clients_that_vanish(box):
    c = made(box, "sleep", "60")
    up = {"Connection": "Upgrade", "Upgrade": "tcp"}
    for path in (f"/containers/{c}/attach?stream=1&stdout=1", f"/containers/{c}/wait?condition=next-exit"):
        with box.connect() as s:  # before the start
            s.sendall(f"POST {path} HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n".encode())
            s.recv(4096)
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    for path in (f"attach?stream=1&stdout=1&stdin=1", "wait", "logs?stdout=1&follow=1"):
        with box.connect() as s:
            method = "GET" if path.startswith("logs") else "POST"
            s.sendall(f"{method} /containers/{c}/{path} HTTP/1.1\r\nHost: d\r\n\r\n".encode())
            s.recv(4096)
    e = box.ask("POST", f"/containers/{c}/exec", {"Cmd": ["sleep", "50"], "AttachStdout": True}).json["Id"]
    with box.connect() as s:
        assert box.ask("POST", f"/exec/{e}/start", {}, headers=up, sock=s).status == 101
        wait_for(lambda: box.ask("GET", f"/exec/{e}/json").json["Running"])
    wait_for(lambda: not box.ask("GET", f"/exec/{e}/json").json["Running"])
    assert box.ask("GET", f"/exec/{e}/json").json["ExitCode"] == 137
    engine_children = lambda: harness.descendants(box.process.pid)
    wait_for(lambda: not engine_children())
    assert box.ask("GET", f"/containers/{c}/json").json["State"]["Running"], "and the container goes on"


def test_the_socket_cannot_be_mounted(box):
    """A program that had it could do what the user can do: csbx's own directories are hidden inside."""
    c = made(box, "true", HostConfig={"Binds": [f"{box.path}:/s"]})
    answer = box.ask("POST", f"/containers/{c}/start")
    assert answer.status >= 400 and "csbx's own and is hidden" in answer.message


def test_gc_removes_records_of_execs_with_their_container(csbx, box):
    c = made(box, "sleep", "60")
    execs = csbx.dirs["run"] / "execs"
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    e = box.ask("POST", f"/containers/{c}/exec", {"Cmd": ["true"]}).json["Id"]
    assert box.ask("POST", f"/exec/{e}/start", {"Detach": False}).status == 200
    csbx.ok("gc")
    assert box.ask("GET", f"/exec/{e}/json").json["ExitCode"] == 0, "its client may still ask"
    assert box.ask("POST", f"/containers/{c}/kill").status == 204
    assert box.ask("POST", f"/containers/{c}/wait").status == 200
    assert f"execs/{e}" in csbx.ok("gc") and not (execs / e).exists()


def test_waiting_costs_nothing(csbx, box):
    """Processes of attach and wait before the start sleep until something happens to the container."""
    c = made(box, "true", HostConfig={"AutoRemove": True})
    with box.connect() as attached, box.connect() as waiting:
        for s, path in ((attached, "attach?stream=1&stdout=1"), (waiting, "wait?condition=removed")):
            s.sendall(f"POST /containers/{c}/{path} HTTP/1.1\r\nHost: d\r\n\r\n".encode())
            s.recv(4096)
        pids = list(harness.descendants(box.process.pid))
        assert len(pids) == 2
        switches = lambda: [int(line.split()[1]) for pid in pids for line in open(f"/proc/{pid}/status", encoding="ascii")
                            if line.startswith("voluntary_ctxt")]
        time.sleep(0.2)
        before = switches()
        time.sleep(1)
        assert switches() == before, "nothing polls"
        csbx.ok("docker", "start", c)  # by somebody else: they learn it by themselves
        waiting.settimeout(20)
        assert b'"StatusCode":0' in waiting.recv(4096)
        assert read_all(attached) == b""


def test_containers_outlive_the_engine(csbx, box):
    c = made(box, "sh", "-c", "echo before; sleep 1; echo after; exit 3")
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    box.process.kill()
    box.process.wait()
    again = csbx.popen("engine")
    try:
        wait_for(lambda: os.path.exists(box.path))
        time.sleep(0.2)
        waited = box.ask("POST", f"/containers/{c}/wait").json
        assert waited["StatusCode"] == 3
        assert box.ask("GET", f"/containers/{c}/logs?stdout=1").body.count(b"\n") == 2
        assert box.ask("DELETE", f"/containers/{c}").status == 204
    finally:
        again.terminate()
        again.communicate(timeout=20)
        box.ask = lambda *_: type("Gone", (), {"json": []})
