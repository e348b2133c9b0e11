# SPDX-License-Identifier: Apache-2.0
"""csbx engine on Linux 6.1, with and without id ranges: a life of a container by its socket, and by the shim of docker."""
import pytest
import world as w
from world import BUSYBOX

USERS = pytest.mark.parametrize("user", [w.USER, w.USER2])

# Standard library only: the guest has no docker-py. Prints a line for each step.
CLIENT = r"""
import http.client, io, json, os, socket, sys, tarfile

class Box(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(os.environ["DOCKER_HOST"][len("unix://"):])

def ask(method, path, body=None, ok=(200, 201, 204)):
    c = Box("d")
    data = body if isinstance(body, bytes) or body is None else json.dumps(body)
    c.request(method, path, data, {"Content-Type": "application/json"} if data is not None else {})
    r = c.getresponse()
    text = r.read()
    assert r.status in ok, (method, path, r.status, text)
    return text

def asked(method, path, body=None, **kw):
    return json.loads(ask(method, path, body, **kw))

def frames(data):
    while data:
        n = int.from_bytes(data[4:8], "big")
        yield data[0], data[8:8 + n]
        data = data[8 + n:]

def tar_of(name, text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        t.addfile(entry, io.BytesIO(text))
    return out.getvalue()

print(ask("GET", "/_ping").decode(), asked("GET", "/version")["Os"])
c = "/containers/" + asked("POST", "/containers/create?name=vm", {"Image": sys.argv[1], "Cmd": ["sh", "-c", "echo up; sleep 600"],
                                                                  "HostConfig": {"Memory": 256 << 20}})["Id"]
ask("PUT", c + "/archive?path=/tmp", tar_of("in", b"from outside"))
ask("POST", c + "/start")
e = asked("POST", c + "/exec", {"Cmd": ["sh", "-c", "cat /tmp/in; echo >&2 err; exit 3"], "AttachStdout": True, "AttachStderr": True})["Id"]
print(sorted(frames(ask("POST", f"/exec/{e}/start", {}))), asked("GET", f"/exec/{e}/json")["ExitCode"])
with tarfile.open(fileobj=io.BytesIO(ask("GET", c + "/archive?path=/tmp/in"))) as t:
    print(t.extractfile("in").read())
print(asked("GET", c + "/json")["State"]["Status"], len(asked("GET", "/containers/json")), asked("GET", c + "/top")["Titles"][:2])
ask("POST", c + "/stop?t=0")
print(asked("POST", c + "/wait")["StatusCode"], list(frames(ask("GET", c + "/logs?stdout=1&stderr=1"))))
ask("DELETE", c)
print(asked("GET", "/containers/json?all=1"), ask("GET", c + "/json", ok=(404,)) != b"")
"""
SAID = """OK linux
[(1, b'from outside'), (2, b'err\\n')] 3
b'from outside'
running 1 ['UID', 'PID']
137 [(1, b'up\\n')]
[] True
"""


KILLED = r"""
set -e
csbx engine & engine=$!
socket=$(csbx info | sed -n 's/^runtime  *\([^ ]*\) .*/\1/p')/docker.sock
until [ -S "$socket" ]; do sleep 0.1; done
export DOCKER_HOST="unix://$socket"
python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["DOCKER_HOST"][7:]); s.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
while got := s.recv(4096): last = got
print(last[-2:].decode(), end="")'
csbx docker run -d --name stays "$1" sh -c 'echo one; sleep 2; echo two' >/dev/null
kill -KILL $engine
csbx docker wait stays
csbx engine -- sh -c 'csbx docker logs stays; csbx docker rm stays'
rm "$socket"
"""


@USERS
def test_a_life_by_the_socket(world, user):
    p = world.run("csbx", "engine", "--", "python3", "-c", CLIENT, BUSYBOX, user=user)
    assert (p.returncode, p.stdout) == (0, SAID), str(p)


@USERS
def test_it_may_be_killed(world, user):
    """The container and its log go on, and the next engine finds them."""
    p = world.run("sh", "-c", KILLED, "-", BUSYBOX, user=user)
    assert (p.returncode, p.stdout) == (0, "OK0\none\ntwo\nstays\n"), str(p)
