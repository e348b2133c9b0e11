# SPDX-License-Identifier: Apache-2.0
"""csbx cp: docker's rules, and a container that tries to lead the copy out of itself."""
import io
import os
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

import harness

pytestmark = pytest.mark.both_users


@pytest.fixture(params=["running", "stopped"])
def box(request, csbx, busybox_image):
    """A container called box, running with its kept layer, or ended after that."""
    csbx.ok("create", "-n", "box", busybox_image)
    script = ("mkdir -p /d/sub /empty; echo one >/d/one; echo two >/d/sub/two; ln -s one /d/link; ln /d/one /d/hard; "
              "ln -s /d /to_d; echo f >/f; chmod 640 /f; touch -t 200102030405 /f; ln -s nowhere /broken; ")
    if request.param == "running":
        csbx.ok("start", "-w", "-d", "box", "sh", "-c", script + "echo ready; exec sleep 1000")
        while "ready\n" not in csbx.ok("logs", "box"):
            pass
    else:
        csbx.ok("start", "-w", "box", "sh", "-c", script)
    csbx.running = request.param == "running"
    yield csbx
    if csbx.running:
        csbx.ok("kill", "box")
        csbx.run("wait", "box")
    csbx.ok("remove", "-f", "box")


def inside(box, script):
    """The output of a program in the container afterwards."""
    verb = ["exec", "box"] if box.running else ["start", "-w", "box"]
    return box.ok(*verb, "sh", "-c", script)


@pytest.fixture
def src(box):
    """A directory of the host to be copied."""
    d = box.work / "src"
    (d / "deep/er").mkdir(parents=True)
    (d / "file").write_text("host file\n")
    (d / "deep/er/x").write_text("x")
    (d / "run.sh").write_text("#!/bin/sh\n")
    (d / "run.sh").chmod(0o755)
    os.link(d / "file", d / "again")
    os.symlink("file", d / "link")
    os.mkfifo(d / "fifo")
    os.utime(d / "file", (1e9, 1e9))
    return d


def test_file_out(box):
    box.ok("cp", "box:/f", "new")
    box.ok("cp", "box:f", ".")
    (box.work / "dir").mkdir()
    box.ok("cp", "box:/f", "dir")
    (box.work / "old").write_text("something longer")
    box.ok("cp", "box:/f", box.work / "old")
    for name in "new", "f", "dir/f", "old":
        st = (box.work / name).stat()
        assert (box.work / name).read_text() == "f\n"
        assert (st.st_mode, st.st_uid) == (stat.S_IFREG | 0o640, os.getuid())
        assert st.st_mtime < 1e9


def test_directory_out(box):
    box.ok("cp", "box:/d", "made")
    assert (box.work / "made/sub/two").read_text() == "two\n"
    box.ok("cp", "box:/d", "made")
    assert (box.work / "made/d/one").read_text() == "one\n"
    box.ok("cp", "box:/d/.", "made")
    made = box.work / "made"
    assert os.readlink(made / "link") == "one"
    assert (made / "one").stat().st_ino == (made / "hard").stat().st_ino
    assert sorted(p.name for p in made.iterdir()) == ["d", "hard", "link", "one", "sub"]


def test_links(box):
    box.ok("cp", "box:/d/link", ".")
    assert os.readlink(box.work / "link") == "one"
    box.ok("cp", "-L", "box:/d/link", "followed")
    assert (box.work / "followed").read_text() == "one\n"
    box.ok("cp", "box:/to_d/.", "content")
    assert (box.work / "content/one").read_text() == "one\n"
    box.ok("cp", "box:/broken", ".")
    assert os.readlink(box.work / "broken") == "nowhere"


def test_file_in(box, src):
    box.ok("cp", src / "file", "box:/new")
    box.ok("cp", src / "file", "box:/empty")
    box.ok("cp", src / "file", "box:/f")
    box.ok("cp", src / "run.sh", "box:/to_d")
    said = inside(box, "cat /new /empty/file /f; stat -c '%u %a %Y' /new; stat -c %a /d/run.sh; ls -A /")
    assert said.startswith("host file\n" * 3 + "0 644 1000000000\n755\n")


def test_directory_in(box, src):
    box.ok("cp", "src", "box:/made")
    box.ok("cp", "src", "box:/made")
    box.ok("cp", "src/.", "box:/empty")
    said = inside(box, "cd /made; cat src/deep/er/x deep/er/x file; readlink link; "
                       "[ file -ef again ] && echo same; [ -p fifo ] && echo fifo; ls /empty; stat -c %u src/deep")
    assert said == "xxhost file\nfile\nsame\nfifo\nagain\ndeep\nfifo\nfile\nlink\nrun.sh\n0\n"


def test_tar_out(box):
    p = box.run("cp", "box:/d", "-", text=False)
    assert p.returncode == 0, p.stderr
    with tarfile.open(fileobj=io.BytesIO(p.stdout)) as tar:
        assert tar.getnames() == ["d", "d/hard", "d/link", "d/one", "d/sub", "d/sub/two"]
        assert tar.getmember("d/one").linkname == "d/hard"
        assert tar.extractfile("d/sub/two").read() == b"two\n"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_in(box, mode):
    tarball = box.work / "t.tar"
    with tarfile.open(tarball, mode) as tar:
        info = tarfile.TarInfo("not/there/yet")
        info.size, info.uid, info.gid, info.mode = 4, 7, 8, 0o4755
        tar.addfile(info, io.BytesIO(b"data"))
    p = box.run("cp", "-", "box:/empty", stdin=tarball.read_bytes(), text=False)
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")
    said = inside(box, "cd /empty/not/there; cat yet; stat -c ' %u %g %a' yet")
    assert said in ("data 7 8 4755\n", "data 0 0 4755\n")
    ranges = box.ok("exec", "box", "cat", "/proc/self/uid_map") if box.running else None
    if ranges:
        assert ("7 8" in said) == (len(ranges.splitlines()) > 1 or int(ranges.split()[2]) > 1)


SET_IDS = {"own": ("0:0", 0o6755), "user": ("0:55", 0o6755), "group": ("55:0", 0o6755), "other": ("55:55", 0o6755), "plain": ("55:55", 0o1755)}


@pytest.mark.parametrize("docker", [(), ("docker",)], ids=["", "docker"])
def test_set_user_id_of_others_does_not_come_out(box, docker):
    """A program that is another user's inside becomes none that runs as the caller outside."""
    made = "; ".join(f"{make} /s/{kind}-{name}; chown {owner} /s/{kind}-{name}; chmod {mode:o} /s/{kind}-{name}"
                     for kind, make in (("f", "touch"), ("d", "mkdir")) for name, (owner, mode) in SET_IDS.items())
    said = inside(box, f"mkdir /s; {{ {made}; }} 2>/dev/null; cd /s; stat -c '%n %u %g %a' *")
    box.ok(*docker, "cp", "-a", "box:/s", "kept")
    box.ok(*docker, "cp", "box:/s", "dropped")
    lines = [line.split() for line in said.splitlines()]
    assert len(lines) == 2 * len(SET_IDS)
    for name, uid, gid, mode in lines:
        bits = int(mode, 8)
        want = bits & ~(0 if uid == "0" else stat.S_ISUID) & ~(0 if gid == "0" else stat.S_ISGID)
        assert stat.S_IMODE((box.work / "kept" / name).stat().st_mode) == want, (name, uid, gid, mode)
        assert stat.S_IMODE((box.work / "dropped" / name).stat().st_mode) == bits & 0o1777, (name, uid, gid, mode)


def test_set_user_id_of_a_main_user_comes_out(csbx, busybox_image):
    csbx.ok("create", "-n", "box", busybox_image)
    p = csbx.popen("start", "-w", "--user", "1000:1000", "box", "sh", "-c", "cd /dev/shm; cp /bin/busybox f; chmod 6711 f; echo ready; read x",
                   stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"ready\n"
    csbx.ok("cp", "-a", "box:/dev/shm/f", "out")
    p.communicate()
    assert stat.S_IMODE((csbx.work / "out").stat().st_mode) == 0o6711
    csbx.ok("remove", "-f", "box")


def test_sparse_and_large(box):
    with open(box.work / "sparse", "wb") as f:
        f.seek(300 << 20)
        f.write(b"end")
    box.ok("cp", "sparse", "box:/sparse")
    box.ok("cp", "box:/sparse", "back")
    with open(box.work / "back", "rb") as f:
        f.seek(300 << 20)
        assert f.read() == b"end"
    assert os.path.getsize(box.work / "back") == (300 << 20) + 3


def test_holes_stay_holes(box):
    """Into the container and out of it, whatever lies between; all bytes but holes are copied exactly."""
    parts = {0: b"begin", (1 << 20) + 4093: b"over a page's end", 4 << 20: b"\0" * 4095 + b"x", 9 << 20: b"y" * 70000}
    with open(box.work / "sparse", "wb") as f:
        for at, data in parts.items():
            f.seek(at)
            f.write(data)
        f.truncate(64 << 20)
    (box.work / "zeros").write_bytes(b"\0" * 5000)
    box.ok("cp", "sparse", "box:/sparse")
    box.ok("cp", "zeros", "box:/zeros")
    blocks, size = inside(box, "stat -c '%b %s' /sparse").split()
    assert int(size) == 64 << 20 and int(blocks) * 512 < 2 << 20, blocks
    box.ok("cp", "box:/sparse", "back")
    box.ok("cp", "box:/zeros", "zeros_back")
    assert (box.work / "back").read_bytes() == (box.work / "sparse").read_bytes()
    assert (box.work / "zeros_back").read_bytes() == b"\0" * 5000
    assert (box.work / "back").stat().st_blocks * 512 < 2 << 20


def tar_of(*members):
    """A tar of names, each with a type and, for links, a target; files have two bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, kind, *target in members:
            info = tarfile.TarInfo(name)
            info.type, info.devmajor, info.devminor = kind, 1, 3
            info.linkname = target[0] if target else ""
            info.size = 2 if kind == tarfile.REGTYPE else 0
            t.addfile(info, io.BytesIO(b"x\n"))
    return out.getvalue()


def test_members_of_other_kinds(box):
    """Pipes and names with newlines are made as they are; device nodes are refused, and nothing of the host's is opened."""
    p = box.run("cp", "-", "box:/empty", text=False,
                stdin=tar_of(("pipe", tarfile.FIFOTYPE), ("new\nline", tarfile.REGTYPE), ("\x1b[31m", tarfile.REGTYPE)))
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")
    assert inside(box, "cd /empty; test -p pipe && cat new*line") == "x\n"
    target = box.work / "target"
    box.ok("cp", "box:/empty", target)
    assert stat.S_ISFIFO((target / "pipe").lstat().st_mode) and (target / "new\nline").read_text() == "x\n"
    for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE):
        p = box.run("cp", "-", "box:/empty", text=False, stdin=tar_of(("new\nline/../node", kind), ("node\n\x1b", kind)))
        assert p.returncode == 125 and b"\x1b" not in p.stderr and p.stderr.count(b"\n") == 1, p.stderr
    assert inside(box, "ls -a /empty | grep -c node || true") == "0\n"


def test_tar_from_who_does_not_wait(box):
    """Standard input with O_NONBLOCK, as some runners give it: it is waited for."""
    with tarfile.open(box.work / "t.tar", "w") as tar:
        info = tarfile.TarInfo("late")
        info.size = 300000
        tar.addfile(info, io.BytesIO(b"z" * 300000))
    p = harness.run_without_waiting(box, (box.work / "t.tar").read_bytes(), "cp", "-", "box:/empty")
    assert p == (0, b"", b"")
    assert inside(box, "wc -c < /empty/late") == "300000\n"


def test_names(box):
    """Long ones, and bytes that are no text."""
    d = box.work / "odd"
    d.mkdir()
    long = d / ("l" * 200) / ("m" * 200)
    long.mkdir(parents=True)
    raw = os.fsencode(d) + b"/\xff\xfe \n"
    with open(raw, "w") as f:
        f.write("raw")
    (long / "f").write_text("deep")
    os.symlink("t" * 300, d / "link")
    box.ok("cp", "odd", "box:/odd")
    box.ok("cp", "box:/odd", "back")
    back = box.work / "back"
    assert sorted(os.listdir(os.fsencode(back))) == sorted(os.listdir(os.fsencode(d)))
    assert (back / ("l" * 200) / ("m" * 200) / "f").read_text() == "deep"
    assert os.readlink(back / "link") == "t" * 300


REFUSED = [
    (["box:/nope", "x"], "/nope: No such file or directory"),
    (["nope", "box:/x"], "nope: No such file or directory"),
    (["src", "box:/f"], "a file; a directory cannot replace it"),
    (["src/file", "box:/no/where"], "/no/: No such file or directory"),
    (["src/file", "box:/nope/"], "no such directory"),
    (["src/file", "box:/f/"], "no such directory"),
    (["src/file", "box:/f/x"], "Not a directory"),
    (["box:/d", "src/file"], "a file; a directory cannot replace it"),
    (["box:/f", "no/where"], "no/: No such file or directory"),
    (["box:/f", "nope/"], "no such directory"),
    (["box:/f/", "x"], "/f/: Not a directory"),
    (["box:/d", "box:/e"], "copying between containers is not possible"),
    (["src", "dst"], "neither is a container's path, NAME:PATH"),
    (["-", "box:/f"], "must be a directory for a tar"),
]


@pytest.mark.parametrize("args,text", REFUSED)
def test_refused(box, src, args, text):
    p = box.run("cp", *args)
    assert (p.returncode, p.stdout) == (125, "")
    assert p.stderr == f"csbx: cp {args[0]} {args[1]}: {text}\n"


def test_file_over_directory(box, src):
    """`docker cp` refuses it as well: nothing is deleted that was not named."""
    (box.work / "d").write_text("a file")
    p = box.run("cp", "d", "box:/")
    assert (p.returncode, "a directory is not overwritten" in p.stderr) == (125, True)
    assert inside(box, "cat /d/one") == "one\n"


def test_set_ids_stay_inside(box):
    inside(box, "cp /f /s && chmod 6755 /s")
    box.ok("cp", "box:/s", "s")
    assert stat.S_IMODE((box.work / "s").stat().st_mode) == 0o755
    box.ok("cp", "-a", "box:/s", "kept")
    assert stat.S_IMODE((box.work / "kept").stat().st_mode) == 0o6755


def test_links_lead_nowhere(box, src):
    """Absolute links and .. end at the container's root, in every part of a path."""
    inside(box, f"ln -s {box.work} /out; mkdir -p {box.work} /x; ln -s ../../../../../.. /x/up; ln -s /x /etc/x 2>/dev/null || true")
    box.ok("cp", "src/file", "box:/out/stolen")
    box.ok("cp", "src/file", "box:/x/up/up_file")
    box.ok("cp", "src/file", "box:/../../dots")
    assert not (box.work / "stolen").exists() and not Path("/dots").exists() and not Path("/up_file").exists()
    assert inside(box, f"cat {box.work}/stolen /up_file /dots") == "host file\n" * 3
    assert box.run("cp", "box:/out/src/file", "x").returncode == 125


def test_hostile_tar(box):
    """A member below a link of the archive's own, an absolute name, a name with ..: inside or nowhere."""
    file, link = tarfile.REGTYPE, tarfile.SYMTYPE
    for members, code in (([("l", link, str(box.work)), ("l/evil", file)], 125),
                          ([("l", link, "/d"), ("l/evil", file)], 0), ([("/abs/evil", file)], 0),
                          ([("../evil", file)], 125)):
        p = box.run("cp", "-", "box:/empty", stdin=tar_of(*members), text=False)
        assert p.returncode == code, (members, p.stderr)
    assert not (box.work / "evil").exists()
    assert inside(box, "ls /empty/abs /d/evil") == "/d/evil\n\n/empty/abs:\nevil\n"


@pytest.mark.parametrize("docker", [(), ("docker",)], ids=["", "docker"])
def test_no_link_that_may_lead_elsewhere_comes_out(box, docker):
    """A later copy would write through it. What leads to a file of the host, or to what is beside it, is copied as it is."""
    victim = box.work / "victim"
    victim.mkdir()
    (box.work / "out").mkdir()
    (box.work / "out/mine").symlink_to(victim)
    for target in (str(victim), "../victim", "./..//victim/", "one/../../victim", "/", "..", f"/no/../{victim}", f"../../../../../../../..{victim}",
                   "/no/where", "../no", "x/../../no", "one/two", "mine", "./mine"):
        inside(box, f"rm -rf /results; ln -s {target} /results")
        for to in ("out/results", "out"):
            p = box.run(*docker, "cp", "box:/results", to)
            assert p.returncode and "by which the next copy could write elsewhere" in p.stderr, (target, to, p)
            assert not os.path.lexists(box.work / "out/results")
        inside(box, "rm /results; mkdir /results; echo x >/results/file")
        box.ok(*docker, "cp", "box:/results/.", "out/results")
        assert (box.work / "out/results/file").read_text() == "x\n" and not list(victim.iterdir())
        shutil.rmtree(box.work / "out/results")
    (box.work / "file").write_text("")
    (box.work / "out/sub").mkdir()
    (box.work / "out/sub/file").write_text("")
    for target in ("one", "one/two/..", ".", "sub", "sub/file", "/etc/passwd", "../file", "none/../sub"):
        inside(box, f"rm -rf /results; ln -s {target} /results")
        box.ok(*docker, "cp", "box:/results", "out/results")
        assert os.readlink(box.work / "out/results") == target
        (box.work / "out/results").unlink()


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_two_copies_make_no_way_out(box, order):
    """A link by a directory that another copy brings, with a link in it."""
    victim = box.work / "victim"
    victim.mkdir()
    (box.work / "out").mkdir()
    inside(box, f"ln -s b/v /a; mkdir /b; ln -s {victim} /b/v")
    for name in order:
        box.run("cp", f"box:/{name}", f"out/{name}")
    inside(box, "rm /a; mkdir /a; echo x >/a/file")
    box.run("cp", "box:/a/.", "out/a")
    box.run("cp", "box:/a", "out/a")
    assert not list(victim.iterdir())


@pytest.fixture
def coarse(box, tmp_path_factory):
    """A directory of a file system that keeps whole seconds."""
    disk, top = tmp_path_factory.mktemp("coarse") / "disk", box.work / "coarse"
    with open(disk, "wb") as f:
        f.truncate(1 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-I", "128", disk], check=True, timeout=60)
    top.mkdir()
    p = subprocess.run(["mount", "-o", "loop", disk, top], capture_output=True, text=True, timeout=60)
    if p.returncode:
        pytest.skip(f"no loop device here: {p.stderr.strip()}")
    os.chown(top, box.owner.pw_uid, box.owner.pw_gid)
    yield top
    subprocess.run(["umount", top], check=True, timeout=60)


@pytest.mark.needs_root
def test_no_path_goes_by_a_link_of_a_file_system_without_nanoseconds(box, coarse):
    (coarse / "victim").mkdir()
    os.chown(coarse / "victim", box.owner.pw_uid, box.owner.pw_gid)
    inside(box, f"mkdir -p /res; ln -s {coarse}/victim /res/sub; ln -s ../victim /res/far; touch -h -d '2040-01-01' /res/far")
    box.ok("cp", "box:/res", f"{coarse}/out")
    assert os.lstat(coarse / "out/sub").st_mtime_ns % 10**9 == 0, "this file system keeps them"
    inside(box, "rm -rf /res; mkdir -p /res/sub /res/far; echo x >/res/sub/file; echo x >/res/far/file")
    for name in ("sub", "far"):
        p = box.run("cp", f"box:/res/{name}/.", f"{coarse}/out/{name}")
        assert p.returncode and "copied out of a container" in p.stderr, (name, p)
    assert not list((coarse / "victim").iterdir())


@pytest.mark.parametrize("docker", [(), ("docker",)], ids=["", "docker"])
def test_no_path_goes_by_a_link_that_a_copy_brought(box, docker):
    victim = box.work / "victim"
    victim.mkdir()
    inside(box, f"mkdir -p /res/in; ln -s {victim} /res/sub; ln -s in/x /res/two; ln -s {victim} /res/in/x; ln -s in /res/here")
    box.ok(*docker, "cp", "box:/res", "out")
    assert os.readlink(box.work / "out/sub") == str(victim)
    inside(box, "rm -rf /res; mkdir -p /res/sub /res/in/x; echo x >/res/sub/file; echo x >/res/in/x/file")
    for source, to in (("sub/.", "sub"), ("sub/.", "sub/"), ("sub/file", "sub/file"), ("in/x/file", "in/x/"), ("in/x/.", "two"), ("in/x/.", "here/x")):
        p = box.run(*docker, "cp", f"box:/res/{source}", f"out/{to}")
        assert p.returncode and "copied out of a container" in p.stderr, (source, to, p)
    (victim / "secret").write_text("mine")
    p = box.run(*docker, "cp", "out/sub/secret", "box:/stolen")
    assert p.returncode and "copied out of a container" in p.stderr, p
    assert [each.name for each in victim.iterdir()] == ["secret"]
    (box.work / "link").symlink_to("victim")  # the caller's own
    box.ok(*docker, "cp", "box:/res/sub/file", "link/")
    assert (victim / "file").read_text() == "x\n"


def test_existing_links_outside(box):
    """In the host's tree a link is replaced, never written through, and never stands for a directory."""
    victim = box.work / "victim"
    victim.write_text("mine\n")
    target = box.work / "target"
    target.mkdir()
    os.symlink(victim, target / "one")
    box.ok("cp", "box:/d/one", "target")
    assert victim.read_text() == "mine\n" and (target / "one").read_text() == "one\n"
    os.symlink(box.work, target / "sub")
    p = box.run("cp", "box:/d/.", "target")
    assert (p.returncode, "a non-directory is not overwritten" in p.stderr) == (125, True)
    assert not (box.work / "two").exists()


def test_reader_goes_away(box):
    with open(os.devnull, "rb") as nothing:
        out, into = os.pipe()
        os.close(out)
        p = subprocess.run(box.argv(["cp", "box:/d", "-"]), env=box.env, stdin=nothing, stdout=into,
                           stderr=subprocess.PIPE, timeout=60, check=False, cwd=box.work, text=True)
        os.close(into)
    assert p.returncode == 125 and p.stderr.endswith(": Broken pipe\n"), p.stderr


def test_unknown_container(csbx):
    p = csbx.run("cp", "nobody:/x", ".")
    assert (p.returncode, p.stdout) == (125, "")
    assert p.stderr.startswith("csbx: cp nobody:/x .: ")


SWAPPER = r"""
import os, sys
host = sys.argv[1]
os.makedirs("/race/real/sub", exist_ok=True)
open("/race/real/sub/f", "w").write("inside\n")
os.symlink(host, "/race/evil")
os.rename("/race/real", "/race/a")
print("ready", flush=True)
while True:
    os.rename("/race/a", "/race/real"); os.rename("/race/evil", "/race/a")
    os.rename("/race/a", "/race/evil"); os.rename("/race/real", "/race/a")
"""


def test_links_swapped_meanwhile(csbx, python_image):
    """The container renames a directory and a link to the host's path to and fro all the while."""
    (csbx.work / "outside/sub").mkdir(parents=True)
    (csbx.work / "outside/sub/f").write_text("secret\n")
    (csbx.work / "new").write_text("new\n")
    csbx.ok("create", "-n", "box", python_image)
    csbx.ok("start", "-w", "-d", "box", "python3", "-c", SWAPPER, csbx.work / "outside")
    while "ready\n" not in csbx.ok("logs", "box"):
        pass
    seen = set()
    for i in range(40):
        p = csbx.run("cp", "new", "box:/race/a/sub/stolen")
        seen.add(p.returncode)
        out = csbx.work / f"out{i}"
        csbx.run("cp", "box:/race/a/sub/f", out)
        csbx.run("cp", "box:/race/a", csbx.work / f"tree{i}")
        assert not out.exists() or out.read_text() == "inside\n"
        tree = csbx.work / f"tree{i}"
        assert tree.is_symlink() or not (tree / "sub/f").exists() or (tree / "sub/f").read_text() == "inside\n"
    assert seen <= {0, 125}
    assert sorted(os.listdir(csbx.work / "outside/sub")) == ["f"]
    csbx.ok("kill", "box")
    csbx.run("wait", "box")
    csbx.ok("remove", "-f", "box")


def test_no_container(csbx, busybox_image):
    """An image's name is no container's: a layer made for it would become that of a later container of the name."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        t.addfile(tarfile.TarInfo("f"))
    csbx.ok("docker", "import", "-", "img", stdin=out.getvalue(), text=False)
    for words in (("cp", "work", "img:/w"), ("docker", "cp", "work", "img:/w"), ("docker", "cp", "img:/f", "out")):
        (csbx.work / "work").write_text("w")
        p = csbx.run(*words)
        assert p.returncode and "o such container" in p.stderr, words
    assert not (csbx.work / "out").exists()
    csbx.ok("create", "-n", "img", busybox_image)
    assert csbx.run("start", "-w", "img", "ls", "/w").returncode


def test_removed_meanwhile(csbx, busybox_image):
    """A copy and a removal race: the files that a copy makes in the layer do not outlive the container."""
    (csbx.work / "work").write_text("w")
    for _ in range(12):
        csbx.ok("create", "--keep", "-n", "box", busybox_image, "true")
        jobs = [csbx.popen("docker", *words) for words in [("cp", "work", "box:/w")] * 4 + [("rm", "-f", "box")] * 2 +
                [("cp", "work", "box:/w")] * 4]
        for job in jobs:
            job.communicate(timeout=60)
        csbx.run("docker", "rm", "-f", "box")  # a copy may have held it
    left = [d for d in (csbx.dirs["data"] / "layers").glob("*") if d.is_dir()]
    assert not left
