# SPDX-License-Identifier: Apache-2.0
"""P5, P6, P12: containers that run already."""
import contextlib
import json
from pathlib import Path

from measure import Case


@contextlib.contextmanager
def detached(world, *argv):
    """A detached start's instance id; everything of it ends with the block."""
    run = world.run(world.csbx, "start", "-d", world.container("python"), *argv).strip()
    try:
        yield run
    finally:
        world.call([world.csbx, "kill", run])


def p5(world, report):
    """exec of `true` in a running container, against a start and a bare spawn of the same file."""
    busybox = str(world.tree("python") / "usr/bin/busybox")
    with detached(world, "sleep", "600") as run:
        execed = Case("csbx exec", [world.csbx, "exec", run, "true"])
        start = Case("csbx start", world.csbx_start(world.container("python"), "true"))
        bare = Case("bare: the image's true", [busybox, "true"])
        samples = world.stopwatch([execed, start, bare], 30 if world.quick else 100)
    report.samples("P5", samples, execed.name, {start.name: 0.4, bare.name: 4})


def p6(world, report):
    """The end of a container whose main process does not catch SIGTERM; each time another one."""
    begin = [world.csbx, "start", "-d", world.container("python"), "sleep", "600"]
    cases = [Case(f"csbx {verb}", [world.csbx, verb, world.container("python")], before=begin)
             for verb in ("stop", "kill")]
    image = world.image("python")
    keep = [world.csbx, "run", "--keep", "-d", "--init=no", "--name", "bench-kept", str(image), "sleep", "600"]
    remove = [world.csbx, "remove", "-f", "bench-kept"]
    cases += [Case("csbx stop, --init=no", [world.csbx, "stop", "bench-kept"], before=keep, after=remove),
              Case("csbx remove -f", remove, before=keep)]
    for case in cases[2:]:
        case.expect = None
    samples = world.stopwatch(cases, 10 if world.quick else 30)
    for case in cases:
        report.samples("P6", {case.name: samples[case.name]}, case.name)
        report.value("P6", case.name, samples[case.name].median_ms, "ms", 50)


def pss_kib(pid):
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith("Pss:"))


def p12(world, report):
    """Memory of a container beside its payload: supervisor and csbx-init, of 20 that run at once."""
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(detached(world, "sleep", "600"))
        runs = json.loads(world.run(world.csbx, "list", "--json"))["instances"]
        sizes = [pss_kib(x["supervisor_pid"]) + pss_kib(x["pid"]) for x in runs]
    report.value("P12", "supervisor and init of one of 20", sum(sizes) / len(sizes) / 1024, "MiB", 1)


BENCHES = {"P5": p5, "P6": p6, "P12": p12}
