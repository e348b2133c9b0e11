# SPDX-License-Identifier: Apache-2.0
"""A restart policy starts a container again when no user looks: files that its program left on the host must not lead
the start astray."""
import os
import time

import pytest

import harness

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

PROGRAM = """
if [ -e /seen ]; then cat /data/secret >/all/stolen 2>/dev/null; echo planted >/data/planted; exit 0; fi
touch /seen
mv /all/data /all/aside
{replace}
exit 3
"""


@pytest.fixture
def tree(csbx):
    top = csbx.work / "tree"
    for name in ("all/data", "secret"):
        (top / name).mkdir(parents=True)
    (top / "secret/secret").write_text("of the host")
    (top / "all/data/secret").write_text("of the mount")
    if csbx.user:
        for path in (top, *top.rglob("*")):
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    return top


def run(csbx, image, tree, replace):
    """One start and one start again, with a mount that lies in another."""
    name = csbx.ok("docker", "run", "-d", "--restart", "on-failure:1", "-v", f"{tree}/all:/all", "-v", f"{tree}/all/data:/data",
                   image, "sh", "-c", PROGRAM.format(replace=replace)).strip()
    csbx.ok("docker", "wait", name)
    deadline = time.monotonic() + harness.GONE_S
    while "Exited" not in csbx.ok("docker", "ps", "-a", "--format", "{{.Status}}") and time.monotonic() < deadline:
        time.sleep(0.05)
    said = csbx.ok("docker", "inspect", "--format", "{{.RestartCount}} {{.State.ExitCode}}", name)
    csbx.ok("docker", "rm", "-f", name)
    return said.split()


def test_a_link_in_a_sources_place_is_not_followed(csbx, busybox_image, tree):
    assert run(csbx, busybox_image, tree, f"ln -s {tree}/secret /all/data")[0] == "1"
    assert not (tree / "all/stolen").exists() and not (tree / "secret/planted").exists()


def test_a_link_on_the_way_is_not_followed(csbx, busybox_image, tree):
    """The way to the source may have had a link at the first start: the supervisor goes by where it led."""
    (tree / "way").symlink_to(tree / "all")
    csbx.ok("docker", "run", "--rm", "-v", f"{tree}/way/data:/data", busybox_image, "cat", "/data/secret")
    said = csbx.ok("docker", "run", "-d", "--restart", "on-failure:1", "-v", f"{tree}/all:/all", "-v", f"{tree}/way/data:/data",
                   busybox_image, "sh", "-c", "if [ -e /seen ]; then cat /data/secret >/all/again; exit 0; fi; touch /seen; exit 3")
    csbx.ok("docker", "wait", said.strip())
    assert (tree / "all/again").read_text() == "of the mount"
    csbx.ok("docker", "rm", "-f", said.strip())


def test_what_a_program_puts_there_itself_is_its_own(csbx, busybox_image, tree):
    assert run(csbx, busybox_image, tree, "mkdir /all/data; echo mine >/all/data/secret") == ["1", "0"]
    assert (tree / "all/stolen").read_text() == "mine\n"
