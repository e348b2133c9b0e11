# SPDX-License-Identifier: Apache-2.0
"""csbx's own directories beneath what is mounted: a program inside is the caller to the file system, and a home or a
/tmp that is mounted must show it neither csbx's sockets nor anything that the caller's next start trusts."""
import json
import os
import pwd
import shutil
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

import pytest

import harness
import images

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]
HERE = Path(__file__).parent
LOOSE = ["--cap-add", "ALL", "--security-opt", "seccomp=unconfined", "--security-opt", "landlock=off"]


@pytest.fixture
def world(csbx, busybox_image):
    """A sandbox in one directory of the caller's, with a container that runs and one that is kept."""
    all_of_it = csbx.top / "work" / "all"
    all_of_it.mkdir()
    if csbx.user:
        os.chown(all_of_it, csbx.owner.pw_uid, csbx.owner.pw_gid)
    for name in ("data", "cache", "run", "home", "tmp"):
        (all_of_it / name).mkdir(mode=0o700)
        if csbx.user:
            os.chown(all_of_it / name, csbx.owner.pw_uid, csbx.owner.pw_gid)
    for name, variable in (("data", "DATA"), ("cache", "CACHE"), ("run", "RUNTIME"), ("tmp", "SCRATCH")):
        csbx.env[f"CSBX_{variable}_PATH"] = str(all_of_it / name)
    csbx.env["HOME"] = str(all_of_it / "home")
    csbx.ok("create", "--name", "kept", busybox_image)
    p = csbx.popen("start", "kept", "sh", "-c", "echo up; exec sleep 4711")
    assert p.stdout.readline() == b"up\n"
    csbx.ok("exec", "kept", "true")
    yield all_of_it
    p.terminate()
    p.communicate(timeout=20)
    csbx.ok("gc")
    deadline = time.monotonic() + harness.GONE_S
    while list((all_of_it / "run").rglob("*.sock")) and time.monotonic() < deadline:
        time.sleep(0.01)


def attack(csbx, image, options, top, *directories):
    out = csbx.ok("start", *options, "--mount", f"{HERE}:/t:ro", image, "python3", "-IS", "/t/own_dirs_inside.py", top,
                  *directories)
    return json.loads(out.splitlines()[-1])


BELOW = ["data", "cache", "run", "tmp/csbx-scratch-{uid}", "home/.config/csbx", "home/.config/enroot",
         "home/.local/share/csbx", "home/.cache/csbx"]


LANDLOCKED = [*LOOSE[:-1], "landlock=on"]


@pytest.mark.parametrize("mode, loose", [("", []), (":ro", []), ("", LANDLOCKED), (":ro", LOOSE)],
                         ids=["usual", "usual-ro", "loose", "loose-ro"])
def test_a_mount_shows_nothing_of_csbx(csbx, world, python_image, mode, loose):
    below = [n.format(uid=csbx.owner.pw_uid) for n in BELOW]
    before = set(os.listdir(world / "data" / "containers"))
    assert attack(csbx, python_image, ["--mount", f"{world}:/x{mode}", *loose], "/x", *(f"/x/{n}" for n in below)) == []
    assert set(os.listdir(world / "data" / "containers")) == before
    assert csbx.ok("exec", "kept", "echo", "fine") == "fine\n"


@pytest.mark.parametrize("options", [LOOSE, ["--cap-add", "SYS_ADMIN", "--security-opt", "landlock=off"]])
def test_a_program_that_may_mount_gets_no_writable_mount_of_them(csbx, world, busybox_image, options):
    """By pivot_root(2) it leaves the root with the mount points, and moves the directories that they held in their places."""
    for source, says in ((world, "CAP_SYS_ADMIN without Landlock"), (world / "home", f"{world}/home/")):
        csbx.fails("start", "--mount", f"{source}:/x", *options, busybox_image, "true", says=["must be hidden from a mount", says])
        csbx.ok("start", "--mount", f"{source}:/x:ro", *options, busybox_image, "true")
    csbx.ok("start", "--mount", f"{made(csbx, world.parent / 'elsewhere')}:/x", *options, busybox_image, "touch", "/x/file")


@pytest.mark.parametrize("dialect", ["docker", "volume"])
def test_other_words_for_it(csbx, world, python_image, dialect):
    """docker's -v and --mount, at the very path; a slash more, a dot, a link to the way."""
    link = world.parent / "link"
    link.symlink_to(world)
    source = {"docker": f"{link}/.", "volume": f"{world}//"}[dialect]
    script = ["python3", "-IS", "/t/own_dirs_inside.py", "/x", "/x/data", "/x/run", "/x/cache"]
    if dialect == "docker":
        out = csbx.ok("docker", "run", "--rm", "-v", f"{source}:/x", "-v", f"{HERE}:/t:ro", str(python_image), *script)
    else:
        out = csbx.ok("start", "--mount", f"type=bind,source={source},target=/x", "--mount", f"{HERE}:/t:ro", python_image,
                      *script)
    assert json.loads(out.splitlines()[-1]) == []


@pytest.mark.parametrize("mount", ["{home}:/h", "{home}:/h:ro", "type=copy,source={home},target=/h"], ids=["rw", "ro", "copy"])
def test_what_is_missing_is_made_first(csbx, world, python_image, mount):
    """Else the program would make it, and the next start of a caller without CSBX_* variables would trust it. Or csbx
    would make it later, and the program would see what is in it."""
    home = fresh_home(csbx, world)
    names = [".config/csbx", ".config/enroot", ".local/share/csbx", ".cache/csbx"]
    assert attack(csbx, python_image, ["--mount", mount.format(home=home)], "/h", *(f"/h/{n}" for n in names)) == []
    for n in names:
        assert (home / n).stat().st_mode & 0o7777 == 0o700 and not list((home / n).iterdir())


def test_what_another_start_makes_later_is_not_seen(csbx, world, busybox_image):
    """Through a read-only mount: its settings with their credentials, and its runtime directory."""
    home = fresh_home(csbx, world)
    p = csbx.popen("start", "--mount", f"{home}:/h:ro", busybox_image, "sh", "-c",
                   "echo up; read x; ls -A /h/.config/csbx; cat /h/.config/csbx/csbx.conf; true", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n"
    made(csbx, home / ".config/csbx/csbx.conf", "CSBX_REGISTRY_AUTH registry.test=u:secret\n")
    out, _ = p.communicate(b"\n", timeout=20)
    assert out == b"" and p.returncode == 0


@pytest.mark.parametrize("mode", ["", ":ro"])
def test_the_usual_places_in_tmp(csbx, world, busybox_image, mode):
    """Where a start without XDG_RUNTIME_DIR, or with TMPDIR=/tmp, has its records and layers."""
    names = [f"csbx-{csbx.owner.pw_uid}", f"csbx-scratch-{csbx.owner.pw_uid}"]
    assert csbx.ok("start", "--mount", f"/tmp:/t{mode}", busybox_image, "sh", "-c",
                   "cd /t && ls -d $0 $1 && ls -A $0 $1", *names).split() == [*names, *(f"{n}:" for n in names)]
    assert world.is_dir() and all(os.path.isdir(f"/tmp/{n}") for n in names)


@pytest.mark.parametrize("mode", ["", ":ro"])
def test_what_cannot_be_made_stops_no_start(csbx, world, busybox_image, mode):
    """Not by csbx, and so not by the program: a link to a place of root's."""
    home = fresh_home(csbx, world)
    (home / ".cache").symlink_to("/not-there/cache")
    if csbx.user:
        os.lchown(home / ".cache", csbx.owner.pw_uid, csbx.owner.pw_gid)
    for source in ("/", "/usr", home):
        assert csbx.ok("start", "--mount", f"{source}:/x{mode}", busybox_image, "echo", "fine") == "fine\n"
    assert (home / ".config/csbx").is_dir()


@pytest.mark.parametrize("name, target", [(".config", "/not-there/config"), (".config/enroot", "/not-there/enroot"),
                                          (".cache", "a/way"), (".config", "/sys/not-there/config")])
def test_a_link_to_what_cannot_be_made_stays(csbx, world, busybox_image, name, target):
    """As one to a disk that is not there today: a program would put a directory of its own into the link's place."""
    home = fresh_home(csbx, world)
    link = home / name
    for path, to in ((link, target), (home / "a/way", "/not-there/cache")):
        if not path.parent.is_dir():
            made(csbx, path.parent)
        path.symlink_to(to)
        if csbx.user:
            os.lchown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    script = f"rm /h/{name}; mv /h/{name} /h/moved; rm /h/a/way; mv /h/a/way /h/moved; true"
    csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "sh", "-c", script)
    assert os.readlink(link) == target
    assert name != ".cache" or os.readlink(home / "a/way") == "/not-there/cache"


@pytest.mark.parametrize("kind", ["file", "fifo"])
def test_a_file_in_the_place_of_an_own_directory_stays(csbx, world, busybox_image, kind):
    home = fresh_home(csbx, world)
    place = made(csbx, home / ".config") / "enroot"
    place.touch() if kind == "file" else os.mkfifo(place)
    if csbx.user:
        os.chown(place, csbx.owner.pw_uid, csbx.owner.pw_gid)
    script = "rm /h/.config/enroot; mkdir -p /h/.config/enroot/hooks.d; true"
    csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "sh", "-c", script)
    assert place.exists() and not place.is_dir()


@pytest.mark.parametrize("mode", [0o555, 0o000, 0o300])
@pytest.mark.parametrize("name, place", [(".config", "csbx"), (".local", "share/csbx"), (".cache", "csbx")])
def test_a_closed_directory_of_the_callers(csbx, world, busybox_image, name, place, mode):
    """A program with the caller's id and a writable mount can open the directory, and make there what is not hidden."""
    home = fresh_home(csbx, world)
    closed = made(csbx, home / name)
    made(csbx, closed / "other")
    closed.chmod(mode)
    inside = ["sh", "-c", f"chmod 755 /h/{name}; mkdir -p /h/{name}/{place} && touch /h/{name}/{place}/new; true"]
    try:
        if mode == 0o300 or os.geteuid() == 0 and not csbx.user:  # csbx may make what is missing
            csbx.ok("start", "--mount", f"{home}:/h", busybox_image, *inside)
        else:
            says = "Permission denied" if (name, mode) == (".config", 0) else f"its place {home}/{name} is closed"
            csbx.fails("start", "--mount", f"{home}:/h", busybox_image, *inside, says=says)
            if says == "Permission denied":  # of its own settings, by any start
                return
            csbx.fails("start", "--mount", f"{home}:/h:ro", busybox_image, "true", says=says)
        assert csbx.ok("start", "--mount", "/usr:/u", busybox_image, "echo", "fine") == "fine\n"
    finally:
        closed.chmod(0o700)
    assert not (closed / place / "new").exists()


@pytest.mark.needs_root
def test_a_directory_that_was_given_to_another_id(csbx, world, busybox_image):
    """A program that has a range of ids gives it away before a start, and takes it back there."""
    home = fresh_home(csbx, world)
    given = made(csbx, home / ".local")
    made(csbx, given / "share")
    os.chown(given, 100005, 100005)
    given.chmod(0o700)
    csbx.fails("start", "--mount", f"{home}:/h", busybox_image, "true", says=f"its place {home}/.local is closed")


def start_that_fails_at(csbx, image, home, paths, calls, which):
    """A start with the home, in which these system calls are refused to each process for these paths, from the first, second ... on."""
    return subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", *[w for p in paths for w in ("-P", p)], "-e", f"trace={calls}",
                           "-e", f"inject={calls}:error=EACCES:when={which}+",
                           *csbx.argv(["start", "--mount", f"{home}:/h", image, "echo", "started"])],
                          env=csbx.env, cwd=csbx.work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          **csbx.identity())


def test_a_directory_above_that_is_closed_and_opened_without_end(csbx, world, busybox_image):
    """By a program that holds the home: the place cannot even be looked at then, which says nothing of whose it is."""
    home = fresh_home(csbx, world)
    closed = made(csbx, home / ".local/share")
    closed.chmod(0)
    try:
        p = start_that_fails_at(csbx, busybox_image, home, [closed], "?lstat,newfstatat", 2)
    finally:
        closed.chmod(0o700)
    assert (p.returncode, p.stdout) == (125, "") and f"and {closed} changed while csbx looked" in p.stderr


def test_a_directory_above_the_mount_that_is_closed_and_opened_without_end(csbx, world, busybox_image):
    """It is no part of what is mounted, and the own directory is."""
    home = fresh_home(csbx, world)
    csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "true")
    p = start_that_fails_at(csbx, busybox_image, home / ".local", [home / ".local", home / ".local/share/csbx"], "?lstat,newfstatat,openat2", 1)
    assert (p.returncode, p.stdout) == (125, "") and f"and {home} changed while csbx looked" in p.stderr


def test_a_directory_that_is_given_to_another_id_while_a_start_runs(csbx, world, busybox_image):
    """csbx-init cannot open it then, which does not mean that it is hidden."""
    home = fresh_home(csbx, world)
    csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "true")
    own = home / ".local/share/csbx"
    p = start_that_fails_at(csbx, busybox_image, home, [own], "openat2", 1)
    assert (p.returncode, p.stdout) == (125, "") and f"hide csbx's own directory {own}: Permission denied" in p.stderr


@pytest.mark.parametrize("mode", ["", ":ro"])
@pytest.mark.parametrize("source", ["home", "all"])
def test_a_link_to_what_is_missing(csbx, world, python_image, source, mode):
    """csbx makes what it leads to: else the program would make that, or put a directory into the link's place."""
    home, disk = fresh_home(csbx, world), made(csbx, world / "disk")
    (home / ".cache").symlink_to("../disk/deep/cache")
    if csbx.user:
        os.lchown(home / ".cache", csbx.owner.pw_uid, csbx.owner.pw_gid)
    if source == "all":
        assert attack(csbx, python_image, ["--mount", f"{world}:/x{mode}"], "/x", "/x/home/.cache/csbx",
                      "/x/disk/deep/cache/csbx") == []
    else:
        csbx.run("start", "--mount", f"{home}:/h{mode}", python_image, "sh", "-c", "rm /h/.cache; mv /h/.cache /h/x")
    assert os.readlink(home / ".cache") == "../disk/deep/cache" and (disk / "deep/cache/csbx").is_dir()


@pytest.mark.needs_root
def test_nothing_is_made_by_a_link_of_another_user(csbx, world, busybox_image):
    """That user could remove it, and then the program makes another one in its place, where it may write."""
    other = pwd.getpwnam("csbx-test2")
    shared, mine = world / "shared", made(csbx, world / "mine")
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "csbx").symlink_to(mine / "new")
    os.lchown(shared / "csbx", other.pw_uid, other.pw_gid)
    csbx.env["XDG_STATE_HOME"] = str(shared)
    assert csbx.ok("start", "--mount", f"{world}:/x:ro", busybox_image, "ls", "/x/mine") == ""
    p = csbx.run("start", "--mount", f"{world}:/x", busybox_image, "true")
    assert p.returncode == 125 and f"does not follow the symbolic link {shared}/csbx" in p.stderr
    assert not list(mine.iterdir())


@pytest.mark.needs_root
def test_a_shared_cache_of_another_user_stays(csbx, busybox_image):
    """The site names it, and its owner keeps it, in a directory with the sticky bit as well."""
    other = pwd.getpwnam("csbx-test2" if csbx.owner.pw_name != "csbx-test2" else "csbx-test")
    top = Path(tempfile.mkdtemp(prefix="csbx-test-site."))
    try:
        top.chmod(0o1777)
        (top / "cache").mkdir()
        os.chown(top / "cache", other.pw_uid, other.pw_gid)
        csbx.env["CSBX_SHARED_CACHE_PATH"] = str(top / "cache")
        assert csbx.ok("start", "--mount", f"{top}:/x", busybox_image, "ls", "/x") == "cache\n"
    finally:
        shutil.rmtree(top)


@pytest.mark.needs_root
@pytest.mark.parametrize("mode, is_refused", [("", True), (":ro", False)])
def test_a_directory_that_another_user_may_give_up(csbx, world, busybox_image, mode, is_refused):
    """What hides it goes with it, and the program could make it anew. It is there already, or what csbx would make in it is missing."""
    other = pwd.getpwnam("csbx-test2" if csbx.owner.pw_name != "csbx-test2" else "csbx-test")
    shared, mine = world / "shared", made(csbx, world / "mine")
    (shared / "state/csbx").mkdir(parents=True)
    os.chown(shared, 0, 0)
    shared.chmod(0o1777)
    for path in (shared / "state", shared / "state/csbx"):
        os.chown(path, other.pw_uid, other.pw_gid)
    csbx.env["XDG_STATE_HOME"] = str(shared / "state")
    for _ in ("there", "missing"):
        p = csbx.run("start", "--mount", f"{world}:/x{mode}", busybox_image, "echo", "fine")
        assert (p.returncode, p.stdout) == ((125, "") if is_refused else (0, "fine\n")), p.stderr
        assert not is_refused or "is another user's, wh" in p.stderr
        assert csbx.ok("start", "--mount", f"{mine}:/x", busybox_image, "echo", "fine") == "fine\n"
        shutil.rmtree(shared / "state/csbx", ignore_errors=True)


@pytest.mark.needs_root
def test_a_link_of_another_user_hides_nothing(csbx, world, busybox_image):
    """It is in the place of one of csbx's directories, and leads to one of the caller's: csbx goes by no such link."""
    other = pwd.getpwnam("csbx-test2" if csbx.owner.pw_name != "csbx-test2" else "csbx-test")
    shared, mine = world / "shared", made(csbx, world / "mine")
    made(csbx, mine / "seen", "seen\n")
    shared.mkdir()
    os.chown(shared, 0, 0)
    shared.chmod(0o1777)
    csbx.env["XDG_STATE_HOME"] = str(shared)
    for to in (mine, mine / "seen", world, "/", shared / "csbx"):
        (shared / "csbx").symlink_to(to)
        os.lchown(shared / "csbx", other.pw_uid, other.pw_gid)
        assert csbx.ok("start", "--mount", f"{mine}:/x", busybox_image, "cat", "/x/seen") == "seen\n"
        assert csbx.ok("start", "--mount", f"{world}:/x:ro", busybox_image, "cat", "/x/mine/seen") == "seen\n"
        (shared / "csbx").unlink()
    made(csbx, mine / "Dockerfile", "FROM scratch\nCOPY seen /\n")
    (shared / "csbx").symlink_to(mine)
    os.lchown(shared / "csbx", other.pw_uid, other.pw_gid)
    csbx.ok("docker", "build", str(mine))


@pytest.mark.needs_root
@pytest.mark.parametrize("mode", ["", ":ro"])
@pytest.mark.parametrize("of", ["other", "caller", "none"])
def test_a_link_of_a_subordinate_id(csbx, world, busybox_image, of, mode):
    """A program could replace the caller's, and one that the file of ranges does not have. Another user could give up that user's."""
    shared, ranges = world / "shared", csbx.top / "subuid"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "csbx").symlink_to("/nowhere")
    os.lchown(shared / "csbx", 700008, 700008)
    ranges.write_text({"other": "stranger:700000:65536\n", "caller": f"{csbx.owner.pw_name}:700000:65536\n", "none": ""}[of])
    script = 'mount --bind "$1" /etc/subuid && exec setpriv --reuid="$2" --regid="$3" --clear-groups "${@:4}"'
    argv = csbx.argv(["start", "--userns", "one", "--mount", f"{world}:/x{mode}", busybox_image, "echo", "fine"])
    p = subprocess.run(["unshare", "-m", "bash", "-c", script, "-", ranges, str(csbx.owner.pw_uid), str(csbx.owner.pw_gid), *argv],
                       env={**csbx.env, "XDG_STATE_HOME": str(shared)}, cwd="/", capture_output=True, text=True, timeout=60, check=False)
    if of == "other" and mode:
        assert (p.returncode, p.stdout) == (0, "fine\n"), p.stderr
    else:
        assert p.returncode == 125 and "does not follow the symbolic link" in p.stderr, p


def test_a_session_directory_that_is_made_is_not_used(csbx, world, busybox_image):
    """It would move csbx's sockets away from containers that run: it was not there when they began."""
    csbx.env.pop("CSBX_RUNTIME_PATH", None)
    csbx.env["XDG_RUNTIME_DIR"] = str(world / "session")
    before = json.loads(csbx.ok("info", "--json"))["runtime"]
    csbx.ok("start", "--mount", f"{world}:/x", busybox_image, "sh", "-c",
            "! mkdir /x/session/csbx/planted 2> /dev/null && ! rm /x/session/csbx/unused 2> /dev/null && chmod 700 /x/session")
    assert [p.name for p in (world / "session/csbx").iterdir()] == ["unused"]
    assert (world / "session").stat().st_mode & 0o7777 == 0o700
    assert json.loads(csbx.ok("info", "--json"))["runtime"] == before


def test_a_session_directory_that_a_program_opens_stays_in_use(csbx, world, busybox_image):
    """csbx does not look elsewhere then, where it would find no container."""
    csbx.env.pop("CSBX_RUNTIME_PATH", None)
    session = made(csbx, world / "session")
    session.chmod(0o700)
    csbx.env["XDG_RUNTIME_DIR"] = str(session)
    csbx.ok("start", "--mount", f"{session}:/x", busybox_image, "chmod", "755", "/x")
    for verb in (["list"], ["gc"], ["kill", "gone"], ["start", busybox_image, "true"]):
        csbx.fails(*verb, says=[f"{session} has csbx's sockets and is open to others (mode 0755)", f"chmod 700 {session}"])
    session.chmod(0o700)
    csbx.ok("list")


@pytest.mark.needs_root
def test_a_home_that_is_read_only_by_one_of_two_mounts(csbx, world, busybox_image):
    """What csbx cannot make there the program could, by the other one."""
    home, real = fresh_home(csbx, world), made(csbx, world / "real")
    for mode, source in (("", real), (":ro", real), ("", home)):
        p = command_with_another_mount(csbx, real, home, "start", "--mount", f"{source}:/x{mode}", busybox_image, "sh", "-c",
                                       "mkdir -p /x/.config/csbx 2> /dev/null || echo kept", closes=True)
        if source == real and not mode:
            assert p.returncode == 125 and "must be hidden from a mount that can be written to, and csbx cannot make it" in p.stderr, p
        else:
            assert (p.returncode, p.stdout) == (0, "kept\n"), p.stderr
    assert not list(real.iterdir())


def fresh_home(csbx, world):
    shutil.rmtree(world / "home")
    return made(csbx, world / "home")


def test_links_on_the_way_stay(csbx, world, python_image):
    """As a dotfile manager or a quota on the home has them: csbx hides the link's target, and the program cannot
    replace the link."""
    home, real = world / "home", world / "disk"
    (real / "share" / "csbx").mkdir(parents=True)
    (home / ".local").mkdir()
    (home / ".local/share").symlink_to("../../disk/share")
    (home / ".cache").symlink_to("../disk")
    subprocess.run(["chown", "-hR", f"{csbx.owner.pw_uid}", str(home), str(real)], check=False, capture_output=True)
    places = ["/x/home/.local/share/csbx", "/x/home/.cache/csbx", "/x/disk/share/csbx"]
    assert attack(csbx, python_image, ["--mount", f"{world}:/x"], "/x", *places) == []
    # The home alone: the hidden directories lie outside of it, and a program can only try to replace the links.
    out = csbx.run("start", "--mount", f"{home}:/h", python_image, "sh", "-c",
                   "mv /h/.cache /h/x; rm /h/.cache; mv /h/.local/share /h/x; rm /h/.local/share; mv /h/.local /h/x; ls -A /h")
    assert {".cache", ".local"} <= set(out.stdout.split())
    assert os.readlink(home / ".cache") == "../disk" and os.readlink(home / ".local/share") == "../../disk/share"


@pytest.mark.parametrize("way", ["link", "path"])
def test_what_a_path_leaves_again_stays(csbx, world, python_image, way):
    """A directory that ".." takes back is on the way too: a link in its place would lead elsewhere."""
    home = fresh_home(csbx, world)
    made(csbx, home / "spare")
    made(csbx, home / "dot/config/csbx")
    if way == "link":
        (home / ".config").symlink_to("spare/../dot/config")
        if csbx.user:
            os.lchown(home / ".config", csbx.owner.pw_uid, csbx.owner.pw_gid)
    else:
        csbx.env["XDG_CONFIG_HOME"] = f"{home}/spare/../dot/config"
    out = csbx.ok("start", "--mount", f"{home}:/h", python_image, "sh", "-c",
                  "mv /h/spare /h/moved; rmdir /h/spare; mv /h/dot /h/moved; ls -A /h; ls -A /h/dot/config/csbx")
    assert "moved" not in out.split() and {"spare", "dot"} <= set(out.split())


def test_an_own_directory_by_a_way_out_of_another(csbx, world, busybox_image):
    """Its path begins with that of another one, and leads out again."""
    made(csbx, world / "far")
    csbx.env["CSBX_CACHE_PATH"] = f"{world}/data/../far"
    out = csbx.ok("start", "--mount", f"{world}:/x", busybox_image, "sh", "-c", "ls -A /x/far; grep -c ' /x/far ' /proc/self/mountinfo")
    assert out == "1\n"


@pytest.mark.parametrize("name", ["layers", "layers/.scratch"])
def test_a_link_in_an_own_directory(csbx, world, busybox_image, name):
    """As one that has its layers on a larger disk."""
    far, link = made(csbx, world / "far"), world / "data" / name
    made(csbx, far / "kept")
    csbx.ok("gc")
    if link.exists():
        link.rename(f"{link}.old")
    elif not link.parent.exists():
        made(csbx, link.parent)
    link.symlink_to(far)
    if csbx.user:
        os.lchown(link, csbx.owner.pw_uid, csbx.owner.pw_gid)
    for variable in ("CSBX_SCRATCH_PATH", "TMPDIR"):
        csbx.env.pop(variable, None)
    try:
        out = csbx.ok("start", "--mount", f"{far}/..:/x", busybox_image, "sh", "-c", "ls -A /x/far; mv /x/far /x/moved 2>&1; ls /x")
        assert "kept" not in out and "far" in out.split()
    finally:
        link.unlink()
        if os.path.exists(f"{link}.old"):
            os.rename(f"{link}.old", link)


@pytest.mark.needs_root
@pytest.mark.parametrize("name", [".config", ".cache"])
def test_a_link_on_the_way_that_was_given_to_another_id(csbx, world, busybox_image, name):
    """A program that has a range of ids gives the caller's link away, and takes it back when it likes: what the link leads to is hidden all
    the time, and nothing gets into the link's place. What it leads to is made first, if it is gone."""
    home = fresh_home(csbx, world)
    home.chmod(0o755)
    (home / name).symlink_to("dot")
    os.lchown(home / name, 100005, 100005)
    mounted = "start", "--mount", f"{home}:/h", busybox_image, "sh", "-c"
    script = f"touch /h/dot/csbx/planted; rm /h/{name}; mv /h/{name} /h/was; mv /h/dot /h/was; chown -h 0 /h/{name}; ls -A /h/dot/csbx"
    os.chown(home, 100005, 100005)
    csbx.fails(*mounted, script, says=f"its place {home} is closed")
    for owner in (csbx.owner.pw_uid, 100005):  # of the link's directory
        os.chown(home, owner, owner)
        os.lchown(home / name, 100005, 100005)
        assert csbx.ok(*mounted, script) == ""
        assert os.readlink(home / name) == "dot" and (home / "dot/csbx").is_dir() and not list((home / "dot").rglob("*/*"))


@pytest.mark.parametrize("name", ["data", "data/containers", "run", "run/instances", "cache", "data/containers/kept/record"])
def test_a_mount_of_it_is_refused(csbx, world, busybox_image, name):
    csbx.fails("start", "--mount", f"{world / name}:/x:ro", busybox_image, "true",
               says=["csbx's own", "CSBX_", str(world / name)])


@pytest.mark.parametrize("name", ["run/docker.sock", "data/containers/x", "home/.config/csbx/new"])
def test_nothing_is_made_in_it_for_a_mount(csbx, world, busybox_image, name):
    """docker makes a missing source of -v; a directory called docker.sock would be in the way of the engine's socket."""
    p = csbx.run("docker", "run", "-v", f"{world}/{name}:/x", busybox_image, "true")
    assert (p.returncode, p.stdout) == (125, "") and "csbx's own" in p.stderr, p.stderr
    assert not (world / name).exists()


def test_volumes_are_there_to_be_mounted(csbx, world, busybox_image):
    csbx.ok("docker", "run", "--rm", "-v", "vol:/v", str(busybox_image), "touch", "/v/a")
    path = world / "data/volumes/vol/_data"
    assert csbx.ok("start", "--mount", f"{path}:/v", "--mount", f"{world}:/x", busybox_image, "sh", "-c",
                   "ls /v; ls /x/data") == "a\n"
    csbx.fails("start", "--mount", f"{path.parent}:/v", busybox_image, "true", says="csbx's own")


def image_directory(csbx, world, python_image):
    csbx.ok("start", "--mount", f"{world}/home:/h", python_image, "sh", "-c",
            "mkdir /h/image && cd / && cp -a bin lib* usr /h/image/ 2>/dev/null; mkdir -p /h/image/srv; true")
    return world / "home" / "image"


def test_a_directory_as_image_and_a_copy(csbx, world, python_image):
    """Read through an overlay: there is nothing to be read."""
    root = image_directory(csbx, world, python_image)
    shutil.copytree(world / "data", root / "srv/other", symlinks=True)
    env = {"CSBX_DATA_PATH": str(root / "srv/other")}
    assert csbx.ok("start", str(root), "sh", "-c", "ls -A /srv/other", env=env) == ""
    assert csbx.ok("start", "--mount", f"type=copy,source={world},target=/x", python_image, "sh", "-c",
                   "ls -A /x/data /x/run; ls /x/home") == "/x/data:\n\n/x/run:\nimage\n"


def test_enroots_home_mount(csbx, world, python_image):
    """As enroot has it by default: the home is mounted, the container bare."""
    home = world / "home"
    env = {"ENROOT_MOUNT_HOME": "yes", "ENROOT_CONFIG_PATH": str(home / "conf")}
    (home / "conf/hooks.d").mkdir(parents=True)
    if csbx.user:
        subprocess.run(["chown", "-R", str(csbx.owner.pw_uid), str(home)], check=True)
    csbx.ok("enroot", "create", "-n", "py", python_image, env=env)
    out = csbx.ok("enroot", "start", "--rw", "-m", f"{HERE}:/t", "py", "python3", "-IS", "/t/own_dirs_inside.py", str(home),
                  *(f"{home}/{n}" for n in ("conf", ".config/csbx", ".cache/csbx", ".local/share/csbx")), env=env)
    assert json.loads(out.splitlines()[-1]) == []
    csbx.ok("enroot", "remove", "-f", "py", env=env)


def made(csbx, path, text=None):
    """The caller's own, as is every directory on the way that is missing."""
    if not path.parent.is_dir():
        made(csbx, path.parent)
    if text is None:
        path.mkdir(mode=0o700)
    else:
        path.write_text(text)
    if csbx.user:
        os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    return path


@pytest.mark.parametrize("variable", ["ENROOT_DATA_PATH", "ENROOT_CACHE_PATH", "ENROOT_RUNTIME_PATH", "SPANK_CSBX_STEPS",
                                      "CSBX_SHARED_CACHE_PATH", "ENROOT_SYSCONF_PATH"])
def test_what_other_programs_of_csbx_keep(csbx, world, python_image, variable):
    """The enroot dialect's containers, what the holders of job steps keep, a shared cache that the caller fills."""
    csbx.env[variable] = str(made(csbx, world / "site/kept"))
    made(csbx, world / "site/kept/containers/py/record", "what the next start believes")
    assert attack(csbx, python_image, ["--mount", f"{world}:/x"], "/x", "/x/site/kept") == []
    csbx.fails("start", "--mount", f"{world}/site/kept/containers:/c", python_image, "true", says="csbx's own")


@pytest.mark.needs_root
@pytest.mark.parametrize("owner", ["caller", "subordinate"])
@pytest.mark.parametrize("variable", ["ENROOT_SYSCONF_PATH", "CSBX_SHARED_CACHE_PATH"])
def test_what_the_caller_keeps_in_a_closed_directory(csbx, world, busybox_image, variable, owner):
    """A program closed it, or gave it to an id of its range, and can take that back."""
    site = made(csbx, world / "site")
    csbx.env[variable] = str(made(csbx, site / "kept"))
    if owner == "subordinate":
        os.chown(site, 100005, 100005)
        site.chmod(0o700)
    else:
        site.chmod(0)
    csbx.fails("start", "--mount", f"{world}:/x", busybox_image, "true", says=f"its place {site} is closed")


def test_a_place_that_no_mount_shows_stops_no_start(csbx, world, busybox_image):
    """Though it cannot be a directory, or cannot be looked at at all."""
    work = made(csbx, world / "work")
    (world / "round").symlink_to("round")
    for variable, place in (("ENROOT_CACHE_PATH", f"/tmp/{300 * 'a'}"), ("XDG_STATE_HOME", "/dev/null"), ("ENROOT_DATA_PATH", "/dev/null/x"),
                            ("CSBX_SHARED_CACHE_PATH", str(world / "round"))):
        words = "start", "--mount", f"{work}:/w", busybox_image, "echo", "fine"
        assert csbx.ok(*words, env={variable: place}) == "fine\n"
    csbx.fails("start", "--mount", f"{world}:/w", busybox_image, "true", env={"CSBX_SHARED_CACHE_PATH": str(world / "round")},
               says="must be hidden from a mount")
    csbx.fails("start", busybox_image, "true", env={"CSBX_SHARED_CACHE_PATH": "round"}, says="'round' is not an absolute path")


def test_a_shared_cache_of_a_site_is_not_made(csbx, world, busybox_image):
    """Where all may write: it would be the first user's."""
    place = csbx.top / "site"
    place.mkdir()
    os.chown(place, 0, 0) if os.geteuid() == 0 else None
    place.chmod(0o1777)
    csbx.env["CSBX_SHARED_CACHE_PATH"] = str(place / "cache")
    csbx.ok("start", "--mount", f"{csbx.top}:/t:ro", busybox_image, "true")
    assert (place / "cache").exists() == (csbx.owner.pw_uid == 0 or os.geteuid() != 0)


@pytest.mark.needs_root
@pytest.mark.parametrize("owner", ["root", "subordinate"])
@pytest.mark.parametrize("variable", ["ENROOT_SYSCONF_PATH", "CSBX_SHARED_CACHE_PATH"])
def test_a_place_of_a_site_that_the_program_could_make(csbx, world, busybox_image, variable, owner):
    """In a directory of another's where the caller may write: for all users, so not for the first one to make."""
    place = world / "site"
    place.mkdir()
    os.chown(place, *(0, 0) if owner == "root" else (100005, 100005))
    place.chmod(0o1777)
    csbx.env[variable] = str(place / "kept/")
    words = "start", "--mount", f"{place}:/x", busybox_image
    csbx.fails(*words, "true", says=f"{place}/kept does not exist, and a program with a mount of {place} could make it")
    csbx.ok("start", "--mount", f"{place}:/x:ro", busybox_image, "true")
    assert not (place / "kept").exists()
    made(csbx, place / "kept")
    assert csbx.ok(*words, "sh", "-c", "touch /x/kept/hooks.d 2> /dev/null || mv /x/kept /x/o 2> /dev/null || echo kept") == "kept\n"


@pytest.mark.needs_root
@pytest.mark.parametrize("owner", ["root", "daemon"])
@pytest.mark.parametrize("name, mode", [(".config", 0o755), (".cache", 0o755), (".cache", 0o700)])
def test_a_directory_of_another_user_in_one_of_the_callers(csbx, world, busybox_image, owner, name, mode):
    """A program with the caller's directory could move it away, as `.config` that sudo has made in a home."""
    home = fresh_home(csbx, world)
    theirs = home / name
    theirs.mkdir()
    os.chown(theirs, 0 if owner == "root" else pwd.getpwnam(owner).pw_uid, 0)
    theirs.chmod(mode)
    says = f"its place {theirs} is another user's, which a program could move away"
    for source in (home, home.parent):
        csbx.fails("start", "--mount", f"{source}:/h", busybox_image, "true", says=says)
    for source in (f"{home}:/h:ro", f"{made(csbx, home / 'work')}:/h"):
        csbx.ok("start", "--mount", source, busybox_image, "true")
    for own in ("csbx", "enroot"):
        (theirs / own).mkdir(mode=0o755)
    if mode == 0o755:
        csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "sh", "-c", f"! mv /h/{name} /h/was 2> /dev/null")


@pytest.mark.needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o2775])
def test_what_the_configuration_names_in_a_directory_of_a_group(csbx, world, python_image, mode):
    """Nothing is there yet, and the caller may make it there, as the program may."""
    place = world / "site"
    place.mkdir()
    os.chown(place, 0, csbx.owner.pw_gid)
    place.chmod(mode)
    conf = made(csbx, world / "home/.config/csbx/csbx.conf", f"CSBX_DATA_PATH {place}/data\nCSBX_CACHE_PATH {place}/cache\n")
    csbx.env["XDG_CONFIG_HOME"] = str(conf.parent.parent)
    assert attack(csbx, python_image, ["--mount", f"{place}:/x"], "/x", "/x/data", "/x/cache") == []


def test_one_directory_by_two_names(csbx, world, busybox_image):
    """Its volumes are there to be mounted all the same, and it is hidden."""
    home = fresh_home(csbx, world)
    made(csbx, home / ".local/share")
    csbx.env["XDG_DATA_HOME"] = f"{home}/.local/share/"
    del csbx.env["CSBX_DATA_PATH"]
    try:
        for volume in ("start", "--volume", "vol:/d", busybox_image, "touch", "/d/a"), ("start", "--volume", "vol:/d", busybox_image, "ls", "/d"):
            out = csbx.ok(*volume)
        assert out == "a\n"
        assert csbx.ok("start", "--mount", f"{home}:/h", busybox_image, "ls", "-A", "/h/.local/share/csbx") == ""
    finally:
        csbx.env["CSBX_DATA_PATH"] = str(world / "data")


def test_what_the_configuration_names_beside_the_one_in_use(csbx, world, busybox_image):
    """By a path that begins with its own and leads out again; and a shared cache."""
    for name in ("base/containers", "beside", "sa", "sb"):
        made(csbx, world / name)
    conf = made(csbx, world / "home/.config/csbx/csbx.conf", f"CSBX_DATA_PATH {world}/base\nCSBX_SHARED_CACHE_PATH {world}/sa\n")
    csbx.env["XDG_CONFIG_HOME"] = str(conf.parent.parent)
    csbx.env.update(CSBX_DATA_PATH=f"{world}/base/../beside", CSBX_SHARED_CACHE_PATH=str(world / "sb"))
    try:
        script = "ls -A /x/base; touch /x/sa/planted /x/base/planted && echo WROTE; true"
        assert csbx.ok("start", "--mount", f"{world}:/x", busybox_image, "sh", "-c", script) == ""
    finally:
        csbx.env["CSBX_DATA_PATH"] = str(world / "data")


def test_a_directory_with_more_in_it_is_not_hidden(csbx, world, busybox_image):
    """A variable that names the home, or where csbx's own volumes are, would hide what is there to be mounted."""
    for where in (world, world / "home"):
        csbx.env["ENROOT_DATA_PATH"] = str(where)
        assert csbx.ok("docker", "run", "--rm", "-v", "vol:/v", "-v", f"{world}/home:/h", str(busybox_image), "sh", "-c",
                       "ls -d /v /h") == "/h\n/v\n"


def test_a_steps_own_file_is_there_to_be_mounted(csbx, world, busybox_image):
    """As the holder of a SLURM step does; nothing else of the step's directory is, nor for writing."""
    csbx.env["SPANK_CSBX_STEPS"] = str(world / "steps")
    step = world / "steps/1001/7.0.0"
    for name in ("rc.local", "own"):
        made(csbx, step / name, f"{name}\n")
    assert csbx.ok("start", "--mount", f"{step}/rc.local:/rc:ro", "--mount", f"{world}:/x", busybox_image, "sh", "-c",
                   "cat /rc; ls -A /x/steps") == "rc.local\n"
    for source in (f"{step}/rc.local:/rc", f"{step}/own:/rc:ro", f"{step}:/rc:ro", f"{step.parent}:/rc:ro"):
        csbx.fails("start", "--mount", source, busybox_image, "true", says="csbx's own")


def test_no_directory_is_taken_for_a_layer(csbx, world, busybox_image):
    """Whatever has steered csbx to it by a name and a path: what has no lock of csbx's is no layer, and stays."""
    thesis = made(csbx, world / "home/Documents/thesis", "years of work")
    env = {"CSBX_LAYER_PATH": str(world / "home")}
    csbx.ok("create", "--name", "Documents", busybox_image, env=env)
    p = csbx.run("remove", "--force", "Documents", env=env)
    assert p.returncode == 125 and "no layer of csbx's" in p.stderr, p.stderr
    assert [x.name for x in thesis.parent.iterdir()] == ["thesis"] and thesis.read_text() == "years of work"
    csbx.ok("remove", "--force", "Documents")


def test_a_lock_held_inside_delays_a_logout_and_no_more(csbx, world, python_image):
    """flock(2) needs no right to write: a read-only mount of a home is enough to hold that of its ~/.docker."""
    made(csbx, world / "home/.docker/config.json", '{"auths": {"registry.test": {"auth": "dTpw"}}}')
    hold = ("import fcntl, os, time; fcntl.flock(os.open('/h/.docker', os.O_RDONLY), fcntl.LOCK_EX); "
            "print('held', flush=True); time.sleep(4711)")
    inside = csbx.popen("start", "--mount", f"{world}/home:/h:ro", python_image, "python3", "-ISc", hold)
    try:
        assert inside.stdout.readline() == b"held\n"
        p = csbx.run("docker", "logout", "registry.test", timeout=30)
        assert p.returncode != 0 and "holds the lock" in p.stderr, (p.stdout, p.stderr)
    finally:
        inside.terminate()
        inside.communicate(timeout=20)
    csbx.ok("docker", "logout", "registry.test")
    assert "registry.test" not in (world / "home/.docker/config.json").read_text()


def run_with_another_mount(csbx, source, place, *argv):
    """A start where the administrator has mounted a directory at a second place."""
    return command_with_another_mount(csbx, source, place, "start", "--mount", f"{HERE}:/t:ro", *argv)


def command_with_another_mount(csbx, source, place, *argv, closes=False):
    closed = ' && mount -o remount,bind,ro "$2"' if closes else ""
    script = 'mount --bind "$1" "$2"' + closed + ' && shift 2 && exec setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}"'
    return subprocess.run(["unshare", "-m", "bash", "-c", script, "-", source, place, str(csbx.owner.pw_uid),
                           str(csbx.owner.pw_gid), *csbx.argv(argv)],
                          env=csbx.env, cwd="/", capture_output=True, text=True, timeout=60, check=False)


def start_with_another_mount(csbx, source, place, *argv):
    p = run_with_another_mount(csbx, source, place, *argv)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout.splitlines()[-1])


INSIDE = ["python3", "-IS", "/t/own_dirs_inside.py"]


@pytest.mark.needs_root
def test_another_mount_of_the_same_file_system(csbx, world, python_image):
    """The one that is mounted has no path in common with csbx's."""
    other = csbx.top / "other"
    other.mkdir()
    assert start_with_another_mount(csbx, world, other, "--mount", f"{other}:/x", python_image, *INSIDE, "/x", "/x/data",
                                    "/x/run", "/x/cache") == []


@pytest.mark.needs_root
@pytest.mark.parametrize("mode", ["", ":ro"])
@pytest.mark.parametrize("place", ["itself", "above"])
def test_what_is_missing_by_another_mount(csbx, world, python_image, place, mode):
    """It is made too, also where only a mount below the one that is mounted shows its place."""
    home, other = fresh_home(csbx, world), csbx.top / "far" / "other"
    other.mkdir(parents=True)
    source, top = (other, "/x") if place == "itself" else (other.parent, "/x/other")
    names = [".config/csbx", ".local/share/csbx", ".cache/csbx"]
    assert start_with_another_mount(csbx, home, other, "--mount", f"{source}:/x{mode}", python_image, *INSIDE, top,
                                    *(f"{top}/{n}" for n in names)) == []
    assert all((home / n).is_dir() for n in names)


@pytest.mark.needs_root
@pytest.mark.parametrize("part", ["", "home"])
def test_a_copy_by_another_mount(csbx, world, python_image, part):
    """An overlay's lower is known by its file system too, also where only a part of the mount is copied."""
    other = csbx.top / "other"
    other.mkdir()
    made(csbx, world / "home/.config/csbx/csbx.conf", "# a secret\n")
    made(csbx, world / "home/seen", "seen\n")
    names = ["home/.config/csbx"] if part else ["data", "run", "cache", "home/.config/csbx"]
    places = [os.path.relpath(n, part or ".") for n in names]
    assert start_with_another_mount(csbx, world, other, "--mount", f"type=copy,source={other / part},target=/x", python_image,
                                    *INSIDE, "/x", *(f"/x/{n}" for n in places)) == []
    p = run_with_another_mount(csbx, world, other, "--mount", f"type=copy,source={other / part},target=/x", python_image,
                               "cat", os.path.normpath(f"/x/{'' if part else 'home'}/seen"))
    assert (p.returncode, p.stdout) == (0, "seen\n"), p.stderr


@pytest.mark.needs_root
def test_what_is_missing_by_a_copy_of_another_mount(csbx, world, python_image):
    """An overlay shows what is made below its lower later."""
    home, other = fresh_home(csbx, world), csbx.top / "other"
    other.mkdir()
    names = [".config/csbx", ".local/share/csbx", ".cache/csbx"]
    assert start_with_another_mount(csbx, home, other, "--mount", f"type=copy,source={other},target=/x", python_image, *INSIDE,
                                    "/x", *(f"/x/{n}" for n in names)) == []
    assert all((home / n).is_dir() for n in names)


@pytest.mark.needs_root
@pytest.mark.parametrize("name", ["data", "data/containers", "data/containers/kept"])
def test_a_copy_of_it_by_another_mount_is_refused(csbx, world, busybox_image, name):
    other = csbx.top / "other"
    other.mkdir()
    for source, top in ((world, other / name), (world / name, other)):
        p = run_with_another_mount(csbx, source, other, "--mount", f"type=copy,source={top},target=/x", busybox_image, "ls",
                                   "-A", "/x")
        assert (p.returncode, p.stdout) == (125, "") and f"hide {world}/data: " in p.stderr, (p.stdout, p.stderr)


@pytest.mark.needs_root
def test_a_copy_of_a_volume_by_another_mount(csbx, world, busybox_image):
    csbx.ok("docker", "run", "--rm", "-v", "vol:/v", str(busybox_image), "touch", "/v/a")
    other = csbx.top / "other"
    other.mkdir()
    p = run_with_another_mount(csbx, world / "data/volumes/vol/_data", other, "--mount", f"type=copy,source={other},target=/x",
                               busybox_image, "ls", "-A", "/x")
    assert (p.returncode, p.stdout) == (0, "a\n"), p.stderr


@pytest.mark.needs_root
def test_a_directory_as_image_by_another_mount(csbx, world, python_image):
    root, other = image_directory(csbx, world, python_image), csbx.top / "other"
    other.mkdir()
    made(csbx, root / "srv/own/containers/kept/record", "what the next start believes")
    csbx.env["CSBX_DATA_PATH"] = str(root / "srv/own")
    assert start_with_another_mount(csbx, root, other, str(other), *INSIDE, "/", "/srv/own") == []
    p = run_with_another_mount(csbx, root, other, str(other), "ls", "-A", "/srv")
    assert (p.returncode, p.stdout) == (0, "own\n"), p.stderr


@pytest.mark.needs_root
def test_a_mount_that_shows_none_of_it_makes_nothing(csbx, world, python_image):
    """Neither below nor beside: the home of everyday use stays as it is."""
    home, other = fresh_home(csbx, world), csbx.top / "other"
    other.mkdir()
    made(csbx, home / "work")
    assert start_with_another_mount(csbx, home / "work", other, "--mount", f"{home}/work:/w", "--mount", f"{other}:/x",
                                    python_image, *INSIDE, "/x") == []
    assert [p.name for p in home.iterdir()] == ["work"]


def test_the_plan_shows_it(csbx, world, busybox_image):
    lines = csbx.ok("start", "--plan", "--mount", f"{world}:/x", busybox_image, "true").splitlines()
    hidden = [x.split()[1] for x in lines if x.startswith("hide ")]
    for name in ("data", "cache", "run", "home/.config/csbx"):
        assert str(world / name) in hidden
    plain = csbx.ok("start", "--plan", busybox_image, "true").splitlines()
    assert not [x for x in plain if x.startswith("hide ")]


def test_what_the_configuration_names_where_a_variable_names_another(csbx, world, python_image):
    """A start from a shell that has set the variable: the next one, from another shell, uses what the file says."""
    home, places = world / "home", {"DATA": "d", "CACHE": "c", "RUNTIME": "r", "LAYER": "l", "SCRATCH": "s"}
    (home / ".config/csbx").mkdir(parents=True)
    (home / ".config/csbx/csbx.conf").write_text("".join(f"CSBX_{k}_PATH {world}/told/{v}\n" for k, v in places.items()))
    (world / "told/s").mkdir(parents=True)
    for path in (home / ".config", home / ".config/csbx", home / ".config/csbx/csbx.conf", world / "told", world / "told/s"):
        if csbx.user:
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    names = ["d", "c", "r", "l", f"s/csbx-scratch-{csbx.owner.pw_uid}"]
    csbx.env["CSBX_LAYER_PATH"] = str(world / "data/layers")
    assert attack(csbx, python_image, ["--mount", f"{world}/told:/t2"], "/t2", *(f"/t2/{n}" for n in names)) == []
    for n in names:
        assert (world / "told" / n).is_dir() and not list((world / "told" / n).iterdir())


@pytest.mark.parametrize("ignore", ["", "tmp\n!data\n!data/containers\n!run\n"])
def test_a_context_of_a_build_has_nothing_of_csbx(csbx, world, ignore):
    """A home as context: what a Dockerfile copies from it, not even `.dockerignore` brings back."""
    own = world / "home/own [1]*"
    own.mkdir()
    (own / "layers").mkdir()
    (own / "file").touch()
    (world / "home/seen").touch()
    (world / "Dockerfile").write_text("FROM scratch\nCOPY . /all\n")
    (world / ".dockerignore").write_text(ignore)
    csbx.env["CSBX_LAYER_PATH"] = str(own)
    for path in (own, own / "layers", own / "file", world / "home/seen", world / "Dockerfile", world / ".dockerignore"):
        if csbx.user:
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    csbx.ok("docker", "build", "-t", "all", world)
    csbx.ok("docker", "create", "--name", "all", "all", "/nothing")
    csbx.ok("docker", "export", "-o", world / "home/all.tar", "all")
    with tarfile.open(world / "home/all.tar") as tar:
        names = [n for n in tar.getnames() if n.startswith("all/")]
    assert "all/home/seen" in names
    assert not [n for n in names if n.startswith(("all/data", "all/cache", "all/run", "all/home/own"))], names


@pytest.mark.needs_root
@pytest.mark.parametrize("words", ["COPY . /all", "COPY data/containers /all/data", "COPY home/way/containers /all/data",
                                   "COPY dat*/contain* /all/data", "RUN --mount=type=bind,rw,target=/all [\"/bin/ls\", \"/all/data\"]"])
def test_a_context_by_another_mount_has_nothing_of_csbx(csbx, world, words):
    """The path of the context has none in common with csbx's own."""
    other = csbx.top / "other"
    other.mkdir()
    (world / "home/way").symlink_to("../data")
    (world / "Dockerfile").write_text(f"FROM box\n{words}\n")
    if csbx.user:
        os.chown(world / "Dockerfile", csbx.owner.pw_uid, csbx.owner.pw_gid)
    archive = csbx.work / "box.tar"
    images.busybox_image().write_docker_archive(archive, tags=("box:latest",))
    archive.chmod(0o644)
    csbx.ok("docker", "load", "-q", "-i", archive)
    p = command_with_another_mount(csbx, world, other, "docker", "build", "-t", "all", str(other))
    if words != "COPY . /all":
        assert p.returncode != 0 and ("not found" in p.stderr or "No such file" in p.stderr), (p.stdout, p.stderr)
        return
    assert p.returncode == 0, p.stderr
    assert csbx.ok("docker", "run", "--rm", "all", "ls", "/all").split() == ["Dockerfile", "home", "tmp"]


@pytest.mark.needs_root
@pytest.mark.parametrize("mode", ["", ":ro"])
def test_a_mount_that_another_one_lies_over(csbx, busybox_image, mode):
    """The kernel's list still has it, with the longest point of all, and no path leads into it."""
    top = csbx.top / "work" / "far"
    for name in ("home/u", "real/u/.local/share/csbx/containers"):
        (top / name).mkdir(parents=True)
    (top / "real/u/.config").mkdir()
    if csbx.user:
        subprocess.run(["chown", "-R", f"{csbx.owner.pw_uid}:{csbx.owner.pw_gid}", top / "real/u"], check=True)
    script = ('mount -t tmpfs none "$1/home/u" && mount --bind "$1/real" "$1/home" && shift && '
              'exec setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}"')
    argv = csbx.argv(["start", "--mount", f"{top}/home/u:/h{mode}", busybox_image, "ls", "-A", "/h/.local/share/csbx", "/h/.config/csbx"])
    p = subprocess.run(["unshare", "-m", "bash", "-c", script, "-", top, str(csbx.owner.pw_uid), str(csbx.owner.pw_gid), *argv],
                       env={**csbx.env, "HOME": f"{top}/home/u", "CSBX_DATA_PATH": f"{top}/home/u/.local/share/csbx"}, cwd="/",
                       capture_output=True, text=True, timeout=60, check=False)
    assert p.returncode == 0 and "containers" not in p.stdout and "/h/.config/csbx:" in p.stdout, (p.stdout, p.stderr)


@pytest.mark.parametrize("place", ["data", "data/containers"])
def test_an_own_directory_is_no_context(csbx, world, place):
    (world / "Dockerfile").write_text("FROM scratch\nCOPY . /all\n")
    (world / "way").symlink_to(place)
    for path in (world / "Dockerfile", world / "way"):
        if csbx.user:
            os.lchown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    for context in (world / place, world / "way"):
        p = csbx.run("docker", "build", "-t", "all", "-f", world / "Dockerfile", context)
        assert p.returncode and "which is csbx's own" in p.stderr, p
