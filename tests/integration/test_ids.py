# SPDX-License-Identifier: Apache-2.0
"""Containers that stay, named by their id or the beginning of it."""
import json
import os
import shutil
import subprocess

import pytest

from test_life import box, keep  # noqa: F401

pytestmark = pytest.mark.feature("userns")


def id_of(box, name):
    return json.loads(box.ok("docker", "inspect", name))[0]["Id"]


def named(box, operand):
    return json.loads(box.ok("docker", "inspect", operand))[0]["Name"].lstrip("/")


def index_of(box):
    return box.dirs["data"] / "containers/.ids"


def made(box, *names):
    for name in names:
        keep(box, name, "true")
    return {name: id_of(box, name) for name in names}


def test_an_id_leads_to_its_container(box):
    """By as much of it as is told apart, whatever its name is by now, and not when it is gone."""
    ids = made(box, "one", "two", "three")
    one = ids["one"]
    for operand in (one, one[:12], one[:13]):
        assert named(box, operand) == "one", operand
    box.ok("rename", one[:12], "uno")
    assert named(box, one) == "uno"
    box.ok("remove", "-f", one)
    for operand in (one, one[:12]):
        assert box.run("docker", "inspect", operand).returncode == 1
    assert {named(box, ids[name][:12]) for name in ("two", "three")} == {"two", "three"}


def test_a_store_of_an_older_version(box):
    """Its containers have no entries: they are found all the same, and have them from then on."""
    ids = made(box, "one", "two")
    shutil.rmtree(index_of(box))
    assert named(box, ids["two"]) == "two"
    assert sorted(os.readlink(p) for p in index_of(box).glob("??/*")) == ["one", "two"]
    shutil.rmtree(index_of(box))
    box.ok("gc")
    assert sorted(os.readlink(p) for p in index_of(box).glob("??/*")) == ["one", "two"]


def test_entries_that_lead_nowhere(box):
    """The record decides: an entry of another name, of no container, or that is no link."""
    one, two = made(box, "one", "two").values()
    assert box.run("docker", "inspect", "0" * 12).returncode == 1  # all are in the index now
    for text in ("two", "none", "../../x", "x" * 300):
        entry = index_of(box) / one[:2] / one[:12]
        entry.unlink()
        entry.symlink_to(text)
        assert named(box, one) == "one", text
        assert os.readlink(entry) == "one"
    gone = index_of(box) / two[:2] / (two[:2] + "0" * 10)
    gone.symlink_to("nothing")
    box.ok("gc")
    assert not gone.is_symlink() and named(box, two[:12]) == "two"


def test_an_id_is_found_without_the_records(box):
    ids = list(made(box, *(f"c{i}" for i in range(30))).values())
    assert box.run("docker", "inspect", "0" * 12).returncode == 1
    trace = box.work / "trace"
    for operand in (ids[7], ids[7][:12], "f" * 12):
        subprocess.run(["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat", *box.argv(["docker", "inspect", operand])], env=box.env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        assert trace.read_text(encoding="utf-8").count('/record"') <= 2, operand


def opened(box, *words):
    """The files that a command opens."""
    trace = box.work / "trace"
    subprocess.run(["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat", *box.argv(list(words))], env=box.env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return trace.read_text(encoding="utf-8")


def test_what_runs_is_listed_without_the_others(box):
    """One that waits for its next start has no instance: an entry of its own leads to it."""
    made(box, *(f"c{i}" for i in range(30)))
    image = str(box.dirs["data"] / "containers/c0/image")
    box.ok("docker", "run", "-d", "--name", "again", "--restart", "always", image, "true")
    entries = index_of(box) / "again"
    try:
        for _ in range(20):
            assert box.ok("docker", "ps", "--format", "{{.Names}}") == "again\n"
        files = opened(box, "docker", "ps")
        assert files.count('/record"') <= 2 and files.count('/lock"') <= 4
        box.ok("docker", "rename", "again", "renamed")
        assert box.ok("docker", "ps", "--format", "{{.Names}}") == "renamed\n"
        assert len(os.listdir(entries)) == 1
    finally:
        box.ok("docker", "rm", "-f", "again" if box.run("docker", "inspect", "renamed").returncode else "renamed")
    assert not os.listdir(entries)
    (entries / ("0" * 12)).touch()
    assert not box.ok("docker", "ps", "-q")
    box.ok("gc")
    assert not os.listdir(entries)


def test_what_runs_is_found_by_its_id_without_the_others(box):
    made(box, "c0")
    image = str(box.dirs["data"] / "containers/c0/image")
    names = [f"run{i}" for i in range(8)]
    for name in names:
        box.ok("docker", "run", "-d", "--name", name, image, "sleep", "600")
    try:
        whole = id_of(box, names[3])
        for operand in (whole, whole[:12]):
            assert box.ok("exec", operand, "echo", "there") == "there\n"
            files = opened(box, "exec", operand, "true")
            others = [name for name in names if id_of(box, name)[:12] in files]
            assert others == [names[3]], others
        assert box.run("exec", "0" * 12, "true").returncode == 125
        # A name goes before an id.
        box.ok("docker", "rename", names[0], whole[:12])
        box.ok("exec", whole[:12], "touch", "/seen")
        assert box.run("exec", names[3], "test", "-e", "/seen").returncode == 1
    finally:
        box.ok("docker", "rm", "-f", *box.ok("docker", "ps", "-aq").split())
