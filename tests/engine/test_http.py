# SPDX-License-Identifier: Apache-2.0
"""The server below the endpoints: heads and bodies, good and bad, and clients that misbehave."""
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys

import pytest

import apisocket
import engines
import harness

pytestmark = pytest.mark.both_users

PING = b"GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n"
CLOSE = b"GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n"

BAD = [
    # what is sent, the status, a part of the message
    (b"nonsense\r\n\r\n", 400, "no request line"),
    (b"GET /_ping\r\n\r\n", 400, "no request line"),
    (b"GET /_ping HTTP/2.0\r\n\r\n", 505, "HTTP/2.0"),
    (b"BREW /_ping HTTP/1.1\r\n\r\n", 501, "BREW"),
    (b"GET /a/../_ping HTTP/1.1\r\n\r\n", 400, "in the path"),
    (b"GET /a/%2e%2e/_ping HTTP/1.1\r\n\r\n", 400, "in the path"),
    (b"GET /%zz HTTP/1.1\r\n\r\n", 400, "escape"),
    (b"GET /%00 HTTP/1.1\r\n\r\n", 400, "escape"),
    (b"GET /_ping HTTP/1.1\r\nA: \x01\r\n\r\n", 400, "control character"),
    (b"GET /_ping HTTP/1.1\r\n: x\r\n\r\n", 400, "without a name"),
    (b"GET /_ping HTTP/1.1\r\nA: x\r\n folded\r\n\r\n", 400, "folded"),
    (b"POST /_ping HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "no number"),
    (b"POST /_ping HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "no number"),
    (b"POST /_ping HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400, "two lengths"),
    (b"POST /_ping HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
     "a length beside chunks"),
    (b"POST /_ping HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "gzip"),
    (b"GET /_ping HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n", 400, "too many"),
    (b"GET /_ping HTTP/1.1\r\nA: " + b"b" * 70000 + b"\r\n\r\n", 431, "64 KiB"),
    (b"GET /" + b"a" * 70000, 431, "64 KiB"),
]


def statuses(answers):
    return [int(n) for n in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


@pytest.mark.parametrize("sent,status,text", BAD)
def test_a_bad_head_is_refused_and_ends_the_connection(engine, sent, status, text):
    got = engine.raw(sent)
    assert statuses(got) == [status], got[:300]
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"Connection: close" in head and b"Content-Type: application/json" in head
    assert body.startswith(b'{"message":"') and text.encode() in body
    assert engine.ask("GET", "/_ping").status == 200


def test_ping_and_versions(engine):
    ping = engine.ask("GET", "/_ping")
    assert (ping.status, ping.body) == (200, b"OK")
    assert ping.headers["api-version"] == "1.47" and ping.headers["ostype"] == "linux"
    assert ping.headers["docker-experimental"] == "false" and "no-cache" in ping.headers["cache-control"]
    head = engine.ask("HEAD", "/v1.24/_ping")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "2")
    version = engine.ask("GET", "/v1.41/version").json
    assert version["ApiVersion"] == "1.47" and version["MinAPIVersion"] == "1.24" and version["Os"] == "linux"
    assert engine.ask("GET", "/info").json["Swarm"]["LocalNodeState"] == "inactive"


@pytest.mark.parametrize("path,status,message", [
    ("/v1.99/_ping", 400, "client version 1.99 is too new. Maximum supported API version is 1.47"),
    ("/v1.23/_ping", 400, "client version 1.23 is too old. Minimum supported API version is 1.24, "
                          "please upgrade your client to a newer version"),
    ("/v1.41/nothing", 404, "page not found"),
    ("/", 404, "page not found"),
])
def test_what_is_not_there(engine, path, status, message):
    answer = engine.ask("GET", path)
    assert (answer.status, answer.message) == (status, message)


def test_a_connection_is_kept(engine):
    got = engine.raw(PING * 3 + b"\r\n" + CLOSE)
    assert statuses(got) == [200] * 4 and got.count(b"\r\n\r\nOK") == 4
    with engine.connect() as s:
        assert [engine.ask("GET", "/_ping", sock=s).status for _ in range(5)] == [200] * 5
    assert b"Connection: keep-alive" in engine.raw(
        b"GET /_ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /_ping HTTP/1.0\r\n\r\n")


def test_a_body_that_is_not_wanted_is_passed_over(engine):
    chunked = b"GET /_ping HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: v\r\n\r\n"
    long = b"GET /_ping HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100000
    assert statuses(engine.raw(chunked + long + CLOSE)) == [200] * 3


@pytest.mark.parametrize("body", [b"x\r\n", b"-1\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX\r\n0\r\n\r\n",
                                  b"fffffffffffffffff\r\n", b"5" * 200, b"0\r\n" + b"T: v\r\n" * 2000 + b"\r\n"])
def test_bad_chunks_end_the_connection(engine, body):
    got = engine.raw(b"GET /_ping HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body + PING)
    assert statuses(got) == [200]


def test_who_waits_to_be_told_to_go_on(engine):
    got = engine.raw(b"GET /_ping HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
    assert statuses(got) == [200], "nobody asked for that body"
    assert statuses(engine.raw(b"GET /_ping HTTP/1.1\r\nExpect: tea\r\n\r\n")) == [400]


def test_clients_that_vanish_or_stall_leave_the_others_alone(engine):
    with contextlib.ExitStack() as stack:
        for data in (b"", b"GET /_pi", b"GET /_ping HTTP/1.1\r\n", b"POST /_ping HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"):
            engine.connect().close()
            s = stack.enter_context(engine.connect())
            s.sendall(data)
            t = engine.connect()
            t.sendall(data)
            t.close()
        assert engine.ask("GET", "/_ping").status == 200
    assert engine.raw(b"", half_close=True) == b""


def test_five_hundred_connections(engine):
    with contextlib.ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(engine.connect())
        assert engine.ask("GET", "/_ping").status == 200
    apisocket.wait_for(lambda: len(harness.descendants(engine.process.pid)) == 1)  # that for the next connection


def test_the_socket_is_for_its_user_alone(engine):
    st = os.stat(engine.path)
    assert stat.S_IMODE(st.st_mode) == 0o600 and stat.S_IMODE(os.stat(os.path.dirname(engine.path)).st_mode) == 0o700


ASK = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
       "s.sendall(b'GET /_ping HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n')\nprint(s.recv(999).decode())")


@pytest.mark.feature("userns")
def test_a_program_in_a_container_is_refused(csbx, python_image):
    """It has the user's own id outside: that alone proves nothing. The socket is one that was given."""
    path = csbx.work / "given.sock"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(path))
        s.listen(8)
        with given(csbx, s):
            assert " 200 OK" in subprocess.run(["/usr/bin/python3", "-c", ASK, path], env=csbx.env, text=True, capture_output=True,
                                               check=False, **csbx.identity()).stdout
            assert " 403 " in csbx.ok("run", "--mount", f"{path}:/s", python_image, "python3", "-c", ASK, "/s")
            # A namespace between, as that of a job step, is none of a container's.
            p = subprocess.run(["unshare", "-Ur", "/usr/bin/python3", "-c", ASK, path], env=csbx.env, text=True,
                               capture_output=True, check=False, **csbx.identity())
            assert " 200 OK" in p.stdout, p
    os.unlink(path)


def test_gc_sweeps_what_killed_processes_left(csbx):
    engine_dir = csbx.dirs["run"] / "engine"
    p = csbx.popen("engine", "--", "sleep", "600")
    apisocket.wait_for(lambda: list(engine_dir.glob("cmd.*")))
    assert "socket" not in csbx.ok("gc"), "it lives"
    child = next(pid for pid, name in harness.descendants(p.pid).items() if name == "sleep")
    p.kill()
    os.kill(child, signal.SIGKILL)  # it holds the pipes, too
    p.communicate()
    assert "removed socket" in csbx.ok("gc") and not list(engine_dir.glob("cmd.*"))
    with apisocket.listening(csbx) as stays:
        assert csbx.ok("gc") == "" and os.path.exists(stays.path)
        stays.process.kill()
        stays.process.wait()
        apisocket.wait_for(lambda: "removed socket" in csbx.ok("gc"))  # a child may hold the lock for a moment yet
        assert not os.path.exists(stays.path)


@pytest.mark.needs_root
def test_another_user_is_refused(engine):
    os.chmod(os.path.dirname(engine.path), 0o755)
    os.chmod(engine.path, 0o666)
    try:
        assert engine.raw(PING) == b"", "root is another user, too"
    finally:
        os.chmod(os.path.dirname(engine.path), 0o700)


def test_a_killed_engine_is_started_again(csbx):
    with apisocket.listening(csbx) as first:
        first.process.kill()
        first.process.wait()
        with apisocket.listening(csbx) as second:
            assert second.ask("GET", "/_ping").status == 200
            twice = csbx.run("engine")
            assert twice.returncode == 125 and "another csbx engine" in twice.stderr
            for words, said in ((["-d"], f"unix://{second.path}\n"),
                                (["--env"], f"export DOCKER_HOST='unix://{second.path}'\n")):
                assert csbx.ok("engine", *words) == said
        assert not os.path.exists(first.path)


def test_around_a_command(csbx):
    p = csbx.run("engine", "--", "sh", "-c", 'echo "$DOCKER_HOST"; exit 7')
    assert p.returncode == 7 and re.fullmatch(rf"unix://{csbx.dirs['run']}/engine/cmd\.\d+\n", p.stdout), p
    # One that stays, and two around commands: each has its own socket, and its own end.
    with apisocket.listening(csbx) as stays:
        inner = f'{harness.BIN}/csbx engine -- sh -c \'test "$DOCKER_HOST" != "$0"; exit 8\' "$DOCKER_HOST"'
        p = csbx.run("engine", "--", "sh", "-c", inner + '; echo $?; test -S "${DOCKER_HOST#unix://}"')
        assert (p.returncode, p.stdout) == (0, "8\n"), p
        assert stays.ask("GET", "/_ping").status == 200
    assert csbx.run("engine", "no-such-command").returncode == 127
    assert csbx.run("engine", "sh", "-c", "kill -9 $$").returncode == 137
    assert csbx.run("engine", "-d", "true").returncode == 125
    assert not os.path.exists(csbx.dirs["run"] / "docker.sock")


def test_a_context_for_dockers_command_line(csbx):
    host = csbx.ok("engine", "--context").strip()
    try:
        meta = next((csbx.dirs["home"] / ".docker/contexts/meta").glob("*/meta.json"))
        said = json.loads(meta.read_text(encoding="utf-8"))
        assert (said["Name"], said["Endpoints"]["docker"]["Host"]) == ("csbx", host)
        if client := engines.program("docker"):
            p = subprocess.run([client, "--context", "csbx", "version", "--format", "{{.Server.APIVersion}}"], env=csbx.env,
                               capture_output=True, text=True, timeout=60, check=False, **csbx.identity())
            assert p.stdout == "1.47\n", p
    finally:
        for pid in harness.descendants():
            if pid not in csbx.known:
                with contextlib.suppress(ProcessLookupError):  # one ends with the other
                    os.kill(pid, signal.SIGTERM)
        harness.wait_for_no_process(csbx.known)


def test_one_that_systemd_listens_for_is_found(csbx):
    """systemd takes no lock: its socket is not replaced by another."""
    path = csbx.dirs["run"] / "docker.sock"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(path))
        s.listen(8)
        os.chmod(path, 0o777)
        before = os.stat(path).st_ino
        assert csbx.ok("engine", "-d") == f"unix://{path}\n" and os.stat(path).st_ino == before
    os.unlink(path)


def test_detached(csbx):
    host = csbx.ok("engine", "--env")
    try:
        assert host == f"export DOCKER_HOST='unix://{csbx.dirs['run']}/docker.sock'\n"
    finally:
        for pid in harness.descendants():
            if pid not in csbx.known:
                with contextlib.suppress(ProcessLookupError):  # one ends with the other
                    os.kill(pid, signal.SIGTERM)
        apisocket.wait_for(lambda: not os.path.exists(csbx.dirs["run"] / "docker.sock"))
        harness.wait_for_no_process(csbx.known)


@contextlib.contextmanager
def given(csbx, s):
    """csbx engine on a socket of systemd's: the descriptor is number 3, the number of the process is told."""
    script = ("import os, sys; os.dup2(int(sys.argv[1]), 3); "
              "os.execve(sys.argv[2], sys.argv[2:], {**os.environ, 'LISTEN_PID': str(os.getpid()), 'LISTEN_FDS': '1'})")
    p = subprocess.Popen([sys.executable, "-c", script, str(s.fileno()), *csbx.argv(["engine"])],
                         env=csbx.env, pass_fds=[s.fileno()], **csbx.identity())
    try:
        yield p
    finally:
        p.terminate()
        assert p.wait(20) == 0


def test_a_socket_that_was_handed_over(csbx):
    path = str(csbx.dirs["run"] / "given.sock")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
        os.chmod(path, 0o666)
        s.listen(8)
        with given(csbx, s), socket.socket(socket.AF_UNIX) as c:
            c.settimeout(30)
            c.connect(path)
            c.sendall(CLOSE)
            # The peer is asked who it is, and root is none of the engine's users.
            want = [200] if os.geteuid() == csbx.owner.pw_uid else []
            assert statuses(apisocket.read_all(c)) == want
    os.unlink(path)  # it is there still: the process that opened the socket removes it


def test_a_process_that_has_served_enough_loses_no_connection(box):
    """It ends after a thousand connections, and is given none that it will not serve."""
    def ask(_):
        return box.ask("GET", "/_ping", headers={"Connection": "close"}).status

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(9000))) == {200}
