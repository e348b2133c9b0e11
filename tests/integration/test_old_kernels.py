# SPDX-License-Identifier: Apache-2.0
"""Machines that lack something: each optional system call answered with ENOSYS once, no /dev/fuse,
a caller whose files no other user may read. The same result, or a clear refusal."""
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

import harness

pytestmark = pytest.mark.needs_root
WITHOUT = Path(__file__).parent.parent / "tools" / "without_calls.py"
OPTIONAL = ["openat2", "clone3", "mount_setattr", "close_range", "memfd_create", "landlock_create_ruleset",
            "open_tree", "move_mount", "fsopen", "pidfd_open", "statx", "renameat2", "copy_file_range",
            "execveat", "pidfd_send_signal", "faccessat2", "getrandom", "keyctl", "epoll_pwait2", "seccomp"]
# Without these there is no safe way, and a start says so: docs/install.md names kernel 5.14 as the floor.
NEEDED = {"openat2", "mount_setattr", "open_tree", "move_mount", "fsopen", "pidfd_open", "memfd_create", "seccomp"}
# Older than any kernel csbx meets (3.17, 3.19): a refusal will do.
ANCIENT = {"getrandom", "execveat"}


def run_without(csbx, call, *args):
    return subprocess.run([sys.executable, WITHOUT, csbx.owner.pw_name, call, *csbx.argv(args)], cwd=csbx.work,
                          env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def box(csbx, busybox_image):
    (csbx.work / "dir").mkdir()
    (csbx.work / "dir/in").write_text("mounted\n")
    subprocess.run(["chown", "-R", csbx.owner.pw_name, csbx.work], check=True)
    return csbx


def refuses(p, verb, call):
    """One line and a hint: the reader must learn that the kernel is too old, not hunt for a missing function."""
    lines = p.stderr.strip().splitlines()
    assert (p.returncode, p.stdout, len(lines)) == (125, "", 2 if call in NEEDED else 1), p.stderr
    assert lines[0].startswith(f"csbx: {verb} ") and "not implemented" in lines[0], p.stderr
    if call in NEEDED:
        assert lines[1].startswith(f"hint: {call}: ") and "kernel of 5.14" in lines[1], p.stderr


@pytest.mark.parametrize("call", OPTIONAL)
def test_start_without(box, busybox_image, call):
    """A throw-away, a kept and a read-only root: as with the call, which is run first."""
    box.ok("create", "--name", "c", busybox_image)
    script = ("cat /w/in; (touch /root/x) 2>/dev/null; echo $?; ls -a /root; id -u; cat /proc/self/setgroups; "
              "grep CapBnd /proc/self/status; echo $$")
    for options in [], ["--read-only"], ["-w"]:
        args = ["start", *options, "--mount", f"{box.work}/dir:/w", "c", "sh", "-c", script]
        box.ok("gc", "--servers")  # one that a masked start began would lack the call as well
        want = box.ok(*args)
        assert want.startswith("mounted\n") and want.endswith("\n2\n")
        p = run_without(box, call, *args)
        if call in NEEDED | ANCIENT:
            refuses(p, "start", call)
            continue
        assert (p.returncode, p.stdout) == (0, want), p.stderr
        said = "csbx: degraded: landlock: " if call.startswith("landlock") else ""
        assert p.stderr.startswith(said) and p.stderr.count("\n") == bool(said), p.stderr
    box.ok("remove", "-f", "c")


@pytest.mark.parametrize("call", OPTIONAL)
def test_import_create_without(box, busybox_layout, call):
    uri = f"oci:{busybox_layout}"
    box.ok("import", "-q", "-o", "want.sqsh", uri)
    p = run_without(box, call, "import", "-q", "-o", "got.sqsh", uri)
    if call in ANCIENT - {"execveat"}:
        refuses(p, "import", call)
        refuses(run_without(box, call, "create", "--name", "c", "want.sqsh"), "create", call)
        return
    assert (p.returncode, p.stderr) == (0, "")
    assert (box.work / "got.sqsh").read_bytes() == (box.work / "want.sqsh").read_bytes()
    p = run_without(box, call, "create", "--name", "c", "got.sqsh")
    if call == "seccomp":  # what reads the image must be confined
        refuses(p, "create", call)
        return
    assert (p.returncode, p.stderr) == (0, "")
    assert box.ok("start", "c", "echo", "whole") == "whole\n"
    box.ok("remove", "-f", "c")


@pytest.mark.parametrize("call", sorted(NEEDED))
def test_doctor_without(box, call):
    p = run_without(box, call, "doctor")
    assert f"{call}: " in p.stdout and "kernel of 5.14" in p.stdout, p.stdout
    assert p.returncode == (0 if call == "memfd_create" else 1), p.stdout


NO_TMPFS_XATTRS = "lsetxattr=EOPNOTSUPP,fsetxattr=EOPNOTSUPP"


def test_bare_start_without_attributes_of_tmpfs(box, busybox_image):
    """Before Linux 6.6 no overlay can have its upper layer on a tmpfs. A bare start puts it on a disk, also the first
    one, that finds it out, and that of a read-only root; and nothing of it stays (the box looks)."""
    home = {"HOME": "/home/app"}  # is there in the image: a new one would need an attribute that a disk would have

    def start(*args):
        return subprocess.run([sys.executable, WITHOUT, box.owner.pw_name, NO_TMPFS_XATTRS, *box.argv(["enroot", "start", *args])],
                              cwd=box.work, env={**box.env, **home}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False)

    mark = box.dirs["run"] / "no-tmpfs-upper"
    box.ok("enroot", "create", "--name", "c", busybox_image)
    for options, operand, wrote in ([], "c", 1), ([], busybox_image, 1), (["-w"], busybox_image, 0), (["-w"], "c", 0):
        mark.unlink(missing_ok=True)
        box.ok("gc", "--servers")
        for _ in range(2):
            p = start(*options, operand, "sh", "-c", "(: >/x) 2>/dev/null; echo $?; ls -d /bin")
            assert (p.returncode, p.stdout.split()[1:]) == (0, ["/bin"]), (options, operand, p)
            assert bool(int(p.stdout.split()[0])) == bool(wrote), (options, operand, p)
            assert mark.exists() or "c" == operand and options
    box.ok("enroot", "remove", "-f", "c")


CLOSED = ': >"$0" && chmod 000 "$0"'
NO_DRIVER = 'mknod "$0" c 10 250 && chmod 666 "$0"'  # a minor number that misc never gives
NO_MOUNT = 'mknod "$0" c 1 3 && chmod 666 "$0"'


def test_events_without_inotify(box, busybox_image):
    """Linux counts its instances for the user: a program in a container may have taken all."""
    follow = subprocess.Popen(
        [sys.executable, WITHOUT, box.owner.pw_name, "inotify_init1=EMFILE", *box.argv(["docker", "events", "--format", "{{.Action}}"])],
        cwd=box.work, env=box.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(100):  # the reader may not look yet
            box.ok("docker", "create", "--name", "two", str(busybox_image))
            box.ok("docker", "rm", "two")
            if select.select([follow.stdout], [], [], 0.3)[0]:
                break
        assert follow.stdout.readline().strip() in ("create", "destroy")
    finally:
        follow.kill()
        said = follow.communicate(timeout=30)[1]
    assert said == ""


def without_fuse_argv(csbx, make, *args):
    """In a mount namespace whose /dev/fuse is another node."""
    hide = f'mount --make-rprivate / && rm -f "$0" && {make} && mount --bind "$0" /dev/fuse && exec "$@"'
    return ["unshare", "-m", "sh", "-c", hide, str(csbx.top / "nofuse"), "runuser", "-u", csbx.owner.pw_name,
            "--", *csbx.argv(args)]


def without_fuse(csbx, *args, make=CLOSED):
    return subprocess.run(without_fuse_argv(csbx, make, *args), cwd=csbx.work, env=csbx.env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def test_no_dev_fuse(box, python_image):
    """The image is unpacked into the cache, once; the containers behave as ever."""
    p = without_fuse(box, "start", python_image, "python3", "-c", "import json; print(json.dumps([1]))")
    assert p.returncode == 0, p.stderr
    assert p.stdout == "[1]\n"
    script = "rm -r /usr/lib/python3.11/json || rm -r /usr/lib/python3*/json; mkdir -p /x; echo ok"
    for _ in range(2):
        p = without_fuse(box, "start", python_image, "sh", "-c", script)
        assert (p.returncode, p.stdout) == (0, "ok\n"), p.stderr
    p = without_fuse(box, "start", python_image, "python3", "-c", "import json; print('whole again')")
    assert p.stdout == "whole again\n", p.stderr


@pytest.mark.parametrize("make", [CLOSED, NO_DRIVER, NO_MOUNT])
def test_dev_fuse_of_no_use(box, busybox_image, make):
    """However it fails, csbx unpacks the image and says the cost."""
    for args in (["start", "--userns", "one"], ["start", "--userns", "one", "--read-only"], ["run"]):
        p = without_fuse(box, *args, busybox_image, "stat", "-c", "%u", "/etc", make=make)
        assert (p.returncode, p.stdout) == (0, "0\n"), p.stderr
        assert "fuse" not in p.stderr or args == ["run"]
    box.ok("create", "-n", "c", busybox_image)
    p = without_fuse(box, "export", "c", make=make)
    assert p.returncode == 0 and "only one id" in p.stderr, p.stderr
    box.ok("remove", "-f", "c")


@pytest.mark.feature("subuid")
def test_lost_owners_are_told(box, busybox_image):
    p = without_fuse(box, "start", "--userns", "subuid", busybox_image, "true", make=NO_DRIVER)
    assert p.returncode == 0 and "every file is the main user's" in p.stderr and "No such device" in p.stderr


def unpacked(box):
    return sorted(x for x in os.listdir(box.dirs["cache"] / "unpacked") if x != ".lock")


def test_unpacked_images_are_given_up(box, busybox_image):
    """After 30 days, or with their image; never while a container uses them."""
    def run(*args):
        p = without_fuse(box, "start", "--userns", "one", *args)
        assert p.returncode == 0, p.stderr

    image = box.work / "own.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    os.chown(image, box.owner.pw_uid, box.owner.pw_gid)  # a root's file would not be hard-linked
    box.ok("create", "-n", "c", image)
    run("c", "true")
    tree, lock = unpacked(box)
    assert lock == f"{tree}.lock" and box.ok("gc") == "" and len(unpacked(box)) == 2
    place = box.dirs["cache"] / "unpacked"
    old = os.stat(place / lock).st_mtime - 31 * 86400
    os.utime(place / lock, (old, old))
    run("c", "true")
    assert os.stat(place / lock).st_mtime > old, "a use is noted"
    with subprocess.Popen(without_fuse_argv(box, CLOSED, "start", "c", "sh", "-c", "echo up; read x; ls /bin/sh"),
                          cwd=box.work, env=box.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as live:
        assert live.stdout.readline() == "up\n"
        os.utime(place / lock, (old, old))
        assert box.ok("gc") == "" == box.ok("gc", "--dry-run"), "in use"
        assert live.communicate("\n", timeout=30)[0] == "/bin/sh\n"
    assert "would remove cache" in box.ok("gc", "-n") and len(unpacked(box)) == 2
    assert box.ok("gc").count("\n") == 1 and unpacked(box) == []
    run("c", "true")
    box.ok("remove", "-f", "c")
    assert box.ok("gc").count("\n") == 1 and unpacked(box) == [], "the image is gone"
    run(image, "true")
    os.utime(image, (1, 1))
    run(image, "true")
    assert len(unpacked(box)) == 4 and box.ok("gc").count("\n") == 1 and len(unpacked(box)) == 2, "changed"
    image.unlink()
    (place / "1-2-3-4.lock").write_text("")
    os.chown(place / "1-2-3-4.lock", box.owner.pw_uid, box.owner.pw_gid)
    assert box.ok("gc").count("\n") == 2 and unpacked(box) == []


def test_programs_and_image_of_another_user(box, busybox_image):
    """csbx installed by root, an image that belongs to root and is only readable."""
    assert harness.BIN.stat().st_uid == 0
    image = box.work / "roots.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    os.chown(image, 0, 0)
    image.chmod(0o444)
    assert box.ok("start", image, "echo", "fine") == "fine\n"
    box.ok("create", "--name", "r", image)
    assert box.ok("start", "r", "echo", "fine") == "fine\n"
    box.ok("remove", "-f", "r")
    image.chmod(0o400)
    box.fails("start", image, "echo", "x", says="ermission denied")
