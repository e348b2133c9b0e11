# SPDX-License-Identifier: Apache-2.0
"""csbx's own directories by way of a link that a container has in its files: a start follows it to find a mount's place,
a copy into a container that does not run to find its target."""
import os
import shutil
import stat
from pathlib import Path

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]


@pytest.fixture
def home(csbx, busybox_image):
    """A home with csbx's data and configuration in it, as usual; `linked` has links to them."""
    top = csbx.top / "work" / "home"
    for name in (".local/share/csbx", ".config/csbx", ".config/enroot", "dir"):
        (top / name).mkdir(parents=True, mode=0o700)
    (top / "file").write_text("from the host\n")
    for path in (top, *top.rglob("*")):
        if csbx.user:
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    csbx.env["HOME"] = str(top)
    csbx.env["CSBX_DATA_PATH"] = str(top / ".local/share/csbx")
    csbx.ok("create", "--name", "linked", busybox_image)
    csbx.ok("start", "--rw", "linked", "sh", "-c", "ln -s /h/.config/csbx/csbx.conf /conf; ln -s /h/.local/share/csbx /data;"
            "ln -s new/../../h/.config/enroot/hooks.d/x.sh /hook; ln -s /h/dir/new /fine")
    return top


def names(home):
    return sorted(str(p.relative_to(home)) for d in (".config", ".local/share/csbx/containers") for p in (home / d).rglob("*"))


@pytest.mark.parametrize("link", ["/conf", "/data/containers/evil", "/hook"])
@pytest.mark.parametrize("mount", [["--volume", "HOME/dir:LINK"], ["--volume", "HOME/file:LINK"], ["--tmpfs", "LINK"],
                                   ["--mount", "HOME/dir:LINK:none:bind"]], ids=["directory", "file", "tmpfs", "fstab"])
def test_no_place_of_a_mount_is_made_there(csbx, home, mount, link):
    before = names(home)
    words = [w.replace("HOME", str(home)).replace("LINK", link) for w in mount]
    p = csbx.run("start", "--rw", "--volume", f"{home}:/h", *words, "linked", "true")
    assert (p.returncode, p.stdout) == (125, "") and "Read-only file system" in p.stderr, p.stderr
    assert names(home) == before


def test_no_volume_is_filled_from_there(csbx, home):
    """The first start that mounts a volume copies into it what is at its place."""
    for mode in (":ro", ""):
        assert csbx.ok("start", "--rw", "--volume", f"{home}:/h{mode}", "--volume", f"vol{mode[1:]}:/data", "linked", "sh", "-c",
                       "ls -A /h/.local/share/csbx /data/") .split() == ["/data/:", "/h/.local/share/csbx:"]
        assert not list((home / ".local/share/csbx/volumes" / f"vol{mode[1:]}/_data").iterdir())


def test_a_place_elsewhere_in_a_mount_is_made(csbx, home):
    assert csbx.ok("start", "--rw", "--volume", f"{home}:/h", "--volume", f"{home}/file:/fine", "linked", "cat",
                   "/h/dir/new") == "from the host\n"
    assert (home / "dir/new").exists()


def test_no_directory_of_an_image_is_copied_from(csbx, home, busybox_image):
    """A directory as image has csbx's own directories in it, below the overlay."""
    (home / "link").symlink_to("/.local/share/csbx")
    csbx.ok("docker", "run", "--rm", "-v", f"{home}/dir:/d", str(busybox_image), "true")
    p = csbx.run("start", "--volume", "vol:/link", home, "/nothing")
    assert p.returncode in (125, 127), p.stderr
    filled = home / ".local/share/csbx/volumes/vol/_data"
    assert not filled.exists() or not list(filled.iterdir())


@pytest.fixture
def shared_memory(csbx):
    name = f"csbx-own-{os.getpid()}-{csbx.owner.pw_uid}"
    path = Path("/dev/shm") / name
    path.mkdir(mode=0o700)
    if csbx.user:
        os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("by_link", [False, True])
def test_the_hosts_shared_memory_shows_nothing(csbx, home, shared_memory, busybox_image, by_link):
    """`--ipc host` mounts /dev/shm, though it is no --mount."""
    place = shared_memory
    if by_link:
        place = home / "link"
        place.symlink_to(shared_memory)
    csbx.env["CSBX_CACHE_PATH"] = str(place / "cache")
    csbx.ok("run", busybox_image, "true")
    assert list((shared_memory / "cache").iterdir())
    out = csbx.ok("run", "--ipc", "host", busybox_image, "sh", "-c",
                  f"cd {shared_memory}; ls -A cache; mkdir cache/x 2>&1; mv cache y 2>&1; true")
    assert "Read-only file system" in out and "busy" in out and len(out.splitlines()) == 2, out


@pytest.fixture
def stopped(csbx, home, busybox_image):
    csbx.ok("run", "--keep", "--name", "stopped", "--volume", f"{home}:/h", "--volume", f"{home}/dir:/d", busybox_image, "sh",
            "-c", "ln -s /h/.config/enroot /enroot; ln -s /h/.local/share/csbx/containers /c; ln -s /h/dir /fine")
    return "stopped"


@pytest.mark.parametrize("target", ["/enroot/x", "/c/x", "/c/stopped/record", "/h/.config/csbx/csbx.conf"])
def test_no_copy_goes_there(csbx, home, stopped, target):
    before = names(home), (home / ".local/share/csbx/containers/stopped/record").read_bytes()
    p = csbx.run("docker", "cp", str(home / "file"), f"{stopped}:{target}")
    assert p.returncode == 1 and ("Could not find" in p.stderr or "read-only" in p.stderr), p.stderr
    assert (names(home), (home / ".local/share/csbx/containers/stopped/record").read_bytes()) == before


def test_no_copy_comes_from_there(csbx, home, stopped):
    for source in ("/c/stopped/record", "/h/.local/share/csbx/containers"):
        p = csbx.run("docker", "cp", f"{stopped}:{source}", str(home / "out"))
        assert p.returncode == 1 and "Could not find" in p.stderr and not (home / "out").exists(), p.stderr
    csbx.ok("docker", "cp", str(home / "file"), f"{stopped}:/fine/a")
    csbx.ok("docker", "cp", str(home / "file"), f"{stopped}:/d/b")
    assert sorted(os.listdir(home / "dir")) == ["a", "b"]
    csbx.ok("docker", "cp", f"{stopped}:/h/dir", str(home / "out"))
    assert (home / "out/a").read_text() == "from the host\n"


def test_a_copy_follows_no_link_that_came_since(csbx, home, stopped):
    """The place of a mount's source is a link into csbx's own directories by now: a start refuses it, and so does a copy."""
    (home / "dir").rmdir()
    (home / "dir").symlink_to(".config/csbx")
    p = csbx.run("docker", "cp", str(home / "file"), f"{stopped}:/d/csbx.conf")
    assert p.returncode == 1 and "csbx's own" in p.stderr, p.stderr
    assert stat.S_ISDIR((home / ".config/csbx").stat().st_mode) and not list((home / ".config/csbx").iterdir())


def test_a_source_that_comes_and_goes(csbx, home, stopped, busybox_image):
    """A program puts the link there while the copy is under way: it finds the directory, nothing, or what is hidden."""
    (home / "dir/sub").mkdir()
    if csbx.user:
        os.chown(home / "dir/sub", csbx.owner.pw_uid, csbx.owner.pw_gid)
    csbx.ok("docker", "create", "--name", "again", "-v", f"{home}/dir/sub:/d", str(busybox_image), "true")
    csbx.ok("docker", "start", "again")
    racer = csbx.popen("start", "--volume", f"{home}/dir:/r", busybox_image, "sh", "-c",
                       "cd /r; echo up; while :; do mv sub b; ln -s ../.config/csbx sub; rm sub; mv b sub; done")
    try:
        assert racer.stdout.readline() == b"up\n"
        ends = {csbx.run("docker", "cp", str(home / "file"), f"again:/d/f{i}").returncode for i in range(60)}
    finally:
        racer.terminate()
        racer.communicate(timeout=20)
    assert ends <= {0, 1} and not list((home / ".config/csbx").iterdir())


def test_no_lower_file_of_a_stack_is_a_link(csbx, home, busybox_image):
    """A stack that came as two files, one of them a link: its program would see an image that it only knew the path of."""
    csbx.ok("docker", "run", "--name", "first", str(busybox_image), "true")
    csbx.ok("docker", "commit", "first", "base")
    csbx.ok("docker", "run", "--name", "made", "base", "touch", "/mark")
    name = csbx.ok("docker", "commit", "made").split(":")[1].strip()
    image = home / ".local/share/csbx/images" / f"{name}.sqsh"
    top, lower = home / "top.sqsh", home / "top.sqsh.0"
    shutil.copyfile(image, top)
    lower.symlink_to(f"{image}.0")
    csbx.fails("start", top, "true", says=["top.sqsh.0: a symbolic link, where", "is none"])
    lower.unlink()
    shutil.copyfile(f"{image}.0", lower)
    for path in (top, lower):
        path.chmod(0o644)
    csbx.ok("start", top, "ls", "/mark")
    (home / "dir/link.sqsh").symlink_to(top)  # a directory of links to all files
    (home / "dir/link.sqsh.0").symlink_to(lower)
    csbx.ok("start", home / "dir/link.sqsh", "ls", "/mark")


@pytest.mark.parametrize("step", ["COPY link /x", "COPY link/ /x", "COPY link/containers/ /x/", "COPY link/* /x/", "ADD up/share/csbx /x",
                                  "COPY dir/own/containers /x", "RUN --mount=type=bind,rw,source=link,target=/x true",
                                  "RUN --mount=type=bind,source=link,target=/x true",
                                  "RUN --mount=type=bind,rw,source=dir/own/containers,target=/x true"])
def test_no_step_of_a_build_takes_them(csbx, home, step):
    """A link in the context leads to what is in the context, but not to csbx's own there."""
    csbx.ok("docker", "commit", "linked", "box")
    (home / "link").symlink_to(".local/share/csbx")
    (home / "up").symlink_to(".local")
    (home / "dir/own").symlink_to("../link")
    (home / "dir/f").write_text("inner\n")
    (home / "fine").symlink_to("dir")
    p = csbx.run("docker", "build", "-f", "-", home, stdin=f"FROM box\n{step}\n")
    assert p.returncode == 1 and ("not found" in p.stderr or "is csbx's own" in p.stderr), p.stderr
    csbx.ok("docker", "build", "-q", "-t", "made", "-f", "-", home, stdin="FROM box\nCOPY fine/f up /x/\nRUN find /x -type f >/o\n")
    assert csbx.ok("docker", "run", "--rm", "made", "cat", "/o") == "/x/f\n"


def test_a_link_takes_no_ignored_file(csbx, home):
    """Patterns of .dockerignore are of the files' own names, whatever link leads to them."""
    csbx.ok("docker", "commit", "linked", "box")
    (home / "dir/secret").write_text("key\n")
    (home / "fine").symlink_to("dir")
    (home / "s").symlink_to("dir/secret")
    (home / ".dockerignore").write_text("dir/secret\n")
    csbx.ok("docker", "build", "-q", "-t", "made", "-f", "-", home, stdin="FROM box\nCOPY fine /x/\nRUN find /x -type f >/o\n")
    assert csbx.ok("docker", "run", "--rm", "made", "cat", "/o") == ""
    for name in "s", "fine/secret":
        p = csbx.run("docker", "build", "-f", "-", home, stdin=f"FROM box\nCOPY {name} /x/\n")
        assert p.returncode == 1 and "not found" in p.stderr, p.stderr
