# SPDX-License-Identifier: Apache-2.0
"""csbx exec of a process that is as the main one: it is asked for ahead, and its words come later (proto.h)."""
import contextlib
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest

import rawexec

pytestmark = pytest.mark.feature("userns")

HELLO, BUSY, HELLO_AHEAD = 200, 201, 2
# All that a program can see of how it was made.
LOOK = """grep -E "^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|Sig[BIC]|Umask)" /proc/self/status
          for n in user mnt net pid cgroup ipc uts; do readlink /proc/self/ns/$n; done
          cat /proc/self/limits /proc/self/cgroup /proc/self/oom_score_adj /proc/self/uid_map
          set -- $(cat /proc/$$/stat); test $1 = $5 -a $1 = $6 && echo leads; echo tty $7; ls /proc/self/fd | wc -l; pwd; env | sort; cat; echo error >&2; exit 7"""


@pytest.fixture
def box(csbx, busybox_image):
    """A container that runs, with its name among the words of its start."""
    csbx.ok("create", "--name", "box", busybox_image)
    p = csbx.popen("start", "-e", "FROM=start", "box", "sh", "-c", "echo up; exec sleep 4711")
    assert p.stdout.readline() == b"up\n"
    csbx.ok("exec", "box", "true")
    yield csbx
    p.terminate()
    p.communicate(timeout=20)


def socket_of(csbx):
    (path,) = (csbx.dirs["run"] / "instances").glob("*.sock")
    return path


@contextlib.contextmanager
def at(path, call):
    """bind(2) or connect(2) of a socket whose name is too long for an address."""
    fd = os.open(path.parent, os.O_PATH)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(20)
        getattr(sock, call)(f"/proc/self/fd/{fd}/{path.name}")
        os.close(fd)
        yield sock


class Relay:
    """Stands between the clients of exec and the supervisor, and changes what they say."""

    def __init__(self, path, change_event, change_request):
        self.path, self.kept = path, path.with_suffix(".kept")
        self.change_event, self.change_request = change_event, change_request
        self.requests, self.threads, self.is_over = [], [], False
        self.greeted = threading.Event()

    def __enter__(self):
        os.rename(self.path, self.kept)
        self.listening = at(self.path, "bind")
        self.sock = self.listening.__enter__()
        self.sock.listen()
        self.sock.settimeout(0.05)
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.accepting.join(20)
        self.listening.__exit__(None, None, None)
        os.rename(self.kept, self.path)
        for thread in self.threads:
            thread.join(20)

    def accept(self):
        while not self.is_over:
            with contextlib.suppress(TimeoutError):
                client, _ = self.sock.accept()
                self.threads.append(threading.Thread(target=self.serve, args=(client,), daemon=True))
                self.threads[-1].start()

    def serve(self, client):
        with client, at(self.kept, "connect") as server:
            back = threading.Thread(target=self.copy, args=(server, client, self.change_event), daemon=True)
            back.start()
            self.copy(client, server, self.note)
            back.join(20)

    def note(self, sock, data):
        self.requests.append(struct.unpack_from("I", data, 4)[0])
        self.greeted.wait(20)
        return self.change_request(sock, data)

    def copy(self, source, to, change):
        with contextlib.suppress(OSError):
            while True:
                data, fds, _, _ = socket.recv_fds(source, 256, 8)
                changed = change(source, data) if data else None
                if changed:
                    socket.send_fds(to, [changed], fds)
                for fd in fds:
                    os.close(fd)
                if not data:
                    break
                if struct.unpack_from("I", data, 4)[0] == HELLO:
                    self.greeted.set()
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_RDWR)


def as_it_is(_sock, data):
    return data


def of_an_older_supervisor(_sock, data):
    kind, number, arg = struct.unpack_from("III", data, 4)
    return data[:4] + struct.pack("III", kind, number, arg & ~HELLO_AHEAD) + data[16:] if kind == HELLO else data


def without_ahead(_sock, data):
    return None if struct.unpack_from("I", data, 4)[0] == rawexec.AHEAD else data


def busy_at_first(sock, data):
    if struct.unpack_from("I", data, 4)[0] != rawexec.AHEAD:
        return data
    sock.send(struct.pack("IIIIiiQQQ", rawexec.MAGIC, BUSY, 0, 0, 0, 0, 0, 0, 0))
    return None


def look(box, *options):
    p = box.run("exec", *options, "-e", "MORE=exec", "box", "sh", "-c", LOOK, stdin="some input\n")
    assert p.returncode == 7 and p.stderr == "error\n", p
    assert "FROM=start\n" in p.stdout and "MORE=exec\n" in p.stdout and p.stdout.endswith("some input\n"), p.stdout
    return p.stdout


def test_it_is_as_one_that_is_made_with_its_words(box):
    """With a directory or user of its own it is not asked for ahead."""
    with Relay(socket_of(box), as_it_is, as_it_is) as relay:
        ahead = look(box)
        assert relay.requests == [rawexec.AHEAD]
        for options in (("-w", "/"), ("-u", "0:0")):
            del relay.requests[:]
            assert look(box, *options) == ahead
            assert relay.requests == [rawexec.SPAWN]


def test_a_supervisor_that_does_not_know_it(box):
    with Relay(socket_of(box), of_an_older_supervisor, without_ahead) as relay:
        out = look(box)
        assert relay.requests == [rawexec.AHEAD, rawexec.SPAWN]
    assert look(box) == out


def test_a_supervisor_that_is_busy_then(box):
    with Relay(socket_of(box), as_it_is, busy_at_first) as relay:
        out = look(box)
        assert relay.requests == [rawexec.AHEAD, rawexec.SPAWN]
    assert look(box) == out


def test_failures_are_told(box):
    assert "not found" in box.fails("exec", "box", "no-such-program", code=127)
    assert "denied" in box.fails("exec", "box", "/etc", code=126).lower()
    assert box.run("exec", "box", "sh", "-c", "kill -9 $$").returncode == 137
    box.fails("exec", "-d", "box", "no-such-program", code=127)


def processes(box):
    return [x for x in box.ok("exec", "-w", "/", "box", "sh", "-c", "ls -d /proc/[0-9]*").split() if x]


@pytest.mark.parametrize("detached", [0, 1])
def test_a_client_that_leaves_before_its_words(box, detached):
    before = len(processes(box))
    with at(socket_of(box), "connect") as sock:
        with rawexec.ask_ahead(sock, detached):
            assert [struct.unpack_from("I", sock.recv(256), 4)[0] for _ in range(2)] == [HELLO, 4]
            assert len(processes(box)) == before + 1
    deadline = time.monotonic() + 20
    while len(processes(box)) != before:
        assert time.monotonic() < deadline, "it stays"


def test_a_paused_container_gets_none(box):
    box.ok("pause", "box")
    assert "paused" in box.fails("exec", "box", "true")
    box.ok("unpause", "box")
    box.ok("exec", "box", "true")


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def await_end(pid):
    """Until nothing is left of it but its number."""
    deadline = time.monotonic() + 20
    while ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8"):
        assert time.monotonic() < deadline


def test_the_containers_end_is_told_though_a_request_is_unread(csbx, busybox_image):
    """csbx-init and its supervisor are stopped, as where they do not come to run: then the end and the request are there at once."""
    csbx.ok("create", "--name", "box", busybox_image)
    p = csbx.popen("start", "box", "sh", "-c", "echo up; read -r line; exit 7", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n"
    csbx.ok("exec", "box", "true")
    (init,) = children_of(p.pid)
    (main,) = children_of(init)
    stopped = [p.pid, int(init)]
    try:
        os.kill(int(init), signal.SIGSTOP)
        with at(socket_of(csbx), "connect") as sock, rawexec.ask_ahead(sock):
            os.close(socket.recv_fds(sock, 256, 4)[1][0])
            p.stdin.write(b"\n")
            p.stdin.flush()
            await_end(main)
            time.sleep(0.1)  # the supervisor passes the request on
            for pid, sig in ((p.pid, signal.SIGSTOP), (int(init), signal.SIGCONT)):
                os.kill(pid, sig)
            await_end(init)
            os.kill(p.pid, signal.SIGCONT)
            assert (p.wait(20), p.stderr.read()) == (7, b"")
            stopped = []
    finally:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        p.terminate()
        p.communicate(timeout=20)
