# SPDX-License-Identifier: Apache-2.0
"""An image server that is stopped (SIGSTOP, a frozen job): told, never waited for, and ended."""
import json
import os
import signal
import time

import pytest

import harness

LINGER = {"CSBX_LINGER": "60"}


@pytest.fixture
def box(csbx, busybox_image):
    """A container with a file that was not read yet: a reader needs the server."""
    csbx.ok("create", "-n", "plain", busybox_image)
    csbx.ok("start", "-w", "plain", "sh", "-c", "head -c 4000000 /dev/urandom >/big")
    csbx.ok("export", "-o", "big.sqsh", "plain")
    csbx.ok("create", "-n", "c", "big.sqsh")
    csbx.ok("remove", "-f", "plain")
    yield csbx
    for server in servers(csbx):
        os.kill(server, signal.SIGCONT)
    csbx.ok("gc", "--servers")
    csbx.ok("remove", "-f", "c")


def servers(csbx):
    """By the process table, which asks no other process."""
    return [pid for pid, name in harness.descendants().items() if name == "csbx-squashd"]


def stop_server(csbx):
    [pid] = servers(csbx)
    os.kill(pid, signal.SIGSTOP)
    return pid


def test_idle(box):
    """A start names what helps, gc --servers does it, the next start works."""
    box.ok("start", "c", "true", env=LINGER)
    pid = stop_server(box)
    begin = time.monotonic()
    [silent] = json.loads(box.ok("list", "--servers", "--json"))
    assert silent["pid"] == pid and not silent["answers"] and silent["containers"] is None, silent
    assert time.monotonic() - begin < 15, silent
    begin = time.monotonic()
    said = box.fails("start", "c", "true", says=["does not answer", f"kill -CONT {pid}", "gc --servers"])
    assert time.monotonic() - begin < 15, said
    assert box.ok("gc") == "", "only when asked for"
    assert box.ok("gc", "--servers", "-n").startswith("would remove server")
    assert servers(box) == [pid]
    assert box.ok("gc", "--servers").startswith("removed server")
    assert servers(box) == [] and os.listdir(box.dirs["run"] / "servers") == []
    box.ok("start", "c", "true")


def test_in_use(box):
    """gc does not end what a suspended job needs; it goes on when it is woken."""
    p = box.popen("start", "c", "sh", "-c", "echo up; read x; wc -c </big", text=True, stdin=-1)
    assert p.stdout.readline() == "up\n"
    [one] = json.loads(box.ok("inspect", "c"))["instances"]
    pid = stop_server(box)
    said = box.run("gc", "--servers")
    assert said.returncode == 125 and one["id"] in said.stderr, said.stderr
    os.kill(pid, signal.SIGCONT)
    assert p.communicate("\n", timeout=30)[0] == "4000000\n" and p.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_container_that_hangs_on_it_ends(box, how):
    """SIGTERM twice, or the death of csbx: nothing waits for ever, and gc clears the rest."""
    p = box.popen("start", "c", "sh", "-c", "echo up; read x; cat /big >/dev/null; echo no",
                  text=True, stdin=-1, env=LINGER)
    assert p.stdout.readline() == "up\n"
    pid = stop_server(box)
    p.stdin.write("\n")
    p.stdin.flush()
    time.sleep(0.3)
    p.send_signal(how)
    if how == signal.SIGTERM:
        time.sleep(1)
        p.kill()
    p.communicate(timeout=30)
    assert box.ok("gc", "--servers").count("removed server") == 1
    harness.wait_for_no_process(box.known)
    assert pid not in servers(box)


def test_a_limit_of_time_holds(box):
    p = box.popen("start", "--timeout", "2s", "c", "sh", "-c", "echo up; read x; cat /big >/dev/null",
                  text=True, stdin=-1)
    assert p.stdout.readline() == "up\n"
    stop_server(box)
    p.stdin.write("\n")
    begin = time.monotonic()
    p.communicate(timeout=30)
    assert p.returncode == 124 and time.monotonic() - begin < 10
