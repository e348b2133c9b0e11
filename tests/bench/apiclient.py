#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""apiclient.py SOCKET WHAT COUNT: docker-py against a socket; prints milliseconds, one round a line.

exec: create, start, inspect of `true` in a container that runs. run: containers.run of `true`, removed.
threads: 32 threads, COUNT execs together, each of which must give its own output and exit code; one line.
"""
import queue
import sys
import threading
import time

import docker

IMAGE = "bench:latest"


def container(client):
    return client.containers.run(IMAGE, ["sleep", "600"], detach=True, network_mode="none")


def one_exec(api, c, *cmd):
    e = api.exec_create(c.id, list(cmd))
    out = api.exec_start(e)
    return out, api.exec_inspect(e)["ExitCode"]


def timed(fn, count):
    for _ in range(3):
        fn()
    for _ in range(count):
        begun = time.monotonic()
        fn()
        print((time.monotonic() - begun) * 1000, flush=True)


def execs(client, count):
    c = container(client)

    def one():
        assert one_exec(client.api, c, "true") == (b"", 0)
    try:
        timed(one, count)
    finally:
        c.remove(force=True)


def runs(client, count):
    def one():
        assert client.containers.run(IMAGE, "true", remove=True, network_mode="none") == b""
    timed(one, count)


def threads(path, count):
    client = docker.DockerClient(base_url=f"unix://{path}", timeout=600)
    c, todo, bad = container(client), queue.Queue(), []
    for n in range(count):
        todo.put(n)

    def work():
        own = docker.DockerClient(base_url=f"unix://{path}", timeout=600)
        while True:
            try:
                n = todo.get_nowait()
            except queue.Empty:
                return
            try:
                got = one_exec(own.api, c, "sh", "-c", f"echo {n}; exit {n % 5}")
            except Exception as e:  # pylint: disable=broad-except
                got = repr(e)
            if got != (b"%d\n" % n, n % 5):
                bad.append((n, got))
    all_of_them = [threading.Thread(target=work) for _ in range(32)]
    begun = time.monotonic()
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    took_ms = (time.monotonic() - begun) * 1000
    c.remove(force=True)
    if bad:
        sys.exit(f"{len(bad)} of {count} execs are lost or wrong: {bad[:3]}")
    print(took_ms)


def main():
    path, what, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what == "threads":
        threads(path, count)
    else:
        client = docker.DockerClient(base_url=f"unix://{path}", timeout=600)
        (execs if what == "exec" else runs)(client, count)


if __name__ == "__main__":
    main()
