# SPDX-License-Identifier: Apache-2.0
"""A network namespace that a program has used is never another container's: what a program leaves there, the next
program in the same server's line must not find. One that was not used goes from container to container."""
import json
import re
import subprocess

import pytest

# The files that show use, without the words that are the whole machine's.
LOOK = r"""
import json, os, re
modes = [(n, os.lstat(os.path.join(top, n)).st_mode) for top, dirs, names in os.walk("/proc/self/net") for n in sorted(dirs + names)]
files = ["snmp", "snmp6", "netstat", "dev", "sockstat", "sockstat6", "ip6_flowlabel", "igmp", "igmp6", "unix", "tcp", "tcp6",
         "udp", "udp6", "raw", "raw6", "icmp", "route", "ipv6_route", "rt_cache", "if_inet6", "arp", "packet"]
said = {"modes": modes}
for name in files:
    try:
        text = open("/proc/net/" + name).read()
    except OSError as e:
        text = str(e)
    said[name] = re.sub(r"(alloc|mem|memory) \d+", "", text)
print(json.dumps(said))
"""
WITNESS = ["python3", "-c", LOOK]
LABEL = ("s.setsockopt(41, 32, struct.pack('16sIBBHHHI', socket.inet_pton(socket.AF_INET6, '::1'), "
         "socket.htonl(0x12345), 0, 255, 1, 30, 60, 0))")
HEAD = "import os, signal, socket, struct, time\n"
USES = {
    "a datagram to itself": "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 9))",
    "a datagram to itself, IPv6": "s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(b'x', ('::1', 9))",
    "a datagram without a route": """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try: s.sendto(b'x', ('192.0.2.1', 9))
except OSError: pass""",
    "a datagram without a route, IPv6": """
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
try: s.sendto(b'x', ('2001:db8::1', 9))
except OSError: pass""",
    "a connection that is refused": """
try: socket.create_connection(('127.0.0.1', 9), 1)
except OSError: pass""",
    "a connection that waits for its end": """
a = socket.create_server(('127.0.0.1', 0)); b = socket.create_connection(a.getsockname()); c, _ = a.accept()
b.close(); c.close()""",
    "a connection that a killed child has open": """
a = socket.create_server(('127.0.0.1', 0)); b = socket.create_connection(a.getsockname()); c, _ = a.accept()
b.send(b'x' * 100000)
if not os.fork(): time.sleep(100)""",
    "a flow label": f"s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); {LABEL}; s.close()",
    "a multicast group": """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('224.1.1.1') + socket.inet_aton('127.0.0.1'))
s.sendto(b'x', ('224.1.1.1', 5000))""",
    "groups that were joined": """
s = [socket.socket(f, socket.SOCK_DGRAM) for f in (socket.AF_INET, socket.AF_INET6)]
for at, level, name, group in ((0, 0, 35, socket.inet_aton('224.1.1.1') + socket.inet_aton('127.0.0.1')),
                               (1, 41, 20, socket.inet_pton(socket.AF_INET6, 'ff02::1:3') + struct.pack('I', 1))):
    try: s[at].setsockopt(level, name, group)
    except OSError as e: assert e.errno == 19
    else: os.write(1, b'joined')""",
    "modes of its files": """
for top, dirs, names in os.walk('/proc/self/net'):
    for n in dirs + names:
        try: os.chmod(os.path.join(top, n), 0o640)
        except OSError: pass""",
    "a name in the abstract": """
s = socket.socket(socket.AF_UNIX); s.bind('\\0here'); s.listen()
if not os.fork():
    os.setsid(); time.sleep(100)""",
    "sockets that only hold each other": """
a, b = socket.socketpair(); c, d = socket.socketpair()
socket.send_fds(a, [b'x'], [c.fileno(), d.fileno(), a.fileno(), b.fileno()])
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); socket.send_fds(c, [b'x'], [s.fileno(), a.fileno(), b.fileno()])""",
    "a fragment that waits": """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x' * 65000, ('127.0.0.1', 9))""",
    "killed at once": """
s = socket.create_server(('127.0.0.1', 0)); b = socket.create_connection(s.getsockname()); os.kill(os.getpid(), signal.SIGKILL)""",
}


@pytest.fixture(autouse=True)
def held(csbx, python_image):
    """One that runs all the time: the server stays."""
    with csbx.popen("start", python_image, "sh", "-c", "echo up; exec cat", stdin=subprocess.PIPE, text=True) as p:
        assert p.stdout.readline() == "up\n"
        yield
        p.communicate(timeout=20)


def seen(out):
    """The kernel counts the orphaned connections of all its networks as one."""
    files = json.loads(out)
    return {**files, "sockstat": re.sub(r"orphan \d+", "orphan N", files["sockstat"])}


def look(csbx, image, *options):
    return seen(csbx.ok("start", *options, image, *WITNESS))


@pytest.mark.parametrize("use", sorted(USES))
def test_a_used_network_is_not_used_again(csbx, python_image, use):
    fresh = look(csbx, python_image)
    assert "joined" not in csbx.run("start", python_image, "python3", "-c", HEAD + USES[use]).stdout  # told later than it is looked at
    beside = [csbx.popen("start", python_image, *WITNESS) for _ in range(4)]  # each has one, so all that wait are taken
    for p in beside:
        out, err = p.communicate(timeout=60)
        assert p.returncode == 0, err
        assert seen(out) == fresh


def test_all_files_of_a_network_have_one_owner(csbx, busybox_image):
    """The server's first network is made while the ids of its user namespace are written, and that takes time of its own."""
    for n in range(24):
        image = csbx.work / f"cold{n}.sqsh"
        image.write_bytes(busybox_image.read_bytes())
        owners = csbx.ok("start", image, "find", "/proc/self/net/", "-mindepth", "1", "-exec", "stat", "-c", "%u:%g", "{}", "+").split()
        assert len(owners) > 20 and len(set(owners)) == 1, (n, set(owners))


def network(csbx, image, *options):
    return csbx.ok("start", *options, image, "readlink", "/proc/self/ns/net")


def test_an_unused_network_is_used_again(csbx, python_image):
    """The number of one that is gone may be the next one's, so more are looked at than are ever kept."""
    csbx.ok("start", python_image, "true")
    numbers = [network(csbx, python_image) for _ in range(6)]
    sockets = csbx.ok("start", python_image, "python3", "-c", HEAD + USES["a datagram to itself"] + "\nprint(os.readlink('/proc/self/ns/net'))")
    assert len(set(numbers)) <= 3 and sockets in numbers, (numbers, sockets)


def passed(csbx, *argv):
    """How many descriptors each message to the image server and to csbx-init brings: the request, the message for
    csbx-init, and what the container leaves, which is its mount namespace and, if it returns, its network with its files.

    The program runs long enough to have its mount namespace looked at.
    """
    subprocess.run(["strace", "-qq", "-o", "trace", "-e", "trace=sendmsg", *csbx.argv(["start", *argv])], env=csbx.env, cwd=csbx.work,
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, **csbx.identity())
    found = re.findall(r"cmsg_type=SCM_RIGHTS, cmsg_data=\[([0-9, ]+)\]", (csbx.work / "trace").read_text())
    return [len(fds.split(",")) for fds in found]


@pytest.mark.parametrize("options", [["--cap-add", "NET_RAW"], ["--security-opt", "seccomp=unconfined"]], ids=str)
def test_where_a_program_could_leave_what_no_file_shows_it_does_not_return(csbx, python_image, options):
    for _ in range(2):  # the second brings a mount namespace for later ones
        csbx.ok("start", python_image, "true")
    *before, left = passed(csbx, python_image, "sleep", "0.2")
    assert left > 2 and passed(csbx, *options, python_image, "sleep", "0.2") == [*before, 1]


@pytest.mark.parametrize("way", ["mount", "ipc"])
def test_where_a_program_could_hand_it_out_it_does_not_return(csbx, python_image, way):
    """Through a socket of a directory of the host's: /dev/shm is one."""
    for _ in range(2):
        csbx.ok("start", python_image, "true")
    *before, left = passed(csbx, python_image, "sleep", "0.2")
    options, leaves = {"mount": (["--mount", f"{csbx.work}:/host"], []), "ipc": (["--ipc", "host"], [1])}[way]
    assert left > 2 and passed(csbx, *options, python_image, "sleep", "0.2") == before + leaves


CHANGE = r"""
import json, os
done = set()
def walk():
    for top, dirs, names in os.walk("/proc"):
        if top == "/proc":
            dirs[:] = [d for d in dirs if d == "1" or not d.isdigit()]  # that one stays for the next snippet of a lane
        yield top, dirs, names
    yield "/sys", ["class", "class/net", "class/net/lo/"], ["class/net/lo/mtu", "kernel/uevent_seqnum"]
for top, dirs, names in walk():
    for name in [*dirs, *names]:
        path = os.path.join(top, name)
        s = os.lstat(path)
        for what, change in {"mode": lambda: os.chmod(path, s.st_mode & 0o777 ^ 0o44),
                             "owner": lambda: os.chown(path, os.getuid(), os.getgid(), follow_symlinks=False),
                             "times": lambda: os.utime(path, (1, 1), follow_symlinks=False),
                             "attribute": lambda: os.setxattr(path, "user.x", b"1", follow_symlinks=False)}.items():
            if what == "mode" and os.path.islink(path): continue
            try:
                change()
                done.add((what, path))
            except OSError:
                pass
for top, dirs, names in os.walk("/proc/self/net"):
    for name in [*dirs, *names]:
        path = os.path.join(top, name)
        for what, change in {"mode": lambda: os.chmod(path, 0o640), "owner": lambda: os.chown(path, os.getuid(), os.getgid()),
                             "attribute": lambda: os.setxattr(path, "user.x", b"1")}.items():
            try:
                change()
                done.add((what, path))
            except OSError:
                pass
print(json.dumps([os.stat("/proc/self/net/dev").st_uid, sorted(done)]))
"""


@pytest.mark.both_users
def test_a_program_changes_nothing_of_proc_but_of_a_network_that_ends_with_it(csbx, python_image):
    """Files that are not of a process: their modes and owners are the machine's, or those of the network namespace."""
    seen = [json.loads(csbx.ok("start", "--user", "0", python_image, "python3", "-c", CHANGE)) for _ in range(12)]
    assert all("/net/" in path for uid, changed in seen for what, path in changed), seen
    assert seen[-1] == [65534, []] and all(not changed for uid, changed in seen if uid), seen


@pytest.mark.both_users
def test_networks_of_many_starts_at_once(csbx, python_image):
    """None is ready, so each start makes its own: their files are no container's either, and they return."""
    inside = "import os; print(os.readlink('/proc/self/ns/net'), os.stat('/proc/self/net/dev').st_uid)"
    seen = []
    for _ in range(3):
        running = [csbx.popen("start", "--user", "0", python_image, "python3", "-ISc", inside, text=True) for _ in range(16)]
        seen += [p.communicate(timeout=60)[0].split() for p in running]
    assert {uid for net, uid in seen} == {"65534"} and len({net for net, uid in seen}) < 48, seen


def test_a_network_that_returns_brings_its_files(csbx, python_image):
    """A start that gets one with its files opens none of them, and sets no port: one before it has. The first ones may make their own."""
    for _ in range(4):
        csbx.ok("start", python_image, "true")
    subprocess.run(["strace", "-f", "-qq", "-o", "trace", "-e", "trace=open,openat", *csbx.argv(["start", python_image, "true"])], env=csbx.env,
                   cwd=csbx.work, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, **csbx.identity())
    opened = (csbx.work / "trace").read_text()
    assert "snmp" not in opened and "ip_unprivileged_port_start" not in opened
    assert csbx.ok("start", python_image, "cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start") == "0\n"
