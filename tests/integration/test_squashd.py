# SPDX-License-Identifier: Apache-2.0
"""The image server by itself, driven as a start drives it (tests/tools/squashd_probe.c)."""
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

import harness

PROBE = "squashd_probe"


def has_ranges():
    name = os.environ.get("USER", "")
    lines = Path("/etc/subuid").read_text(encoding="ascii").splitlines()
    return any(line.split(":")[0] == name for line in lines)


def make_tree(top):
    """A small root with what is awkward: links, holes, many names, odd modes."""
    for name in ("etc", "bin", "empty", "many", "deep/a/b/c"):
        (top / name).mkdir(parents=True)
    (top / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/:/bin/sh\n")
    (top / "etc/group").write_text("root:x:0:\n")
    (top / "bin/busybox").write_bytes(b"#!/bin/sh\n")
    (top / "bin/busybox").chmod(0o755)
    (top / "bin/sh").symlink_to("/bin/busybox")
    (top / "etc/hard").hardlink_to(top / "etc/passwd")
    (top / "big").write_bytes(random.Random(1).randbytes(3_000_000))
    with open(top / "sparse", "wb") as f:
        f.truncate(50_000_000)
        f.seek(20_000_000)
        f.write(b"island")
    for i in range(1200):
        (top / f"many/name-{i:05}-{'x' * (i % 60)}").write_bytes(b"%d" % i)
    (top / "zero").write_bytes(b"")
    os.mkfifo(top / "pipe")
    (top / "etc/shadow").write_text("secret\n")
    (top / "etc/shadow").chmod(0o640)
    os.utime(top / "etc/shadow", (1_000_000_000, 1_000_000_000))


def mksquashfs(tree, image, *options):
    subprocess.run(["/usr/bin/mksquashfs", tree, image, "-noappend", "-quiet", "-no-progress",
                    "-comp", "zstd", "-Xcompression-level", "1", *options],
                   check=True, capture_output=True)
    return image


@pytest.fixture(scope="module")
def tree(session_dir):
    top = session_dir / "tree"
    make_tree(top)
    return top


@pytest.fixture(scope="module")
def image(session_dir, tree):
    return mksquashfs(tree, session_dir / "tree.sqsh", "-all-root")


class Held:
    """A container that only holds on: what the probe said, until close()."""

    def __init__(self, csbx, image, *args, **kw):
        self.p = csbx.popen("attach", image, *(args or ("0:0", "one")), program=PROBE,
                            stdin=subprocess.PIPE, text=True, **kw)
        line = self.p.stdout.readline()
        assert line, self.p.stderr.read()
        self.said = json.loads(line)

    def close(self):
        self.p.stdin.close()
        self.p.stdout.close()
        self.p.stderr.close()
        assert self.p.wait(10) == 0


def attach(csbx, image, *command, user="0:0", mode="one", **kw):
    """Runs a command in A beside ./image and ./dev; returns what the probe said and its output."""
    p = csbx.run("attach", image, user, mode, *command, program=PROBE, **kw)
    assert p.returncode == 0, p.stderr
    said, _, out = p.stdout.partition("\n")
    return json.loads(said), out


def sockets(csbx):
    servers = csbx.dirs["run"] / "servers"
    return sorted(x.name for x in servers.iterdir()) if servers.exists() else []


def status_of(pid):
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def wait_until(condition, what, timeout_s=10):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


def is_gone(pid):
    harness.reap()
    s = harness.read_stat(pid)
    return not s or s[1] in "ZX"


# --- what is served -------------------------------------------------------------------------------

COMPARE = r"""
import hashlib, json, os, sys
out = {}
for here, dirs, files in os.walk(sys.argv[1]):
    for name in dirs + files:
        p = os.path.join(here, name)
        st = os.lstat(p)
        what = ""
        if os.path.islink(p): what = os.readlink(p)
        elif os.path.isfile(p): what = hashlib.sha256(open(p, "rb").read()).hexdigest()
        out[os.path.relpath(p, sys.argv[1])] = [oct(st.st_mode), st.st_nlink if not os.path.isdir(p)
            else 0, st.st_size if not os.path.isdir(p) else 0, int(st.st_mtime), what]
json.dump(out, sys.stdout, sort_keys=True)
"""


def listing(top):
    p = subprocess.run(["/usr/bin/python3", "-c", COMPARE, top], capture_output=True, check=True)
    return json.loads(p.stdout)


@pytest.mark.both_users
def test_serves_what_is_in_the_image(csbx, tree, image):
    _, out = attach(csbx, image, "/usr/bin/python3", "-c", COMPARE, "image")
    served, want = json.loads(out), listing(tree)
    assert set(served) == set(want)
    assert {k: (served[k], want[k]) for k in want if served[k] != want[k]} == {}


@pytest.mark.parametrize("comp", ["gzip", "lz4", "lzo", "xz", "zstd", "none"])
def test_every_compression(csbx, comp):
    """Blocks one after the other, which share what a decompressor keeps, and a fragment."""
    options = ["-noI", "-noD", "-noF", "-noX"] if comp == "none" else ["-comp", comp]
    made, top, rng = csbx.work / "x.sqsh", csbx.work / "top", random.Random(5)
    top.mkdir()
    (top / "big").write_bytes(b"".join(b"%d " % rng.randrange(1000) for _ in range(200_000)))
    (top / "small").write_text("a fragment\n")
    subprocess.run(["/usr/bin/mksquashfs", top, made, "-noappend", "-quiet", "-no-progress",
                    *options], check=True, capture_output=True)
    _, out = attach(csbx, made, "/usr/bin/sha256sum", "image/big", "image/small")
    assert out.split()[::2] == [hashlib.sha256((top / n).read_bytes()).hexdigest()
                                for n in ("big", "small")]


RANDOM_READS = r"""
import hashlib, os, random, sys
rng, size = random.Random(7), os.path.getsize("image/big")
fd, h = os.open("image/big", os.O_RDONLY), hashlib.sha256()
for _ in range(300):
    at = rng.randrange(size)
    h.update(os.pread(fd, rng.choice([1, 100, 4096, 70000]), at))
print(h.hexdigest())
"""


@pytest.mark.parametrize("block", ["4096", "131072"])
def test_reads_anywhere_in_a_large_file(csbx, block):
    """More blocks than are found without marks, holes and stored blocks, and parts of them."""
    top = csbx.work / "large"
    top.mkdir()
    rng = random.Random(3)
    with open(top / "big", "wb") as f:
        for n in range(60):
            f.write(rng.randbytes(200_001) if n % 3 else bytes(90_000) + b"text " * 9000)
    image = mksquashfs(top, csbx.work / "large.sqsh", "-b", block)
    _, out = attach(csbx, image, "/usr/bin/python3", "-c", RANDOM_READS)
    (csbx.work / "image").symlink_to(top)
    want = subprocess.run(["/usr/bin/python3", "-c", RANDOM_READS], cwd=csbx.work, text=True,
                          capture_output=True, check=True).stdout
    assert out == want
    _, out = attach(csbx, image, "/usr/bin/sha256sum", "image/big")
    assert out.split()[0] == hashlib.sha256((top / "big").read_bytes()).hexdigest()


def test_names_are_found_without_a_listing(csbx, tree, image):
    """Lookups in a directory with an index: first, last, every tenth, and names between."""
    names = sorted(os.listdir(tree / "many"))
    wanted = [names[0], names[-1], *names[::10]]
    missing = ["", "A", "zzz", names[5] + "x", names[7][:-1] + "!", "name-", "name-99999"]
    script = ("import os, sys; print(*(int(os.path.lexists('image/many/' + n)) if n else 1 "
              "for n in sys.argv[1:]))")
    _, out = attach(csbx, image, "/usr/bin/python3", "-c", script, *wanted, *missing)
    assert out.split() == ["1"] * (len(wanted) + 1) + ["0"] * (len(missing) - 1)


@pytest.mark.both_users
def test_one_id_shows_everything_as_the_main_user(csbx, image):
    ids = "import os; s = os.stat('image/etc/shadow'); print(s.st_uid, s.st_gid, os.getuid())"
    for user in ("0:0", "1000:100"):
        uid, gid = user.split(":")
        said, out = attach(csbx, image, "/usr/bin/python3", "-c", ids, user=user)
        assert out.split() == [uid, gid, uid]
        assert said["extents"] == 1


@pytest.mark.skipif(not has_ranges(), reason="this user has no subordinate ids")
def test_ranges_show_ids_as_stored(csbx, tree):
    image = mksquashfs(tree / "etc", csbx.work / "ids.sqsh", "-p", "shadow m 640 0 42")
    script = ("import os; s = os.stat('image/shadow'); d = os.stat('dev'); "
              "print(s.st_uid, s.st_gid, d.st_uid, d.st_gid, os.getuid())")
    for user, extents in (("0:0", 2), ("1000:100", 3)):
        said, out = attach(csbx, image, "/usr/bin/python3", "-c", script, user=user, mode="subuid")
        assert said["extents"] == extents
        assert out.split() == ["0", "42", "0", "0", user.split(":")[0]]


def test_image_is_read_only_nosuid_nodev(csbx, image):
    _, out = attach(csbx, image, "/usr/bin/sh", "-c",
                    "touch image/new 2>/dev/null && echo wrote; grep -o ' /tmp/image .*' /proc/self/mountinfo")
    assert "wrote" not in out
    options = out.split(" - ")[0].split()[1].split(",")
    assert {"ro", "nosuid", "nodev"} <= set(options)


def test_dev_template(csbx, image):
    script = r"""
import json, os, stat
out = {}
for n in sorted(os.listdir("dev")):
    s = os.lstat("dev/" + n)
    out[n] = ([os.major(s.st_rdev), os.minor(s.st_rdev)] if stat.S_ISCHR(s.st_mode) else
              os.readlink("dev/" + n) if stat.S_ISLNK(s.st_mode) else os.listdir("dev/" + n))
try:
    open("dev/new", "w"); out["new"] = True
except OSError as e: out["errno"] = e.errno
out["zeros"] = open("dev/zero", "rb").read(3).hex()
open("dev/null", "w").write("x")
print(json.dumps(out))
"""
    _, out = attach(csbx, image, "/usr/bin/python3", "-c", script)
    assert json.loads(out) == {
        "null": [1, 3], "zero": [1, 5], "full": [1, 7], "random": [1, 8], "urandom": [1, 9],
        "tty": [5, 0], "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
        "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "core": "/proc/kcore",
        "ptmx": "pts/ptmx", "pts": [], "shm": [], "mqueue": [], "errno": 30, "zeros": "000000"}


def test_directory_root_needs_no_image(csbx, tree):
    said, out = attach(csbx, tree, "/usr/bin/ls", ".")
    assert out.split() == ["dev"]
    assert said["requests"] == 0


# --- extended attributes --------------------------------------------------------------------------

XATTRS = r"""
import errno, json, os
def get(n):
    try: return os.getxattr("image/file", n).decode()
    except OSError as e: return errno.errorcode[e.errno]
def names():
    try: return os.listxattr("image/file")
    except OSError as e: return errno.errorcode[e.errno]
print(json.dumps([names(), get("user.kept"), get("user.overlay.opaque"), get("trusted.overlay.opaque"),
                  get("user.none")]))
"""


@pytest.fixture
def xattr_image(csbx):
    top = csbx.work / "xattrs"
    top.mkdir()
    (top / "file").write_text("x")
    try:
        os.setxattr(top / "file", "user.kept", b"yes")
        os.setxattr(top / "file", "user.overlay.opaque", b"y")
    except OSError as e:
        pytest.skip(f"no user attributes here: {e}")
    return mksquashfs(top, csbx.work / "xattrs.sqsh", "-xattrs")


def test_user_xattrs_are_served_but_never_overlay_ones(csbx, xattr_image):
    _, out = attach(csbx, xattr_image, "/usr/bin/python3", "-c", XATTRS,
                    env={"PROBE_USER_XATTRS": "1"})
    assert json.loads(out) == [["user.kept"], "yes", "ENODATA", "ENODATA", "ENODATA"]


def test_shared_attribute_values(csbx):
    """A value that several sets share is stored once, elsewhere."""
    top = csbx.work / "shared"
    top.mkdir()
    for n in range(6):
        (top / f"f{n}").write_text("x")
        try:
            os.setxattr(top / f"f{n}", "user.big", b"v" * 900)
            os.setxattr(top / f"f{n}", "user.own", b"%d" % n)
        except OSError as e:
            pytest.skip(f"no user attributes here: {e}")
    image = mksquashfs(top, csbx.work / "shared.sqsh", "-xattrs")
    script = ("import os; print([(len(os.getxattr(f'image/f{n}', 'user.big')), "
              "os.getxattr(f'image/f{n}', 'user.own').decode()) for n in range(6)])")
    _, out = attach(csbx, image, "/usr/bin/python3", "-c", script, env={"PROBE_USER_XATTRS": "1"})
    assert out.strip() == str([(900, str(n)) for n in range(6)])


def test_without_user_xattrs_the_kernel_is_told_once(csbx, xattr_image):
    _, out = attach(csbx, xattr_image, "/usr/bin/python3", "-c", XATTRS)
    assert json.loads(out)[:2] == ["ENOTSUP", "ENOTSUP"]


# --- one server for many --------------------------------------------------------------------------

@pytest.mark.both_users
def test_containers_share_a_server_that_leaves_with_the_last(csbx, image):
    first, second = Held(csbx, image), Held(csbx, image)
    assert first.said["started"] == 1 and second.said["started"] == 0
    assert first.said["pid"] == second.said["pid"]
    assert second.said["containers"] == 2
    first.close()
    [name] = sockets(csbx)
    state = json.loads(csbx.ok("status", name, program=PROBE))
    assert state["containers"] == 1
    second.close()
    wait_until(lambda: is_gone(first.said["pid"]), "the server did not leave")
    assert sockets(csbx) == []


def test_lingers_for_the_next(csbx, image):
    linger = {"CSBX_LINGER": "30"}
    one = Held(csbx, image, env=linger)
    one.close()
    two = Held(csbx, image, env=linger)
    assert two.said["pid"] == one.said["pid"]
    two.close()
    [name] = sockets(csbx)
    assert json.loads(csbx.ok("quit", name, program=PROBE))["containers"] == 0
    wait_until(lambda: is_gone(one.said["pid"]), "the server did not leave when told")
    assert sockets(csbx) == []


def test_the_latest_linger_counts(csbx, image):
    one = Held(csbx, image, env={"CSBX_LINGER": "30"})
    two = Held(csbx, image)
    one.close()
    two.close()
    wait_until(lambda: is_gone(one.said["pid"]), "the server lingers")


def test_different_users_have_different_servers(csbx, image):
    held = [Held(csbx, image, user, "one") for user in ("0:0", "5:5", "5:6")]
    assert len({h.said["pid"] for h in held}) == 3
    for h in held:
        h.close()


@pytest.mark.both_users
def test_64_at_once_make_one_server(csbx, image):
    env = {"CSBX_LINGER": "5"}
    many = [csbx.popen("attach", image, "0:0", "one", "/usr/bin/md5sum", "image/big", program=PROBE,
                       env=env, text=True) for _ in range(64)]
    outs = [p.communicate(timeout=120) for p in many]
    assert [p.returncode for p in many] == [0] * 64, [e for _, e in outs if e][:3]
    assert len({json.loads(o.split("\n")[0])["pid"] for o, _ in outs}) == 1
    assert len({o.split("\n")[1] for o, _ in outs}) == 1
    [name] = sockets(csbx)
    csbx.ok("quit", name, program=PROBE)


@pytest.mark.parametrize("cpus", ["all", "one"])
def test_servers_that_come_and_go_lose_nobody(csbx, image, cpus):
    """Linger 0: most starts meet a server that is just leaving."""
    used = sorted(os.sched_getaffinity(0))[:1 if cpus == "one" else None]
    for _ in range(4):
        many = [csbx.popen("attach", image, "0:0", "one", "/usr/bin/true", program=PROBE, text=True,
                           preexec_fn=lambda: os.sched_setaffinity(0, used)) for _ in range(12)]
        outs = [p.communicate(timeout=60) for p in many]
        assert [p.returncode for p in many] == [0] * 12, [e for _, e in outs if e][:3]


def test_long_runtime_path(csbx, image):
    deep = csbx.dirs["run"] / ("d" * 90)
    deep.mkdir(mode=0o700)
    said, _ = attach(csbx, image, "/usr/bin/true", env={"CSBX_RUNTIME_PATH": str(deep)})
    assert said["started"] == 1
    wait_until(lambda: not list((deep / "servers").iterdir()), "the socket stays")
    (deep / "servers").rmdir()
    deep.rmdir()


def test_stale_socket_is_replaced(csbx, image):
    held = Held(csbx, image)
    os.kill(held.said["pid"], signal.SIGKILL)
    wait_until(lambda: is_gone(held.said["pid"]), "killed")
    assert len(sockets(csbx)) == 1
    again = Held(csbx, image)
    assert again.said["started"] == 1 and again.said["pid"] != held.said["pid"]
    again.close()
    held.close()
    wait_until(lambda: sockets(csbx) == [], "the socket stays")


def test_batch_signals_do_not_end_a_server_in_use(csbx, image):
    held = Held(csbx, image)
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        os.kill(held.said["pid"], sig)
    [name] = sockets(csbx)
    assert json.loads(csbx.ok("status", name, program=PROBE))["pid"] == held.said["pid"]
    held.close()


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_that_was_told_to_end_leaves_with_its_last_container(csbx, image, sig):
    """A batch system's signal comes to the container and its server at once; a server that stayed would hold up the end."""
    env = {"CSBX_LINGER": "60"}
    one, two = Held(csbx, image, env=env), Held(csbx, image, env=env)
    pid = one.said["pid"]
    assert two.said["pid"] == pid
    os.kill(pid, sig)
    one.close()
    [name] = sockets(csbx)
    wait_until(lambda: json.loads(csbx.ok("status", name, program=PROBE))["containers"] == 1, "the container still counts")
    assert not is_gone(pid)
    two.close()
    wait_until(lambda: is_gone(pid), "the server lingers")
    assert sockets(csbx) == []


def test_sigterm_ends_a_lingering_server(csbx, image):
    held = Held(csbx, image, env={"CSBX_LINGER": "60"})
    held.close()
    [name] = sockets(csbx)

    def is_idle():
        return json.loads(csbx.ok("status", name, program=PROBE))["containers"] == 0
    wait_until(is_idle, "the container still counts")
    os.kill(held.said["pid"], signal.SIGTERM)
    wait_until(lambda: is_gone(held.said["pid"]), "the server ignores SIGTERM")
    assert sockets(csbx) == []


def test_server_keeps_nothing_of_the_caller(csbx, image):
    """Not its pipes (a harness waits for their end), its directory, its session."""
    r, w = os.pipe()
    held = Held(csbx, image, pass_fds=[w])
    os.close(w)
    pid = held.said["pid"]
    if os.geteuid() == 0:
        assert not any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith("pipe:")
                       for fd in os.listdir(f"/proc/{pid}/fd"))
    assert os.getsid(pid) == pid or os.getsid(pid) != os.getsid(0)
    held.p.stdin.close()
    assert os.read(r, 1) == b"", "the server holds the write end"
    os.close(r)
    held.p.wait(10)


# --- how little it does ---------------------------------------------------------------------------

OVERLAY = r"""
mkdir upper work merged
mount -t overlay overlay -o lowerdir=image,upperdir=upper,workdir=work,userxattr,volatile,xino=off merged &&
merged/bin/true
"""


def test_warm_start_costs_one_fuse_request(csbx):
    """An overlay over a warm image and an exec in it: only the mount itself asks (STATFS)."""
    top = csbx.work / "root"
    (top / "bin").mkdir(parents=True)
    (top / "bin/true").write_bytes(Path("/bin/busybox").read_bytes())
    (top / "bin/true").chmod(0o755)
    image = mksquashfs(top, csbx.work / "warm.sqsh")
    held = Held(csbx, image)
    [name] = sockets(csbx)

    def requests():
        return json.loads(csbx.ok("status", name, program=PROBE))["requests"]
    counts = []
    for _ in range(4):
        before = requests()
        attach(csbx, image, "/usr/bin/sh", "-c", OVERLAY)
        counts.append(requests() - before)
    held.close()
    assert counts[0] > 1, counts
    assert counts[2:] == [1, 1], counts


# --- confinement ----------------------------------------------------------------------------------

def test_confined(csbx, image):
    held = Held(csbx, image)
    s = status_of(held.said["pid"])
    assert s["Seccomp"].strip() == "2"
    assert s["NoNewPrivs"].strip() == "1"
    assert int(s["CapEff"], 16) == int(s["CapPrm"], 16) == 1 << 21  # CAP_SYS_ADMIN over A
    assert int(s["CapInh"], 16) == int(s["CapAmb"], 16) == 0
    if os.geteuid() != 0:  # not dumpable: even its owner may not look
        with pytest.raises(PermissionError):
            os.readlink(f"/proc/{held.said['pid']}/root")
    held.close()


# --- faults ---------------------------------------------------------------------------------------

def refused(csbx, *args, program=PROBE, **kw):
    p = csbx.run(*args, program=program, **kw)
    assert p.returncode == 1, p.stdout + p.stderr
    assert p.stdout == ""
    assert p.stderr.count("\n") == 1, p.stderr
    return p.stderr


def test_a_stopped_server_is_told_not_waited_for(csbx, image):
    held = Held(csbx, image)
    os.kill(held.said["pid"], signal.SIGSTOP)
    begin = time.monotonic()
    try:
        said = refused(csbx, "attach", image, "0:0", "one", "/usr/bin/true", timeout=30)
    finally:
        os.kill(held.said["pid"], signal.SIGCONT)
    assert 4 < time.monotonic() - begin < 15
    assert "does not answer" in said and str(held.said["pid"]) in said
    attach(csbx, image, "/usr/bin/true")
    held.close()


def test_a_dead_server_is_seen_by_its_containers(csbx, image):
    held = Held(csbx, image)
    p = csbx.popen("attach", image, "0:0", "one", "/usr/bin/sh", "-c",
                   "cat image/etc/passwd >/dev/null; echo ready; read x; cat image/etc/shadow",
                   program=PROBE, stdin=subprocess.PIPE, text=True)
    assert p.stdout.readline() and p.stdout.readline() == "ready\n"
    os.kill(held.said["pid"], signal.SIGKILL)
    _, err = p.communicate("\n", timeout=10)
    assert p.returncode == 1 and ("not connected" in err or "connection abort" in err)
    held.close()
    attach(csbx, image, "/usr/bin/true")  # takes the dead server's place, and its name with it


def test_image_replaced_or_gone(csbx, image):
    copy = csbx.work / "copy.sqsh"
    copy.write_bytes(image.read_bytes())
    held = Held(csbx, copy)
    copy.unlink()
    assert "No such file" in refused(csbx, "attach", copy, "0:0", "one")
    held.close()


def test_truncated_under_a_container(csbx, image):
    """The file is cut while it is served: clean I/O errors, and the server lives on."""
    copy = csbx.work / "cut.sqsh"
    copy.write_bytes(image.read_bytes())
    held = Held(csbx, copy)
    os.truncate(copy, 5000)
    [name] = sockets(csbx)
    state = json.loads(csbx.ok("status", name, program=PROBE))
    assert state["pid"] == held.said["pid"]
    assert "cut.sqsh" in refused(csbx, "attach", copy, "0:0", "one")
    held.close()


def test_not_an_image(csbx, tree, image):
    bad = csbx.work / "bad.sqsh"
    for content, word in ((b"", "not a squashfs"), (b"\0" * 5000, "not a squashfs"),
                          (b"hsqs" + b"\xff" * 5000, "version"),
                          (image.read_bytes()[:4096], "truncated")):
        bad.write_bytes(content)
        said = refused(csbx, "attach", bad, "0:0", "one")
        assert word in said and "bad.sqsh" in said
        assert word in refused(csbx, "meta", bad)
    wait_until(lambda: sockets(csbx) == [], "the socket stays")


def test_missing_program_is_named(csbx, image):
    """Nothing lies beside the program, so it looks where helpers are installed."""
    alone = csbx.work / "probe"
    shutil.copy(harness.BIN / PROBE, alone)
    if any(Path(d, "csbx/csbx-squashd").exists() for d in ("/usr/local/libexec", "/usr/libexec")):
        pytest.skip("csbx is installed on this machine")
    said = refused(csbx, "attach", image, "0:0", "one", program=alone)
    assert "/libexec/csbx/csbx-init: No such file" in said
    assert sockets(csbx) == []


def test_somebody_elses_directory_is_refused(csbx, image):
    base = csbx.dirs["run"] / "open"
    base.mkdir()
    base.chmod(0o777)
    assert "open" in refused(csbx, "attach", image, "0:0", "one",
                             env={"CSBX_RUNTIME_PATH": str(base)})
    base.rmdir()


def test_junk_on_the_socket_hurts_nobody(csbx, image):
    held = Held(csbx, image)
    [name] = sockets(csbx)
    for junk in (b"", b"x", b"SQP3" + b"\0" * 700, os.urandom(704), os.urandom(9000)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect(str(csbx.dirs["run"] / "servers" / name))
            s.settimeout(5)
            s.send(junk)
            s.recv(4096)  # an answer or the end, but something
    idle = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(50)]
    for s in idle:
        s.connect(str(csbx.dirs["run"] / "servers" / name))
    assert json.loads(csbx.ok("status", name, program=PROBE))["containers"] == 1
    held.close()
    wait_until(lambda: is_gone(held.said["pid"]), "idle connections keep the server")
    for s in idle:
        s.close()


# --- metadata -------------------------------------------------------------------------------------

def fields(record):
    """Tag -> list of values of a flat record (runtime/base/flat.h)."""
    assert record[:4] == b"CIM1"
    out, at = {}, 16
    while at < len(record):
        tag, length = int.from_bytes(record[at:at + 2], "little"), int.from_bytes(
            record[at + 4:at + 8], "little")
        out.setdefault(tag, []).append(record[at + 8:at + 8 + length])
        at += 8 + (length + 3 & ~3)
    return out


HAS_CONFIG, USER, ENV, LABEL, XATTR, SHELL, PASSWD, RC = 1, 3, 6, 9, 13, 14, 15, 17


def meta(csbx, source):
    p = csbx.run("meta", source, program=PROBE, text=False)
    assert p.returncode == 0, p.stderr
    return fields(p.stdout)


def number(f, tag):
    return int.from_bytes(f[tag][0], "little")


@pytest.mark.both_users
def test_meta_of_image_and_directory(csbx, tree, image):
    for source in (image, tree):
        f = meta(csbx, source)
        assert number(f, HAS_CONFIG) == 0 and number(f, SHELL) == 1 and number(f, XATTR) == 0
        assert f[PASSWD] == [(tree / "etc/passwd").read_bytes()]
        assert RC not in f


def test_meta_of_a_config(csbx):
    top = csbx.work / "m"
    (top / ".csbx").mkdir(parents=True)
    (top / "etc").mkdir()
    (top / ".csbx/config.json").write_text(json.dumps(
        {"config": {"User": "app", "Env": ["A=b", "C=d"]}}))
    (top / "etc/rc").write_text("not read: the config is there\n")
    image = mksquashfs(top, csbx.work / "m.sqsh")
    f = meta(csbx, image)
    assert number(f, HAS_CONFIG) == 1 and f[USER] == [b"app\0"] and f[ENV] == [b"A=b\0", b"C=d\0"]
    assert number(f, SHELL) == 0 and RC not in f and PASSWD not in f


def test_meta_of_a_config_with_many_members(csbx):
    """The reader of the members is confined: sorting names must not ask the kernel for anything new."""
    top = csbx.work / "many"
    (top / ".csbx").mkdir(parents=True)
    labels = {f"k{n * 7919 % 20000}": "v" * (n % 50) for n in range(20000)}
    (top / ".csbx/config.json").write_text(json.dumps({"config": {"Labels": labels}}))
    for source in (top, mksquashfs(top, csbx.work / "many.sqsh")):
        assert sorted(meta(csbx, source)[LABEL]) == sorted(f"{k}={v}".encode() + b"\0" for k, v in labels.items())


def test_meta_of_an_enroot_image(csbx):
    top = csbx.work / "e"
    (top / "etc").mkdir(parents=True)
    (top / "etc/rc").write_text("exec /bin/sh\n")
    f = meta(csbx, mksquashfs(top, csbx.work / "e.sqsh"))
    assert f[RC] == [b"exec /bin/sh\n"]


def test_meta_links_stay_in_the_tree(csbx):
    """/etc/passwd as a link to the host's, by every road; loops; a directory; a fifo."""
    secret = csbx.work / "secret"
    secret.write_text("host secret\n")
    for n, (target, want) in enumerate([
            (str(secret), None), ("../../../../../../.." + str(secret), None), ("passwd", None),
            ("/etc", None), ("/fifo", None), ("/proc/self/environ", None), ("a" * 300, None),
            ("../inside", b"inside\n"), ("/../../inside", b"inside\n"), ("/link", b"inside\n")]):
        top = csbx.work / f"l{n}"
        (top / "etc").mkdir(parents=True)
        os.mkfifo(top / "fifo")
        (top / "inside").write_text("inside\n")
        (top / "link").symlink_to("etc/../inside")
        (top / "etc/passwd").symlink_to(target)
        for source in (top, mksquashfs(top, csbx.work / f"l{n}.sqsh")):
            f = meta(csbx, source)
            assert f.get(PASSWD) == (None if want is None else [want]), target


def test_meta_limits(csbx):
    top = csbx.work / "big"
    (top / "etc").mkdir(parents=True)
    (top / "etc/passwd").write_bytes(b"x" * (1 << 20))
    assert len(meta(csbx, mksquashfs(top, csbx.work / "b.sqsh"))[PASSWD][0]) == 1 << 20
    (top / "etc/passwd").write_bytes(b"x" * ((1 << 20) + 1))
    (top / "etc/rc").write_text("exec /bin/sh\n")
    for source in (top, mksquashfs(top, csbx.work / "b.sqsh")):
        f = meta(csbx, source)
        assert PASSWD not in f and RC in f, "users are numbers then"
    (top / "etc/rc").write_bytes(b"x" * ((1 << 20) + 1))
    for source in (top, mksquashfs(top, csbx.work / "b.sqsh")):
        assert "/etc/rc" in refused(csbx, "meta", source)
    (top / ".csbx").mkdir()
    (top / "etc/passwd").unlink()
    for text in ("{", '{"config":{"User":1}}', '{"config":{"User":"a","User":"b"}}'):
        (top / ".csbx/config.json").write_text(text)
        assert "image config" in refused(csbx, "meta", top)


def test_meta_of_user_xattrs(csbx, xattr_image):
    assert number(meta(csbx, xattr_image), XATTR) == 1


# --- unpacking ------------------------------------------------------------------------------------

@pytest.mark.parametrize("comp", ["zstd", "lzo"])
def test_unpack(csbx, tree, comp):
    image = csbx.work / "u.sqsh"
    subprocess.run(["/usr/bin/mksquashfs", tree, image, "-noappend", "-quiet", "-no-progress", "-comp",
                    comp], check=True, capture_output=True)
    out = csbx.work / "out"
    out.mkdir()
    csbx.ok("unpack", image, out, program=PROBE)
    assert listing(out) == listing(tree)
    assert (out / "etc/hard").stat().st_ino == (out / "etc/passwd").stat().st_ino
    assert (out / "sparse").stat().st_blocks * 512 < 2_000_000, "holes stay holes"


def test_unpack_modes_and_xattrs(csbx, xattr_image):
    top = csbx.work / "modes"
    top.mkdir()
    (top / "setuid").write_bytes(b"x")
    (top / "setuid").chmod(0o6755)
    (top / "closed").mkdir()
    (top / "closed/file").write_text("x")
    (top / "closed").chmod(0o555)
    (top / "tmp").mkdir()
    (top / "tmp").chmod(0o1777)
    for name, image in (("m", mksquashfs(top, csbx.work / "modes.sqsh")), ("x", xattr_image)):
        (csbx.work / name).mkdir()
        csbx.ok("unpack", image, csbx.work / name, program=PROBE)
    out = csbx.work / "m"
    assert stat.S_IMODE((out / "setuid").stat().st_mode) == 0o755
    assert stat.S_IMODE((out / "closed").stat().st_mode) == 0o755
    assert stat.S_IMODE((out / "tmp").stat().st_mode) == 0o1777
    assert os.listxattr(csbx.work / "x/file") == ["user.kept"]


def test_unpack_needs_an_empty_directory(csbx, image):
    out = csbx.work / "full"
    (out / "etc").mkdir(parents=True)
    assert "File exists" in refused(csbx, "unpack", image, out)


def test_unpacked_trees_are_cached(csbx, tree, image):
    many = [csbx.popen("tree", image, program=PROBE, text=True) for _ in range(6)]
    paths = {p.communicate(timeout=60)[0].strip() for p in many}
    assert [p.returncode for p in many] == [0] * 6
    [path] = paths
    assert listing(path) == listing(tree)
    inode = os.stat(path).st_ino
    assert csbx.ok("tree", image, program=PROBE).strip() == path
    assert os.stat(path).st_ino == inode, "made again"
    bad = csbx.work / "bad.sqsh"
    bad.write_bytes(image.read_bytes()[:5000])
    refused(csbx, "tree", bad)
    assert [x for x in os.listdir(Path(path).parent) if x.startswith(".tmp")] == []


def test_no_fuse_is_told(csbx, image):
    """A machine without FUSE, played by a bind over its device node, in a user namespace."""
    p = subprocess.run(
        ["/usr/bin/unshare", "-rm", "/usr/bin/sh", "-c", 'mount --bind /dev/null /dev/fuse && exec "$@"',
         "sh", *csbx.argv(["attach", image, "0:0", "one"], PROBE)],
        env=csbx.env, capture_output=True, text=True, check=False, timeout=30, **csbx.identity())
    assert p.returncode == 1 and "fuse" in p.stderr
    wait_until(lambda: sockets(csbx) == [], "the socket stays")


# --- hostile images -------------------------------------------------------------------------------

def mutations(data, seed, count):
    """Copies of an image with a few bytes changed; the super block and the tables most often."""
    rng = random.Random(seed)
    used = int.from_bytes(data[40:48], "little")
    tables = int.from_bytes(data[64:72], "little")
    for _ in range(count):
        bad = bytearray(data)
        for _ in range(rng.randint(1, 6)):
            where = rng.choice([(4, 96), (tables, used), (tables, used), (96, used)])
            at = rng.randrange(*where)
            bad[at] = rng.choice([0, 0xff, 0x7f, 0x80, bad[at] ^ 1 << rng.randrange(8)])
        yield bytes(bad)


@pytest.fixture(scope="module")
def small_image(session_dir):
    """Metadata not compressed, so that a changed byte means something."""
    top = session_dir / "small"
    (top / "etc").mkdir(parents=True)
    (top / "etc/passwd").write_text("root:x:0:0::/:\n")
    for i in range(40):
        (top / f"f{i}").write_bytes(os.urandom(i * 50))
    (top / "link").symlink_to("etc/passwd")
    return mksquashfs(top, session_dir / "small.sqsh", "-noI", "-b", "4096")


def test_damaged_images_harm_nobody(csbx, small_image):
    """The reader may fail or die; it may not hang, leave the tree or harm the caller."""
    seed = int(os.environ.get("CSBX_TEST_SEED", "1"))
    bad, out = csbx.work / "bad.sqsh", csbx.work / "out"
    verdicts = {"good": 0, "refused": 0}
    for n, data in enumerate(mutations(small_image.read_bytes(), seed, 150)):
        bad.write_bytes(data)
        out.mkdir()
        p = csbx.run("meta", bad, program=PROBE, text=False, timeout=20)
        q = csbx.run("unpack", bad, out, program=PROBE, timeout=60)
        assert p.returncode in (0, 1) and q.returncode in (0, 1), f"seed {seed}, mutation {n}"
        if q.returncode:
            assert q.stderr.startswith("squashd_probe: "), q.stderr
        verdicts["refused" if q.returncode else "good"] += 1
        subprocess.run(["rm", "-rf", out], check=True)
    assert verdicts["refused"] > 10 and verdicts["good"] > 10, verdicts


def test_damaged_images_served(csbx, small_image):
    seed = int(os.environ.get("CSBX_TEST_SEED", "1")) + 1
    bad = csbx.work / "bad.sqsh"
    for n, data in enumerate(mutations(small_image.read_bytes(), seed, 40)):
        bad.write_bytes(data)
        p = csbx.run("attach", bad, "0:0", "one", "/usr/bin/timeout", "20", "/usr/bin/sh", "-c",
                     "find image -type f -exec cat {} + >/dev/null 2>&1; ls image/* >/dev/null 2>&1; exit 0",
                     program=PROBE, timeout=60)
        assert p.returncode in (0, 1), f"seed {seed}, mutation {n}: {p.returncode} {p.stderr}"
        bad.unlink()
