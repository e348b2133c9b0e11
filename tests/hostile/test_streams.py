# SPDX-License-Identifier: Apache-2.0
"""A program may use the streams and the network that it was handed, and do no more with them."""
import os
import socket
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

TRY = """
import os, socket, sys
report = []
def attempt(name, call):
    try:
        call()
    except OSError:
        return
    report.append(name)
"""
WALK = TRY + """
attempt("stat", lambda: os.stat("etc/passwd", dir_fd=0))
attempt("chmod", lambda: os.chmod("etc/passwd", 0o777, dir_fd=0))
attempt("above", lambda: os.stat("../..", dir_fd=0))
print(*report)
"""
REOPEN = TRY + """
path = "/proc/self/fd/" + sys.argv[1]
for name in ("RDONLY", "WRONLY", "RDWR", "TRUNC"):
    attempt(name, lambda: os.close(os.open(path, getattr(os, "O_" + name) | (os.O_WRONLY if name == "TRUNC" else 0))))
attempt("truncate", lambda: os.truncate(path, 5))
print(*report, file=sys.stderr)
"""
CONNECT = TRY + """
attempt("host", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + sys.argv[1]))
with socket.socket(socket.AF_UNIX) as own, socket.socket(socket.AF_UNIX) as client:
    own.bind("\\0inside-" + sys.argv[1])
    own.listen()
    attempt("own", lambda: client.connect("\\0inside-" + sys.argv[1]))
print(*report)
"""


def call(csbx, *words, **streams):
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(csbx.argv(words), env=csbx.env, cwd=csbx.work, text=True, timeout=60, check=False, **given)


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
@pytest.mark.parametrize("flags", [os.O_DIRECTORY, os.O_DIRECTORY | os.O_PATH, os.O_PATH], ids=["directory", "O_PATH directory", "O_PATH file"])
@pytest.mark.parametrize("verb", ["run", "exec"])
def test_a_place_is_no_stream(csbx, python_image, canary, verb, flags, stream):
    """From a directory's descriptor chmod(2), connect(2) and ".." reach all of the host, whatever the root is."""
    words = ["run", python_image]
    if verb == "exec":
        csbx.ok("run", "-d", "--name", "box", python_image, "sleep", "60")
        words = ["exec", "box"]
    place = os.open(canary.path if flags & os.O_DIRECTORY else canary.path / "file", flags)
    try:
        p = call(csbx, *words, "python3", "-c", WALK, **{stream: place})
    finally:
        os.close(place)
        if verb == "exec":
            csbx.ok("stop", "--time", "100ms", "box")
    assert p.returncode == 125 and not p.stdout, p
    if stream != "stderr":
        says = "is a directory" if flags & os.O_DIRECTORY else "O_PATH"
        assert f"standard {stream[3:]}put" in p.stderr and says in p.stderr, p


@pytest.mark.feature("landlock")
@pytest.mark.parametrize("option", [False, True], ids=["a redirection", "--stdin"])
def test_what_is_there_to_be_read_is_not_written(csbx, python_image, option):
    """open(2) of /proc/self/fd/0 makes a new descriptor, with the rights of the file's owner."""
    given = csbx.work / "given"
    given.write_text("the caller's\n")
    if option:
        p = call(csbx, "run", "--stdin", str(given), python_image, "python3", "-c", REOPEN, "0")
    else:
        with given.open() as f:
            p = call(csbx, "run", python_image, "python3", "-c", REOPEN, "0", stdin=f)
    assert p.returncode == 0 and p.stderr.split() == ["RDONLY"], p
    assert given.read_text() == "the caller's\n"


@pytest.mark.feature("landlock")
@pytest.mark.parametrize("mode, allowed", [("a", ["WRONLY", "TRUNC", "truncate"]),
                                           ("r+", ["RDONLY", "WRONLY", "RDWR", "TRUNC", "truncate"])])
def test_what_is_there_to_be_written_is_not_read(csbx, python_image, mode, allowed):
    log = csbx.work / "log"
    log.write_text("of a run before\n")
    with log.open(mode) as f:
        p = call(csbx, "run", python_image, "python3", "-c", REOPEN, "1", stdout=f)
    assert p.returncode == 0 and p.stderr.split() == allowed, p


@pytest.mark.feature("landlock")
@pytest.mark.parametrize("options, reached", [([], ["own"]), (["--ipc", "host"], ["host", "own"]),
                                              (["--security-opt", "landlock=off"], ["own"]),
                                              (["--security-opt", "seccomp=unconfined"], ["own"])])
def test_the_hosts_network_is_not_its_ipc(csbx, python_image, options, reached):
    """An X server lets in every program with the caller's user id, and this program has it."""
    name = f"csbx-test-{os.getpid()}-{os.geteuid()}"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("\0" + name)
        s.listen()
        p = call(csbx, "run", "--network", "host", *options, python_image, "python3", "-c", CONNECT, name)
    assert p.returncode == 0 and p.stdout.split() == reached, p


LISTEN = """
import os, socket, sys
kind, name = sys.argv[1], "\\0" + sys.argv[2]
types = {"stream": socket.SOCK_STREAM, "seqpacket": socket.SOCK_SEQPACKET, "datagram": socket.SOCK_DGRAM}
if kind == "pair":
    own = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]
    own.bind(name)
    own.connect(b"")
elif kind == "raw":
    own = socket.socket(socket.AF_UNIX, socket.SOCK_RAW)
    own.bind(name)
else:
    own = socket.socket(socket.AF_UNIX, types[kind])
    own.bind(name)
    if kind != "datagram":
        own.listen()
print("up", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("words", [["run", "--network", "host"], ["docker", "run", "-i", "--rm"], ["docker", "run", "-i", "--rm", "--user", "1000"]],
                         ids=["run", "docker", "docker user"])
@pytest.mark.parametrize("kind", ["stream", "seqpacket", "datagram", "raw", "pair"])
def test_no_user_of_the_host_finds_a_name_of_the_containers(csbx, python_image, words, kind):
    """A descriptor of the host's tree that came so would let chmod(2) and connect(2) reach it, as above."""
    name = f"csbx-test-{os.getpid()}-{os.geteuid()}-in"
    with subprocess.Popen(csbx.argv([*words, python_image, "python3", "-c", LISTEN, kind, name]), env=csbx.env, cwd=csbx.work, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as p:
        try:
            assert p.stdout.readline() == "up\n" or kind == "pair", p.wait()
            with socket.socket(socket.AF_UNIX, {"stream": socket.SOCK_STREAM, "seqpacket": socket.SOCK_SEQPACKET}.get(kind, socket.SOCK_DGRAM)) as s:
                with pytest.raises(ConnectionRefusedError):
                    s.connect("\0" + name)
        finally:
            p.stdin.close()
            p.wait(20)
