# SPDX-License-Identifier: Apache-2.0
"""What Linux counts for a user and a container may use up: descriptors on their way in sockets, signals that are pending."""
import resource
import signal
import time

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

LEAVE_UNREAD = r"""
import os, resource, signal, socket
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
null, sockets, why = os.open("/dev/null", os.O_RDONLY), [], None
while why is None:
    try:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        sockets += a, b
        a.setblocking(False)
        while True:
            socket.send_fds(a, [b"x"], [null] * 200)
    except BlockingIOError:
        pass
    except OSError as e:
        why = e.strerror
print(hard, why, flush=True)
signal.pause()
"""
SOFT, HARD = 256, 4096


@pytest.fixture
def low():
    """What a process gets that calls csbx: limits that are soon reached."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, HARD))}


@pytest.fixture
def flood(csbx, python_image, low):
    """A container that can send no more descriptors: its process, and its limit."""
    p = csbx.popen("start", python_image, "python3", "-IS", "-c", LEAVE_UNREAD, **low)
    hard, why = p.stdout.readline().decode().split(" ", 1)
    assert why.startswith("Too many references"), why
    yield p, int(hard)
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=30)


def test_other_containers_start_and_serve(csbx, busybox_image, python_image, flood, low):
    csbx.ok("create", "--name", "other", busybox_image)
    before = time.monotonic()
    assert csbx.ok("start", busybox_image, "echo", "new server", timeout=60, **low) == "new server\n"
    assert csbx.ok("start", python_image, "echo", "its server", timeout=60, **low) == "its server\n"
    p = csbx.popen("start", "other", "sh", "-c", "echo up; exec sleep 1000", **low)
    assert p.stdout.readline() == b"up\n"
    assert csbx.ok("exec", "other", "echo", "joined", timeout=60, **low) == "joined\n"
    assert csbx.ok("exec", "--tty", "other", "echo", "terminal", timeout=60, **low).strip() == "terminal"
    csbx.ok("kill", "other")
    p.communicate(timeout=30)
    assert flood[0].poll() is None
    assert time.monotonic() - before < 25, "they waited for descriptors to arrive"


def test_the_limit_of_a_container_is_below_its_callers(flood, csbx, busybox_image, low):
    assert flood[1] == HARD - HARD // 4
    say = ["start", "--ulimit", f"nofile={HARD}", busybox_image, "sh", "-c", "ulimit -n; ulimit -Hn"]
    assert csbx.ok(*say, **low).split() == [str(HARD)] * 2, "one that was asked for is given"


def test_an_import_ends_without_a_signal_to_spare(csbx, busybox_layout):
    """As where timers of a container are all the signals that the user may have pending: the kernel drops one of ours."""
    none = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0))}
    csbx.ok("import", "-q", "-o", "made.sqsh", f"oci:{busybox_layout}", timeout=60, **none)
    assert csbx.ok("start", "made.sqsh", "echo", "made") == "made\n"
