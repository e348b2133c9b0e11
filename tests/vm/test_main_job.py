# SPDX-License-Identifier: Apache-2.0
"""The main job on Linux 6.1: no user attributes on tmpfs, so throw-away layers lie on disk; no
clone of a mount that is attached nowhere; no listmount. With and without id ranges."""
import pytest
import world as w
from world import BUSYBOX, PYTHON

USERS = pytest.mark.parametrize("user", [w.USER, w.USER2])
# Changes that need user attributes in the upper layer: directories of the image removed, renamed, made anew.
CHANGES = r"""
set -e
rmdir /mnt; mkdir /mnt; echo 1 >/mnt/new; mv /opt /opt2; mkdir /opt; [ -d /opt2 ]
rm /etc/os-release; echo mine >/etc/os-release; chmod 700 /home; mv /home/app/.profile /home/app/x
rm -r /var/lib; ! [ -e /var/lib ]; ln /etc/group /etc/group2; echo done
"""


@USERS
def test_throw_away(world, user):
    assert world.ok("run", BUSYBOX, "sh", "-c", CHANGES, user=user) == "done\n"
    assert world.ok("run", BUSYBOX, "sh", "-c", "ls -d /mnt/* /opt2 /var/lib 2>&1 | tail -1", user=user) == "/var/lib\n"


@USERS
def test_kept(world, user):
    world.ok("create", "--name", "kept", BUSYBOX, user=user)
    assert world.ok("start", "-w", "kept", "sh", "-c", CHANGES, user=user) == "done\n"
    seen = world.ok("start", "-w", "kept", "sh", "-c", "cat /mnt/new /etc/os-release; ls -a /home/app", user=user)
    assert seen.startswith("1\nmine\n") and "x\n" in seen and ".profile" not in seen, seen
    # Without -w the layer is not there at all.
    assert world.csbx("start", "kept", "test", "-e", "/mnt/new", user=user).returncode in (0, 1)
    world.ok("remove", "-f", "kept", user=user)
    assert world.ok("list", user=user).count("kept") == 0


@USERS
def test_read_only(world, user):
    p = world.csbx("run", "--read-only", "--tmpfs", "/scratch", BUSYBOX, "sh", "-c",
                   "touch /scratch/a && ! touch /new && echo refused", user=user)
    assert p.stdout == "refused\n" and "Read-only file system" in p.stderr, str(p)


@USERS
def test_mounts(world, user):
    world.arrange(f"install -d -o {user} /home/{user}/shared", f"rm -rf /home/{user}/shared")
    world.ok("run", "--mount", f"/home/{user}/shared:/data", BUSYBOX, "sh", "-c", "echo out >/data/f", user=user)
    assert world.machine.call("read", f"/home/{user}/shared/f") == "out\n"
    p = world.csbx("run", "--mount", f"/home/{user}/shared:/data:ro", BUSYBOX, "sh", "-c",
                   "cat /data/f; echo x >/data/g", user=user)
    assert p.stdout == "out\n" and "Read-only" in p.stderr, str(p)


def test_layer_size_is_degraded(world):
    """On disk no mechanism holds --upper-size; asked strictly, that is an error."""
    result = world.result("--upper-size", "16m", BUSYBOX, "true", code=0)
    assert any("upper" in x for x in result["degraded"]), result["degraded"]
    world.refuses("run", "--limits", "strict", "--upper-size", "16m", BUSYBOX, "true", says="upper")


def test_inside(world):
    """A program finds its own pid namespace, masked files, and no privilege to gain."""
    script = ("import os\nprint(os.getpid() > 1, os.listdir('/proc/acpi') if os.path.isdir('/proc/acpi') else [], "
              "open('/proc/kcore', 'rb').read(1), os.listdir('/sys/firmware'), sorted(os.listdir('/dev'))[:2])\n")
    out = world.ok("run", PYTHON, "python3", "-c", script)
    assert out == "True [] b'' [] ['console', 'core']\n" or out.startswith("True [] b'' [] ["), out


def test_exec(world):
    """Into a running container, by name."""
    script = r"""
csbx create --name job "$1" && csbx start -d job sleep 60 && csbx exec job sh -c 'echo in $(hostname | wc -l)'; csbx stop -t 1s job && csbx remove -f job
"""
    p = world.run("sh", "-c", script, "-", BUSYBOX)
    assert p.returncode == 0 and "in 1\n" in p.stdout, str(p)
