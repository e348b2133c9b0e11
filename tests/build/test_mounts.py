# SPDX-License-Identifier: Apache-2.0
"""RUN --mount: changes that make such a step another one, caches that steps share, and builds that are killed in
between."""
import os
import signal
import subprocess
import time

import pytest

import apisocket

WAIT = "i=0; while [ ! -e %s ]; do i=$((i+1)); [ $i -lt 400 ] || exit 3; sleep 0.05; done; "


def start(box, dockerfile, name="made", *args):
    (box.context.parent / name).write_text(dockerfile)
    return box.popen("docker", "build", "-t", name, "-f", str(box.context.parent / name), *args, str(box.context),
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def build(box, dockerfile, *args):
    p = start(box, dockerfile, "made", *args)
    return p.communicate(timeout=120)[0], p.returncode


def volumes(box):
    return [n for n in os.listdir(box.dirs["data"] / "volumes") if len(n) == 64]


@pytest.mark.both_users
def test_only_what_is_mounted_counts(box):
    """A file of the context that the mount does not show, or an ignored one, does not make the step anew."""
    (box.context / "d").mkdir()
    for name, text in {"a": "1", "d/x": "1", "d/y.log": "1", ".dockerignore": "*/*.log\n"}.items():
        (box.context / name).write_text(text)
    dockerfile = "FROM box\nRUN --mount=source=d,target=/m cat /m/* >/o\n"
    said, code = build(box, dockerfile)
    assert code == 0 and "CACHED" not in said, said
    (box.context / "a").write_text("2")
    (box.context / "d/y.log").write_text("2")
    said, code = build(box, dockerfile)
    assert code == 0 and "CACHED" in said, said
    (box.context / "d/x").write_text("2")
    said, code = build(box, dockerfile)
    assert code == 0 and "CACHED" not in said, said
    assert box.ok("docker", "run", "--rm", "made", "cat", "/o") == "2"
    assert not volumes(box)


@pytest.mark.both_users
def test_stage_of_a_mount(box):
    """It is made though no COPY names it, once, and another one of it makes the step anew."""
    dockerfile = "FROM box AS unused\nRUN false\nFROM box AS tools\nARG V\nRUN echo $V >/t\nFROM box\nRUN --mount=from=tools,target=/m cat /m/t >/o\n"
    for value in "1", "2":
        said, code = build(box, dockerfile, "--build-arg", f"V={value}")
        assert code == 0 and said.count("] RUN echo") == 1, said
        assert box.ok("docker", "run", "--rm", "made", "cat", "/o") == value + "\n"
    said, code = build(box, dockerfile, "--build-arg", "V=2")
    assert code == 0 and said.count("CACHED") == 2, said
    assert not volumes(box)


def test_locked_caches(box):
    """Two steps that take the same two, each in its own order, end."""
    mounts = ["--mount=type=cache,id=%s,sharing=locked,target=/%s" % (n, n) for n in "ab"]
    body = "for i in 1 2 3; do n=$(cat /a/n /b/n 2>/dev/null | head -1); sleep 0.05; echo $((n+1)) >/a/n; cp /a/n /b/n; done"
    builds = [start(box, "FROM box\n" + "".join(f"RUN {' '.join(order)} : {who}{i}; {body}\n" for i in range(3)), who)
              for who, order in (("one", mounts), ("two", mounts[::-1]))]
    said = [p.communicate(timeout=120)[0] for p in builds]
    assert [p.returncode for p in builds] == [0, 0], said
    said, code = build(box, f"FROM box\nRUN {' '.join(mounts)} cat /a/n /b/n >/o\n")
    assert code == 0, said
    assert box.ok("docker", "run", "--rm", "made", "cat", "/o") == "18\n18\n"


def test_private_cache(box):
    """A second step at the same time gets a cache of its own, one afterwards the first's."""
    shared = "--mount=type=cache,id=s,target=/s"
    private = "--mount=type=cache,id=p,sharing=private,target=/p"
    first = start(box, f"FROM box\nRUN {shared} {private} touch /p/first /s/in; {WAIT % '/s/go'}\n", "first")
    apisocket.wait_for(lambda: list((box.dirs["data"] / "volumes").rglob("in")))  # it has the cache before the second asks
    said, code = build(box, f"FROM box\nRUN {shared} {private} {WAIT % '/s/in'} ls /p >/o; touch /s/go\n")
    assert code == 0, said
    assert first.wait(60) == 0, first.stdout.read()
    first.stdout.close()
    assert box.ok("docker", "run", "--rm", "made", "cat", "/o") == ""
    said, code = build(box, f"FROM box\nRUN {private} ls /p >/o\n")
    assert code == 0, said
    assert box.ok("docker", "run", "--rm", "made", "cat", "/o") == "first\n"


def test_killed_while_a_cache_is_filled(box):
    """The next build has all of it, and nothing is left of the first."""
    made = "FROM box AS a\nRUN mkdir /g; i=0; while [ $i -lt 400 ]; do echo $i >/g/$i; i=$((i+1)); done\nFROM box\n"
    said, code = build(box, made + "COPY --from=a /g /g\n")
    assert code == 0, said
    mount = "RUN --mount=type=cache,from=a,source=/g,target=/m"
    top = box.dirs["data"] / "volumes"
    for _ in range(3):
        p = start(box, f"{made}{mount} sleep 60\n", "killed")
        until = time.monotonic() + 30
        while time.monotonic() < until and not (top.is_dir() and [n for n in os.listdir(top) if n.startswith("csbx-build-")]):
            pass
        p.send_signal(signal.SIGKILL)
        p.communicate(timeout=60)
    said, code = build(box, f"{made}{mount} ls /m | wc -l >/o\n")
    assert code == 0, said
    assert box.ok("docker", "run", "--rm", "made", "cat", "/o").strip() == "400"
    p = start(box, f"{made}RUN --mount=from=a,target=/m echo in; sleep 60\n", "killed")
    for line in p.stdout:
        if line.endswith(" in\n"):
            break
    assert volumes(box)
    p.send_signal(signal.SIGKILL)
    p.communicate(timeout=60)
    box.leftovers()  # waits for what ends with it
    box.ok("gc")
    assert not volumes(box)
