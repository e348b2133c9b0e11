# SPDX-License-Identifier: Apache-2.0
"""csbx's own sockets in the hands of a program inside, which has its caller's user id.

csbx hides its directories from mounts (test_own_directories.py). Here a process outside hands them in, through the
socket that is standard input, so that what the sockets' owners check themselves is what is tested.
"""
import contextlib
import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import threading
from pathlib import Path

import pytest

import harness
import rawexec

pytestmark = [pytest.mark.feature("userns")]
HERE = Path(__file__).parent
HELLO, REFUSED = 200, 203  # enum exec_event_type
SPAWNED, SPAWN_EXITED = 4, 5
TOTAL_AT, UID_AT, CWD_AT = 8, 16, 56  # struct init_msg
CAPS_AT, RLIMITS_AT, BPF_AT = 24, 88, 96
APART_ID_AT, WANTS_APART_AT = 48, 48  # struct squashd_request, squashd_reply
NO_NEW_PRIVS, SECCOMP = 1 << 3, 1 << 4
ENROOT = ("enroot",)  # no options: a container that shares its caller's processes


@pytest.fixture
def attack(csbx, python_image):
    """attack(directory, case, arguments): sockets_inside.py in a container, which is handed the directory."""
    def popen(directory, *args, options=(), **kw):
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(ours, [b"x"], [fd])
            os.close(fd)
            start = ("enroot", "start", "--mount", f"{HERE}:/t") if options == ENROOT else (
                "start", "--mount", f"{HERE}:/t:ro", "--security-opt", "landlock=off", *options)
            return csbx.popen(*start, python_image, "python3", "-IS", "/t/sockets_inside.py", *args, stdin=theirs, **kw)
    return popen


@contextlib.contextmanager
def short(path):
    """A name of a socket that fits into an address."""
    fd = os.open(path.parent, os.O_PATH)
    try:
        yield f"/proc/self/fd/{fd}/{path.name}"
    finally:
        os.close(fd)


def said(p):
    out, err = p.communicate(timeout=60)
    assert p.returncode == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture
def victim(csbx, busybox_image):
    """The supervisor's socket of another container."""
    p = csbx.popen("start", busybox_image, "sh", "-c", "echo up; exec sleep 4711", env={"CSBX_LINGER": "60s"})
    assert p.stdout.readline() == b"up\n"
    (name,) = os.listdir(csbx.dirs["run"] / "instances")
    csbx.ok("exec", name, "true")
    (path,) = (csbx.dirs["run"] / "instances").glob("*.sock")
    yield path
    p.terminate()
    p.communicate(timeout=20)
    csbx.ok("gc", "--servers")
    csbx.ok("gc")


@pytest.mark.parametrize("options", [(), ("--cap-add", "ALL", "--security-opt", "seccomp=unconfined")])
def test_code_inside_is_no_client_of_a_supervisor(attack, victim, options):
    reply = said(attack(victim.parent, "ask", victim.name, "", options=options))
    assert reply.get("fds", 0) == 0, reply
    assert "data" not in reply or struct.unpack_from("II", bytes.fromhex(reply["data"]))[1] == REFUSED, reply


@contextlib.contextmanager
def aside(directory, name):
    """Puts a server's socket aside for a while: its path."""
    os.rename(directory / name, directory / "kept")
    try:
        yield directory / "kept"
    finally:
        os.rename(directory / "kept", directory / name)


def listen_at(path):
    """Stands in a server's place as a process outside may."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.settimeout(20)
    with short(path) as name:
        sock.bind(name)
    sock.listen()
    return sock


def servers(csbx):
    directory = csbx.dirs["run"] / "servers"
    return directory, [n for n in os.listdir(directory) if n.endswith(".sock")]


@pytest.fixture
def server(csbx, busybox_image):
    """A genuine server that lingers, its directory and its socket's name."""
    env = {"CSBX_LINGER": "60s"}
    csbx.ok("start", busybox_image, "true", env=env)
    directory, (name,) = servers(csbx)
    yield directory, name, env
    csbx.ok("gc", "--servers")


def test_code_inside_is_no_client_of_a_server(csbx, busybox_image, server, attack):
    directory, name, env = server
    request, fds = captured(csbx, busybox_image, directory, name, env)
    for fd in fds:
        os.close(fd)
    # The very bytes of a start, with all that they say of the caller: the descriptors are what is missing.
    reply = said(attack(directory, "ask", name, request.hex(), env=env))
    assert reply.get("fds", 0) == 0, reply
    code = struct.unpack_from("Ii", bytes.fromhex(reply["data"]))[1] if "data" in reply else 1
    assert code == 1, reply  # EPERM
    csbx.ok("start", busybox_image, "true", env=env)  # it is as well as before


def captured(csbx, image, directory, name, env):
    """The first message of a start, and its descriptors."""
    with aside(directory, name), listen_at(directory / name) as sock:
        p = csbx.popen("start", image, "true", env=env)
        client, _ = sock.accept()
        with client:
            request, fds, _, _ = socket.recv_fds(client, 4096, 16)
        p.kill()
        p.communicate()
    return request, fds


def mounts_id():
    """NS_GET_MNTNS_ID, Linux 6.10: unlike the inode's number it is never another one's later."""
    with open("/proc/self/ns/mnt", "rb") as f:
        try:
            return struct.unpack("Q", fcntl.ioctl(f, 0x8008b705, b"\0" * 8))[0]
        except OSError:
            return os.fstat(f.fileno()).st_ino


def test_containers_are_made_apart_from_the_mounts_of_their_callers_alone(csbx, busybox_image, server):
    """The mount namespace that a start has made shows /proc of its maker: in another one that may be masked."""
    directory, name, env = server
    csbx.ok("start", busybox_image, "true", env=env)  # makes it
    request, fds = captured(csbx, busybox_image, directory, name, env)
    own, = struct.unpack_from("Q", request, APART_ID_AT)
    assert own == mounts_id()
    got, wants = {}, {}
    for asked in (own, own + 1, 0):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as to:
            with short(directory / name) as path:
                to.connect(path)
            socket.send_fds(to, [request[:APART_ID_AT] + struct.pack("Q", asked) + request[APART_ID_AT + 8:]], fds)
            reply, passed, _, _ = socket.recv_fds(to, 4096, 16)
        wants[asked], = struct.unpack_from("I", reply, WANTS_APART_AT)
        got[asked] = sum(os.readlink(f"/proc/self/fd/{fd}").startswith("mnt:") for fd in passed)
        for fd in passed:
            os.close(fd)
    for fd in fds:
        os.close(fd)
    assert got == {own: 1, own + 1: 0, 0: 0} and wants == {own: 0, own + 1: 1, 0: 0}


def test_what_shows_the_host_is_not_made_apart(csbx, busybox_image, server):
    """A root that is pivoted to is one in a copy of the caller's mounts."""
    env = server[2]
    csbx.ok("start", busybox_image, "true", env=env)
    csbx.ok("create", "--name", "kept", busybox_image)
    def pivots(*options, what=busybox_image):
        subprocess.run(["strace", "-f", "-qq", "-o", "trace", "-e", "trace=pivot_root",
                        *csbx.argv(["start", *options, what, "true"])], env={**csbx.env, **env}, cwd=csbx.work, check=True,
                       stdin=subprocess.DEVNULL, timeout=60, **csbx.identity())
        return (csbx.work / "trace").read_text().count("pivot_root(")
    assert pivots() == pivots("--tmpfs", "/mnt") == pivots("--rw", what="kept") == 0
    assert pivots("--mount", f"{csbx.work}:/mnt") == 1


LOOK_AT_SYS = """sed "s/^/mount /" /proc/self/mountinfo; cat /sys/class/net/lo/operstate; ls /sys/class/net /sys/firmware
echo x > /sys/kernel/mm/ksm/run || echo refused; echo end; read -r line"""


@contextlib.contextmanager
def sys_inside(csbx, image, env, *options):
    """What a container has as /sys, while it runs: the file system's number, the paths that are mounts, what was said."""
    p = csbx.popen("start", *options, image, "sh", "-c", LOOK_AT_SYS, env=env, stdin=subprocess.PIPE)
    lines = [line.decode().rstrip("\n") for line in iter(p.stdout.readline, b"end\n")]
    words = [line.split() for line in lines if line.startswith("mount ")]
    mounts = [w for w in words if w[5].startswith("/sys")]
    yield mounts[0][3], [w[5] for w in mounts], {w[6] for w in mounts}, lines[len(words):]
    p.communicate(b"\n", timeout=20)
    assert p.returncode == 0


def test_containers_that_are_made_apart_have_one_sys(csbx, busybox_image, server):
    """It has the masks and the same lo; one that sees the host or has no masks has a /sys of its own."""
    env = server[2]
    with contextlib.ExitStack() as stack:
        def seen(*options):
            return stack.enter_context(sys_inside(csbx, busybox_image, env, *options))
        others = seen()  # makes it
        one, two, capable = seen(), seen(), seen("--cap-add", "ALL")
        bare = seen("--security-opt", "systempaths=unconfined")
        assert one == two == capable
        assert one[1:] == others[1:] and one[1][1:] and "refused" in one[3], one
        assert one[2] == {"ro,nosuid,nodev,noexec,relatime"}
        assert bare[1] == ["/sys"] and len({one[0], others[0], bare[0]}) == 3


@pytest.mark.parametrize("options", [(), ("--cap-add", "ALL", "--security-opt", "seccomp=unconfined"), ENROOT])
@pytest.mark.parametrize("who", ["itself", "ended", "zombie"])
def test_code_inside_cannot_stand_in_a_servers_place(csbx, busybox_image, server, attack, options, who):
    """A socket whose listener has ended is as one that a killed server has left: the next start has a server of its own."""
    directory, name, env = server
    with aside(directory, name):
        p = attack(directory, "stand_between", name, who, options=options, env=env)
        line = p.stdout.readline()
        if line == b"ready\n" and who == "ended":
            csbx.ok("start", busybox_image, "true", env=env)
            csbx.ok("gc", "--servers")
        elif line == b"ready\n":
            csbx.fails("start", busybox_image, "true", env=env, says="inside a container")
        reply = said(p)
    assert line == b"ready\n" and reply == {"data": "", "fds": 0}


@pytest.mark.parametrize("who", ["itself", "ended", "zombie"])
def test_code_inside_cannot_stand_in_a_supervisors_place(csbx, attack, victim, who):
    with aside(victim.parent, victim.name):
        p = attack(victim.parent, "stand_between", victim.name, who)
        line = p.stdout.readline()
        if line == b"ready\n":
            csbx.fails("exec", victim.stem, "true", says="has ended" if who == "ended" else "inside a container")
        reply = said(p)
    assert line == b"ready\n" and reply == {"data": "", "fds": 0}
    csbx.ok("exec", victim.stem, "true")


@pytest.mark.parametrize("who", ["itself", "ended", "zombie"])
@pytest.mark.parametrize("words", [("doctor",), ("engine", "-d"), ("engine", "--env"), ("engine", "--stop")], ids=" ".join)
def test_code_inside_cannot_stand_in_the_engines_place(csbx, attack, words, who):
    p = attack(csbx.dirs["run"], "stand_between", "docker.sock", who, "SOCK_STREAM")
    line = p.stdout.readline()
    result = csbx.run(*words)
    csbx.run("engine", "--stop")
    reply = said(p)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(csbx.dirs["run"] / "docker.sock")
    assert line == b"ready\n" and reply == {"data": "", "fds": 0}
    told = result.stdout + result.stderr
    if who != "ended":
        assert "a process inside a container" in told and (result.returncode == 125 or words == ("doctor",)), result
    elif words == ("doctor",):
        assert "none listens" in told, told
    elif words == ("engine", "--stop"):
        assert "no engine listens" in told and result.returncode == 125, result
    else:
        assert "docker.sock" in result.stdout and result.returncode == 0, result  # one in the place of what is left over


def relay(sock, real, change):
    """One client of sock is served by the server at real; change(fds) alters what it gets. A process outside may."""
    client, _ = sock.accept()
    with client, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as to:
        with short(real) as name:
            to.connect(name)
        request, fds, _, _ = socket.recv_fds(client, 4096, 16)
        socket.send_fds(to, [request], fds)
        reply, got, _, _ = socket.recv_fds(to, 4096, 16)
        sent = change(list(got))
        socket.send_fds(client, [reply], sent)
        for fd in {*fds, *got, *sent}:
            os.close(fd)
        client.settimeout(20)
        while client.recv(4096):  # until it has ended
            pass


def memfd(content, sealed):
    fd = os.memfd_create("csbx-init", os.MFD_ALLOW_SEALING)
    os.write(fd, content)
    os.fchmod(fd, 0o555)
    if sealed:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS,
                    fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    return fd


def other_init(fds):
    return [fds[0], memfd(b"#!/bin/sh\ntouch /tmp/csbx-planted\n", True), *fds[2:]]


def longer_init(fds):
    return [fds[0], memfd((harness.BIN / "csbx-init").read_bytes() + b"\0", True), *fds[2:]]


def unsealed_init(fds):
    return [fds[0], memfd((harness.BIN / "csbx-init").read_bytes(), False), *fds[2:]]


def other_file(fds):
    return [fds[0], os.open("/bin/true", os.O_RDONLY), *fds[2:]]


def other_userns(fds):
    return [os.open("/proc/self/ns/user", os.O_RDONLY), *fds[1:]]


def grandchild(fds):
    """As that of a container is: a child of A, not A."""
    p = subprocess.Popen(["unshare", "-Ur", "unshare", "-Ur", "sh", "-c", "echo; read x"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    p.stdout.readline()
    fd = os.open(f"/proc/{p.pid}/ns/user", os.O_RDONLY)
    p.communicate()
    return [fd, *fds[1:]]


@pytest.mark.parametrize("change,says", [
    (None, ""), (other_init, "csbx-init"), (longer_init, "csbx-init"), (unsealed_init, "csbx-init"),
    (other_file, "csbx-init"), (other_userns, "user namespace"), (grandchild, "user namespace")],
    ids=lambda x: getattr(x, "__name__", str(x)))
def test_what_a_server_sends_is_verified(csbx, busybox_image, server, change, says):
    directory, name, env = server
    with aside(directory, name) as real, listen_at(directory / name) as sock:
        thread = threading.Thread(target=relay, args=(sock, real, change or (lambda fds: fds)), daemon=True)
        thread.start()
        if change:
            csbx.fails("start", busybox_image, "true", env=env, says=["what the image server sent", says])
        else:
            csbx.ok("start", busybox_image, "true", env=env)
        thread.join(timeout=30)
    assert not os.path.exists("/tmp/csbx-planted")


# --- what csbx-init gives to any asker ---------------------------------------------------------------

def no_filter(msg):
    flags, = struct.unpack_from("I", msg, rawexec.FLAGS_AT)
    struct.pack_into("I", msg, rawexec.FLAGS_AT, flags & ~SECCOMP)
    struct.pack_into("II", msg, BPF_AT, 0, 0)


def other_filter(msg):
    """The same length, and all allowed from the first instruction on: BPF_RET | BPF_K, SECCOMP_RET_ALLOW."""
    at, = struct.unpack_from("I", msg, BPF_AT)
    struct.pack_into("HBBI", msg, at, 0x06, 0, 0, 0x7fff0000)


def new_privs(msg):
    flags, = struct.unpack_from("I", msg, rawexec.FLAGS_AT)
    struct.pack_into("I", msg, rawexec.FLAGS_AT, flags & ~NO_NEW_PRIVS)


def all_caps(msg):
    struct.pack_into("Q", msg, CAPS_AT, (1 << 41) - 1)


def no_limits(msg):
    struct.pack_into("II", msg, RLIMITS_AT, 0, 0)


def higher_limit(msg):
    at, = struct.unpack_from("I", msg, RLIMITS_AT)
    struct.pack_into("Q", msg, at + 16, (1 << 64) - 1)


def unchanged(_msg):
    pass


@pytest.mark.parametrize("change", [unchanged, no_filter, other_filter, new_privs, all_caps, no_limits, higher_limit],
                         ids=lambda x: x.__name__)
def test_an_exec_gets_no_more_than_the_container_has(victim, change):
    """By a client outside that speaks the protocol itself, as the container's own user."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(20)
        with short(victim) as name:
            sock.connect(name)
        data, (start,), _, _ = socket.recv_fds(sock, 256, 4)
        assert struct.unpack_from("II", data)[1] == HELLO
        msg = rawexec.exec_message(start, change)
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        null = os.open("/dev/null", os.O_RDWR)
        socket.send_fds(sock, [struct.pack("IIII", rawexec.MAGIC, rawexec.SPAWN, 0, 0)],
                        [msg, null, null, null, there.fileno()])
        there.close()
        kind, = struct.unpack_from("I", sock.recv(256), 4)
        failure = here.recv(256)
        here.close()
        for fd in (start, msg, null):
            os.close(fd)
    if change is unchanged:
        assert kind != SPAWN_EXITED and failure == b""
    else:
        assert kind == SPAWN_EXITED and struct.unpack_from("IIi", failure)[2] == 1  # EPERM


def other_user(msg):
    struct.pack_into("II", msg, UID_AT, 1, 1)


def other_directory(msg):
    at, length = struct.unpack_from("II", msg, CWD_AT)
    assert length == 2 and msg[at:at + 2] == b"/\0"
    struct.pack_into("II", msg, CWD_AT, len(msg), 5)
    msg += b"/tmp\0\0\0\0"
    struct.pack_into("I", msg, TOTAL_AT, len(msg))


@pytest.mark.parametrize("change", [unchanged, no_filter, other_filter, new_privs, all_caps, no_limits, higher_limit,
                                    other_user, other_directory], ids=lambda x: x.__name__)
def test_words_that_come_later_are_only_words(victim, change):
    """A process that was asked for ahead has all but its words from the container's start."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(20)
        with short(victim) as name:
            sock.connect(name)
        with rawexec.ask_ahead(sock) as here:
            data, (start,), _, _ = socket.recv_fds(sock, 256, 4)
            assert struct.unpack_from("II", data)[1] == HELLO
            assert struct.unpack_from("I", sock.recv(256), 4)[0] == SPAWNED
            msg = rawexec.exec_message(start, change)
            null = os.open("/dev/null", os.O_RDWR)
            socket.send_fds(here, [b"\0"], [msg, null, null, null])
            failure = here.recv(256)
            for fd in (start, msg, null):
                os.close(fd)
        if change is unchanged:
            assert failure == b""
        else:
            assert struct.unpack_from("IIi", failure)[2] == errno.EBADMSG
            kind, _, _, _, status = struct.unpack_from("IIIii", sock.recv(256), 4)
            assert (kind, status) == (SPAWN_EXITED, 125 << 8)
