# SPDX-License-Identifier: Apache-2.0
"""P19, P20: `docker` as csbx answers it, against Docker's own program and a daemon made for it."""
import contextlib
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import engines
import images
from measure import Case
from running import pss_kib
from world import Unavailable

LOAD = "bench:latest"


@contextlib.contextmanager
def ordinary_priority():
    """Docker's programs wait by spinning: at a real-time priority they would take every CPU."""
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, param)


@contextlib.contextmanager
def daemon(world):
    """Words that call Docker's own program."""
    if not world.is_root:
        raise Unavailable("a Docker daemon needs root")
    if not shutil.which("dockerd"):
        raise Unavailable("docker.io is not installed")
    top = Path(tempfile.mkdtemp(prefix="csbx-dk.", dir="/tmp"))  # a socket's path must be short
    top.chmod(0o711)
    try:
        with engines.docker(top, driver=None) as engine:
            (top / "s").chmod(0o666)
            yield [str(word) for word in engine.command]
    finally:
        shutil.rmtree(top, ignore_errors=True)


def archive(world):
    path = world.work / "bench.tar"
    if not path.exists():
        images.busybox_image().write_docker_archive(path, tags=(LOAD,))
        path.chmod(0o644)
    return path


def p19(world, report):
    """run --rm of `true`, and exec of it."""
    ours = [world.csbx, "docker"]
    with ordinary_priority(), daemon(world) as theirs:
        for docker in ours, theirs:
            world.run(*docker, "load", "-q", "-i", archive(world))
            world.run(*docker, "run", "-d", "--network", "none", "--name", "long", LOAD, "sleep", "6000")
        try:
            for what, words, budget in (("run --rm", ["run", "--rm", "--network", "none", LOAD, "true"], 1 / 50),
                                        ("exec", ["exec", "long", "true"], 1 / 20)):
                cases = [Case(f"csbx docker {what}", ours + words), Case(f"docker {what}", theirs + words)]
                samples = world.stopwatch(cases, 10 if world.quick else 30)
                report.samples("P19", samples, cases[0].name, {cases[1].name: budget})
        finally:
            for docker in ours, theirs:
                world.call([*docker, "rm", "-f", "long"])


def timed_starts(world, docker, count):
    """(ids, milliseconds of each): detached containers, started one after the other."""
    ids, took_ms = [], []
    for _ in range(count):
        begun = time.monotonic()
        ids.append(world.run(*docker, "run", "-d", "--network", "none", LOAD, "sleep", "6000").strip())
        took_ms.append((time.monotonic() - begun) * 1e3)
    return ids, took_ms


def p20(world, report):
    """Many containers at once: the start of the last ones, the memory that one holds besides its payload, and what looks at them."""
    docker, count = [world.csbx, "docker"], 50 if world.quick else 5000
    world.run(*docker, "load", "-q", "-i", archive(world))
    ids = []
    try:
        ids, took_ms = timed_starts(world, docker, count)
        report.value("P20", f"start of the last of {count} over the first", statistics.median(took_ms[-20:]) / statistics.median(took_ms[:20]),
                     "ratio", 1.5)
        payloads = [pid for at in range(0, count, 500) for pid in world.run(*docker, "inspect", "-f", "{{.State.Pid}}", *ids[at:at + 500]).split()]
        inits = {parent(int(pid)) for pid in payloads}
        beside = inits | {parent(pid) for pid in inits}
        report.value("P20", f"supervisor and csbx-init of one of {count}", sum(map(pss_kib, beside)) / count / 1024, "MiB", 0.2)
        for _ in range(500):
            ids.append(world.run(*docker, "create", LOAD, "true").strip())
        cases = [Case(f"docker ps -a of {len(ids)}", [*docker, "ps", "-aq"], expect=None),
                 Case("docker inspect of an id's beginning", [*docker, "inspect", "-f", "{{.Id}}", ids[7][:12]], expect=None),
                 Case("docker exec", [*docker, "exec", ids[9], "true"])]
        for name, timed in world.stopwatch(cases, 10).items():
            report.value("P20", name, timed.median_ms, "ms")
    finally:
        for i in range(0, len(ids), 100):
            world.call([*docker, "rm", "-f", *ids[i:i + 100]])


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(") ", 1)[1].split()[1])


BENCHES = {"P19": p19, "P20": p20}
