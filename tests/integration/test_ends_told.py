# SPDX-License-Identifier: Apache-2.0
"""The exit code that is told where csbx or the disk fails: never that of a program which did not end so."""
import contextlib
import ctypes
import errno
import json
import os
import signal
import struct
import subprocess
import time

import pytest

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

REMOVES = pytest.mark.parametrize("options", [["--rm"], []], ids=["rm", "stays"])
# As root of a user namespace, whose tmpfs needs no right outside; csbx is an ordinary user in the next one.
ON_A_SMALL_DISK = """
set -e
mount -t tmpfs -o size=8m,mode=700 small "$1"
export CSBX_DATA_PATH="$1/data" user="$2"
mkdir -m 700 "$CSBX_DATA_PATH"
shift 2
exec unshare --user --map-user="$user" --map-group="$user" "$@"
"""
FILLS = "cat /dev/zero >/big 2>/dev/null; i=0; while echo x 2>/dev/null >/$i; do i=$((i+1)); done; exit 3"


@pytest.fixture
def box(csbx, busybox_image):
    csbx.image = ("--network", "none", str(busybox_image))
    yield csbx
    left = csbx.ok("docker", "ps", "-aq").split()
    if left:
        csbx.ok("docker", "rm", "-f", *left)
    csbx.ok("gc")


def instances(box):
    return json.loads(box.ok("list", "--json"))["instances"]


def wait_for(condition, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextlib.contextmanager
def attached(box, *options, script="read -r line; exit 3"):
    """docker run, and its container's supervisor."""
    p = box.popen("docker", "run", "-i", "--name", "box1", *options, *box.image, "sh", "-c", f"echo up; {script}", stdin=subprocess.PIPE)
    try:
        assert p.stdout.readline() == b"up\n"
        yield p, instances(box)[0]
    finally:
        p.kill()
        p.communicate(timeout=20)


def end(p):
    p.stdin.write(b"\n")
    p.stdin.flush()
    return p.wait(20)


@REMOVES
def test_a_killed_supervisor(box, options):
    with attached(box, *options) as (p, instance):
        os.kill(instance["supervisor_pid"], signal.SIGKILL)
        assert p.wait(20) == 137
    assert box.ok("docker", "inspect", "-f", "{{.State.ExitCode}}", "box1") == "137\n"


@REMOVES
def test_a_program_that_fills_the_disk(box, options):
    small = box.work / "small"
    small.mkdir()
    words = box.argv(["docker", "run", *options, *box.image, "sh", "-c", FILLS])
    identity = box.identity()
    uid = identity.get("user", os.geteuid())
    p = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh", str(small), str(uid), *words],
                       env=box.env, cwd=box.work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **identity)
    assert p.returncode == 3, p.stderr
    wait_for(lambda: not instances(box))


def test_an_end_that_the_state_has_no_room_for(box):
    """Nothing can be made in the run's directory any more."""
    with attached(box) as (p, _):
        run = box.dirs["data"] / "containers" / "box1" / "run"
        os.chmod(run, 0o500)
        assert end(p) == 3
    os.chmod(run, 0o700)
    assert box.ok("docker", "inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "box1") == "exited 3\n"
    assert box.ok("docker", "wait", "box1") == "3\n"


def test_an_end_of_a_recipe_that_the_state_has_no_room_for(box, busybox_image):
    fifo = box.work / "fifo"
    os.mkfifo(fifo)
    run = box.ok("start", "-d", "--mount", f"{box.work}:/w", busybox_image, "sh", "-c", "read -r line </w/fifo; exit 3").strip()
    directory = box.dirs["data"] / "runs" / run
    os.chmod(directory, 0o500)
    fifo.write_text("\n", encoding="ascii")
    assert box.ok("wait", run) == "3\n"
    os.chmod(directory, 0o700)


def replace_no_file():
    """For this process and those below it: a file that takes another's place is ENOSPC."""
    number = {"x86_64": 316, "aarch64": 276}[os.uname().machine]  # renameat2(2)
    rows = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 48), (0x15, 0, 1, 0), (0x06, 0, 0, 0x50000 | errno.ENOSPC), (0x06, 0, 0, 0x7fff0000)]
    program = b"".join(struct.pack("HBBI", *row) for row in rows)  # if the call is it, and its flags are none
    libc = ctypes.CDLL(None)
    at = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(at))
    assert not libc.prctl(38, 1, 0, 0, 0) and not libc.prctl(22, 2, filter_)  # NO_NEW_PRIVS, SECCOMP


@REMOVES
def test_a_start_that_cannot_be_noted(box, options):
    """It is told as a failure of the start, and its program ends."""
    p = subprocess.run(box.argv(["docker", "run", *options, *box.image, "sleep", "300"]), cwd=box.work, stdin=subprocess.DEVNULL,
                       env={**box.env, "CSBX_USERNS": "one"},  # newuidmap gets no privilege now
                       capture_output=True, text=True, timeout=60, check=False, preexec_fn=replace_no_file, **box.identity())
    assert p.returncode == 125 and "No space left on device" in p.stderr, p
    wait_for(lambda: not instances(box))


def test_a_start_without_room_for_its_log_leaves_nothing(box):
    """docker run --rm: what could not be started goes as what has ended does."""
    id_ = box.ok("docker", "create", "--rm", "--name", "box1", *box.image, "true").strip()
    run = box.dirs["data"] / "containers" / "box1" / "run"
    (run / "log").mkdir(parents=True)
    p = box.run("docker", "start", "-a", id_)
    assert p.returncode == 1 and "log" in p.stderr, p
    assert box.ok("docker", "ps", "-aq") == "" and not run.parent.exists()
