# SPDX-License-Identifier: Apache-2.0
"""Machines that lack something: each optional system call answered with ENOSYS once, no /dev/fuse,
a caller whose files nobody else may read. The same result, or a clear refusal."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import harness

pytestmark = pytest.mark.needs_root
WITHOUT = Path(__file__).parent.parent / "tools" / "without_calls.py"
OPTIONAL = ["openat2", "clone3", "mount_setattr", "close_range", "memfd_create", "landlock_create_ruleset",
            "open_tree", "move_mount", "fsopen", "pidfd_open", "statx", "renameat2", "copy_file_range",
            "execveat", "pidfd_send_signal", "faccessat2", "getrandom", "keyctl"]
# Without these there is no safe way: docs/install.md names kernel 5.14 as the floor.
MAY_REFUSE = {"openat2", "mount_setattr", "open_tree", "move_mount", "fsopen", "pidfd_open", "close_range",
              "memfd_create", "execveat", "getrandom"}


def run_without(csbx, call, *args):
    return subprocess.run([sys.executable, WITHOUT, csbx.owner.pw_name, call, *csbx.argv(args)], cwd=csbx.work,
                          env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def box(csbx, busybox_image):
    (csbx.work / "dir").mkdir()
    (csbx.work / "dir/in").write_text("mounted\n")
    subprocess.run(["chown", "-R", csbx.owner.pw_name, csbx.work], check=True)
    return csbx


@pytest.mark.parametrize("call", OPTIONAL)
def test_start_without(box, busybox_image, call):
    box.ok("create", "--name", "c", busybox_image)
    script = "cat /w/in; touch /root/x; id -u; cat /proc/self/setgroups; echo $$"
    args = ["start", "--mount", f"{box.work}/dir:/w", "c", "sh", "-c", script]
    want = box.ok(*args)
    p = run_without(box, call, *args)
    if p.returncode == 125 and call in MAY_REFUSE:
        lines = p.stderr.strip().splitlines()
        assert lines[0].startswith("csbx: start") and len(lines) <= 2, p.stderr
        # The reader must learn that the kernel is too old, not hunt for a missing function.
        assert call in p.stderr or "kernel" in p.stderr or "implemented" in p.stderr, p.stderr
    else:
        assert (p.returncode, p.stdout) == (0, want), p.stderr
    box.ok("remove", "-f", "c")


@pytest.mark.parametrize("call", OPTIONAL)
def test_import_create_without(box, busybox_layout, call):
    uri = f"oci:{busybox_layout}"
    box.ok("import", "-q", "-o", "want.sqsh", uri)
    p = run_without(box, call, "import", "-q", "-o", "got.sqsh", uri)
    if p.returncode == 125 and call in MAY_REFUSE:
        assert p.stderr.startswith("csbx: import") and p.stderr.count("\n") <= 2, p.stderr
        return
    assert p.returncode == 0, p.stderr
    assert (box.work / "got.sqsh").read_bytes() == (box.work / "want.sqsh").read_bytes()
    p = run_without(box, call, "create", "--name", "c", "got.sqsh")
    assert p.returncode == 0 or call in MAY_REFUSE and p.stderr.startswith("csbx: create"), p.stderr
    box.ok("remove", "-f", "c")


def without_fuse(csbx, *args):
    """In a mount namespace whose /dev/fuse the user may not open."""
    hide = 'mount --make-rprivate / && : >"$0" && chmod 000 "$0" && mount --bind "$0" /dev/fuse && exec "$@"'
    return subprocess.run(["unshare", "-m", "sh", "-c", hide, str(csbx.top / "nofuse"), "runuser", "-u",
                           csbx.owner.pw_name, "--", *csbx.argv(args)], cwd=csbx.work, env=csbx.env,
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
