# SPDX-License-Identifier: Apache-2.0
"""Real clients: Debian's docker-py (python3-docker) and docker's own command line."""
import io
import json
import os
import signal
import tarfile
import time

import pytest

import harness
from apisocket import CLIENTS, frames, read_all, script, wait_for
from registries import free_port
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
    """docker-py loses the output that comes in one read with the answer's head: csbx must not send it so."""
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


def test_py_archive_of_all_there_is(api, box):
    """Docker's client puts a name of its own before a root's names, which begin with a slash."""
    import docker
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    with tarfile.open(fileobj=io.BytesIO(b"".join(c.get_archive("/")[0]))) as t:
        names = t.getnames()
    assert "/etc/passwd" in names and not [n for n in names if n and not n.startswith("/")]
    with tarfile.open(fileobj=io.BytesIO(b"".join(c.get_archive("/.")[0]))) as t:
        assert "./etc/passwd" in t.getnames()
    with pytest.raises(docker.errors.NotFound, match="Could not find the file /dev/null"):
        c.get_archive("/dev/null")


@pytest.mark.parametrize("client", CLIENTS)
def test_cli_copies_all_there_is(box, client):
    code, out, err = script(box, client, "$D run -d --name cc box sleep 60 >/dev/null; $D cp cc:/ x; ls x; ls x/proc")
    assert code == 0 and {"bin", "etc", "proc", "usr"} <= set(out.split()), err


def test_ports_of_a_list(csbx, box):
    port = free_port()
    csbx.ok("docker", "run", "-d", "--name", "pp", "-p", f"{port}:{port}", "-p", f"127.0.0.1:{port + 1}:{port + 1}/udp", "box", "sleep", "60")
    (row,) = box.ask("GET", "/containers/json").json
    assert row["Ports"] == [{"IP": "0.0.0.0", "PrivatePort": port, "PublicPort": port, "Type": "tcp"},
                            {"IP": "127.0.0.1", "PrivatePort": port + 1, "PublicPort": port + 1, "Type": "udp"}]
    csbx.ok("docker", "stop", "-t", "0", "pp")
    assert box.ask("GET", "/containers/json?all=1").json[0]["Ports"] == []


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


def test_a_terminal_has_its_size_from_its_first_moment(box, api):
    for _ in range(5):
        c = made(box, "stty", "size", Tty=True, HostConfig={"ConsoleSize": [33, 77]})
        assert box.ask("GET", f"/containers/{c}/json").json["HostConfig"]["ConsoleSize"] == [33, 77]
        assert box.ask("POST", f"/containers/{c}/start").status == 204
        assert box.ask("POST", f"/containers/{c}/wait").json["StatusCode"] == 0
        assert api.containers.get(c).logs() == b"33 77\r\n"
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    for where in ("create", "start"):
        for size in (None, [0, 0], [34, 78]):
            more = {"Tty": True, "ConsoleSize": size}
            e = box.ask("POST", f"/containers/{c.id}/exec",
                        {"Cmd": ["stty", "size"], "AttachStdout": True, "Tty": True, **(more if where == "create" else {})})
            out = box.ask("POST", f"/exec/{e.json['Id']}/start", more if where == "start" else {"Tty": True}).body
            assert out == (b"34 78\r\n" if size and size[0] else b"stty: standard input\r\n"), (where, size)
    for bad in ("x", ["a"], [1, -2], [70000, 1], [1, 2, 3]):
        answer = box.ask("POST", "/containers/create", {"Image": "box", "Tty": True, "HostConfig": {"ConsoleSize": bad}})
        assert answer.status == 400 and "ConsoleSize" in answer.message, (bad, answer.body)


@pytest.mark.parametrize("words", (["docker", "run", "--rm", "-it", "box"], ["docker", "exec", "-it", "up"], ["docker", "start", "-ai", "down"]))
def test_the_own_command_has_its_terminals_size_at_once(box, words):
    csbx = box.box
    csbx.ok("docker", "run", "-d", "--name", "up", "box", "sleep", "60")
    csbx.ok("docker", "create", "-it", "--name", "down", "box", "stty", "size")
    t = Terminal(csbx, csbx.argv([*words, *([] if words[-1] == "down" else ["stty", "size"])]), rows=33, columns=77, **csbx.identity())
    try:
        t.expect("33 77")
        assert t.wait() == 0
    finally:
        t.close()


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


# --- leaving a terminal by its keys -------------------------------------------------------------

def own(csbx, *words):
    return Terminal(csbx, csbx.argv(["docker", *words]), **csbx.identity())


def other(csbx, client, path, *words):
    return Terminal(csbx, [client, "-H", f"unix://{path}", *words], **csbx.identity())


@pytest.mark.parametrize("client", [None, *CLIENTS])
def test_a_terminal_is_left_by_its_keys(box, client):
    csbx = box.box
    begin = (lambda *w: own(csbx, *w)) if client is None else (lambda *w: other(csbx, client, box.path, *w))

    def left(words, typed, keys, code, text):
        t = begin(*words)
        try:
            t.send("\r" + typed + "\r")
            t.expect(typed.split()[-1] + "\r\n(.|\n)*" + typed.split()[-1])
            for key in keys:
                t.send(key)
                time.sleep(0.1)
            if text:
                t.expect("read escape sequence\r\n")
            assert t.wait() == code and "escape" not in t.seen, t.seen
        finally:
            t.close()

    left(("run", "-it", "--name", "tt", "box", "sh"), "echo one", "\x10\x11", 0, False)
    left(("attach", "tt"), "echo two", "\x10\x11", 1, True)
    left(("attach", "--detach-keys", "ctrl-a,x", "tt"), "echo three", "\x01x", 1, True)
    left(("exec", "-it", "tt", "sh"), "echo four", "\x10\x11", 1, True)
    left(("exec", "-it", "--detach-keys=ctrl-@", "tt", "sh"), "echo five", "\x00", 1, True)
    assert csbx.ok("docker", "inspect", "-f", "{{.State.Status}}", "tt") == "running\n"
    ps = csbx.ok("docker", "exec", "tt", "ps")
    assert ps.count("sh\n") == 3, "the execs go on: " + ps
    csbx.ok("docker", "stop", "-t", "0", "tt")
    wait_for(lambda: csbx.ok("docker", "ps", "-q") == "")
    left(("start", "-ai", "tt"), "echo six", "\x10\x11", 0, False)
    events = csbx.ok("docker", "events", "--since", "0", "--until", str(time.time()), "--format", "{{.Action}}").split("\n")
    if client is None:
        assert (events.count("detach"), events.count("exec_detach"), events.count("attach")) == (4, 2, 4), events
    for words in (("exec", "--detach-keys", "foo", "tt", "true"), ("run", "--detach-keys", "foo", "box", "true")):
        p = csbx.run("docker", *words)
        assert p.returncode in (1, 125) and "keys (foo) provided" in p.stderr, p.stderr


def test_keys_that_are_no_keys(box):
    """A part of them goes on to the program, as do the bytes in a larger piece."""
    c = made(box, "cat", "-v", Tty=True, OpenStdin=True, StdinOnce=False)
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    up = {"Connection": "Upgrade", "Upgrade": "tcp"}
    assert box.ask("POST", f"/containers/{c}/attach?stream=1&stdin=1&stdout=1&detachKeys=foo", headers=up).status == 400
    with box.connect() as s:
        assert box.ask("POST", f"/containers/{c}/attach?stream=1&stdin=1&stdout=1&detachKeys=a,b,c", sock=s, headers=up).status == 101
        for piece in (b"a", b"b", b"x", b"\r", b"12abc34\r"):
            s.sendall(piece)
            time.sleep(0.1)
        got = b""
        while b"12abc34\r\n12abc34" not in got:
            got += s.recv(4096)
        assert b"abx\r\nabx\r\n" in got
        for piece in (b"a", b"b", b"c"):
            s.sendall(piece)
            time.sleep(0.1)
        read_all(s)
    assert box.ask("GET", f"/containers/{c}/json").json["State"]["Running"]
    assert "Invalid escape keys" in box.ask("POST", f"/containers/{c}/exec", {"Cmd": ["true"], "DetachKeys": "foo"}).message


def test_an_exec_goes_on_without_its_client(box, api):
    """csbx drops the output that it writes then, however much it is."""
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    up = {"Connection": "Upgrade", "Upgrade": "tcp"}
    work = "sleep 0.5; i=0; while test $i -lt 5000; do echo line of some length $i; i=$((i+1)); done; echo end >/tmp/end; exit 4"
    for tty in (False, True):
        e = box.ask("POST", f"/containers/{c.id}/exec", {"Cmd": ["sh", "-c", work],
                                                        "AttachStdout": True, "AttachStdin": True, "Tty": tty}).json["Id"]
        with box.connect() as s:
            assert box.ask("POST", f"/exec/{e}/start", {"Tty": tty}, headers=up, sock=s).status == 101
            wait_for(lambda e=e: box.ask("GET", f"/exec/{e}/json").json["Running"])
        wait_for(lambda e=e: not box.ask("GET", f"/exec/{e}/json").json["Running"])
        assert box.ask("GET", f"/exec/{e}/json").json["ExitCode"] == 4
        assert c.exec_run("cat /tmp/end").output == b"end\n"
        c.exec_run("rm /tmp/end")


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


def test_one_whose_supervisor_is_killed_is_removed_all_the_same(csbx, box):
    """docker run --rm waits for its removal, which the supervisor would have seen to."""
    c = made(box, "sleep", "60", HostConfig={"AutoRemove": True})
    with box.connect() as waiting:
        waiting.sendall(f"POST /containers/{c}/wait?condition=removed HTTP/1.1\r\nHost: d\r\n\r\n".encode())
        assert b" 200 OK" in waiting.recv(4096)
        assert box.ask("POST", f"/containers/{c}/start").status == 204
        [instance] = [i for i in json.loads(csbx.ok("list", "--json"))["instances"] if c.startswith(i["id"])]
        os.kill(instance["supervisor_pid"], signal.SIGKILL)
        waiting.settimeout(20)
        assert json.loads(waiting.recv(4096).split(b"\r\n")[1])["StatusCode"] == 137
    assert box.ask("GET", f"/containers/{c}/json").status == 404


def test_clients_that_vanish(box):
    c = made(box, "sleep", "60")
    up = {"Connection": "Upgrade", "Upgrade": "tcp"}
    for path in (f"/containers/{c}/attach?stream=1&stdout=1", f"/containers/{c}/wait?condition=next-exit"):
        with box.connect() as s:  # before the start
            s.sendall(f"POST {path} HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n".encode())
            s.recv(4096)
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    for path in ("attach?stream=1&stdout=1&stdin=1", "wait", "logs?stdout=1&follow=1"):
        with box.connect() as s:
            method = "GET" if path.startswith("logs") else "POST"
            s.sendall(f"{method} /containers/{c}/{path} HTTP/1.1\r\nHost: d\r\n\r\n".encode())
            s.recv(4096)
    e = box.ask("POST", f"/containers/{c}/exec", {"Cmd": ["sleep", "50"], "AttachStdout": True}).json["Id"]
    with box.connect() as s:
        assert box.ask("POST", f"/exec/{e}/start", {}, headers=up, sock=s).status == 101
        wait_for(lambda: box.ask("GET", f"/exec/{e}/json").json["Running"])
    wait_for(lambda: len(harness.descendants(box.process.pid)) == 1)  # that for the next connection
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
        wait_for(lambda: len(harness.descendants(box.process.pid)) == 3)  # and one for the next connection
        pids = list(harness.descendants(box.process.pid))
        switches = lambda: [int(line.split()[1]) for pid in pids for line in open(f"/proc/{pid}/status", encoding="ascii")
                            if line.startswith("voluntary_ctxt")]
        time.sleep(0.5)  # once, after a moment, they give memory back
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

def test_stop(csbx, box):
    """The engine that listens is ended, however it was started; containers go on."""
    c = made(box, "sleep", "60")
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    csbx.ok("engine", "--stop")
    assert box.process.wait(timeout=20) == 0 and not os.path.exists(box.path)
    p = csbx.run("engine", "--stop")
    assert p.returncode == 125 and f"no engine listens at unix://{box.path}" in p.stderr, p.stderr
    assert csbx.ok("engine", "-d") == f"unix://{box.path}\n"
    assert box.ask("GET", f"/containers/{c}/json").json["State"]["Running"]
    assert box.ask("DELETE", f"/containers/{c}?force=1").status == 204
    csbx.ok("engine", "--stop")
    assert not os.path.exists(box.path)
    for words in (["--stop", "-d"], ["--stop", "true"]):
        csbx.fails("engine", *words, says="--stop goes without")
    csbx.ok("engine", "--env")
    csbx.ok("engine", "--stop")
    box.ask = lambda *_: type("Gone", (), {"json": []})
