# SPDX-License-Identifier: Apache-2.0
"""Start against hostile root file systems and configurations. Whatever csbx does with a path of the
image happens inside it, or the start is refused with one line; the canary says if not."""
import os
import random
import shutil
import subprocess
import time

import pytest

import images
import squashfs
from ociimage import D, F, L, P, Image, entry_from_file, make_layer

pytestmark = pytest.mark.feature("userns")


def small_root(extra=(), leave_out=()):
    """busybox at /bin and what a start expects, plus or without some of it."""
    entries = [D("bin", mode=0o755), entry_from_file(images.busybox_program(), "bin/busybox", mode=0o755),
               *(L(f"bin/{n}", "busybox") for n in ("sh", "cat", "ls", "true", "id", "stat", "pwd", "env", "test",
                                                     "readlink", "echo", "grep", "touch")),
               *(D(d) for d in ("dev", "proc", "sys", "etc", "tmp", "run", "root")),
               F("etc/passwd", "root:x:0:0::/root:/bin/sh\n"), F("etc/group", "root:x:0:\n")]
    return [e for e in entries if e.name not in leave_out and
            not any(e.name.startswith(x + "/") for x in leave_out)] + list(extra)


@pytest.fixture
def box(csbx, canary):
    """start(entries..., argv=[...], options=[...], config={}): CompletedProcess."""
    class Box:
        def image(self, *extra, leave_out=(), config=None):
            source = csbx.work / "in"
            shutil.rmtree(source, ignore_errors=True)
            config = {"Cmd": ["/bin/sh"], "Env": ["PATH=/bin"], **(config or {})}
            Image([make_layer(small_root(extra, leave_out))], config).write_oci(source)
            out = csbx.work / "image.sqsh"
            csbx.ok("import", "-q", "-f", "-o", out, f"oci:{source}")
            return out

        def start(self, *extra, argv=("/bin/true",), options=(), timeout=20, **kw):
            out = self.image(*extra, **kw)
            # A root that is read-only is the image itself where that will do: the end is the same.
            q = self.once("--read-only", *options, out, *argv, timeout=timeout)
            p = self.once(*options, out, *argv, timeout=timeout)
            if "make the working directory" not in q.stderr:
                assert (p.returncode == 125) == (q.returncode == 125), (p, q)
            if p.returncode == 125:
                assert p.stderr == q.stderr
            return p

        @staticmethod
        def once(*words, timeout):
            p = csbx.run("start", *words, timeout=timeout)
            assert p.returncode < 128, p
            if p.returncode == 125:
                assert p.stderr.startswith("csbx: ") and p.stderr.count("\ncsbx: ") == 0, p.stderr
                assert all(c == "\n" or c.isprintable() for c in p.stderr), p.stderr
            return p
    return Box()


def escapes(canary):
    """name -> link target that leads out of the image for a program that follows it on the host."""
    return {"absolute": str(canary.path), "dots": "../" * 30 + str(canary.path)[1:],
            "magic": f"/proc/self/root{canary.path}", "cwd": "/proc/self/cwd", "fd": "/proc/self/fd/0",
            "dangling": f"{canary.path}/missing/deeper", "file": f"{canary.path}/file", "loop": "x"}


ESCAPES = ["absolute", "dots", "magic", "cwd", "fd", "dangling", "file", "loop"]
TARGETS = {
    "mount": lambda at, d: ["--mount", f"{d}:{at}"],
    "mount a file": lambda at, d: ["--mount", f"{d}/file:{at}"],
    "tmpfs": lambda at, d: ["--tmpfs", at],
    "workdir": lambda at, d: ["--workdir", at],
    "device": lambda at, d: ["--device", f"/dev/null:{at}"],
}


@pytest.mark.parametrize("how", TARGETS)
@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("below", ["", "/new", "/etc/deep/new"])
def test_a1_targets_below_links(csbx, box, canary, escape, how, below):
    src = csbx.work / "src"
    src.mkdir()
    (src / "file").write_text("from the host\n")
    p = box.start(L("x", escapes(canary)[escape]), options=TARGETS[how](f"/x{below}", src))
    assert p.returncode in (0, 125), p.stderr


@pytest.mark.parametrize("depth,fits", [(30, True), (60, False)])
def test_a1_chain_of_links(csbx, box, depth, fits):
    links = [L(f"l{n}", f"l{n + 1}") for n in range(depth)]
    p = box.start(*links, D(f"l{depth}"), options=["--tmpfs", "/l0/new"])
    assert (p.returncode == 0) == fits, p.stderr


@pytest.mark.parametrize("name", ["etc/resolv.conf", "etc/hosts", "etc/hostname", "etc/passwd", "etc/group"])
@pytest.mark.parametrize("escape", ["absolute", "dots", "magic", "dangling", "file", "loop"])
def test_a1_a6_files_of_etc_are_links(box, canary, name, escape):
    p = box.start(L(name, escapes(canary)[escape]), leave_out=[name], options=["--network", "host"])
    assert p.returncode in (0, 125), p.stderr


@pytest.mark.parametrize("name", ["dev", "dev/pts", "dev/shm", "dev/ptmx", "dev/mqueue", "dev/fd"])
@pytest.mark.parametrize("kind", ["absolute", "dots", "magic", "file", "fifo", "loop", "regular"])
def test_a2_dev_is_not_what_it_seems(box, canary, name, kind):
    entry = {"fifo": P(name), "regular": F(name, b"x")}.get(kind) or L(name, escapes(canary)[kind])
    p = box.start(entry, leave_out=[name],
                  argv=["/bin/sh", "-c", "test -c /dev/null && test -d /dev/pts && echo x >/dev/null && ls /dev"])
    assert p.returncode in (0, 125), p.stderr
    if p.returncode == 0:
        assert "passwd" not in p.stdout.split(), "the canary's directory as /dev"


MASKED = ["proc/kcore", "proc/keys", "proc/latency_stats", "proc/timer_list", "proc/acpi", "proc/interrupts",
          "sys/firmware"]


@pytest.mark.parametrize("entry", [L("dev/null", "/proc/sys/kernel/core_pattern"), D("dev/null"), F("dev/null", b"x")],
                         ids=["link", "directory", "file"])
def test_a3_masks_do_not_come_from_the_image(box, entry):
    """dev/null of the image is what some runtimes bind over what they hide."""
    script = "; ".join(f"cat /{m} >/dev/null 2>&1 && test -s /{m} && echo shown: {m}" for m in MASKED) + \
        "; stat -c %F /dev/null; echo x >/proc/sys/kernel/core_pattern"
    p = box.start(entry, argv=["/bin/sh", "-c", script])
    if p.returncode != 125:
        assert "shown" not in p.stdout and "character special file" in p.stdout, p.stdout


@pytest.mark.parametrize("name", ["proc", "sys", "etc", "run", "tmp", "root", "dev"])
@pytest.mark.parametrize("kind", ["absolute", "magic", "dangling", "fifo", "regular", "missing", "loop"])
def test_a4_top_directories_are_not_directories(box, canary, name, kind):
    entry = {"fifo": [P(name)], "regular": [F(name, b"x")], "missing": []}.get(kind)
    if entry is None:
        entry = [L(name, escapes(canary)[kind])]
    p = box.start(*entry, leave_out=[name], argv=["/bin/sh", "-c", "cat /proc/self/mountinfo"])
    assert p.returncode in (0, 125), p.stderr
    if p.returncode == 0:
        points = {line.split()[4]: line.split(" - ")[1].split()[0] for line in p.stdout.splitlines()}
        assert points.get("/proc") == "proc", "there is no /proc of its own"


@pytest.mark.parametrize("where", ["/../../x", "relative/x", "/" + "d/" * 2000, "/new\nline", "/a/../../../b", "/x y", "",
                                   "/proc/self/cwd", "/proc/self/fd/3", "/.."])
def test_a5_d8_working_directories(csbx, box, where):
    p = box.start(config={"WorkingDir": where}, argv=["/bin/pwd"])
    assert p.returncode in (0, 125), p.stderr
    if p.returncode == 0:
        assert p.stdout.startswith("/")
        assert not p.stdout.startswith("/proc/self")


@pytest.mark.parametrize("where", ["absolute", "magic", "dangling", "dots"])
def test_a5_working_directory_through_a_link(box, canary, where):
    p = box.start(L("wd", escapes(canary)[where]), config={"WorkingDir": "/wd/new/dir"}, argv=["/bin/touch", "made"])
    assert p.returncode in (0, 125), p.stderr


PASSWDS = {
    "fifo": [P("etc/passwd")], "directory": [D("etc/passwd")], "empty": [F("etc/passwd", b"")],
    "no newline": [F("etc/passwd", b"app:x:1000:1000::/:/bin/sh")],
    "NUL": [F("etc/passwd", b"app\0:x:0:0::/:/bin/sh\napp:x:1000:1000::/:/bin/sh\n")],
    "a million lines": [F("etc/passwd", b"app:x:1000:1000::/:/bin/sh\n" + b"u:x:1:1::/:/bin/sh\n" * 60000)],
    "over the cap": [F("etc/passwd", b"u:x:1:1::/:/bin/sh\n" * 500000 + b"app:x:1000:1000::/:/bin/sh\n")],
    "huge uid": [F("etc/passwd", b"app:x:99999999999:1000::/:/bin/sh\n")],
    "negative": [F("etc/passwd", b"app:x:-1:1000::/:/bin/sh\n")],
    "no uid": [F("etc/passwd", b"app:x::1000::/:/bin/sh\n")],
    "one field": [F("etc/passwd", b"app\n")], "long line": [F("etc/passwd", b"app:" + b"x" * 300000 + b":1000:1000::/:\n")],
    "binary": [F("etc/passwd", bytes(range(256)) * 10)],
}


@pytest.mark.parametrize("case", PASSWDS)
def test_a6_odd_passwd_never_makes_root_of_another_name(box, case):
    p = box.start(*PASSWDS[case], leave_out=["etc/passwd"], options=["--user", "app"], argv=["/bin/id", "-u"])
    assert p.returncode in (0, 125), p.stderr
    if p.returncode == 0:
        assert p.stdout == "1000\n"


@pytest.mark.parametrize("case", PASSWDS)
def test_a6_numeric_users_need_no_passwd(box, case):
    p = box.start(*PASSWDS[case], leave_out=["etc/passwd"], options=["--user", "1234"], argv=["/bin/id", "-u"])
    assert p.stdout == "1234\n", p.stderr


@pytest.mark.parametrize("user", ["4294967295", "-1", "0x0", "+0", " 0", "99999999999:0", "0 ", "1e0", "0:-1", ":",
                                  "4294967296", "2147483648", "4294967294:0", "root\n", "root:root:root", "0:0:0", "nobody:4294967296"])
@pytest.mark.parametrize("by", ["image", "option"])
def test_a7_d5_bad_users_are_refused(csbx, box, user, by):
    p = box.start(config={"User": user} if by == "image" else {}, options=["--user", user] if by == "option" else [],
                  argv=["/bin/id", "-u"])
    assert p.returncode == 125, (p.returncode, p.stdout, p.stderr)


@pytest.mark.parametrize("user,want", [("0", "0 0"), ("1", "1 0"), ("1:1", "1 1"), ("root", "0 0"), ("010", "10 0"),
                                       ("1:", "1 0"), ("60000:60001", "60000 60001")])
def test_d5_exact_users(box, user, want):
    p = box.start(options=["--user", user], argv=["/bin/sh", "-c", "echo $(id -u) $(id -g)"])
    assert p.stdout.split() == want.split(), p.stderr


def test_a8_words_of_the_image_reach_the_program_unchanged(box):
    odd = ["a\nb", "$(id)", "`id`", "; id", "' \"", "-x", "", "*", "\\", "é\x01"]
    p = box.start(config={"Entrypoint": ["/bin/sh", "-c", 'for a; do echo "<$a>"; done', "sh"], "Cmd": odd}, argv=[])
    assert p.stdout == "".join(f"<{a}>\n" for a in odd)


def test_a8_environment_of_the_image(box):
    env = ["PATH=/bin", "A=1\n2", "PATH=/evil:/bin", "LD_PRELOAD=/evil.so", "LD_LIBRARY_PATH=/evil", "BIG=" + "x" * 100000,
           "CSBX_DATA_PATH=/evil", "HOME=/evil", "TMPDIR=/evil", "EMPTY="]
    p = box.start(config={"Env": env}, argv=["/bin/sh", "-c", "echo $A; echo $LD_PRELOAD; echo ${#BIG}"])
    assert p.stdout == "1 2\n/evil.so\n100000\n", p.stderr


@pytest.mark.parametrize("env", [["=x"], ["NOEQUALS"], [""], ["A\0B=1"], [5], "A=1", {"A": "1"}, [None]], ids=range(8))
def test_a8_malformed_environment(csbx, box, env):
    source = csbx.work / "in"
    Image([make_layer(small_root())], {"Env": env, "Cmd": ["/bin/true"]}).write_oci(source)
    p = csbx.run("import", "-q", "-o", "image.sqsh", f"oci:{source}")
    assert p.returncode in (0, 125)
    if p.returncode == 0:
        p = csbx.run("start", "./image.sqsh")
        assert p.returncode in (0, 125), p.stderr


@pytest.mark.parametrize("config", [{"Entrypoint": "/bin/sh"}, {"Cmd": {"a": 1}}, {"User": 5}, {"WorkingDir": ["x"]},
                                    {"Entrypoint": [None]}, {"Labels": ["x"]}, {"Volumes": ["/x"]}, {"Volumes": {"../x": {}}},
                                    {"Volumes": {"/etc/../../x": {}}}, {"StopSignal": "SIGEVIL"}], ids=range(10))
def test_a8_config_of_wrong_types(csbx, box, config):
    source = csbx.work / "in"
    Image([make_layer(small_root())], {"Env": ["PATH=/bin"], **config}).write_oci(source)
    p = csbx.run("import", "-q", "-o", "image.sqsh", f"oci:{source}")
    assert p.returncode in (0, 125), p.stderr
    if p.returncode == 0:
        p = csbx.run("start", "./image.sqsh", "/bin/true")
        assert p.returncode in (0, 125), p.stderr


def test_image_selects_no_host_mounts_env_or_hooks(csbx, box, canary):
    """csbx does not do what enroot's files of a foreign image ask for."""
    p = box.start(F("etc/fstab", f"{canary.path} /stolen none x-create=dir,bind\n"),
                  F("etc/environment", "STOLEN=${HOME}\n"), config={"Volumes": {"/vol": {}}},
                  argv=["/bin/sh", "-c", "ls /stolen; env"])
    assert "passwd" not in p.stdout and str(csbx.dirs["home"]) not in p.stdout


def test_image_without_anything(csbx, box):
    source = csbx.work / "in"
    Image([make_layer([entry_from_file(images.busybox_program(), "sh", mode=0o755)])], {"Cmd": ["/sh"]}).write_oci(source)
    csbx.ok("import", "-q", "-o", "image.sqsh", f"oci:{source}")
    assert csbx.ok("start", "./image.sqsh", "/sh", "-c", "echo here") == "here\n"


# --- damaged squashfs files -----------------------------------------------------------------------

def test_not_a_squashfs(csbx):
    bad = csbx.work / "bad.sqsh"
    for content in (b"", b"hsqs", b"hsqs" + bytes(92), os.urandom(5000), b"#!/bin/sh\n"):
        bad.write_bytes(content)
        csbx.fails("start", bad, "true")
        csbx.fails("create", "--name", "bad", bad)
    csbx.fails("start", csbx.work / "missing.sqsh", "true", says="missing.sqsh")
    os.mkfifo(csbx.work / "fifo.sqsh")
    csbx.fails("start", csbx.work / "fifo.sqsh", "true")


@pytest.mark.parametrize("keep", [0.99, 0.5, 0.1, 0.001])
def test_truncated_image(csbx, box, keep):
    out = box.image()
    whole = out.read_bytes()
    out.chmod(0o644)
    out.write_bytes(whole[:int(len(whole) * keep)])
    csbx.fails("start", out, "/bin/true")


def mutate(data, rng, fs):
    """Damage where it hurts: super block, inode, directory, fragment, id and xattr tables."""
    data = bytearray(data)
    tables = [(0, 96), (fs.inode_start, fs.dir_start), (fs.dir_start, fs.bytes_used), (fs.bytes_used - 200, fs.bytes_used)]
    for _ in range(rng.randrange(1, 4)):
        start, end = rng.choice(tables)
        at = rng.randrange(start, max(end, start + 1))
        data[at] = rng.choice((0, 0xFF, 0x7F, 0x80, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(data)


def test_a25_damaged_images_end_in_an_error_or_run(csbx, box):
    """No hang, no signal to csbx itself, nothing left, whatever the file system says."""
    out = box.image()
    source = csbx.work / "in"
    csbx.ok("import", "-q", "-f", "--comp", "none", "-o", out, f"oci:{source}")
    whole, fs = out.read_bytes(), squashfs.Squashfs(out)
    rng = random.Random(int(os.environ.get("CSBX_TEST_SEED", "1")))
    out.chmod(0o644)
    codes = {}
    for n in range(120):
        out.write_bytes(mutate(whole, rng, fs))
        try:
            p = csbx.run("start", out, "/bin/sh", "-c", "ls -lR / >/tmp/out; cat /bin/busybox >/dev/null; cat /etc/*", timeout=20)
        except subprocess.TimeoutExpired:
            (csbx.top / "hang.sqsh").write_bytes(out.read_bytes())
            pytest.fail(f"mutation {n} hangs")
        codes[p.returncode] = codes.get(p.returncode, 0) + 1
        assert p.returncode >= 0, (n, p.returncode, p.stderr)
        if p.returncode == 125:  # after what the program itself said
            assert p.stderr.splitlines()[-1].startswith("csbx: "), (n, p.stderr)
    assert codes.get(125, 0) > 10, codes
    csbx.ok("gc")  # a server that crashed leaves its socket


@pytest.mark.parametrize("how", ["replace", "unlink"])
def test_a26_running_container_keeps_its_image(csbx, box, how):
    out = box.image(F("big", os.urandom(3 << 20)))
    fifo = csbx.work / "shared"
    fifo.mkdir()
    p = csbx.popen("start", "--mount", f"{fifo}:/s", out, "/bin/sh", "-c",
                   "echo up >/s/up; while ! test -e /s/go; do sleep 0.02; done; cat /big | wc -c; ls / >/dev/null && echo fine")
    deadline = time.monotonic() + 20
    while not (fifo / "up").exists() and time.monotonic() < deadline and p.poll() is None:
        time.sleep(0.01)
    if how == "replace":
        other = csbx.work / "other"
        other.write_bytes(os.urandom(1 << 20))
        other.rename(out)
    else:
        out.unlink()
    (fifo / "go").touch()
    stdout, stderr = p.communicate(timeout=30)
    assert p.returncode == 0, stderr
    assert stdout.split() == [str(3 << 20).encode(), b"fine"]


def test_a26_image_changed_after_create_is_noticed(csbx, box):
    out = box.image()
    other = csbx.work / "elsewhere"
    other.mkdir()
    csbx.ok("create", "--name", "c", out)
    assert csbx.ok("start", "c", "/bin/echo", "one") == "one\n"
    out.unlink()  # the store holds the file by a link of its own
    p = csbx.run("start", "c", "/bin/echo", "two")
    assert p.stdout == "two\n" or p.returncode == 125 and "image" in p.stderr
    csbx.ok("remove", "-f", "c")
