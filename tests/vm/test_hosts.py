# SPDX-License-Identifier: Apache-2.0
"""Machines that allow less: doctor's words on each, and the behaviour of a run there.

Doctor's lines and its JSON are compared wherever they are read (world.doctor)."""
import time

import pytest
import world as w
from world import BUSYBOX, PYTHON

ALWAYS = ("openat2", "open_tree", "mount_setattr", "pidfd", "close_range", "seccomp", "helpers", "kernel")


def test_run(world):
    assert world.ok("run", BUSYBOX, "echo", "hello") == "hello\n"
    assert world.csbx("run", BUSYBOX, "sh", "-c", "exit 7").returncode == 7


def test_doctor_plain(world):
    facts = world.doctor()
    assert all(f["ok"] for f in facts.values() if f["needed"]), facts
    assert facts["kernel"]["reason"].startswith("Linux 6.1."), facts["kernel"]
    for name in (*ALWAYS, "overlay-disk", "fuse", "subuid", "landlock", "memfd", "clone3", "apparmor"):
        assert facts[name]["ok"], facts[name]
    assert "overlay works" in facts["overlay"]["reason"], facts["overlay"]
    assert not facts["tmpfs-xattr"]["ok"] and "6.6" in facts["tmpfs-xattr"]["reason"], facts["tmpfs-xattr"]
    assert facts["runtime-dir"]["ok"], facts["runtime-dir"]  # of the user's session, though its variable is not set


def test_doctor_login(world):
    facts = world.doctor(login=True, env={"CSBX_SCOPE_TIMEOUT": "20s"})
    assert facts["runtime-dir"] == {"ok": True, "needed": False, "reason": "/run/user/1001/csbx", "remedy": None}


# --- user namespaces ------------------------------------------------------------------------------

SWITCHES = [("kernel.unprivileged_userns_clone", 0, "kernel.unprivileged_userns_clone is 0",
             "sysctl kernel.unprivileged_userns_clone=1"),
            ("user.max_user_namespaces", 0, "user.max_user_namespaces is 0", "sysctl user.max_user_namespaces="),
            # One is enough for the image server and not for the container.
            ("user.max_user_namespaces", 1, "user.max_user_namespaces allows (1)", "sysctl user.max_user_namespaces=2")]
SWITCHES += [(f"user.max_{kind}_namespaces", 0, f"user.max_{kind}_namespaces is 0",
              f"sysctl user.max_{kind}_namespaces=") for kind in ("mnt", "pid", "ipc", "uts", "net", "cgroup")]


@pytest.mark.parametrize("switch,value,reason,remedy", SWITCHES, ids=lambda v: str(v)[:40])
def test_no_namespaces(world, switch, value, reason, remedy):
    world.sysctl(switch, value)
    p = world.csbx("doctor", "--feature", "userns")
    assert p.returncode == 1 and "MISSING" in p.stdout and reason in p.stdout and remedy in p.stdout, str(p)
    world.refuses("run", BUSYBOX, "true", says=[reason, remedy, "hint: "])
    world.undo()
    assert world.ok("run", BUSYBOX, "echo", "back") == "back\n"


def test_doctor_without_namespaces(world):
    """All of the list is there, and doctor still finds the features that have nothing to do with namespaces."""
    world.sysctl("user.max_user_namespaces", 0)
    facts = world.doctor()
    for name, fact in facts.items():
        if name in ALWAYS:
            assert fact["ok"], fact
        elif name in ("userns", "proc", "overlay", "fuse"):
            assert not fact["ok"] and "user.max_user_namespaces is 0" in fact["reason"] and fact["remedy"], fact


def test_just_enough_namespaces(world):
    """The server's, the container's, and that of its network's files: a program inside gets none."""
    world.sysctl("user.max_user_namespaces", 3)
    end = time.monotonic() + 20
    p = world.csbx("run", BUSYBOX, "unshare", "-U", "true")
    while p.returncode == 125 and time.monotonic() < end:  # the kernel takes those of earlier runs down a while after their end
        time.sleep(0.2)
        p = world.csbx("run", BUSYBOX, "unshare", "-U", "true")
    assert p.returncode == 1 and "not permitted" in p.stderr, str(p)


# --- /dev/fuse ------------------------------------------------------------------------------------

@pytest.mark.parametrize("do,undo,reason,remedy", [
    ("chmod 600 /dev/fuse", "chmod 666 /dev/fuse", "Permission denied", "chmod 666 /dev/fuse"),
    ("mv /dev/fuse /dev/hidden", "mv /dev/hidden /dev/fuse", "No such file", "modprobe fuse"),
], ids=["closed", "gone"])
def test_no_fuse(world, do, undo, reason, remedy):
    world.arrange(do, undo)
    p = world.csbx("doctor", "--feature", "fuse")
    assert p.returncode == 1 and reason in p.stdout and remedy in p.stdout and "unpacked" in p.stdout, str(p)
    assert world.doctor()["fuse"]["needed"] is False
    script = "import os; print(os.getuid(), os.path.exists('/usr/bin/python3')); open('/new', 'w')"
    for _ in range(2):
        assert world.ok("run", PYTHON, "python3", "-c", script) == "0 True\n"


# --- id ranges ------------------------------------------------------------------------------------

def test_ranges(world):
    assert world.ok("run", BUSYBOX, "sh", "-c", "chown 1000:1000 /root && stat -c %u /root") == "1000\n"


def no_ranges(world, reason, **kw):
    """Only the caller exists inside, and that is said where ranges were asked for."""
    p = world.csbx("doctor", "--feature", "subuid", **kw)
    assert p.returncode == 1 and reason in p.stdout and "uidmap" in p.stdout, str(p)
    assert world.ok("run", BUSYBOX, "id", "-u", **kw) == "0\n"
    p = world.csbx("run", BUSYBOX, "chown", "1000", "/root", **kw)
    assert p.returncode == 1 and "Invalid argument" in p.stderr, str(p)
    world.refuses("run", "--userns", "subuid", BUSYBOX, "true", says=reason.split(":", maxsplit=1)[0], **kw)


def test_no_ranges(world):
    no_ranges(world, "no range in /etc/subuid and /etc/subgid: you are the only user", user=w.USER2)


@pytest.mark.parametrize("mode,reason", [("a-x", "newuidmap and newgidmap are not installed"),
                                         ("u-s", "newuidmap and newgidmap are not set-user-ID root")])
def test_no_newuidmap(world, mode, reason):
    world.arrange(f"chmod {mode} /usr/bin/newuidmap", "chmod 4755 /usr/bin/newuidmap")
    no_ranges(world, reason)


def test_newuidmap_by_capabilities(world):
    """As Fedora installs it."""
    world.arrange("chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap; setcap cap_setuid=ep /usr/bin/newuidmap; "
                  "setcap cap_setgid=ep /usr/bin/newgidmap",
                  "setcap -r /usr/bin/newuidmap; setcap -r /usr/bin/newgidmap; "
                  "chmod u+s /usr/bin/newuidmap /usr/bin/newgidmap")
    test_ranges(world)


@pytest.mark.parametrize("does,reason", [("echo because >&2; exit 1", "newuidmap: because (--userns one works without)"),
                                         ("kill -9 $PPID", "make user namespace: its maker was killed")])
def test_newuidmap_that_fails(world, does, reason):
    """The image server waits for it, and tells the processes that wait for the server."""
    program = "/usr/bin/newuidmap"
    world.arrange(f"mv {program} {program}.real; echo '#!/bin/sh\n{does}' >{program}; chmod 4755 {program}",
                  f"mv {program}.real {program}")
    world.refuses("run", BUSYBOX, "true", says=reason)
    assert world.ok("run", "--userns", "one", BUSYBOX, "echo", "one") == "one\n"


# --- places ---------------------------------------------------------------------------------------

def test_hidden_processes(world):
    """Many clusters mount /proc so that users do not see each other's processes."""
    world.arrange("mount -o remount,hidepid=2 /proc", "mount -o remount,hidepid=0 /proc")
    assert world.doctor()["proc"]["ok"]
    out = world.ok("run", BUSYBOX, "ps", "-o", "pid")
    assert out.split()[:2] == ["PID", "1"], out


def test_nothing_executable_in_tmp(world):
    """/tmp and the home directory on nosuid, noexec file systems."""
    for place in ("/tmp", "/home/csbx-test"):
        world.arrange(f"mount -t tmpfs -o nosuid,noexec,mode=1777 none {place}", f"umount {place}")
    assert world.ok("run", BUSYBOX, "sh", "-c", "cp /bin/busybox /echo && /echo ran") == "ran\n"


def test_full_scratch(world):
    """ENOSPC is the program's to see, no failure of the sandbox."""
    world.arrange("mount -t tmpfs -o size=1m,mode=1777 none /tmp", "umount /tmp")
    p = world.csbx("run", BUSYBOX, "sh", "-c", "cat /dev/zero >/big", env={"CSBX_SCRATCH_PATH": "/tmp"})
    assert p.returncode == 1 and "No space left" in p.stderr, str(p)
