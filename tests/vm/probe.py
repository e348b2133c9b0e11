# SPDX-License-Identifier: Apache-2.0
"""The functions that run as root in the guest's agent (Guest.call): they arrange conditions, and look for things left
over.

Standard library only; arguments and values pass through JSON.
"""
import glob
import os
import shutil
import signal
import time

CGROUPS = "/sys/fs/cgroup"
GONE_S = 60  # 10^5 files of a throw-away layer are deleted in the background, and slowly here


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


# --- control groups -------------------------------------------------------------------------------

def delegate(path, controllers, uid):
    """A group of the user's that has these controllers, and path/shell for its processes."""
    words = " ".join("+" + c for c in controllers)
    write(CGROUPS + "/cgroup.subtree_control", "+cpu +memory +pids")
    if (above := os.path.dirname(path)) != CGROUPS:  # root's, which hands on no others
        os.mkdir(above)
        write(above + "/cgroup.subtree_control", words)
    os.makedirs(path + "/shell")
    write(path + "/cgroup.subtree_control", words)
    for group in (path, path + "/shell"):
        for name in ("", "/cgroup.procs", "/cgroup.subtree_control", "/cgroup.threads"):
            os.chown(group + name, uid, uid)


def undelegate(path):
    """Fails where a container's group is left below it, or a process that does not end."""
    above = os.path.dirname(path)
    for group in (path + "/shell", path, *([above] if above != CGROUPS else [])):
        deadline = time.monotonic() + GONE_S
        while True:
            try:
                os.rmdir(group)
                break
            except OSError:
                if time.monotonic() > deadline:
                    remove_below(path)  # the next test must not fail for what this one has left
                    raise
            time.sleep(0.02)


def remove_below(path):
    for here, groups, _ in os.walk(path, topdown=False):
        for group in groups:
            try:
                with open(os.path.join(here, group, "cgroup.kill"), "w", encoding="ascii") as f:
                    f.write("1")
                os.rmdir(os.path.join(here, group))
            except OSError:
                pass
    try:
        os.rmdir(path)
    except OSError:
        pass


# --- leftovers ------------------------------------------------------------------------------------

def processes(uids):
    """pid -> words, of the users' processes but their systemd managers and message buses."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat("/proc/" + pid).st_uid in uids or is_container(pid, uids):
                group = read(f"/proc/{pid}/cgroup").strip()
                if not group.endswith(("/init.scope", "/dbus.service")):
                    found[int(pid)] = read(f"/proc/{pid}/cmdline").replace("\0", " ") or read(f"/proc/{pid}/comm")
        except OSError:
            pass  # it has ended
    return found


def is_container(pid, uids):
    """Non-dumpable processes show as root's; their user namespace has the users' ids or ranges."""
    owner = int(read(f"/proc/{pid}/status").split("\nUid:")[1].split()[0])
    return owner in uids or owner >= 100000


def wait_for_no_process(uids):
    deadline = time.monotonic() + GONE_S
    while (left := processes(uids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def debris():
    for top, dirs, _ in os.walk(CGROUPS):
        for name in dirs:
            if name.startswith("csbx-") and ".service" not in f"{top}/{name}":
                yield f"cgroup {top}/{name}"
    for line in read("/proc/self/mounts").splitlines():
        if "overlay" in line or "squash" in line or "csbx" in line:
            yield "mount " + line
    for pattern in ("/home/*/.local/share/csbx/**/.tmp-*", "/home/*/.cache/csbx/**/.tmp-*", "/home/*/**/*.tmp",
                    "/tmp/csbx-*/instances/*", "/run/user/*/csbx/instances/*", "/var/tmp/*csbx*",
                    "/home/*/.local/share/csbx/layers/.scratch/*", "/tmp/csbx-scratch-*/*"):
        for path in glob.glob(pattern, recursive=True, include_hidden=True):
            if os.path.basename(path) != ".lock":
                yield "file " + path


def clean(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def leftovers(uids):
    """The things that a test left behind, a line each. Afterwards the users' directories are as in the beginning."""
    left = wait_for_no_process(uids)
    lines = [f"process {pid}: {words}" for pid, words in left.items()]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    lines += debris()
    for pattern in ("/tmp/*", "/var/tmp/csbx*", "/run/user/*/csbx*", "/home/*/.local", "/home/*/.cache",
                    "/home/*/.config/csbx"):
        for path in glob.glob(pattern, include_hidden=True):
            clean(path)
    return lines
