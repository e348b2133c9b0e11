# SPDX-License-Identifier: Apache-2.0
"""UNIX sockets of a container that has the host's network: a process outside makes them, and a program sees no difference."""
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

EVERYDAY = """
import array, asyncio, errno, multiprocessing, os, resource, signal, socket, threading
def refused(call, number):
    try:
        call()
    except OSError as e:
        assert e.errno == number, e
    else:
        raise AssertionError(number)

for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for name in ("\\0own", "/tmp/named%d" % kind):
        own, client = socket.socket(socket.AF_UNIX, kind), socket.socket(socket.AF_UNIX, kind)
        own.bind(name)
        own.listen()
        client.connect(name)
        far = own.accept()[0]
        client.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
        assert far.recvmsg(9, 64)[0] == b"x"
        assert far.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4) == os.getpid().to_bytes(4, "little")
        own.close()
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    one.send(b"y")
    assert other.recv(9) == b"y" and not one.get_inheritable()
raw = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
assert not raw.getblocking()
refused(lambda: raw.recv(1), errno.EAGAIN)
refused(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 7), errno.EPROTONOSUPPORT)
assert socket.if_nametoindex("lo") == 1 and socket.if_indextoname(1) == "lo"
refused(lambda: socket.if_nametoindex("nosuch"), None)  # Python does not say which
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + 1, hard))
refused(lambda: socket.socket(socket.AF_UNIX), errno.EMFILE)
refused(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), errno.EMFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
with multiprocessing.Manager() as m, multiprocessing.Pool(2) as p:
    d = m.dict(a=1)
    assert dict(d) == {"a": 1} and p.map(abs, [-1, -2]) == [1, 2]

def closed():
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as s:
            s.bind("\\0closed")
            s.listen()
closed()
libc = __import__("ctypes").CDLL(None)
count = len(os.listdir("/proc/self/fd"))
assert libc.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM, 0, None) == -1 and len(os.listdir("/proc/self/fd")) == count
pid = os.fork()
if not pid:
    try:
        os.setgid(1000)
        os.setuid(1000)
    except OSError:
        pass  # one id
    with socket.socket(socket.AF_UNIX) as s:
        os.fchmod(s.fileno(), 0o600)
        s.bind("/tmp/mode%d" % os.getpid())
        assert os.stat("/tmp/mode%d" % os.getpid()).st_mode & 0o777 == 0o600 and os.fstat(s.fileno()).st_uid == os.getuid()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0

heard = []
signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
signal.siginterrupt(signal.SIGALRM, False)  # else a call may end with EINTR before it is heard of outside
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
made = [[] for _ in range(4)]
def make(into):
    for _ in range(100):
        with socket.socket(socket.AF_UNIX) as s:
            into.append(s.fileno())
threads = [threading.Thread(target=make, args=(into,)) for into in made]
[t.start() for t in threads]
make([])
[t.join() for t in threads]
signal.setitimer(signal.ITIMER_REAL, 0)
assert [len(x) for x in made] == [100] * 4 and heard
assert len(os.listdir("/proc/self/fd")) < 40, os.listdir("/proc/self/fd")

async def talk():
    server = await asyncio.start_unix_server(lambda r, w: w.close(), "/tmp/a.sock")
    reader, _ = await asyncio.open_unix_connection("/tmp/a.sock")
    assert await reader.read() == b""
    server.close()
asyncio.run(talk())
print("fine")
"""


@pytest.mark.parametrize("words", [["run", "--network", "host"], ["docker", "run", "--rm"], ["docker", "run", "--rm", "--user", "1000"],
                                   ["start", "--network", "host"]], ids=["run", "docker", "docker user", "start"])
def test_everyday(csbx, python_image, words):
    assert csbx.ok(*words, python_image, "python3", "-c", EVERYDAY) == "fine\n"


def test_of_an_exec(csbx, python_image):
    csbx.ok("run", "-d", "--network", "host", "--name", "box", python_image, "sleep", "600")
    try:
        for _ in range(2):
            assert csbx.ok("exec", "box", "python3", "-c", EVERYDAY) == "fine\n"
            csbx.ok("exec", "box", "sh", "-c", "rm -f /tmp/*")
    finally:
        csbx.ok("kill", "box")


def test_a_container_that_is_killed_with_a_socket(csbx, python_image):
    """The process that made it ends with the container: the fixture finds what is left."""
    code = "import socket, time\ns = socket.socket(socket.AF_UNIX)\nprint('up', flush=True)\ntime.sleep(600)"
    with csbx.popen("run", "--network", "host", python_image, "python3", "-c", code, stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"up\n"
        p.kill()
    csbx.ok("gc")


def test_the_plan(csbx, python_image):
    """The plan says so, and only where the host's network is given and its IPC is not."""
    for options, there in ((["--network", "host"], True), (["--network", "host", "--ipc", "host"], False), ([], False)):
        assert ("unix-sockets" in csbx.ok("run", "--plan", *options, python_image, "true")) is there
