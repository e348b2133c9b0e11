# SPDX-License-Identifier: Apache-2.0
"""Attacks from inside a container; runs there, with the image's own python and nothing else.

	inside.py CASE [ARGUMENT...]

Prints one JSON object: "bad" lists what should not have worked, the rest is for the test to judge.
"""
import ctypes
import errno
import json
import os
import socket
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
CLONE_NEW = {"time": 0x80, "mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000,
             "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
MS = {"ro": 1, "nosuid": 2, "nodev": 4, "remount": 32, "bind": 4096, "move": 8192, "rec": 16384,
      "private": 1 << 18}
SYS = {"x86_64": {"clone3": 435, "open_tree": 428, "move_mount": 429, "fsopen": 430, "pivot_root": 155,
                  "mount_setattr": 442, "ptrace": 101, "pidfd_open": 434, "pidfd_getfd": 438,
                  "process_vm_readv": 310, "kcmp": 312, "ioprio_set": 251},
       "aarch64": {"clone3": 435, "open_tree": 428, "move_mount": 429, "fsopen": 430, "pivot_root": 41,
                   "mount_setattr": 442, "ptrace": 117, "pidfd_open": 434, "pidfd_getfd": 438,
                   "process_vm_readv": 270, "kcmp": 272, "ioprio_set": 30}}[os.uname().machine]


def call(function, *args):
    """errno of a libc function, 0 when it worked."""
    ctypes.set_errno(0)
    return ctypes.get_errno() if function(*args) < 0 else 0


def raw(name, *args):
    return call(libc.syscall, SYS[name], *args)


def name_of(code):
    return errno.errorcode.get(code, code)


def status():
    with open("/proc/self/status", encoding="ascii") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def mountinfo():
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            words, rest = line.split(" - ")
            words = words.split()
            found.append((words[4].encode().decode("unicode_escape"), words[5], rest.split()[0], words[3]))
    return found


# --- B1 -------------------------------------------------------------------------------------------

def read_host(*needles):
    """Ways out of the root; a needle is a path that exists on the host only."""
    bad = []
    roots = ["/proc/1/root", "/proc/1/cwd", "/proc/self/root/..", "/..", "/../../..", "/dev/fd/../../.."]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        roots += [f"/proc/{pid}/root", f"/proc/{pid}/cwd"]
        try:
            roots += [f"/proc/{pid}/fd/{n}" for n in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            pass
    for root in roots:
        bad += [root + n for n in needles if os.path.lexists(root + n)]
    for path in ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/fuse", "/dev/kvm", "/dev/sda", "/dev/vda", "/dev/loop0",
                 "/dev/loop-control", "/dev/mapper", "/dev/kmsg", "/dev/net/tun"):
        if os.path.lexists(path):
            bad.append(path)
    for path in ("/proc/kcore", "/proc/keys", "/proc/sched_debug", "/proc/timer_list", "/proc/latency_stats"):
        try:
            with open(path, "rb") as f:
                if f.read(100):
                    bad.append(f"{path} has content")
        except OSError:
            pass
    try:
        bad += [f"/sys/firmware/{n}" for n in os.listdir("/sys/firmware")]
    except OSError:
        pass
    return {"bad": bad, "pids": sorted(int(p) for p in os.listdir("/proc") if p.isdigit())}


# --- B2, B3, B8 -----------------------------------------------------------------------------------

def identity():
    s = status()
    return {"bad": [], "caps": {k: s[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
            "nnp": s["NoNewPrivs"], "seccomp": s["Seccomp"], "uid": s["Uid"].split(), "gid": s["Gid"].split(),
            "groups": sorted(os.getgroups()), "umask": s["Umask"],
            "signals": {k: s[k] for k in ("SigBlk", "SigIgn", "ShdPnd")}, "session": os.getsid(0)}


def descriptors():
    found = {}
    for n in os.listdir("/proc/self/fd"):
        try:
            found[n] = os.readlink(f"/proc/self/fd/{n}")
        except OSError:
            pass
    return {"bad": [f"{n} -> {t}" for n, t in found.items() if int(n) > 2 and not t.startswith(("/proc/", "/t/"))]}


# --- B4 -------------------------------------------------------------------------------------------

def namespaces():
    bad = []
    for name, flag in CLONE_NEW.items():
        if not call(libc.unshare, flag):
            bad.append(f"unshare {name}")
    arguments = (ctypes.c_uint64 * 11)(CLONE_NEW["user"])
    pid = libc.syscall(SYS["clone3"], arguments, 88)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        bad.append("clone3 with a user namespace")
    for who in ("1", "self"):
        for name in CLONE_NEW:
            try:
                fd = os.open(f"/proc/{who}/ns/{name}", os.O_RDONLY)
            except OSError:
                continue
            if not call(libc.setns, fd, 0):
                bad.append(f"setns /proc/{who}/ns/{name}")
            os.close(fd)
    try:
        with open("/proc/sys/user/max_user_namespaces", "r+", encoding="ascii") as f:
            f.write("100\n")
        bad.append("max_user_namespaces can be raised")
    except OSError:
        pass
    with open("/proc/sys/user/max_user_namespaces", encoding="ascii") as f:
        limit = f.read().strip()
    return {"bad": bad, "max_user_namespaces": limit}


# --- B5 -------------------------------------------------------------------------------------------

def locked_mounts():
    """Every mount csbx made: not to be taken off, remounted or seen below."""
    bad, errors = [], {}

    def try_it(what, code):
        errors[name_of(code)] = errors.get(name_of(code), 0) + 1
        if not code:
            bad.append(what)
    before = mountinfo()
    for point, options, _, _ in before:
        p = point.encode(errors="surrogateescape")
        for flags in (0, 2, 8):  # plain, MNT_DETACH, UMOUNT_NOFOLLOW
            try_it(f"umount {point}", call(libc.umount2, p, flags))
        if "ro" in options.split(","):
            try_it(f"remount {point} rw", call(libc.mount, None, p, None, MS["remount"] | MS["bind"], None))
        if "nosuid" in options.split(",") and point != "/":
            flags = MS["remount"] | MS["bind"] | (MS["ro"] if "ro" in options.split(",") else 0)
            try_it(f"remount {point} suid,dev", call(libc.mount, None, p, None, flags, None))
    os.makedirs("/tmp/m", exist_ok=True)
    fresh = []
    for kind in ("proc", "sysfs", "cgroup2", "mqueue", "devpts"):
        if not call(libc.mount, kind.encode(), b"/tmp/m", kind.encode(), 0, None):
            fresh.append(kind)
    for source in (b"/proc", b"/sys", b"/"):
        if not call(libc.mount, source, b"/tmp/m", None, MS["bind"], None):
            bad.append(f"what lies below the mounts on {source.decode()}")
    if libc.syscall(SYS["open_tree"], -100, b"/proc", 1) >= 0:
        bad.append("open_tree of /proc without its masks")
    if not raw("pivot_root", b".", b"."):
        bad.append("pivot_root")
    now = [m for m in mountinfo() if m[0] != "/tmp/m"]
    return {"bad": bad, "fresh": fresh, "errors": errors, "mounts": len(before), "same": now == before}


def chroot_escape():
    """The old way out: a descriptor outside a chroot, then up."""
    try:
        os.makedirs("/tmp/jail", exist_ok=True)
        fd = os.open("/", os.O_RDONLY)
        before = os.stat("/").st_ino
        os.chroot("/tmp/jail")
        os.fchdir(fd)
        for _ in range(50):
            os.chdir("..")
        os.chroot(".")
        return {"bad": [] if os.stat("/").st_ino == before else ["out of the root"]}
    except OSError:
        return {"bad": []}


def below_the_root():
    """Another root in place of the container's, which is then taken away: what comes to light below them?"""
    os.makedirs("/tmp/new", exist_ok=True)
    if call(libc.mount, b"none", b"/tmp/new", b"tmpfs", 0, None):
        return {"bad": [], "pivoted": False}
    os.mkdir("/tmp/new/old")
    os.chdir("/tmp/new")
    if raw("pivot_root", b".", b"old"):
        return {"bad": [], "pivoted": False}
    os.chdir("/")
    bad = []
    gone = not call(libc.umount2, b"/old", 2)
    for flags in (0, 2, 8):
        if not call(libc.umount2, b"/", flags):
            bad.append("umount of /")
    fd = os.open("/", os.O_RDONLY)
    os.chroot("/old")
    os.fchdir(fd)
    for _ in range(50):
        os.chdir("..")
    os.chroot(".")
    if os.listdir("/") != ["old"]:
        bad.append(os.listdir("/"))
    return {"bad": bad, "pivoted": gone}


# --- B6, B7 ---------------------------------------------------------------------------------------

def write_proc_sys():
    """Opening for writing is enough to know."""
    bad = []
    own = {"/proc/sys/kernel/ns_last_pid"}
    for top in ("/proc/sys", "/sys"):
        for here, _, names in os.walk(top):
            for n in names:
                path = os.path.join(here, n)
                try:
                    if path not in own and stat.S_ISREG(os.lstat(path).st_mode):
                        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                        bad.append(path)
                except OSError:
                    pass
    for path in ("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/bus/pci", "/proc/1/mem", "/proc/acpi",
                 "/proc/scsi/scsi"):
        try:
            if stat.S_ISREG(os.stat(path).st_mode):
                os.close(os.open(path, os.O_WRONLY))
                bad.append(path)
        except OSError:
            pass
    for path, text in (("/proc/self/uid_map", "0 0 1"), ("/proc/1/uid_map", "0 0 1"), ("/proc/self/oom_score_adj", "-500"),
                       ("/proc/1/oom_score_adj", "-500")):
        try:
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
            bad.append(f"{text} in {path}")
        except OSError:
            pass
    return {"bad": bad}


def device_nodes():
    bad = []
    for mode, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0), (stat.S_IFCHR, 1, 3), (stat.S_IFCHR, 10, 229)):
        try:
            os.mknod("/tmp/node", mode | 0o666, os.makedev(major, minor))
            bad.append(f"mknod {major}:{minor}")
            os.unlink("/tmp/node")
        except OSError:
            pass
    for name in ("null", "zero", "full", "random", "urandom", "tty"):  # the host's own, with one time for all
        for what, change in (("time", lambda p: os.utime(p)), ("mode", lambda p: os.chmod(p, 0o666)),
                             ("owner", lambda p: os.chown(p, 0, 0))):
            try:
                change("/dev/" + name)
                bad.append(f"{what} of /dev/{name}")
            except OSError:
                pass
    dev = {n: stat.filemode(os.lstat("/dev/" + n).st_mode)[0] for n in os.listdir("/dev")}
    try:
        with open("/dev/evil", "w", encoding="ascii"):
            bad.append("/dev is writable")
    except OSError:
        pass
    with open("/dev/null", "r+b", buffering=0) as f:
        f.write(b"x")
        assert f.read() == b""
    return {"bad": bad, "dev": dev}


# --- B11, B20 -------------------------------------------------------------------------------------

def attack_init():
    bad = []
    if not raw("ptrace", 16, 1, 0, 0):
        bad.append("ptrace attach to pid 1")
    if not raw("ptrace", 0x4206, 1, 0, 0):
        bad.append("ptrace seize of pid 1")
    vec = (ctypes.c_uint64 * 2)(0, 8)
    if not raw("process_vm_readv", 1, vec, 1, vec, 1, 0):
        bad.append("memory of pid 1")
    fd = libc.syscall(SYS["pidfd_open"], 1, 0)
    if fd >= 0:
        bad += [f"descriptor {n} of pid 1" for n in range(10) if libc.syscall(SYS["pidfd_getfd"], fd, n, 0) >= 0]
    for name in ("mem", "environ", "maps", "exe", "root", "cwd", "fd/0", "ns/mnt", "stack", "auxv", "syscall"):
        try:
            if name in ("exe", "root", "cwd", "fd/0", "ns/mnt"):
                os.readlink(f"/proc/1/{name}")
                bad.append(f"/proc/1/{name} can be read")
            else:
                with open(f"/proc/1/{name}", "rb") as f:
                    if f.read(1):
                        bad.append(f"/proc/1/{name} has content")
        except OSError:
            pass
    for name, value in (("oom_score_adj", "500"), ("task/1/oom_score_adj", "500"), ("coredump_filter", "0"), ("autogroup", "5")):
        try:
            with open(f"/proc/1/{name}", "w", encoding="ascii") as f:
                f.write(value)
            bad.append(f"/proc/1/{name} can be set")
        except OSError:
            pass
    if status()["Seccomp"] != "0":
        for which, who in ((0, 1), (1, 1), (2, 0)):
            if libc.setpriority(which, who, 5) == 0:
                bad.append(f"setpriority({which}, {who})")
            if not raw("ioprio_set", which + 1, who, 3 << 13):
                bad.append(f"ioprio_set({which + 1}, {who})")
        if libc.setpriority(0, 0, 19) or raw("ioprio_set", 1, 0, 3 << 13):
            bad.append("not even one's own priority")
    for signal in (9, 19, 15, 1, 2):
        try:
            os.kill(1, signal)
        except OSError:
            pass
    return {"bad": bad}


def own_processes():
    """Debugging among the container's own processes does work."""
    pid = os.fork()
    if not pid:
        os.pause() if hasattr(os, "pause") else __import__("time").sleep(30)
        os._exit(0)
    seized = raw("ptrace", 0x4206, pid, 0, 0)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return {"bad": [f"ptrace of an own child: {name_of(seized)}"] if seized else []}


def zombies():
    """Orphans go to pid 1, which reaps them."""
    import time
    for _ in range(200):
        if not os.fork():
            if not os.fork():
                os._exit(0)
            os._exit(0)
        os.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        left = [p for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid())]
        if not left:
            return {"bad": []}
        time.sleep(0.01)
    return {"bad": [f"{len(left)} processes are still there"]}


# --- B23, B24, B36 --------------------------------------------------------------------------------

def network(host_port):
    bad = []
    interfaces = sorted(os.listdir("/sys/class/net"))
    for address in (("127.0.0.1", int(host_port)), ("169.254.169.254", 80), ("8.8.8.8", 53)):
        with socket.socket() as s:
            s.settimeout(1)
            if s.connect_ex(address) == 0:
                bad.append(f"reaches {address}")
    with socket.socket(socket.AF_UNIX) as s:
        if s.connect_ex("\0csbx-canary") == 0:
            bad.append("reaches an abstract socket of the host")
    for kind, family in (("packet", socket.AF_PACKET), ("raw", socket.AF_INET)):
        try:
            socket.socket(family, socket.SOCK_RAW, 1).close()
            bad.append(f"{kind} socket")
        except OSError:
            pass
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 80))
        server.listen()
        if client.connect_ex(("127.0.0.1", 80)):
            bad.append("the own loopback does not work")
    return {"bad": bad, "interfaces": interfaces}


def machine():
    """Clock, name, kernel: not ours to set."""
    bad = []
    if not call(libc.sethostname, b"evil", 4):
        bad.append("sethostname")
    import time
    try:
        time.clock_settime(time.CLOCK_REALTIME, 0)
        bad.append("clock_settime")
    except OSError:
        pass
    return {"bad": bad, "hostname": os.uname().nodename, "ipc": open("/proc/sysvipc/shm", encoding="ascii").read().count("\n")}


def setid_files():
    """A set-id program gains nothing, and no mount lets it."""
    bad = [f"{p} is mounted {o}" for p, o, kind, _ in mountinfo()
           if "nosuid" not in o.split(",") and p != "/"]
    with open("/proc/self/status", encoding="ascii") as f:
        if "NoNewPrivs:\t1" not in f.read():
            bad.append("no_new_privs is off")
    return {"bad": bad}


def main():
    print(json.dumps(globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])))


if __name__ == "__main__":
    main()
