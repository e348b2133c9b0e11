# SPDX-License-Identifier: Apache-2.0
"""Streams that are idle for seconds: their processes become csbx-doze, and nothing of the stream is lost."""
import contextlib
import http.client
import io
import json
import os
import re
import signal
import socket
import tarfile

import pytest

import harness
from apisocket import frames, read_all, wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

UP = "Connection: Upgrade\r\nUpgrade: tcp\r\n"
DOZE_KIB = 40  # dirty pages and page tables
ECHO = ["sh", "-c", "while read x; do echo got $x; echo err $x >&2; done; echo end"]


def comm(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/comm", encoding="ascii") as f:
            return f.read().strip()
    return None


def own(engine):
    return [pid for pid, (parent, _, _) in harness.process_table().items() if parent == engine.process.pid]


def dozing(engine):
    return [pid for pid in own(engine) if comm(pid) == "csbx-doze"]


class Stream:
    """One connection: its request, and what comes until something is there."""

    def __init__(self, engine, asked, body=b"", more=""):
        self.s, self.seen = engine.connect(), b""
        length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        self.s.sendall(f"{asked} HTTP/1.1\r\nHost: d\r\n{more}{length}\r\n".encode() + body)
        self.until(b"\r\n\r\n")
        self.head, self.seen = self.seen.split(b"\r\n\r\n", 1)
        assert self.head.split()[1] in (b"200", b"101"), self.head

    def until(self, what):
        while what not in self.seen:
            got = self.s.recv(65536)
            assert got, self.seen
            self.seen += got
        return self.seen

    def say(self, data):
        self.s.sendall(data)

    def rest(self):
        return self.seen + read_all(self.s)


def chunks(data):
    """The bodies of an answer in chunks, which must have its end."""
    out = b""
    while True:
        size, data = data.split(b"\r\n", 1)
        if not int(size, 16):
            assert data[:2] == b"\r\n"
            return out, data[2:]
        out, data = out + data[:int(size, 16)], data[int(size, 16) + 2:]


def make(engine, name, cmd, **more):
    return engine.ask("POST", f"/containers/create?name={name}", {"Image": "box", "Cmd": cmd, **more}).json["Id"]


def start(engine, c):
    assert engine.ask("POST", f"/containers/{c}/start").status == 204


def make_exec(engine, c, cmd, **more):
    body = {"Cmd": cmd, "AttachStdin": True, "AttachStdout": True, "AttachStderr": True, **more}
    return engine.ask("POST", f"/containers/{c}/exec", body).json["Id"]


@pytest.fixture
def open_streams(box):
    """A stream of each kind, all of which doze."""
    new = make(box, "new", ECHO, OpenStdin=True, StdinOnce=True, AttachStdin=True)
    runs = make(box, "runs", ["sh", "-c", "while [ ! -e /go ]; do sleep 0.1; done; echo first; sleep 0.2; echo last; exit 7"])
    tty = make(box, "tty", ["cat"], Tty=True, OpenStdin=True)
    for c in runs, tty:
        start(box, c)
    piped, terminal = make_exec(box, tty, ECHO), make_exec(box, tty, ["sh"], Tty=True, DetachKeys="ctrl-a")
    streams = {
        "taken": Stream(box, f"POST /containers/{new}/attach?stream=1&stdin=1&stdout=1&stderr=1", more=UP),
        "next": Stream(box, f"POST /containers/{new}/wait?condition=next-exit"),
        "attached": Stream(box, f"POST /containers/{runs}/attach?stream=1&stdout=1&stderr=1"),
        "logs": Stream(box, f"GET /containers/{runs}/logs?stdout=1&follow=1&timestamps=1"),
        "wait": Stream(box, f"POST /containers/{runs}/wait"),
        "removed": Stream(box, f"POST /containers/{runs}/wait?condition=removed"),
        "tty": Stream(box, f"POST /containers/{tty}/attach?stream=1&stdin=1&stdout=1", more=UP),
        "piped": Stream(box, f"POST /exec/{piped}/start", b"{}"),
        "terminal": Stream(box, f"POST /exec/{terminal}/start", b'{"Tty":true}', UP),
    }
    streams["terminal"].until(b"# ")
    wait_for(lambda: len(dozing(box)) == len(streams), 30)
    yield {"new": new, "runs": runs, "tty": tty, "terminal_id": terminal}, streams
    for stream in streams.values():
        stream.s.close()


def held_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_Dirty:"))


def page_tables_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmPTE:"))


def test_every_kind_goes_on_where_it_was(box, open_streams):
    ids, s = open_streams
    held = [held_kib(pid) + page_tables_kib(pid) for pid in dozing(box)]
    assert max(held) <= DOZE_KIB, held

    # Attached before the start: the first byte, both streams in order, and a half-closed client's end.
    start(box, ids["new"])
    s["taken"].say(b"a\n")
    s["taken"].until(b"err a\n")
    s["taken"].s.shutdown(socket.SHUT_WR)
    assert sorted(frames(s["taken"].rest())) == [(1, b"end\n"), (1, b"got a\n"), (2, b"err a\n")]
    said, _ = chunks(s["next"].until(b"0\r\n\r\n"))
    assert json.loads(said) == {"Error": None, "StatusCode": 0}

    # What runs: output, the log with its times, the end. The connection of the answer takes another request.
    assert box.ask("PUT", f"/containers/{ids['runs']}/archive?path=/", go_tar()).status == 200
    assert frames(s["attached"].rest()) == [(1, b"first\n"), (1, b"last\n")]
    lines, _ = chunks(s["logs"].until(b"0\r\n\r\n"))
    assert [re.sub(rb"^\S+Z ", b"", text) for _, text in frames(lines)] == [b"first\n", b"last\n"]
    assert all(re.match(rb"\d{4}-.*Z ", text) for _, text in frames(lines))
    said, _ = chunks(s["wait"].until(b"0\r\n\r\n"))
    assert json.loads(said)["StatusCode"] == 7
    for name in "wait", "logs", "next":
        again = box.ask("GET", f"/containers/{ids['runs']}/json", sock=s[name].s)
        assert again.json["State"]["ExitCode"] == 7
    assert box.ask("DELETE", f"/containers/{ids['runs']}").status == 204
    said, _ = chunks(s["removed"].until(b"0\r\n\r\n"))
    assert json.loads(said)["StatusCode"] == 7

    # A terminal; the size of another, and the keys that leave it.
    s["tty"].say(b"typed\n")
    s["tty"].until(b"typed\r\ntyped\r\n")
    assert box.ask("POST", f"/exec/{ids['terminal_id']}/resize?h=33&w=44").status == 200
    s["terminal"].say(b"stty size\n")
    s["terminal"].until(b"33 44")
    s["terminal"].say(b"\x01")
    assert s["terminal"].rest()
    assert box.ask("GET", f"/exec/{ids['terminal_id']}/json").json["Running"]
    s["piped"].say(b"1\n2\n")
    s["piped"].until(b"err 2\n")
    s["piped"].s.shutdown(socket.SHUT_WR)
    said = frames(s["piped"].rest())
    assert b"".join(d for n, d in said if n == 1) == b"got 1\ngot 2\nend\n"
    assert b"".join(d for n, d in said if n == 2) == b"err 1\nerr 2\n"


def go_tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("go"))
    return out.getvalue()


def test_clients_that_go_and_processes_that_are_killed(box, open_streams):
    """A client that goes while its stream dozes ends its process; a dozing process that is killed closes its connection."""
    ids, s = open_streams
    killed = dozing(box)[0]
    os.kill(killed, signal.SIGKILL)
    closed = [name for name, stream in s.items() if ended(stream)]
    assert len(closed) == 1
    for name in "attached", "logs", "wait", "tty", "terminal", "piped", "next", "taken", "removed":
        s[name].s.close()
    wait_for(lambda: not dozing(box) and len(own(box)) == 1)  # that for the next connection
    for name in "runs", "tty":
        assert box.ask("GET", f"/containers/{ids[name]}/json").json["State"]["Running"]
    box.box.ok("gc")
    assert not [n for n in os.listdir(box.box.dirs["run"] / "engine") if n.startswith(ids["new"])]


def ended(stream):
    stream.s.settimeout(0.2)
    with contextlib.suppress(TimeoutError):
        return not stream.s.recv(1)
    return False


def test_again_and_again(box):
    """Doze, wake, doze: also after much output."""
    c = make(box, "cc", ["sh", "-c", "while read n; do i=0; while [ $i -lt $n ]; do echo line $i; i=$((i + 1)); done; done"], OpenStdin=True)
    start(box, c)
    with box.connect() as s:
        s.sendall(f"GET /containers/{c}/logs?stdout=1&follow=1 HTTP/1.1\r\nHost: d\r\n\r\n".encode())
        answer = http.client.HTTPResponse(s, method="GET")
        answer.begin()
        stream = Stream(box, f"POST /containers/{c}/attach?stream=1&stdin=1&stdout=1", more=UP)
        for n in 3000, 2:
            wait_for(lambda: len(dozing(box)) == 2, 30)
            stream.say(b"%d\n" % n)
            want = b"".join(b"line %d\n" % i for i in range(n))
            got, seen = b"", b""
            while len(seen) < len(want):
                stream.until(b"\n")
                head, data = stream.seen[:8], stream.seen[8:]
                while len(head) < 8 or len(data) < int.from_bytes(head[4:], "big"):
                    stream.seen += stream.s.recv(65536)
                    head, data = stream.seen[:8], stream.seen[8:]
                size = int.from_bytes(head[4:], "big")
                seen, stream.seen = seen + data[:size], data[size:]
            assert seen == want
            for _ in range(n):
                head = answer.read(8)
                got += answer.read(int.from_bytes(head[4:], "big"))
            assert got == want
        wait_for(lambda: len(dozing(box)) == 2, 30)
        stream.s.close()
