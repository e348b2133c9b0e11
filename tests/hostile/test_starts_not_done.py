# SPDX-License-Identifier: Apache-2.0
"""A copy meets a container whose start is not done: its first process still has the host's root."""
import subprocess
import time

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]
PROFILES = {"bare": {}, "with a supervisor": {"CSBX_ENROOT_PROFILE": "sandbox"}}


def until(what, seconds=60):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(params=PROFILES)
def starting(request, csbx, busybox_image):
    """A start that is on record and whose hook waits until a file is there: the file, the start."""
    go, env = csbx.work / "go", PROFILES[request.param]
    csbx.ok("enroot", "create", "-n", "box", busybox_image, env=env)
    csbx.ok("start", "--rw", "box", "sh", "-c", "mkdir /inside; echo inside >/inside/file")
    conf = csbx.work / "conf"
    conf.write_text(f"hooks() {{ until [ -e '{go}' ]; do sleep 0.02; done; }}\n", encoding="utf-8")
    p = csbx.popen("enroot", "start", "--rw", "--conf", str(conf), "box", "sh", "-c", "echo up; exec cat",
                   env=env, stdin=subprocess.PIPE)
    instances = csbx.dirs["run"] / "instances"
    until(lambda: instances.is_dir() and any("." not in i.name for i in instances.iterdir()))
    yield go, p
    go.touch()
    p.communicate(timeout=60)


def copies(csbx, *copied):
    """Copies that have been under way for long enough to have met the root of the moment."""
    jobs = [csbx.popen("cp", *map(str, c)) for c in copied]
    time.sleep(1)
    return jobs


def test_a_copy_reads_and_writes_no_file_of_the_host(csbx, canary, starting):
    go, p = starting
    (csbx.work / "new").write_text("from the copy\n", encoding="utf-8")
    jobs = copies(csbx, (f"box:{canary.path}/passwd", csbx.work / "stolen"), ("box:/inside/file", csbx.work / "own"),
                  (csbx.work / "new", f"box:{canary.path}/file"))
    assert not (csbx.work / "stolen").exists()
    assert (canary.path / "file").read_text(encoding="utf-8") == "canary file\n"
    go.touch()
    assert p.stdout.readline() == b"up\n"
    said = [(j.communicate(timeout=60), j.returncode)[1] for j in jobs]
    assert not (csbx.work / "stolen").exists()
    assert said == [125, 0, 125]
    assert (csbx.work / "own").read_text(encoding="utf-8") == "inside\n"
