# SPDX-License-Identifier: Apache-2.0
"""csbx df: what takes space, how much of it nothing uses, and the command that gives it back."""
import json
import os
import tarfile

import pytest

from test_old_kernels import without_fuse

KINDS = ["images", "layers", "volumes", "fetched", "repositories", "builds", "unpacked", "records", "logs", "scratch"]
MIB = 1 << 20


def df(csbx):
    return json.loads(csbx.ok("df", "--json"))


def test_empty(csbx):
    said = df(csbx)
    assert list(said) == KINDS
    assert all(said[k]["bytes"] == said[k]["reclaimable_bytes"] == 0 for k in KINDS)


def test_layers_volumes_and_logs(csbx, busybox_image):
    """What is in use is no space that could be had; what a command removes is gone from the next df."""
    csbx.ok("create", "-n", "box", busybox_image)
    csbx.ok("start", "--rw", "--volume", "data:/v", "box", "sh", "-c",
            "head -c 1048576 /dev/zero >/f; head -c 2097152 /dev/zero >/v/f")
    said = df(csbx)
    assert said["layers"] == {"count": 1, "bytes": MIB, "reclaimable_bytes": MIB, "by": "csbx remove NAME"}
    assert said["volumes"]["bytes"] == 2 * MIB == said["volumes"]["reclaimable_bytes"]
    run = csbx.ok("start", "--rw", "-d", "box", "sh", "-c", "head -c 65536 /dev/zero; exec sleep 1000").strip()
    while len(csbx.ok("logs", run)) < 65536:
        pass
    said = df(csbx)
    assert said["layers"]["bytes"] == MIB and said["layers"]["reclaimable_bytes"] == 0, "in use"
    assert said["logs"]["bytes"] > 65536 and said["logs"]["reclaimable_bytes"] == 0
    csbx.ok("kill", run)
    csbx.run("wait", run)
    said = df(csbx)
    assert said["logs"]["reclaimable_bytes"] == said["logs"]["bytes"] > 65536
    table = csbx.ok("df")
    assert "1.0 MB" in table and "2.1 MB" in table, "sizes in powers of 1000, as everywhere"
    csbx.ok("remove", "-f", "box")
    csbx.ok("docker", "volume", "prune", "-a", "-f")
    said = df(csbx)
    assert said["layers"]["count"] == said["volumes"]["count"] == 0


def test_a_volume_of_a_container_that_stays(csbx, busybox_image):
    csbx.ok("create", "--keep", "-n", "box", "--volume", "data:/v", busybox_image, "sh", "-c", "echo x >/v/f")
    csbx.ok("start", "box")
    said = df(csbx)["volumes"]
    assert (said["count"], said["bytes"], said["reclaimable_bytes"]) == (1, 2, 0)
    csbx.ok("remove", "-f", "box")


def test_images(csbx, busybox_image):
    """One of a container is used, one of none is not."""
    csbx.ok("start", busybox_image, "true")
    with tarfile.open(csbx.work / "one.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("file"))
    csbx.ok("docker", "import", "one.tar", "one:1")
    said = df(csbx)["images"]
    assert said["count"] == 1 and said["bytes"] == said["reclaimable_bytes"] > 0
    csbx.ok("create", "-n", "box", "one:1")
    said = df(csbx)["images"]
    assert said["count"] == 1 and said["bytes"] > 0 and said["reclaimable_bytes"] == 0
    csbx.ok("remove", "-f", "box")
    csbx.ok("docker", "image", "prune", "-a", "-f")
    assert df(csbx)["images"]["count"] == 0


@pytest.mark.needs_root
def test_unpacked_images(csbx, busybox_image):
    """cache prune takes their trees: old ones with --older, without it those whose image is gone."""
    image = csbx.work / "own.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    os.chown(csbx.work, csbx.owner.pw_uid, csbx.owner.pw_gid)
    os.chown(image, csbx.owner.pw_uid, csbx.owner.pw_gid)
    p = without_fuse(csbx, "start", "--userns", "one", image, "true")
    assert p.returncode == 0, p.stderr
    said = df(csbx)["unpacked"]
    assert said["count"] == 1 and said["bytes"] == said["reclaimable_bytes"] > 100000
    csbx.ok("cache", "prune")
    csbx.ok("cache", "prune", "--older", "1h")
    assert df(csbx)["unpacked"]["count"] == 1, "it was used a moment ago"
    lock = next((csbx.dirs["cache"] / "unpacked").glob("*.lock"))
    if lock.name == ".lock":
        lock = next(x for x in (csbx.dirs["cache"] / "unpacked").glob("*.lock") if x.name != ".lock")
    os.utime(lock, (lock.stat().st_mtime - 7200,) * 2)
    p = csbx.run("cache", "prune", "--older", "1h", "-n")
    assert p.returncode == 0 and "would be freed" in p.stderr and not p.stderr.startswith("csbx: 0 B")
    assert df(csbx)["unpacked"]["count"] == 1
    csbx.ok("cache", "prune", "--older", "1h")
    assert df(csbx)["unpacked"] == {"count": 0, "bytes": 0, "reclaimable_bytes": 0, "by": said["by"]}
    assert without_fuse(csbx, "start", "--userns", "one", image, "true").returncode == 0
    image.unlink()
    csbx.ok("cache", "prune")
    assert df(csbx)["unpacked"]["count"] == 0, "the image is gone"
