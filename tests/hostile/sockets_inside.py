# SPDX-License-Identifier: Apache-2.0
"""Run inside a container that is handed one of csbx's own directories on standard input: sockets_inside.py CASE ARGUMENT...

Prints what csbx lets it have, as one line of JSON."""
import json
import os
import socket
import sys

with socket.socket(fileno=0) as given:
    _, (directory, *_), _, _ = socket.recv_fds(given, 1, 1)
HERE = f"/proc/self/fd/{directory}/"


def ask(name, request):
    """Connects, sends what it is given, and tells what comes back."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(10)
        sock.connect(HERE + name)
        if request:
            sock.send(bytes.fromhex(request))
        try:
            data, fds, _, _ = socket.recv_fds(sock, 4096, 16)
        except OSError as e:
            return {"error": e.strerror}
        return {"data": data.hex(), "fds": len(fds)}


def listen(sock, who):
    """The kernel tells clients which process has listened last: this one, or one that has ended, and is reaped or not."""
    pid = 0 if who == "itself" else os.fork()
    if not pid:
        sock.listen()
        if who != "itself":
            os._exit(0)
    elif who == "ended":
        os.waitpid(pid, 0)
    else:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def stand_between(name, who="itself", kind="SOCK_SEQPACKET"):
    """Takes the place of a socket and tells what the next client sends."""
    with socket.socket(socket.AF_UNIX, getattr(socket, kind)) as sock:
        sock.bind(HERE + "x")
        listen(sock, who)
        os.rename(HERE + "x", HERE + name)
        print("ready", flush=True)
        sock.settimeout(10)
        client, _ = sock.accept()
        with client:
            client.settimeout(5)
            try:
                data, fds, _, _ = socket.recv_fds(client, 4096, 16)
            except ConnectionError:
                data, fds = b"", []
            return {"data": data.hex(), "fds": len(fds)}


if __name__ == "__main__":
    print(json.dumps({"ask": ask, "stand_between": stand_between}[sys.argv[1]](*sys.argv[2:])))
