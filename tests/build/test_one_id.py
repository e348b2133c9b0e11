# SPDX-License-Identifier: Apache-2.0
"""A user without id ranges: the messages and the results, in builds and with CSBX_FAKE_ROOT in `docker run`."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import harness  # noqa: E402
import images  # noqa: E402

HINT = "csbx: without id ranges a step has one user"
ROOT = "touch /f && chown 7:8 /f && mknod /dev/some c 1 3 && echo done"


def has_ranges():
    return os.environ.get("CSBX_TEST_SESSION") != "noids"


@pytest.fixture
def box(session_dir, tmp_path):
    made = harness.Sandbox(top=Path(session_dir))
    tar = tmp_path / "box.tar"
    images.busybox_image().write_docker_archive(tar, tags=("box:latest",))
    made.ok("docker", "load", "-q", "-i", str(tar))
    yield made
    assert not made.leftovers()
    made.close()


@pytest.mark.both_users
def test_a_step_that_fails(box):
    """The cause and the remedy, once, before docker's last words; not with ranges, and not when all is well."""
    p = box.run("docker", "build", "-", stdin="FROM box\nRUN chown 7 /etc/passwd; printf said; exit 3\n")
    lines = p.stderr.splitlines()
    said = [line for line in lines if HINT in line]
    assert p.returncode == 1 and lines[-1].endswith("exit code: 3"), p.stderr
    # The failed step's output is shown twice, as docker does.
    assert len(said) == (0 if has_ranges() else 2), p.stderr
    for line in said:
        assert "/etc/subuid" in line and "said" not in line
    assert HINT not in box.run("docker", "build", "-", stdin="FROM box\nRUN chown 7 /etc/passwd\n").stderr
    assert HINT not in box.run("docker", "build", "-", stdin="FROM box\nCOPY nothing /\n").stderr


@pytest.mark.both_users
def test_docker_run(box):
    """Without it a device is made by no user, and an owner is changed by one with ranges alone."""
    run = ("docker", "run", "--rm", "box", "sh", "-c")
    for env, code in (({}, 1), ({"CSBX_FAKE_ROOT": "1"}, 0), ({"CSBX_FAKE_ROOT": "0"}, 1)):
        p = box.run(*run, ROOT, env=env)
        assert (p.returncode, p.stdout) == (code, "" if code else "done\n"), (env, p.stderr)
    p = box.run(*run, "chown 7:8 /etc/passwd && stat -c '%u %g' /etc/passwd", env={"CSBX_FAKE_ROOT": "1"})
    assert p.stdout == ("7 8\n" if has_ranges() else "0 0\n"), p.stderr
    assert box.run(*run, "chown 7:8 /etc/passwd").returncode == (0 if has_ranges() else 1)
