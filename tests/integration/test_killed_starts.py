# SPDX-License-Identifier: Apache-2.0
"""Later starts and lists take away the files that killed starts leave, without csbx gc."""
import json
import os
import signal
import subprocess
import threading
import time

import pytest

KILLS = 200
# One start in sixteen sweeps: 128 of 200 in a row that do not are one run in four thousand.
BOUND = 128


def records(csbx):
    try:
        return os.listdir(csbx.dirs["run"] / "instances")
    except FileNotFoundError:
        return []


def settles(csbx, want, verb=("list",)):
    """A pid 1 that is still dying keeps its file: lists until what is left is as expected."""
    deadline = time.monotonic() + 20
    while sorted(records(csbx)) != sorted(want) and time.monotonic() < deadline:
        csbx.ok(*verb)
    return sorted(records(csbx)) == sorted(want)


def kill_one(csbx, *start):
    """A start killed when its command runs."""
    p = csbx.popen(*start, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGKILL)
    p.communicate()


def kill_many(csbx, image, n):
    def some():
        for _ in range(n // 4):
            kill_one(csbx, "start", image, "sh", "-c", "echo up; read x")

    threads = [threading.Thread(target=some) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


@pytest.fixture
def killed(csbx, busybox_image):
    csbx.ok("start", busybox_image, "true")
    kill_many(csbx, busybox_image, KILLS)
    return csbx


def test_what_killed_starts_leave_does_not_grow(killed, busybox_image):
    assert len(records(killed)) < BOUND, "the starts themselves sweep"
    keeper = killed.popen("start", busybox_image, "sh", "-c", "echo up; read x", stdin=subprocess.PIPE)
    assert keeper.stdout.readline() == b"up\n"
    found = json.loads(killed.ok("list", "--json"))["instances"]
    assert len(found) == 1, "one is alive"
    assert settles(killed, [found[0]["id"]]), "a list leaves what is alive"
    assert json.loads(killed.ok("gc", "--json")) == []
    keeper.communicate()


def test_a_killed_bare_start(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    for _ in range(3):
        p = csbx.popen("enroot", "start", "c", "sh", "-c", "echo up; exec sleep 100",
                       stdin=subprocess.DEVNULL)
        assert p.stdout.readline() == b"up\n"
        p.send_signal(signal.SIGKILL)
        p.communicate()
    # The image server holds the file; it takes it away itself, or the next list does.
    assert settles(csbx, [], ("enroot", "list", "-f"))
    csbx.ok("remove", "-f", "c")


def test_a_list_beside_a_sweep_shows_no_dead(csbx, busybox_image):
    """A file that is being removed is held for a moment: that is no start that runs."""
    for _ in range(12):
        kill_one(csbx, "start", busybox_image, "sh", "-c", "echo up; read x")
        lists = [csbx.popen("list", "--json") for _ in range(4)]
        for p in lists:
            out = p.communicate()[0]
            assert p.returncode == 0 and json.loads(out)["instances"] == []
    assert settles(csbx, [])


def test_the_socket_goes_with_it(csbx, busybox_image):
    p = csbx.popen("start", busybox_image, "sh", "-c", "echo up; read x", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n"
    ident = json.loads(csbx.ok("list", "--json"))["instances"][0]["id"]
    assert csbx.ok("exec", ident, "echo", "in") == "in\n"
    assert sorted(records(csbx)) == [ident, f"{ident}.sock"]
    p.send_signal(signal.SIGKILL)
    p.communicate()
    assert settles(csbx, [])
