# SPDX-License-Identifier: Apache-2.0
"""P1, P1b, P1c, P1d, P2, P4, P8, P21c: starts of containers."""
import contextlib
import shutil

import cgroups
from measure import Case, merge
from world import Unavailable

HOST_MOUNTS = 200
# Makes mounts in the private mount namespace it is run in, then becomes the command.
WITH_MOUNTS = ('top=$1; shift; n=0; while [ $n -lt {n} ]; do mkdir -p $top/$n; '
               'mount -t tmpfs none $top/$n; n=$((n+1)); done; exec "$@"').format(n=HOST_MOUNTS)
WITH_CGROUP2 = 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"'


def rounds(world, full=100, quick=30):
    return quick if world.quick else full


def p1(world, report):
    """A warm start of `true` against other launchers on the same files, and against the floor."""
    name, tree, floor = world.container("python"), world.tree("python"), str(world.bin / "floor")
    busybox = str(tree / "usr/bin/busybox")
    cases = [Case("csbx start", world.csbx_start(name, "true")),
             Case("csbx start --userns one", world.csbx_start(name, "true", options=["--userns", "one"])),
             Case("csbx start --network host",
                  world.csbx_start(name, "true", options=["--network", "host"]))]
    cases += [Case(peer, argv) for peer, argv in world.peers("python", "true").items()]
    cases += [Case("floor: a static program, exec and exit", [floor, "exit"]),
              Case("floor: the image's true, without anything", [busybox, "true"]),
              Case("floor: true in new namespaces", [floor, "namespaces", busybox, "true"]),
              Case("floor: and overlay, proc, pivot_root", [floor, "mounts", str(tree), "/usr/bin/busybox",
                                                            "true"])]
    report.samples("P1", world.stopwatch(cases, rounds(world)), "csbx start",
                   {"bwrap --unshare-all": 0.75, "ch-run": 1.15})
    if "crun" not in {case.name for case in cases}:
        crun_apart(world, report)


def crun_apart(world, report):
    """crun refuses hybrid cgroups: a mount namespace with cgroup2 alone shows it what it wants."""
    if not world.is_root or not shutil.which("crun"):
        return
    place = "with cgroup2 alone: "
    cases = [Case(place + "csbx start", world.csbx_start(world.container("python"), "true")),
             Case(place + "bwrap --unshare-all", world.bwrap("python", "true")),
             Case(place + "crun", world.crun("python", "true"))]
    samples = world.stopwatch(cases, rounds(world), prefix=["unshare", "--mount", "--propagation", "private",
                                                            "sh", "-c", WITH_CGROUP2, "sh"])
    report.samples("P1", samples, cases[0].name)


def with_mounts(world):
    """Words that put a command into a private mount namespace with HOST_MOUNTS mounts."""
    if not world.is_root:
        raise Unavailable("only root makes mounts on the host")
    top = world.work / "mounts"
    if not top.exists():
        world.own_dir(top, 0o755)
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", WITH_MOUNTS, "sh", str(top)]


def p1b(world, report):
    """One bind mount; then a host with many mounts, which every launcher copies."""
    name = world.container("python")
    bind = ["--mount", f"{world.work / 'home'}:/work"]
    plain = Case("csbx start", world.csbx_start(name, "true"))
    one = Case("csbx start --mount", world.csbx_start(name, "true", options=bind))
    n = rounds(world)
    report.samples("P1b", world.stopwatch([plain, one], n), one.name, {plain.name: 1.1})
    many = f"{HOST_MOUNTS} host mounts: "
    prefix = with_mounts(world)
    here = [Case(many + plain.name, plain.argv)]
    here += [Case(many + peer, argv) for peer, argv in
             world.peers("python", "true", only=["bwrap", "ch-run"]).items()]
    parts = []
    for _ in range(5):  # in turns: the two kinds of host are not under one stopwatch
        parts.append(world.stopwatch([plain], n // 5))
        parts.append(world.stopwatch(here, n // 5, prefix=prefix))
    report.samples("P1b", merge(parts), many + plain.name,
                   {plain.name: 1.35, many + "bwrap --unshare-all": 0.75})


@contextlib.contextmanager
def delegated_group(world):
    """A cgroup v2 directory of the test user's, with a group below it for the processes that start there."""
    if not world.is_root or not cgroups.tree():
        raise Unavailable("needs root and a cgroup v2 tree to delegate a group in")
    group = cgroups.Delegated(world.owner)
    try:
        yield group
    finally:
        world.run(world.csbx, "gc", "--servers")
        group.close()


def p1c(world, report):
    """Measures the cost of a control group: two directories made, two processes born in them, two removed."""
    name, limit = world.container("python"), ["--pids-limit", "64"]
    with delegated_group(world) as group:
        # If the tree has no pids controller, csbx says so; the case does not measure that message.
        def below(parent):
            return ["sh", "-c", f'CSBX_CGROUP_PARENT={parent} exec "$@" 2>/dev/null', "sh",
                    *world.csbx_start(name, "true", options=limit)]
        grouped = Case("csbx start, limit by a control group", below(group.path))
        plain = Case("csbx start, the same limit without", below("none"))
        # The server must be where the starts are: they would not share one from outside.
        prefix = ["sh", "-c", f'echo $$ >{group.inside}/cgroup.procs; exec "$@"', "sh"]
        samples = world.stopwatch([grouped, plain], rounds(world, 200), prefix=prefix)
    report.samples("P1c", samples, grouped.name)
    report.value("P1c", "a control group more", samples[grouped.name].median_ms - samples[plain.name].median_ms,
                 "ms", 0.3)


def p1d(world, report):
    """Starts whose container was made ahead, beside others. A container of a stated limit is never made ahead."""
    name, cold, python = world.container("python"), ["--pids-limit", "4096"], ["python3", "-c", "pass"]
    pause = ["sleep", "0.06"]  # an idle CPU while it is made
    def case(what, argv, **more):
        return Case(what, argv, before=pause, **more)
    for words, beside, most in ((["true"], "bwrap --unshare-all", 0.4), (python, "bare python3 -c pass", 1.15)):
        what = " ".join(words)
        cases = [case(f"made ahead: csbx start {what}", world.csbx_start(name, *words)),
                 case(f"csbx start {what}", world.csbx_start(name, *words, options=cold))]
        if words == python:
            cases.append(case(beside, ["/usr/bin/python3", *python[1:]], root=str(world.tree("python"))))
        else:
            cases += [case(peer, argv) for peer, argv in world.peers("python", *words, only=["bwrap"]).items()]
        samples = world.stopwatch(cases, rounds(world, 60, 20), env={"CSBX_SPARES": "always"})
        report.samples("P1d", samples, cases[0].name, {beside: most})


def p2(world, report):
    """The interpreter in a container and without one, on the same files."""
    name, words = world.container("python"), ["python3", "-c", "pass"]
    cases = [Case("csbx start python3 -c pass", world.csbx_start(name, *words)),
             Case("bare python3 -c pass", ["/usr/bin/python3", *words[1:]], root=str(world.tree("python")))]
    cases += [Case(f"{peer} python3 -c pass", argv) for peer, argv in
              world.peers("python", *words, only=["bwrap"]).items()]
    report.samples("P2", world.stopwatch(cases, rounds(world, 60, 30)), cases[0].name, {cases[1].name: 1.2})


def p4(world, report):
    """64 starts at once, kept going for a few hundred; none may fail."""
    name, width, total = world.container("python"), 64, 128 if world.quick else 320
    cases = [Case("csbx start", world.csbx_start(name, "echo", "ok"), expect="ok\n")]
    cases += [Case(peer, argv, expect="ok\n") for peer, argv in
              world.peers("python", "echo", "ok", only=["bwrap", "ch-run"]).items()]
    samples = world.stopwatch(cases, 3 if world.quick else 8, warmup=1, batch=(width, total))
    rate = {case: total / s.median_ms * 1e3 for case, s in samples.items()}
    for case, value in rate.items():
        report.value("P4", f"{width} at once, {case}", value, "/s")
    for peer in rate:
        if peer != "csbx start":
            report.value("P4", f"csbx's rate over that of {peer}", rate["csbx start"] / rate[peer], "",
                         1.5 if peer.startswith("bwrap") else None, at_least=True)
    report.value("P4", "starts that failed", 0, "")  # the stopwatch stops at the first one


def p8(world, report):
    """The first start of an image brings its server up; the image file is in the page cache."""
    name = world.container("python")
    end = [world.csbx, "gc", "--servers"]
    first = Case("first start, python3 -c pass", world.csbx_start(name, "python3", "-c", "pass"), before=end)
    second = Case("second start, python3 -c pass", world.csbx_start(name, "python3", "-c", "pass"),
                  before=world.csbx_start(name, "true"))
    samples = world.stopwatch([first, second], rounds(world, 30, 10))
    report.samples("P8", samples, first.name)
    report.value("P8", "first start", samples[first.name].median_ms, "ms", 100)


def p21c(world, report):
    """A start of `true` that brings its image server up against one that finds it, with and without id ranges."""
    name, end = world.container("python"), [world.csbx, "gc", "--servers"]
    for mode, options in ("", []), (", one id", ["--userns", "one"]):
        start = world.csbx_start(name, "true", options=options)
        first, later = Case(f"first start{mode}", start, before=end), Case(f"later start{mode}", start, before=start)
        samples = world.stopwatch([first, later], rounds(world, 60, 20))
        report.samples("P21c", samples, first.name)
        added = samples[first.name].median_ms - samples[later.name].median_ms
        report.value("P21c", f"the image server adds{mode}", added, "ms", 10)


BENCHES = {"P1": p1, "P1b": p1b, "P1c": p1c, "P1d": p1d, "P2": p2, "P4": p4, "P8": p8, "P21c": p21c}
