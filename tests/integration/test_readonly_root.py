# SPDX-License-Identifier: Apache-2.0
"""A read-only root is the image's own mount where that will do, and an overlay where it will not; a program cannot
tell by what it does."""
import json
import shutil
import subprocess

import pytest

import images
from ociimage import D, F, Image, L, make_layer

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]
ROOT = "grep ' / / ' /proc/self/mountinfo"
OVERLAY = ["--tmpfs", "/not-in-the-image"]  # a mount point that is to be made
ENTRIES = [D("data"), F("data/file", b"of the image\n", mode=0o600), F("data/theirs", b"x", uid=1000, gid=1000, mode=0o400),
           D("mnt"), L("link", "data"), F("data/setuid", b"x", mode=0o4755), L("gone", "nowhere"), D("private", mode=0o700),
           F("private/in", b"x"), F("etc/first", b"1\n"), D("etc/conf.d", mode=0o750), F("etc/hosts", b"of the image\n"),
           D("run"), D("run/lock", mode=0o1777), D("var"), L("var/lock", "/run/lock")]


@pytest.fixture
def box(csbx, make_image):
    csbx.ok("create", "-n", "box", make_image(images.base_entries() + ENTRIES, name="box"))
    (csbx.work / "src").mkdir()
    (csbx.work / "src/file").write_text("of the host\n")
    yield csbx
    csbx.run("remove", "-f", "box")


SHARED = ("--security-opt", "root=shared")


def is_direct(box, *options, verb=("start", "--read-only", *SHARED), name="box"):
    line = box.ok(*verb, *options, name, "sh", "-c", ROOT)
    kind, attributes = line.split(" - ")[1].split()[0], line.split()[5].split(",")
    assert kind in ("fuse", "overlay") and {"nosuid", "nodev"} <= set(attributes), line
    return kind == "fuse"


DIRECT = {
    "nothing": [], "host network": ["--network", "host"], "another user": ["--user", "1000:1000"],
    "directory": ["--mount", "{src}:/mnt"], "file": ["--mount", "{src}/file:/data/file"],
    "file of etc": ["--mount", "{src}/file:/etc/hosts"], "new in etc": ["--mount", "{src}/file:/etc/a/b/c", "--tmpfs", "/etc/d"],
    "in a tmpfs": ["--tmpfs", "/tmp", "--mount", "{src}:/tmp/a/b", "--mount", "{src}/file:/tmp/f"],
    "below dev": ["--device", "/dev/null:/dev/mine"], "tmpfs by a link": ["--tmpfs", "/link"],
    "volume": ["--volume", "v:/data"], "copy": ["--mount", "type=copy,src={src},dst=/mnt"],
}
NOT_DIRECT = {
    "missing": ["--mount", "{src}:/new"], "by a link": ["--mount", "{src}:/link"],
    "below a link": ["--tmpfs", "/link/new"], "below a mount": ["--mount", "{src}:/mnt", "--tmpfs", "/mnt/x"],
    "a link after a mount": ["--mount", "{src}:/mnt", "--tmpfs", "/link"], "dangling": ["--tmpfs", "/gone"],
}


def filled(options, box):
    return [x.format(src=box.work / "src") for x in options]


@pytest.mark.parametrize("what", DIRECT)
def test_the_image_is_the_root(box, what):
    try:
        assert is_direct(box, *filled(DIRECT[what], box))
    finally:
        box.run("docker", "volume", "rm", "v")


@pytest.mark.parametrize("what", NOT_DIRECT)
def test_an_overlay_is_the_root(box, what):
    (box.work / "src/x").mkdir()
    assert not is_direct(box, *filled(NOT_DIRECT[what], box))


@pytest.mark.parametrize("what", [*DIRECT, *NOT_DIRECT])
def test_mounts_show_the_same(box, what):
    """What is mounted, and what the image has around it."""
    (box.work / "src/x").mkdir()
    options = filled({**DIRECT, **NOT_DIRECT}[what], box)
    script = "cd /; for f in etc/* etc/a/b/c mnt mnt/* data/* link/* tmp tmp/* tmp/a/b/* new/*; do " \
             "test -e $f && stat -c '%n %f %u %g' $f && test -f $f && echo $(cat $f); done; touch /x /etc/x 2>&1; true"
    try:
        said = [box.run("start", "--read-only", *SHARED, *options, *more, "box", "sh", "-c", script) for more in ([], OVERLAY)]
        assert said[0].stdout == said[1].stdout and said[0].stdout.count("Read-only file system") == 2
        assert said[0].returncode == said[1].returncode == 0 and said[0].stderr == said[1].stderr
    finally:
        box.run("docker", "volume", "rm", "v")


def test_other_roots_are_overlays(box, make_image):
    """A writable one; a layer with content; an image without a mount point, with another owner or mode of its root."""
    assert not is_direct(box, verb=["start"])
    box.ok("create", "-n", "kept", box.work / "box.sqsh")
    assert is_direct(box, name="kept")
    box.ok("start", "--rw", "kept", "touch", "/in-the-layer")
    assert not is_direct(box, name="kept") and not is_direct(box, verb=["start", "--rw"], name="kept")
    box.ok("start", "--read-only", *SHARED, "kept", "test", "-e", "/in-the-layer")
    box.ok("remove", "-f", "kept")
    base = images.base_entries()
    for n, entries in enumerate(([e for e in base if e.name != "sys"], [*base, D(".", mode=0o1777)])):
        image = make_image(entries, name=f"odd{n}")
        assert not is_direct(box, name=image), n


@pytest.mark.parametrize("etc", ["missing", "link", "file"])
def test_an_image_whose_etc_is_no_directory(box, etc):
    """csbx has no files in it then: they need no overlay, but for an /etc that is to be made."""
    tree = box.work / "tree"
    for name in ("bin", "dev", "proc", "sys", "etc2"):
        (tree / name).mkdir(parents=True)
    shutil.copy(images.busybox_program(), tree / "bin/busybox")
    for name in ("sh", "grep", "ls"):
        (tree / "bin" / name).symlink_to("busybox")
    if etc == "link":
        (tree / "etc").symlink_to("../../../../../../etc")
    elif etc == "file":
        (tree / "etc").write_text("x")
    image = box.work / "odd.sqsh"
    subprocess.run(["/usr/bin/mksquashfs", tree, image, "-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-all-root"],
                   check=True, capture_output=True)
    assert is_direct(box, name=image) == (etc != "missing")
    assert box.run("start", "--read-only", *SHARED, image, "ls", "/etc/").returncode == (etc != "missing")


LOOK = r"""
import errno, hashlib, json, os, stat
def fate(function, *args, **kw):
    try:
        got = function(*args, **kw)
        if isinstance(got, int) and got > 2: os.close(got)
        return "done"
    except OSError as e:
        return errno.errorcode[e.errno]
seen = {}
for top, dirs, files in os.walk("/"):
    dirs[:] = sorted(d for d in dirs if os.path.join(top, d) not in ("/proc", "/sys", "/dev", "/not-in-the-image"))
    for name in [".", *dirs, *files]:
        path = os.path.normpath(os.path.join(top, name))
        st = os.lstat(path)
        own = path in ("/", "/etc", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/passwd", "/etc/group")
        row = [oct(st.st_mode), st.st_uid, st.st_gid, 0 if own else st.st_mtime_ns]
        if stat.S_ISLNK(st.st_mode): row.append(os.readlink(path))
        elif stat.S_ISREG(st.st_mode):
            row += [st.st_size, st.st_nlink]
            try: row.append(hashlib.md5(open(path, "rb").read()).hexdigest())
            except OSError as e: row.append(errno.errorcode[e.errno])
            row.append(fate(os.listxattr, path))
        seen[path] = row
tried = {}
for f in ("/usr/bin/python3", "/etc/passwd", "/etc/hosts", "/etc/shadow"):
    tried[f] = [fate(os.open, f, flags) for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_APPEND, os.O_RDONLY | os.O_TRUNC)] + [
        fate(os.unlink, f), fate(os.rename, f, f + "2"), fate(os.link, f, f + "2"), fate(os.chmod, f, 0o777),
        fate(os.chown, f, 0, 0), fate(os.utime, f), fate(os.truncate, f, 0), fate(os.setxattr, f, "user.x", b"1"),
        fate(os.getxattr, f, "user.x"), fate(os.getxattr, f, "security.capability"), os.access(f, os.R_OK),
        os.access(f, os.W_OK), os.access(f, os.X_OK)]
for d in ("/", "/etc", "/usr/bin", "/tmp"):
    tried[d] = [fate(os.mkdir, d + "/n"), fate(os.symlink, "x", d + "/n"), fate(os.mkfifo, d + "/n"), fate(os.rmdir, d),
                fate(os.open, d + "/n", os.O_CREAT | os.O_WRONLY), fate(os.open, d, os.O_TMPFILE | os.O_WRONLY),
                fate(os.open, d + "/n", os.O_RDONLY), os.access(d, os.W_OK)]
print(json.dumps({"seen": seen, "tried": tried}))
"""


@pytest.mark.parametrize("options", [[], ["--user", "1000:1000"], ["--cap-drop", "ALL"]], ids=["root", "another", "no capability"])
def test_a_program_finds_the_same(csbx, python_image, options):
    """Names, modes, owners, times and contents of the whole image; what each attempt to change something says."""
    said = [json.loads(csbx.ok("start", "--read-only", *SHARED, "--hostname", "x", *options, *more, python_image, "python3", "-c", LOOK)) for more in ([], OVERLAY)]
    assert is_direct(csbx, *options, name=python_image) and not is_direct(csbx, *options, *OVERLAY, name=python_image)
    seen, other = (x["seen"] for x in said)
    assert len(seen) > 500
    assert {p: (row, other.get(p)) for p, row in seen.items() if row != other.get(p)} == {} and seen.keys() == other.keys()
    for path, row in said[0]["tried"].items():
        for mine, others in zip(row, said[1]["tried"][path]):
            # The kernel asks a read-only file system first, and a read-only mount of a writable one last.
            assert mine == others or (mine, others) in (("EROFS", "ETXTBSY"), ("EROFS", "EACCES")), (path, row)
    assert "EROFS" in said[0]["tried"]["/etc/hosts"] and "done" not in said[0]["tried"]["/"][:7]


def test_another_process_and_copies(box):
    """exec into one that runs, and copies out of the container meanwhile."""
    for options in ([], OVERLAY):
        p = box.popen("start", "--read-only", *SHARED, *options, "box", "sh", "-c", "echo up; while :; do sleep 1000; done")
        try:
            assert p.stdout.readline() == b"up\n"
            kind = "overlay" if options else "fuse"
            assert f" - {kind} " in box.ok("exec", "box", "sh", "-c", ROOT)
            assert box.ok("exec", "box", "cat", "/data/file", "/etc/first") == "of the image\n1\n"
            assert box.ok("exec", "box", "cat", "/etc/hostname") == "box\n"
            assert "Read-only file system" in box.run("exec", "box", "touch", "/etc/x", "/x").stderr
            box.ok("cp", "box:/data/file", box.work / "out")
            assert (box.work / "out").read_text() == "of the image\n"
            assert json.loads(box.ok("inspect", "box"))
        finally:
            p.kill()
            p.communicate()
    # What is copied in lies in the container's layer from then on.
    box.ok("cp", box.work / "src/file", "box:/data/new")
    assert box.ok("start", "--read-only", *SHARED, "box", "cat", "/data/new") == "of the host\n" and not is_direct(box)


def test_dockers_containers_have_a_file_of_their_own(box):
    """/.dockerenv, which no image has."""
    path = box.work / "box.tar"
    Image([make_layer(images.base_entries())], {"Cmd": ["sh"], "Env": [images.PATH_ENV]}).write_docker_archive(path, tags=("box:1",))
    box.ok("docker", "load", "-q", "-i", path)
    said = box.ok("docker", "run", "--rm", "--network", "none", "--read-only", "box:1", "sh", "-c", ROOT + "; ls /.dockerenv")
    assert " - overlay " in said and said.endswith("/.dockerenv\n")
    box.ok("docker", "rmi", "-f", "box:1")


def test_starts_of_the_enroot_dialect(box):
    """Without a supervisor, the host's files of /etc mounted over the image's."""
    box.ok("enroot", "create", "-n", "own", box.work / "box.sqsh")
    said = box.ok("enroot", "start", "own", "sh", "-c", ROOT + "; cat /etc/hosts; touch /x 2>&1; touch /tmp/x && echo written")
    with open("/etc/hosts", encoding="utf-8") as f:
        assert f.read() in said
    assert " - fuse " in said and "Read-only file system" in said and said.endswith("written\n")
    home = {"HOME": "/home/of/mine"}
    said = box.ok("enroot", "start", "own", "sh", "-c", ROOT + "; echo $HOME; cd && stat -c %a . /home/app; touch x 2>&1; true", env=home, timeout=30)
    assert " - fuse " in said and said.endswith("/home/of/mine\n700\n755\ntouch: x: Read-only file system\n"), said
    box.ok("enroot", "remove", "-f", "own")
