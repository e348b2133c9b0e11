# SPDX-License-Identifier: Apache-2.0
"""Another local user was there first, where the caller has csbx write a file. As if no fs.protected_* sysctl were there."""
import json
import os
import pwd

import pytest

pytestmark = pytest.mark.feature("userns")

KINDS = {
    "a link": "symbolic link of user",
    "a link on the way": "symbolic link of user",
    "a file": "belongs to user",
    "a FIFO": "belongs to user",
    "a second name": "has another name",
}


def result(csbx, image, place):
    return csbx.run("run", f"--json={place}", image, "true", timeout=20)


def iidfile(csbx, _image, place):
    return csbx.run("build", "-q", "--iidfile", place, "-", stdin="FROM scratch\nLABEL a=b\n", timeout=20)


def output(csbx, image, place):
    line = json.dumps({"id": "a", "code": "pass"}) + "\n"
    return csbx.run("eval", "--image", image, "--batch", "-", "--output", place, stdin=line, timeout=40)


WRITERS = {"--json": result, "--iidfile": iidfile, "--output": output}


@pytest.fixture
def shared(csbx):
    """A directory like /tmp, and a file of the caller's beside it."""
    place, mine = csbx.work / "shared", csbx.work / "mine"
    place.mkdir()
    mine.mkdir()
    place.chmod(0o1777)
    (mine / "file").write_text("the caller's\n")
    for path in (mine, mine / "file"):
        os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    return place, mine


@pytest.mark.needs_root
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_another_user_left_is_not_written(csbx, python_image, shared, writer, kind):
    other = pwd.getpwnam("csbx-test2")
    place, mine = shared
    name = target = place / "out"
    if kind == "a link":
        name.symlink_to(mine / "file")
    elif kind == "a link on the way":
        name.symlink_to(mine)
        target = name / "file"
    elif kind == "a second name":
        os.link(mine / "file", name)
    else:
        os.mkfifo(name) if kind == "a FIFO" else name.write_text("another user's\n")
        name.chmod(0o666)
    if kind != "a second name":
        os.lchown(name, other.pw_uid, other.pw_gid)
    p = WRITERS[writer](csbx, python_image, target)
    assert p.returncode not in (0, None) and KINDS[kind] in p.stderr, p
    assert (mine / "file").read_text() == "the caller's\n"
    assert kind != "a file" or name.read_text() == "another user's\n"
    name.unlink()


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ["new", "own link", "own file", "beside"])
def test_what_is_the_callers_is_written(csbx, python_image, writer, kind):
    place = csbx.work / "shared"
    place.mkdir()
    place.chmod(0o1777)
    real = csbx.work / "real"
    target = place / "out"
    if kind == "own link":
        target.symlink_to("../real")
    elif kind == "own file":
        target.write_text("")
    elif kind == "beside":
        target = os.path.relpath(real, csbx.work)
    p = WRITERS[writer](csbx, python_image, target)
    assert p.returncode == 0, p
    assert (real if kind in ("own link", "beside") else target).read_text().strip()


def test_standard_output_by_its_names(csbx, python_image):
    for name in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"):
        assert json.loads(csbx.ok("run", f"--json={name}", python_image, "true"))["exit_code"] == 0


def test_a_lock_on_a_volume_keeps_no_other_out(csbx, python_image):
    """A program may lock the root of an empty volume for as long as it runs; another start fills it all the same."""
    holder = csbx.popen("docker", "run", "--name", "holder", "-v", "held:/lock", str(python_image), "python3", "-c",
                        "import fcntl, os, time; f = os.open('/lock', 0); fcntl.flock(f, fcntl.LOCK_EX);"
                        "print('locked', flush=True); time.sleep(4711)")
    assert holder.stdout.readline() == b"locked\n"
    try:
        argv = ["docker", "run", "--rm", "-v", "held:/usr/lib", str(python_image), "/bin/sh", "-c", "echo in"]
        assert csbx.ok(*argv, timeout=30) == "in\n"
    finally:
        csbx.ok("docker", "rm", "-f", "holder")
        holder.communicate(timeout=30)


# --- the way to what the caller names -----------------------------------------------------------


def copied(csbx, image, place):
    csbx.ok("docker", "create", "--name", "cc", "--network", "none", image, "true")
    try:
        return csbx.run("docker", "cp", "cc:/etc/passwd", f"{place}/made")
    finally:
        csbx.ok("docker", "rm", "cc")


def saved(csbx, _image, place):
    csbx.ok("docker", "build", "-q", "-t", "one", "-", stdin="FROM scratch\nLABEL a=b\n")
    return csbx.run("docker", "save", "-o", f"{place}/made", "one")


def cidfile(csbx, image, place):
    return csbx.run("docker", "run", "--rm", "--network", "none", "--cidfile", f"{place}/made", image, "true")


def exported(csbx, image, place):
    csbx.ok("create", "--name", "cc", image)
    return csbx.run("export", "--output", f"{place}/made", "cc")


def bundled(csbx, image, place):
    return csbx.run("enroot", "bundle", "-o", f"{place}/made", image)


def shims(csbx, _image, place):
    return csbx.run("shims", f"{place}/made")


def source_made(csbx, image, place):
    p = csbx.run("docker", "run", "--rm", "--network", "none", "-v", f"{place}/made/deep:/in", image, "true")
    return p


PLACERS = {"cp": copied, "save": saved, "--cidfile": cidfile, "export": exported, "bundle": bundled, "shims": shims,
           "-v": source_made}


def mounted(csbx, image, place):
    return csbx.run("start", "--mount", f"{place}:/in", image, "cat", "/in/file")


def mounted_by_docker(csbx, image, place):
    return csbx.run("docker", "run", "--rm", "--network", "none", "-v", f"{place}:/in", image, "cat", "/in/file")


def mounted_by_enroot(csbx, image, place):
    return csbx.run("enroot", "start", "--mount", f"{place}:/in", image, "cat", "/in/file")


def copied_in(csbx, image, place):
    csbx.ok("docker", "create", "--name", "cc", "--network", "none", image, "cat", "/in/file")
    try:
        p = csbx.run("docker", "cp", f"{place}/.", "cc:/in")
        return p if p.returncode else csbx.run("docker", "start", "-a", "cc")
    finally:
        csbx.ok("docker", "rm", "cc")


READERS = {"--mount": mounted, "-v": mounted_by_docker, "enroot --mount": mounted_by_enroot, "cp": copied_in}


@pytest.mark.needs_root
@pytest.mark.parametrize("way", ["last", "on the way"])
@pytest.mark.parametrize("placer", PLACERS)
def test_no_link_of_another_user_leads_to_a_place(csbx, busybox_image, shared, placer, way):
    other = pwd.getpwnam("csbx-test2")
    place, mine = shared
    link = place / "out"
    link.symlink_to(mine if way == "last" else csbx.work)
    os.lchown(link, other.pw_uid, other.pw_gid)
    p = PLACERS[placer](csbx, busybox_image, link if way == "last" else link / "mine")
    assert p.returncode not in (0, None) and "symbolic link of user" in p.stderr, p
    assert os.listdir(mine) == ["file"]
    link.unlink()


@pytest.mark.needs_root
@pytest.mark.parametrize("reader", READERS)
def test_no_link_of_another_user_leads_to_a_source(csbx, busybox_image, shared, reader):
    other = pwd.getpwnam("csbx-test2")
    place, mine = shared
    link = place / "out"
    link.symlink_to(mine)
    os.lchown(link, other.pw_uid, other.pw_gid)
    p = READERS[reader](csbx, busybox_image, link)
    assert p.returncode not in (0, None) and "symbolic link of user" in p.stderr, p
    assert "the caller's" not in p.stdout
    link.unlink()


@pytest.mark.needs_root
@pytest.mark.parametrize("owner", ["the caller", "the directory's owner"])
@pytest.mark.parametrize("what", [*PLACERS, *(f"from {r}" for r in READERS)])
def test_other_links_lead_where_they_point(csbx, busybox_image, shared, what, owner):
    place, mine = shared
    link = place / "out"
    link.symlink_to("../mine")
    if owner == "the caller":
        os.lchown(link, csbx.owner.pw_uid, csbx.owner.pw_gid)
    if what in PLACERS:
        p = PLACERS[what](csbx, busybox_image, link)
        assert p.returncode == 0 and sorted(os.listdir(mine)) == ["file", "made"], p
    else:
        p = READERS[what.removeprefix("from ")](csbx, busybox_image, link)
        assert p.returncode == 0 and p.stdout == "the caller's\n", p
    link.unlink()


@pytest.mark.needs_root
@pytest.mark.parametrize("name", ["the file", "on the way"])
def test_no_link_of_another_user_leads_to_credentials(csbx, shared, name):
    other = pwd.getpwnam("csbx-test2")
    place, mine = shared
    link, auth = place / "out", '{"auths": {"localhost:1": {"auth": "bm86Ym9keQ=="}}}'
    (mine / "file").write_text(auth)
    link.symlink_to(mine / "file" if name == "the file" else mine)
    os.lchown(link, other.pw_uid, other.pw_gid)
    csbx.fails("logout", "--authfile", link if name == "the file" else link / "file", "localhost:1", says="symbolic link of user")
    assert (mine / "file").read_text() == auth
    os.lchown(link, csbx.owner.pw_uid, csbx.owner.pw_gid)
    csbx.ok("logout", "--authfile", link if name == "the file" else link / "file", "localhost:1")
    assert json.loads((mine / "file").read_text()) == {"auths": {}}
    link.unlink()


def test_the_way_of_proc_is_walked(csbx, busybox_image):
    """/proc/self/cwd is a link that no path names; csbx looks at the directory behind it as at all others."""
    (csbx.work / "mine").mkdir()
    assert csbx.ok("start", "--mount", "/proc/self/cwd/mine:/in", busybox_image, "ls", "/in") == ""
    csbx.ok("docker", "run", "--rm", "--network", "none", "--cidfile", "/proc/self/cwd/mine/id", busybox_image, "true")
    assert len((csbx.work / "mine" / "id").read_text()) == 64


def test_a_source_that_cannot_be_made_is_told_as_docker_does(csbx, busybox_image):
    p = csbx.run("docker", "run", "--rm", "--network", "none", "-v", "/proc/none/deep:/in", busybox_image, "true")
    assert "error while creating mount source path '/proc/none/deep': mkdir /proc/none: no such file or directory" in p.stderr.lower()


# --- nothing is made in csbx's own directories ------------------------------------------------


@pytest.mark.parametrize("way", ["as it is", "dots", "slashes", "a link", "a link to its parent", "not there yet"])
def test_no_source_is_made_in_csbxs_own(csbx, busybox_image, way):
    own = csbx.dirs["data"]
    csbx.ok("docker", "ps")
    link = csbx.work / "link"
    if way == "dots":
        source = f"{csbx.work}/../{csbx.work.name}/{os.path.relpath(own, csbx.work)}/made/deep"
    elif way == "slashes":
        source = f"{own}//made/deep".replace("/", "//", 3)
    elif way == "a link":
        link.symlink_to(own)
        source = f"{link}/made/deep"
    elif way == "a link to its parent":
        link.symlink_to(own.parent)
        source = f"{link}/{own.name}/made/deep"
    elif way == "not there yet":
        own = csbx.work / "new-data"
        csbx.env["CSBX_DATA_PATH"] = str(own)
        link.symlink_to(csbx.work)
        source = f"{link}/new-data/made/deep"
    else:
        source = f"{own}/made/deep"
    p = csbx.run("docker", "run", "--rm", "--network", "none", "-v", f"{source}:/in", busybox_image, "true")
    assert p.returncode == 125 and "nothing is made in" in p.stderr, p
    assert not (own / "made").exists()


@pytest.mark.needs_root
@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "HOME"])
def test_no_link_of_another_user_leads_to_the_configuration(csbx, busybox_image, shared, variable):
    """It would choose mounts and the network."""
    other = pwd.getpwnam("csbx-test2")
    place, _ = shared
    theirs = csbx.top / "theirs"
    conf = theirs / ("csbx" if variable == "XDG_CONFIG_HOME" else ".config/csbx") / "csbx.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text(f"CSBX_MOUNT {csbx.work}:/stolen\n")
    (place / "out").symlink_to(theirs)
    for owner, ends in ((other, False), (csbx.owner, True)):
        os.lchown(place / "out", owner.pw_uid, owner.pw_gid)
        p = csbx.run("run", busybox_image, "ls", "-d", "/stolen", env={variable: str(place / "out")})
        assert (p.returncode == 0) is ends and ("symbolic link of user" in p.stderr) is not ends, p
    (place / "out").unlink()


@pytest.mark.needs_root
def test_no_link_of_another_user_leads_to_a_repository(csbx, busybox_image, shared):
    other = pwd.getpwnam("csbx-test2")
    place, mine = shared
    (place / "out").symlink_to(mine)
    os.lchown(place / "out", other.pw_uid, other.pw_gid)
    for url in (place / "out", f"file://{place}/out"):
        csbx.fails("test", "--image", busybox_image, "--clone", url, "--commit", 40 * "1", says="symbolic link of user")
    (place / "out").unlink()
