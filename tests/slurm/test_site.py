# SPDX-License-Identifier: Apache-2.0
"""The set-up of a site: images for all, an importer, an Epilog, memory limits of jobs."""
import json
import os
import pwd
import subprocess

import pytest

from test_life import ours, until

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

SLOW_S = 60


@pytest.fixture
def sh(csbx, busybox_image):
    csbx.ok("create", "-n", "sh", busybox_image)
    return csbx


def live(box, *words, env):
    """A container that says up and runs until its stdin ends."""
    p = box.popen("start", *words, "sh", "sh", "-c", "echo up; read x", text=True, stdin=subprocess.PIPE, env=env)
    assert p.stdout.readline() == "up\n"
    return p


def are_served(n):
    """A process that has been killed is still there for a moment; so is one that only begins as a server."""
    until(lambda: sum(name == "csbx-squashd" for name in ours().values()) == n, f"{n} servers: {ours()}")


def as_root(box, *args, env):
    return subprocess.run(box.argv(args), env={**box.env, **env}, capture_output=True, text=True, check=False,
                          timeout=SLOW_S, stdin=subprocess.DEVNULL)


# --- gc --job -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("who", ["user", "root"])
def test_gc_ends_one_job_and_no_other(sh, who):
    """By its user, and by root as in an Epilog: root becomes the user, and the files stay the user's."""
    mine = live(sh, env={"SLURM_JOB_ID": "77", "CSBX_LINGER": "60"})
    other = live(sh, env={"SLURM_JOB_ID": "770", "CSBX_LINGER": "60"})
    none = live(sh, env={"CSBX_LINGER": "60"})
    are_served(3)
    if who == "user":
        run = sh.run
        env = {}
    else:
        run = lambda *a, env: as_root(sh, *a, env=env)  # noqa: E731
        env = {"SLURM_JOB_UID": str(sh.owner.pw_uid), "SLURM_JOB_GID": str(sh.owner.pw_gid)}
    would = run("gc", "-n", "--job", "77", env=env)
    assert would.returncode == 0 and "would remove job" in would.stdout, would
    assert mine.poll() is None
    p = run("gc", "--job", "77", "--json", env=env)
    assert p.returncode == 0, p
    kinds = sorted(x["kind"] for x in json.loads(p.stdout))
    assert kinds == ["instance", "job", "server"], p.stdout
    assert mine.wait(SLOW_S) == -9
    assert other.poll() is None and none.poll() is None
    are_served(2)
    for p in (other, none):
        p.communicate("\n", timeout=SLOW_S)
        assert p.returncode == 0
    sh.ok("gc", "--servers")
    assert all(os.stat(f).st_uid == sh.owner.pw_uid for f in sh.dirs["run"].rglob("*"))


def test_gc_ends_what_nobody_supervises(sh):
    """csbx has become the command of an enroot start without --pid: its own record names the job nevertheless."""
    p = sh.popen("enroot", "start", "sh", "sh", "-c", "echo up; read x", text=True, stdin=subprocess.PIPE,
                 env={"SLURM_JOB_ID": "78", "CSBX_LINGER": "60"})
    assert p.stdout.readline() == "up\n"
    assert sh.run("gc", "--job", "7").returncode == 0 and p.poll() is None
    sh.ok("gc", "--job", "78")
    assert p.wait(SLOW_S) == -9
    are_served(0)


def test_gc_by_root_needs_both_ids(sh):
    p = as_root(sh, "gc", "--job", "7", env={"SLURM_JOB_UID": str(sh.owner.pw_uid)})
    assert p.returncode == 125 and "SLURM_JOB_GID" in p.stderr, p


def taken(path, how, owner):
    """The name of a directory of csbx's, in the hands of another user or closed by its own."""
    other = pwd.getpwnam("csbx-test2")
    if how == "file":
        path.touch()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "link":
        path.symlink_to(path.parent)
    else:
        path.mkdir()
        path.chmod({"another user's": 0o755, "another user's, closed": 0o700, "open to others": 0o777, "closed": 0}[how])
    mine = how in ("open to others", "closed")
    os.lchown(path, owner.pw_uid if mine else other.pw_uid, owner.pw_gid if mine else other.pw_gid)


@pytest.mark.parametrize("variable", ["CSBX_RUNTIME_PATH", "CSBX_SCRATCH_PATH"])
@pytest.mark.parametrize("how", ["another user's", "another user's, closed", "open to others", "closed", "file", "fifo", "link"])
def test_an_epilog_does_not_fail_where_a_name_is_taken(csbx, how, variable):
    """It would drain the node, and any user can take a name in /tmp. Starts are refused there."""
    place, dead = csbx.top / "taken", csbx.dirs["run"] / "instances" / ("0" * 12)
    env = {variable: str(place), "SLURM_JOB_UID": str(csbx.owner.pw_uid), "SLURM_JOB_GID": str(csbx.owner.pw_gid)}
    below = place
    if variable == "CSBX_SCRATCH_PATH":
        place.mkdir(mode=0o755)
        place.chmod(0o1777)
        below = place / f"csbx-scratch-{csbx.owner.pw_uid}"
        dead.parent.mkdir(mode=0o700, exist_ok=True)
        dead.touch()
        for path in (dead.parent, dead):
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    taken(below, how, csbx.owner)
    was = below.lstat()
    p = as_root(csbx, "gc", "--job", "7", env=env)
    assert p.returncode == 0 and str(below) in p.stderr and "is left as it is" in p.stderr, p
    assert below.lstat() == was and not dead.exists()
    csbx.fails("gc", "--job", "7", env=env, says=str(below))


# --- images -------------------------------------------------------------------------------------------------

@pytest.fixture
def site_images(csbx, busybox_image, tmp_path_factory):
    """A directory of root's, as on a shared file system: all users read it, none writes."""
    site = csbx.top / "site"
    site.mkdir(mode=0o755)
    (site / "busybox+1.sqsh").write_bytes(busybox_image.read_bytes())
    (site / "busybox+1.sqsh").chmod(0o444)
    return site


def test_site_images(csbx, site_images):
    env = {"CSBX_IMAGE_PATH": f"/nonexistent:{site_images}"}
    for operand in ("busybox+1", "busybox+1.sqsh"):
        assert csbx.ok("run", operand, "echo", "hi", env=env) == "hi\n"
    csbx.ok("create", "busybox+1", env=env)
    assert csbx.ok("list", "-q") == "busybox+1\n"
    assert csbx.ok("start", "-w", "busybox+1", "sh", "-c", "echo x >/kept; cat /kept") == "x\n"
    assert sorted(os.listdir(site_images)) == ["busybox+1.sqsh"]
    csbx.ok("remove", "-f", "busybox+1")
    csbx.fails("run", "busybox+2", "true", env=env, says="busybox+2")
    csbx.fails("run", "busybox+1", "true", says="busybox+1")
    csbx.fails("run", "busybox+1", "true", env={"CSBX_IMAGE_PATH": "site"}, says=["CSBX_IMAGE_PATH", "absolute"])
    csbx.fails("run", "./busybox+1.sqsh", "true", env=env, says="./busybox+1.sqsh")


def test_importer(csbx, busybox_layout):
    """One file an image, made once however many ask; release may be called any time."""
    uri = f"oci:{busybox_layout}"
    asking = [csbx.popen("importer", "get", uri, text=True) for _ in range(6)]
    said = {p.communicate(timeout=SLOW_S)[0] for p in asking}
    assert len(said) == 1 and {p.returncode for p in asking} == {0}
    [path] = [line.strip() for line in said]
    assert os.path.isabs(path) and os.stat(path).st_uid == csbx.owner.pw_uid
    made = os.stat(path).st_ino
    assert csbx.ok("importer", "get", uri).strip() == path and os.stat(path).st_ino == made
    assert csbx.ok("importer", "release") == csbx.ok("importer", "release", uri) == ""
    assert csbx.ok("run", path, "echo", "hi") == "hi\n"
    csbx.ok("gc")
    assert os.path.exists(path)
    os.utime(path, (0, 0))
    assert "cache" in csbx.ok("gc") and not os.path.exists(path)
    csbx.fails("importer", "get", "oci:/nonexistent", says="/nonexistent")
    csbx.fails("importer", "fetch", uri, says="release")

