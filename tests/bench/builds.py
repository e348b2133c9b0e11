# SPDX-License-Identifier: Apache-2.0
"""P24: images from Dockerfiles and from changes, against Docker's classic builder and buildah; P24b: stacks of images."""
import shutil

from dialect import LOAD, archive, daemon, ordinary_priority
from measure import Case, Failed
from stores import disk_bytes

TEN = ["FROM bench", "ENV A=1", "RUN true", "WORKDIR /w", "COPY a /w/", "RUN true $A", "COPY d /w/d", "RUN true", "LABEL l=1",
       "RUN true", "CMD [\"true\"]"]
TRUE = ["FROM bench", *(f"RUN true {i}" for i in range(10))]
FILES = ["FROM bench", "COPY . /files/"]
HIGH = 8  # files of a stack


def context(world, name, lines, files):
    top = world.work / name
    world.own_dir(top, 0o755)
    for path, data in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(data)
    (top / "Dockerfile").write_text("\n".join(lines) + "\n", encoding="ascii")
    return top


def buildah(world):
    """Words that build with the user's own buildah; None where it does not work here."""
    top = world.work / "buildah"
    words = ["buildah", "--root", str(top / "root"), "--runroot", str(top / "run"), "--storage-driver", "vfs"]
    if not shutil.which("buildah"):
        world.note("buildah: not installed")
        return None
    p = world.call([*words, "pull", "-q", f"docker-archive:{archive(world)}"])
    if p.returncode:
        world.note(f"buildah: left out, it fails here: {p.stderr.strip().splitlines()[-1:]}")
        return None
    return [*words, "bud", "-q", "--isolation", "chroot", "--pull-never", "--layers", "-t", "made"]


def against(world, report, theirs, third, name, top, words, budget, rounds):
    ours = [world.csbx, "docker", "build", "-q", "-t", "made"]
    docker = ["env", "DOCKER_BUILDKIT=0", *theirs, "build", "-q", "-t", "made"]
    sync = ["sync"]  # what one has not written yet is waited for by the next that syncs a file
    cases = [Case(f"csbx: {name}", [*ours, *words, str(top)], expect=None, after=sync),
             Case(f"docker: {name}", [*docker, *words, str(top)], expect=None, after=sync)]
    if third:
        cases.append(Case(f"buildah: {name}", [*third, *words, str(top)], expect=None, after=sync))
    samples = world.stopwatch(cases, rounds, warmup=1)
    report.samples("P24", samples, cases[0].name, {cases[1].name: budget})


def p24(world, report):
    """Ten steps from the cache and anew, a COPY of many files, and a container's changes as an image."""
    count = 1000 if world.quick else 10000
    ten = context(world, "ten", TEN, {"a": b"a\n", **{f"d/{i}": b"d\n" for i in range(20)}})
    true = context(world, "true", TRUE, {})
    many = context(world, "many", FILES, {f"{i % 100}/{i}": f"{i}\n".encode() for i in range(count)})
    with ordinary_priority(), daemon(world) as theirs:
        for docker in [world.csbx, "docker"], theirs:
            world.run(*docker, "load", "-q", "-i", archive(world))
        third = buildah(world)
        rounds = 3 if world.quick else 5
        against(world, report, theirs, third, "ten steps, cached", ten, [], 0.1, 2 * rounds)
        against(world, report, theirs, third, "ten RUN true", true, ["--no-cache"], 0.1, rounds)
        against(world, report, theirs, third, f"COPY of {count} files", many, ["--no-cache"], 0.5, rounds)
    committed(world, report)


def committed(world, report):
    """5 MB that were changed over an image of 500 MB that does not compress."""
    docker, size = [world.csbx, "docker"], 50 if world.quick else 500
    top = context(world, "large", ["FROM bench", "COPY large /large"], {})
    world.run("dd", "if=/dev/urandom", f"of={top}/large", "bs=1M", f"count={size}", "status=none")
    world.run(*docker, "build", "-q", "-t", "large", top)
    (top / "large").unlink()
    world.run(*docker, "run", "--name", "changed", "large", "dd", "if=/dev/urandom", "of=/changed", "bs=1M", "count=5")
    case = Case(f"commit of 5 MB over {size} MB", [*docker, "commit", "changed", "delta"], expect=None,
                after=[*docker, "rmi", "delta"])
    samples = world.stopwatch([case], 5 if world.quick else 20)
    report.value("P24", f"{case.name}: median", samples[case.name].median_ms, "ms", 150)
    world.run(*docker, "rm", "changed")
    world.run(*docker, "rmi", "large")


def p24b(world, report):
    """Many images over one base, and the start of a stack that is as high as one may be."""
    docker, count = [world.csbx, "docker"], 100 if world.quick else 1000
    world.run(*docker, "load", "-q", "-i", archive(world))
    base = ["FROM bench", "ARG N", "RUN echo $N >/n"]
    top = context(world, "over", base, {})
    before = disk_bytes(world.work / "data", top.stat())
    for i in range(count):
        world.run(*docker, "build", "-q", "-t", f"over:{i}", "--build-arg", f"N={i}", top)
    added = disk_bytes(world.work / "data", top.stat()) - before
    report.value("P24b", f"one of {count} images over a base", added / count / 1024, "KiB", 64)
    for i in range(0, count, max(1, count // 20)):
        if world.run(*docker, "run", "--rm", f"over:{i}", "cat", "/n") != f"{i}\n":
            raise Failed(f"image over:{i} has another content")
    for i in range(HIGH - 1):
        (top / "Dockerfile").write_text(f"FROM {f'high:{i}' if i else 'bench'}\nRUN echo {i} >/f{i}\n", encoding="ascii")
        world.run(*docker, "build", "-q", "-t", f"high:{i + 1}", top)
    for name, image in ("flat", LOAD), ("high", f"high:{HIGH - 1}"):
        world.run(world.csbx, "create", "-n", name, image)
        world.run(world.csbx, "start", name, "true")
    cases = [Case(f"start of a stack of {HIGH}", world.csbx_start("high", "true")), Case("start of one file", world.csbx_start("flat", "true"))]
    samples = world.stopwatch(cases, 100 if world.quick else 400)
    report.samples("P24b", samples, cases[0].name, {cases[1].name: 1.1})
    world.run(*docker, "rmi", "-f", *(f"over:{i}" for i in range(count)))


BENCHES = {"P24": p24, "P24b": p24b}
