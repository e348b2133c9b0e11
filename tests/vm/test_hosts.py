# SPDX-License-Identifier: Apache-2.0
"""Machines that allow less: what doctor says of each, and what a run does there."""
import world as w
from world import BUSYBOX


def test_run(world):
    assert world.ok("run", BUSYBOX, "echo", "hello") == "hello\n"
    assert world.csbx("run", BUSYBOX, "sh", "-c", "exit 7").returncode == 7


def test_doctor_plain(world):
    facts = world.doctor()
    assert all(f["ok"] for f in facts.values() if f["needed"]), facts
    assert facts["kernel"]["reason"].startswith("Linux 6.1."), facts["kernel"]
    for name in ("overlay-disk", "fuse", "subuid", "landlock", "memfd", "clone3"):
        assert facts[name]["ok"], facts[name]
    assert not facts["tmpfs-xattr"]["ok"] and "6.6" in facts["tmpfs-xattr"]["reason"], facts["tmpfs-xattr"]
    assert not world.doctor(user=w.USER2)["subuid"]["ok"]
