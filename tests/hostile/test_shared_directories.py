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
