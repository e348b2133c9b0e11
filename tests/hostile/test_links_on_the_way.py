# SPDX-License-Identifier: Apache-2.0
"""A symbolic link on the way to csbx's own directories that is another user's: a home on another disk, which an
administrator has moved. What csbx reads by such a link it hides beneath mounts, and what it does not hide it does not read."""
import os
import pwd
import stat

import pytest

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

NOBODY, SUBORDINATE, NAMELESS = 65534, 100005, 777777
CONF = "CSBX_ENV PLANTED=1\n"
PLANT = ("cd /m && mkdir -p .config/csbx .config/enroot/hooks.d .local/share/csbx/containers .cache/csbx; echo CSBX_ENV PLANTED=1 > .config/csbx/csbx.conf;"
         "printf '#!/bin/sh\\ntouch {real}/RAN\\n' > .config/enroot/hooks.d/50-x.sh; chmod 755 .config/enroot/hooks.d/50-x.sh;"
         "mv .config was; mv .local was; touch .local/share/csbx/planted .cache/csbx/planted; true")
OWN = [".config/csbx", ".config/enroot", ".local/share/csbx", ".cache/csbx"]


def other():
    return pwd.getpwnam("csbx-test2").pw_uid


def uid_of(csbx, who):
    return {"root": 0, "caller": csbx.owner.pw_uid, "other": other(), "nobody": NOBODY, "subordinate": SUBORDINATE, "nameless": NAMELESS}[who]


def str_of(value):
    return f"{value:o}" if isinstance(value, int) else None


class Homes:
    """`homes/alice -> ../disk/alice`, the caller's home; whose the directory and the link are is the test's matter."""

    def __init__(self, csbx):
        self.csbx = csbx
        self.homes, self.real = csbx.top / "homes", csbx.top / "disk/alice"
        self.link = self.homes / "alice"
        self.homes.mkdir()
        self.real.mkdir(parents=True)
        os.chown(self.real, csbx.owner.pw_uid, csbx.owner.pw_gid)
        self.real.chmod(0o700)
        self.link.symlink_to("../disk/alice")
        csbx.env["HOME"] = str(self.link)
        for name in ("DATA", "CACHE"):
            del csbx.env[f"CSBX_{name}_PATH"]

    def are(self, directory, mode, link):
        os.chown(self.homes, uid_of(self.csbx, directory), self.csbx.owner.pw_gid)
        self.homes.chmod(mode)
        os.lchown(self.link, uid_of(self.csbx, link), -1)

    def has(self, name, text=None):
        path = self.real / name
        for at in [*reversed(path.relative_to(self.real).parents), path.relative_to(self.real)]:
            at = self.real / at
            if at == path and text is not None:
                at.write_text(text)
            elif not at.is_dir():
                at.mkdir(mode=0o700)
            os.chown(at, self.csbx.owner.pw_uid, self.csbx.owner.pw_gid)
        return path

    def plant(self, image, *mounts):
        return self.csbx.run("run", *mounts, image, "sh", "-c", PLANT.format(real=self.real))

    def nothing_was_planted(self, image):
        assert not [p for n in OWN if (self.real / n).is_dir() for p in (self.real / n).rglob("*planted")]
        assert "PLANTED" not in self.csbx.ok("run", image, "env")
        self.csbx.run("enroot", "start", image, "true")
        assert not (self.real / "RAN").exists()


@pytest.fixture
def home(csbx):
    return Homes(csbx)


@pytest.mark.parametrize("there", [False, True], ids=["missing", "there"])
@pytest.mark.parametrize("directory, mode, link", [
    ("root", 0o755, "other"), ("root", 0o755, "nobody"), ("root", 0o755, "subordinate"), ("root", 0o755, "nameless"), ("root", 0o755, "root"),
    ("root", 0o755, "caller"), ("root", 0o775, "other"), ("root", 0o2775, "nobody"), ("other", 0o755, "other"), ("other", 0o1777, "other"),
    ("other", 0o1775, "other"), ("other", 0o755, "nobody"), ("other", 0o1777, "root"), ("nobody", 0o755, "other"), ("nobody", 0o1777, "nobody"),
    ("nameless", 0o755, "nameless"), ("root", 0o1777, "caller"), ("caller", 0o755, "subordinate"),
], ids=str_of)
def test_what_is_read_by_a_link_is_hidden(csbx, busybox_image, home, directory, mode, link, there):
    """What is missing is made where the link leads: else the program would make it, and a later start believe it."""
    home.are(directory, mode, link)
    if there:
        for name in OWN:
            home.has(name)
        home.has(".config/csbx/csbx.conf", "CSBX_ENV MINE=1\n")
    assert ("MINE=1" in csbx.ok("run", busybox_image, "env")) == there
    for option, source in (("--mount", home.real), ("--volume", home.link)):
        p = home.plant(busybox_image, option, f"{source}:/m")
        assert p.returncode == 0, p
        home.nothing_was_planted(busybox_image)
    assert csbx.ok("run", "--mount", f"{home.real}:/m", busybox_image, "sh", "-c", "cat /m/.config/csbx/csbx.conf; true") == ""
    assert os.readlink(home.link) == "../disk/alice"


@pytest.mark.parametrize("there", [False, True], ids=["missing", "there"])
@pytest.mark.parametrize("directory, mode", [("root", 0o755), ("nobody", 0o755), ("root", 0o775)], ids=str_of)
def test_the_directory_of_the_link_is_mounted_too(csbx, busybox_image, home, directory, mode, there):
    """A program that may write to it puts no link of its own into the place."""
    home.are(directory, mode, "other")
    if there:
        for name in OWN:
            home.has(name)
    p = csbx.run("run", "--mount", f"{home.homes}:/h", "--mount", f"{home.real}:/m", busybox_image, "sh", "-c",
                 "rm /h/alice; mv /h/alice /h/was; mkdir -p /h/alice/.config/csbx && echo CSBX_ENV PLANTED=1 > /h/alice/.config/csbx/csbx.conf; "
                 + PLANT.format(real=home.real))
    assert p.returncode == 0, p
    assert os.readlink(home.link) == "../disk/alice"
    home.nothing_was_planted(busybox_image)


@pytest.mark.parametrize("directory", ["root", "nobody", "caller"])
def test_records_and_volumes_by_a_link_of_no_id(csbx, busybox_image, home, directory):
    """65534 stands for an id that there is none of here: csbx keeps all it has by such a link in a closed directory."""
    home.are(directory, 0o755, "nobody")
    csbx.ok("create", "-n", "secret", "--keep", "--env", "TOKEN=hunter2", busybox_image, "env")
    csbx.ok("docker", "volume", "create", "precious")
    home.has(".local/share/csbx/volumes/precious/_data/f", "keep\n")
    volumes = ".local/share/csbx/volumes"
    out = csbx.ok("run", "--mount", f"{home.real}:/m", busybox_image, "sh", "-c",
                  f"grep -aro TOKEN=.* /m/.local; ls -A /m/.local/share/csbx; cat /m/{volumes}/precious/_data/f; "
                  f"mkdir -p /m/{volumes}/planted/_data; rm -rf /m/{volumes}/precious; true")
    assert out == ""
    assert csbx.ok("docker", "volume", "ls", "-q").split() == ["precious"]
    assert (home.real / volumes / "precious/_data/f").read_text() == "keep\n"
    csbx.ok("remove", "-f", "secret")


@pytest.mark.parametrize("link", ["other", "nobody", "subordinate"])
@pytest.mark.parametrize("mode", [0o1775, 0o1777, 0o3775], ids=str_of)
def test_no_link_leads_to_the_configuration_where_others_make_names(csbx, busybox_image, home, mode, link):
    """In a directory with the sticky bit, of a group's too: a colleague's link would choose mounts, hooks and the network."""
    home.are("root", mode, link)
    home.has(".config/csbx/csbx.conf", CONF)
    home.has(".config/enroot/hooks.d/50-x.sh", f"#!/bin/sh\ntouch {home.real}/RAN\n").chmod(0o755)
    said = csbx.fails("run", busybox_image, "true", says=["symbolic link of user", "'alice'", "XDG_CONFIG_HOME"])
    assert said.count("\n") == 1
    p = csbx.run("enroot", "start", busybox_image, "true")
    assert p.returncode and "symbolic link of user" in p.stderr and not (home.real / "RAN").exists(), p
    csbx.env["XDG_CONFIG_HOME"] = str(home.real / ".config")
    assert "PLANTED=1" in csbx.ok("run", busybox_image, "env")
    mounted = "run", "--mount", f"{home.real}:/m", busybox_image
    if link == "subordinate":  # a program may give the link back
        csbx.fails(*mounted, "true", says=f"csbx does not follow the symbolic link {home.link} on the way")
    else:
        assert csbx.ok(*mounted, "sh", "-c", "cat /m/.config/csbx/csbx.conf /m/.config/enroot/hooks.d/*; true") == ""


def test_a_link_that_a_program_may_give_back(csbx, busybox_image, home):
    """By its range of ids it owns the link, though it cannot write to the directory; csbx does not follow the link now."""
    home.are("root", 0o1775, "subordinate")
    os.chown(home.homes, 0, 0)
    csbx.env["XDG_CONFIG_HOME"] = str(home.has("elsewhere"))
    for mode in (0o1775, 0o1777):
        home.homes.chmod(mode)
        csbx.fails("run", "--mount", f"{home.real}:/m", busybox_image, "true", says=f"csbx does not follow the symbolic link {home.link} on the way")
    assert csbx.ok("run", busybox_image, "echo", "fine") == "fine\n"


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "ENROOT_CONFIG_PATH", "ENROOT_SYSCONF_PATH"])
def test_configuration_that_a_variable_names(csbx, busybox_image, home, variable):
    """By a link of a service account's in a directory of root's."""
    home.are("root", 0o755, "other")
    csbx.env["HOME"] = str(csbx.dirs["home"])
    csbx.env[variable] = str(home.link / "conf")
    home.has("conf/hooks.d")
    if variable == "XDG_CONFIG_HOME":
        home.has("conf/csbx")
    inside = home.real / "conf" / ("csbx" if variable == "XDG_CONFIG_HOME" else "")
    csbx.ok("run", "--mount", f"{home.real}:/m", busybox_image, "sh", "-c", f"touch /m/{inside.relative_to(home.real)}/planted; true")
    assert not (inside / "planted").exists()
    home.homes.chmod(0o1775)
    p = csbx.run("enroot", "start", busybox_image, "true")
    assert p.returncode and "symbolic link of user" in p.stderr, p


@pytest.mark.parametrize("mode", [0o1775, 0o1777], ids=str_of)
@pytest.mark.parametrize("variable, name", [("XDG_STATE_HOME", "csbx"), ("CSBX_SCRATCH_PATH", "csbx-scratch-{uid}"), ("CSBX_CACHE_PATH", "")])
def test_a_colleagues_link_chooses_nothing(csbx, busybox_image, home, mode, variable, name):
    """In the place of one of csbx's directories: neither is hidden what it leads to, nor is each mount refused."""
    home.are("root", mode, "other")
    csbx.env["HOME"] = str(csbx.dirs["home"])
    home.has("seen", "seen\n")
    name = name.format(uid=csbx.owner.pw_uid)
    if name:
        home.link.rename(home.homes / name)
    csbx.env[variable] = str(home.homes if name else home.link)
    assert csbx.ok("run", "--mount", f"{home.real}:/m", busybox_image, "cat", "/m/seen") == "seen\n"
    assert sorted(os.listdir(home.real)) == ["seen"]


def test_a_link_of_roots_in_a_directory_of_another_user(csbx, busybox_image, home):
    """With the sticky bit, where all may write. Root's links are trusted everywhere."""
    home.are("other", 0o1777, "root")
    home.has(".config/csbx/csbx.conf", "CSBX_ENV MINE=1\n")
    home.has("file", "the caller's\n")
    assert "MINE=1" in csbx.ok("run", busybox_image, "env")
    assert csbx.ok("run", "--mount", f"{home.link}:/m", busybox_image, "cat", "/m/file") == "the caller's\n"
    csbx.ok("run", f"--json={home.link}/out", busybox_image, "true")
    assert stat.S_ISREG((home.real / "out").stat().st_mode)


# --- the same by a directory of another user's, who was there first ------------------------------


def theirs(place, ran):
    """csbx.conf and a hook below `.config`, made by another user; `RAN` is what the hook makes."""
    for name, text in ((".config/csbx/csbx.conf", CONF), (".config/enroot/hooks.d/50-x.sh", f"#!/bin/sh\ntouch {ran}/RAN\n")):
        path = place / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    for path in (place / ".config", *(place / ".config").rglob("*")):
        os.chown(path, other(), other())


@pytest.fixture
def ran(csbx):
    path = csbx.top / "ran"
    path.mkdir()
    os.chown(path, csbx.owner.pw_uid, -1)
    return path


@pytest.mark.parametrize("mode", [0o1777, 0o1775], ids=str_of)
@pytest.mark.parametrize("variable", ["HOME", "HOME by a link", "XDG_CONFIG_HOME", "HOME itself"])
def test_no_configuration_of_another_user_who_was_there_first(csbx, busybox_image, ran, variable, mode):
    """As in HOME=/tmp of a job."""
    shared = csbx.top / "shared"
    shared.mkdir()
    home = shared / "job" if variable == "HOME itself" else shared
    theirs(home, ran)
    if home != shared:
        os.chown(home, other(), -1)
    os.chown(shared, 0, csbx.owner.pw_gid)
    shared.chmod(mode)
    csbx.env[variable.split()[0]] = str(home / (".config" if variable[0] == "X" else ""))
    if variable == "HOME by a link":
        (csbx.top / "way").symlink_to("shared")
        csbx.env["HOME"] = str(csbx.top / "way")
    first = home if home != shared else home / ".config"
    said = csbx.fails("run", busybox_image, "true", says=f"'{first.name}' belongs to user {other()}, in a directory that others may write to")
    assert "XDG_CONFIG_HOME" in said
    (home / ".config/csbx/csbx.conf").unlink()
    assert "PLANTED" not in csbx.ok("run", busybox_image, "env")
    p = csbx.run("enroot", "start", busybox_image, "true")
    assert p.returncode and "belongs to user" in p.stderr and not list(ran.iterdir()), p
    for path in (first, *first.rglob("*")):
        os.chown(path, csbx.owner.pw_uid, -1)
    csbx.ok("enroot", "start", busybox_image, "true")
    assert [p.name for p in ran.iterdir()] == ["RAN"]


@pytest.mark.parametrize("name", [".", ".config", ".config/csbx", ".config/enroot", ".config/enroot/hooks.d"])
def test_no_configuration_from_a_directory_that_anyone_writes_to(csbx, busybox_image, ran, name):
    """As a program leaves it that has a mount of the home."""
    home = csbx.dirs["home"]
    theirs(home, ran)
    for path in (home, *home.rglob("*")):
        os.chown(path, csbx.owner.pw_uid, -1)
    (home / name).chmod(0o777)
    if "enroot" not in name:
        csbx.fails("run", busybox_image, "true", says="anyone may put another thing in the place of")
        (home / ".config/csbx/csbx.conf").unlink()
        csbx.ok("run", busybox_image, "true")
    if "csbx" not in name:
        p = csbx.run("enroot", "start", busybox_image, "true")
        assert p.returncode and "anyone may put another thing in the place of" in p.stderr and not list(ran.iterdir()), p
    (home / name).chmod(0o775)  # a group's, as with umask 002
    csbx.ok("enroot", "start", busybox_image, "true")
    assert [p.name for p in ran.iterdir()] == ["RAN"]


def test_configuration_of_another_user_that_a_variable_names(csbx, busybox_image, ran):
    """A site's, and a colleague's who shares it, though others may write beside it."""
    shared = csbx.top / "shared"
    shared.mkdir()
    theirs(shared, ran)
    shared.chmod(0o1777)
    for variable in ("ENROOT_CONFIG_PATH", "ENROOT_SYSCONF_PATH"):
        csbx.ok("enroot", "start", busybox_image, "true", env={variable: str(shared / ".config/enroot")})
        (ran / "RAN").unlink()
