# SPDX-License-Identifier: Apache-2.0
"""P21, P22: a step of SLURM with and without csbx; enroot's sequence for one script."""
import shutil
import sys
from pathlib import Path

from measure import Case
from world import Unavailable

sys.path.insert(0, str(Path(__file__).parents[1] / "slurm"))
import cluster as clusters  # noqa: E402


def p21(world, report):
    """Measures the time that csbx adds to a step of one CPU: each step starts the image server anew, because its key is
    another."""
    if not world.is_root:
        raise Unavailable("slurmctld and slurmd are started by root")
    if lacking := clusters.missing_programs():
        raise Unavailable(f"not installed: {' '.join(lacking)}")
    name = world.container("python")
    with clusters.Cluster(nodes=("n1",)) as cluster:
        slurm = ["env", f"SLURM_CONF={cluster.conf}"]
        job = world.run(*slurm, "sbatch", "--parsable", "-o", "/dev/null", "--wrap", "sleep 3600").strip()
        cluster.wait_job(job, ["RUNNING"])
        srun = [*slurm, "srun", "--quiet", "--overlap", f"--jobid={job}"]
        bare = Case("srun true", [*srun, "true"])
        ours = [Case(f"srun csbx start{mode}", [*srun, *world.csbx_start(name, "true", options=options)])
                for mode, options in (("", []), (", one id", ["--userns", "one"]))]
        samples = world.stopwatch([bare, *ours], 15 if world.quick else 50)
        for case in ours:
            report.samples("P21", {c.name: samples[c.name] for c in (case, bare)}, case.name, {})
            added = samples[case.name].median_ms - samples[bare.name].median_ms
            report.value("P21", f"{case.name} adds to a step", added, "ms", 10)


def p22(world, report):
    """enroot remove -f, create, start of `true`; the same by unsquashfs, bwrap and rm."""
    for program in ("unsquashfs", "bwrap"):
        if not shutil.which(program):
            raise Unavailable(f"{program} is not installed")
    image, tree = world.image("python"), world.work / "unpacked"
    shims = world.work / "shims"
    world.run(world.csbx, "shims", shims)
    ours = (f"{shims}/enroot remove -f bench && {shims}/enroot create --name bench {image} 2>/dev/null && "
            f"exec {shims}/enroot start bench true")
    theirs = (f"rm -rf {tree} && unsquashfs -q -no -d {tree} {image} >/dev/null && "
              f"exec bwrap --unshare-all --ro-bind {tree} / --dev /dev --proc /proc true")
    world.run(f"{shims}/enroot", "create", "--name", "bench", image)
    cases = [Case("enroot remove, create, start by csbx", ["sh", "-c", ours]),
             Case("rm, unsquashfs, bwrap", ["sh", "-c", theirs])]
    samples = world.stopwatch(cases, 5 if world.quick else 15)
    report.samples("P22", samples, cases[0].name, {cases[1].name: 1 / 20})


BENCHES = {"P21": p21, "P22": p22}
