# SPDX-License-Identifier: Apache-2.0
"""Stages side by side, and builds at a time: the waits between them, and the number of times that a step is made.

Programs of different stages see each other by the volume of a cache mount, so no test looks at a clock.
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import harness  # noqa: E402
import images  # noqa: E402

SHARED = "RUN --mount=type=cache,target=/shared,id=stages "
MEET = "touch /shared/{mine}; i=0; while [ ! -e /shared/{other} ]; do i=$((i+1)); [ $i -lt 200 ] || exit 3; sleep 0.1; done"
CPUS = len(os.sched_getaffinity(0))
side_by_side = pytest.mark.skipif(CPUS < 2, reason="stages are made side by side where there are two CPUs")


@pytest.fixture
def box(session_dir, tmp_path):
    made = harness.Sandbox(top=Path(session_dir))
    tar = tmp_path / "box.tar"
    images.busybox_image().write_docker_archive(tar, tags=("box:latest",))
    made.ok("docker", "load", "-q", "-i", str(tar))
    (tmp_path / "ctx").mkdir()
    (tmp_path / "ctx/a").write_text("a\n")
    made.context = tmp_path / "ctx"
    yield made
    assert not made.leftovers()
    left = os.listdir(made.dirs["cache"] / "build")
    made.close()
    assert not [n for n in left if n.startswith("new-")]


def build(box, dockerfile, *args):
    (box.context / "Dockerfile").write_text(dockerfile)
    p = box.run("docker", "build", "-t", "made", *args, str(box.context), timeout=120)
    return p.returncode, p.stdout + p.stderr


def cat(box, *files):
    return box.ok("docker", "run", "--rm", "made", "cat", *files).split()


def meet(mine, other):
    return SHARED + MEET.format(mine=mine, other=other) + f"; echo {mine} >/{mine}\n"


@side_by_side
@pytest.mark.both_users
def test_side_by_side(box):
    """A stage that is taken from goes on beside the one that takes from it; each waits for the other."""
    dockerfile = "FROM box AS one\n" + meet("one", "main") + "FROM box\n" + meet("main", "one") + "COPY --from=one /one /\n"
    code, said = build(box, dockerfile)
    assert code == 0, said
    assert cat(box, "/one", "/main") == ["one", "main"]
    numbers = [line.split()[0] for line in said.splitlines() if line.startswith("#") and "] " in line]
    assert len(numbers) == len(set(numbers)) == 6, said
    code, said = build(box, dockerfile)
    assert code == 0 and said.count("CACHED") == 3, said


@side_by_side
def test_a_stage_that_fails_ends_the_others(box):
    wait = MEET.format(mine="bad", other="main")
    code, said = build(box, f"FROM box AS one\n{SHARED}{wait}; exit 9\n"
                       f"FROM box\n{SHARED}touch /shared/main; sleep 100\nCOPY --from=one /a /\n")
    assert code == 1 and "CANCELED" in said, said
    assert "Dockerfile:2\n" in said and "exit code: 9" in said.splitlines()[-1], said


@side_by_side
def test_the_target_fails(box):
    """A stage that was begun for the target ends when the target fails."""
    code, said = build(box, f"FROM box AS one\n{SHARED}touch /shared/one; sleep 100\n"
                       f"FROM box\n{SHARED}{MEET.format(mine='main', other='one')}; exit 7\nCOPY --from=one /a /\n")
    assert code == 1 and "Dockerfile:4\n" in said and "exit code: 7" in said.splitlines()[-1], said


@pytest.mark.parametrize("args", [(), ("--no-cache",)])
def test_a_stage_that_several_need(box, args):
    """It is made once, said once, and --no-cache makes it anew once."""
    dockerfile = ("FROM box AS base\n" + SHARED + "echo x >>/shared/log; cp /shared/log /log\nCOPY a /\n"
                  + "".join(f"FROM base AS s{i}\nRUN echo {i} >/f{i}\n" for i in range(5))
                  + "FROM base\n" + "".join(f"COPY --from=s{i} /f{i} /\n" for i in range(5)))
    for i in range(2):
        code, said = build(box, dockerfile, *args)
        assert code == 0, said
        assert said.count("[base 2/3] RUN") == said.count("[base 3/3] COPY") == 1, said
        assert cat(box, "/log", "/a", *[f"/f{i}" for i in range(5)]) == ["x"] * (i + 1 if args else 1) + ["a", *"01234"]


@side_by_side
def test_a_cached_step_that_several_find(box):
    """Processes that look for it at the same moment say it once."""
    dockerfile = ("FROM box AS base\nRUN echo x >/log\nCOPY a /\n" + "".join(f"FROM base AS s{i}\nRUN echo {i} >/f{i}\n" for i in range(8))
                  + "FROM base\n" + "".join(f"COPY --from=s{i} /f{i} /\n" for i in range(8)))
    for _ in range(40):
        code, said = build(box, dockerfile)
        assert code == 0 and said.count("[base 2/3] RUN") == said.count("[base 3/3] COPY") == 1, said


def test_stages_through_stages(box):
    """More of them than CPUs, each taking from the one before, and --target in the middle."""
    n = CPUS + 4
    dockerfile = "FROM box AS s0\nRUN echo 0 >/log\n"
    for i in range(1, n):
        dockerfile += f"FROM box AS s{i}\nCOPY --from=s{i - 1} /log /before\nRUN (cat /before; echo {i}) >/log\n"
    code, said = build(box, dockerfile)
    assert code == 0, said
    assert cat(box, "/log") == [str(i) for i in range(n)]
    code, said = build(box, dockerfile, "--target", "s1", "--no-cache")
    assert code == 0 and "[s2" not in said, said
    assert cat(box, "/log") == ["0", "1"]


@pytest.mark.both_users
def test_builds_at_a_time(box):
    """A step that several builds need is made by one of them."""
    (box.context / "Dockerfile").write_text(f"FROM box\n{SHARED}echo x >>/shared/log; sleep 1; cp /shared/log /log\nRUN cat /log >/copy\n")
    builds = [box.popen("docker", "build", "-t", f"made{i}", str(box.context), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        text=True) for i in range(4)]
    said = [p.communicate(timeout=120)[0] for p in builds]
    assert [p.returncode for p in builds] == [0] * 4, said
    for i in range(4):
        assert box.ok("docker", "run", "--rm", f"made{i}", "cat", "/copy") == "x\n"
    assert sum(s.count("CACHED") for s in said) == 6, said


GO = SHARED + "test ! -e /shared/wait || { rm /shared/wait; touch /shared/in; i=0; while [ ! -e /shared/go ]; do i=$((i+1)); [ $i -lt 400 ] || exit 3; " \
    "sleep 0.05; done; }; "


@pytest.mark.both_users
def test_builds_that_make_a_step_anew(box):
    """--no-cache takes nothing from a build that stands on the step as it was, and no later build mixes the two."""
    first = f"FROM box AS first\n{SHARED}echo x >>/shared/log; wc -l </shared/log >/one; mkdir /d; cp /one /d/one\n"
    rest = f"FROM first\n{GO} cat /one /d/one >/two\nRUN cat /one /d/one /two >/three\n"
    code, said = build(box, f"FROM box\n{SHARED}touch /shared/wait\n")
    assert code == 0, said
    (box.context / "main").write_text(first + rest)
    main = ("docker", "build", "-f", str(box.context / "main"), str(box.context))
    slow = box.popen(*main, "-t", "slow", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    code, said = build(box, f"FROM box\n{SHARED}i=0; while [ ! -e /shared/in ]; do i=$((i+1)); [ $i -lt 400 ] || exit 3; sleep 0.05; done\n")
    assert code == 0, said
    for n in (2, 3):
        assert box.run(*main, "-q", "--no-cache", "--target", "first", "-t", "made").returncode == 0
        assert cat(box, "/one") == [str(n)]
    code, said = build(box, f"FROM box\n{SHARED}touch /shared/go\n")
    assert code == 0, said
    said = slow.communicate(timeout=60)[0]
    assert slow.returncode == 0, said
    assert box.ok("docker", "run", "--rm", "slow", "cat", "/one", "/two", "/three").split() == ["1"] * 7
    for cached in (1, 3):
        code, said = build(box, first + rest)
        assert code == 0 and said.count("CACHED") == cached, said
        assert cat(box, "/one", "/two", "/three") == ["3"] * 7
    assert not [n for n in os.listdir(box.dirs["cache"] / "build") if n.startswith("old-")]
