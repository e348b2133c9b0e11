#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at every system call of one build, import, create, start and batch, in csbx and its helpers.

	crash_sweep.py [--build DIR] [--seconds N] [--only SCENARIO:PROCESS:CALL] [--jobs N]

A first run of each scenario under tools/killat counts the calls of each process; every pair of
process and call is then a point. At each: kill there, `csbx gc`, nothing may be left (process,
mount, cgroup, temporary file), and the same command must then work. With --seconds a sample
in an order that depends on --seed alone, from all scenarios and processes alike. SIGTERM ends it
early, with the counts so far. Needs root, to trace; csbx runs as csbx-test.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures"))
import cgroups  # noqa: E402
import harness  # noqa: E402
RUN_TIMEOUT_S = 60
STOP = multiprocessing.Event()  # SIGTERM: what was run so far is counted


def parse_arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("--build", default=os.environ.get("CSBX_TEST_BIN", "build/release"))
    ap.add_argument("--seconds", type=float, help="stop after this long")
    ap.add_argument("--seed", type=int, default=int(os.environ.get("CSBX_TEST_SEED", "1")))
    ap.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    ap.add_argument("--scenario", action="append", help="only this one (may be given again)")
    ap.add_argument("--only", help="SCENARIO:PROCESS:CALL: this one point")
    return ap.parse_args()


# --- scenarios ------------------------------------------------------------------------------------

class Scenario:
    """One command in a sandbox, its preparation, and the proof that it worked."""
    program = "csbx"

    def __init__(self, box):
        self.box = box

    def prepare(self):
        """Once."""

    def reset(self):
        """Back to before the command; after each point."""

    def interrupted(self):
        """Looks at what the killed command left, after gc; returns problems."""
        return []

    def close(self):
        """Once, at the end."""

    def works(self, p):
        """Problems of a run that was not disturbed."""
        return [] if p.returncode == 0 else [f"exit code {p.returncode}: {p.stderr.strip()}"]


def write_small_image(directory, tag=None, applets=()):
    """busybox and 19 more files in two layers. tag: as DIRECTORY.tar, which docker load takes."""
    import images
    from ociimage import D, F, L, Image, entry_from_file, make_layer
    lower = [D("bin"), D("etc"), entry_from_file(images.busybox_program(), "bin/busybox", mode=0o755),
             *(L(f"bin/{n}", "busybox") for n in ("sh", "true", "echo", "cat", *applets)),
             F("etc/passwd", "root:x:0:0::/:/bin/sh\n"), F("etc/group", "root:x:0:\n")]
    upper = [D("data"), *(F(f"data/{n}", str(n) * 100) for n in range(11))]
    image = Image([make_layer(lower), make_layer(upper)], {"Cmd": ["/bin/sh"]})
    if tag:
        image.write_docker_archive(directory.with_suffix(".tar"), tags=(tag,))
    else:
        image.write_oci(directory)


class Import(Scenario):
    argv = ["import", "-q", "-o", "out.sqsh", "oci:oci"]

    def prepare(self):
        write_small_image(self.box.work / "oci")
        self.box.ok(*self.argv)
        self.out = self.box.work / "out.sqsh"
        self.want = self.out.read_bytes()
        self.reset()

    def reset(self):
        self.out.unlink(missing_ok=True)

    def interrupted(self):
        if self.out.exists() and self.out.read_bytes() != self.want:
            return ["a half-written image has the final name"]
        self.reset()
        return []

    def works(self, p):
        bad = super().works(p)
        if not bad and self.out.read_bytes() != self.want:
            bad = ["the image differs from an undisturbed one"]
        return bad


class Create(Scenario):
    argv = ["create", "--name", "c", "image.sqsh"]

    def prepare(self):
        write_small_image(self.box.work / "oci")
        self.box.ok("import", "-q", "-o", "image.sqsh", "oci:oci")

    def reset(self):
        self.box.ok("remove", "-f", "c")
        # A cached record would spare the next run its reader, and with it most points.
        for record in (self.box.dirs["cache"] / "meta").glob("[!.]*"):
            record.unlink()

    def interrupted(self):
        listed = self.box.run("list")
        if listed.returncode:
            return [f"list fails: {listed.stderr.strip()}"]
        if "c" in listed.stdout.split():
            p = self.box.run("start", "c", "/bin/true")
            if p.returncode:
                return [f"listed, but does not start: {p.stderr.strip()}"]
            self.reset()
        return []


class Start(Scenario):
    argv = ["start", "--mount", "dir:/work", "c", "/bin/sh", "-c", "cat /work/in; echo out >/tmp.out"]

    def prepare(self):
        write_small_image(self.box.work / "oci")
        self.box.ok("import", "-q", "-o", "image.sqsh", "oci:oci")
        self.box.ok("create", "--name", "c", "image.sqsh")
        (self.box.work / "dir").mkdir()
        (self.box.work / "dir" / "in").write_text("from the bind\n")
        self.argv = [a.replace("dir:", f"{self.box.work}/dir:") for a in self.argv]

    def works(self, p):
        bad = super().works(p)
        if not bad and p.stdout != "from the bind\n":
            bad = [f"said {p.stdout!r}"]
        return bad


class StartKept(Start):
    """-w: the layer stays; after a crash it must still be usable, at most after a warning."""
    argv = ["start", "-w", "c", "/bin/sh", "-c", "echo x >>/kept; cat /data/1 >/dev/null; echo ran"]

    def works(self, p):
        bad = Scenario.works(self, p)
        if not bad and p.stdout != "ran\n":
            bad = [f"said {p.stdout!r}"]
        return bad


class StartGrouped(Start):
    """With a control group: killed at any time, its directories are found by gc."""
    argv = ["start", "--pids-limit", "64", "--mount", "dir:/work", "c", "/bin/sh", "-c",
            "cat /work/in; echo out >/tmp.out"]

    def __init__(self, box):
        super().__init__(box)
        self.group = None

    def prepare(self):
        super().prepare()
        if cgroups.tree():
            self.group = cgroups.Delegated(self.box.owner)
            self.group.enter()
            self.box.env["CSBX_CGROUP_PARENT"] = str(self.group.path)

    def interrupted(self):
        return [f"after gc there is group {x}" for x in self.group.containers()] if self.group else []

    def close(self):
        if self.group:
            self.group.close()


class DockerRun(Scenario):
    """--rm with an anonymous volume: neither outlives the run, once gc was there. A container that was not started yet
    may stay."""
    argv = ["docker", "run", "--rm", "--network", "none", "-v", "/x", "./image.sqsh", "/bin/sh", "-c", "echo ran >/x/f"]

    def prepare(self):
        write_small_image(self.box.work / "oci")
        self.box.ok("import", "-q", "-o", "image.sqsh", "oci:oci")

    def interrupted(self):
        made = self.box.ok("docker", "ps", "-aq", "--filter", "status=created").split()
        left = [x for x in self.box.ok("docker", "ps", "-aq").split() if x not in made]
        if made:
            self.box.ok("docker", "rm", "-v", *made)
        volumes = self.box.ok("docker", "volume", "ls", "-q").split()
        if left + volumes:
            self.reset()
        return [f"after gc there is {x}" for x in left + volumes]

    def reset(self):
        for container in self.box.ok("docker", "ps", "-aq").split():
            self.box.ok("docker", "rm", "-fv", container)
        self.box.ok("docker", "volume", "prune", "-af")


class Build(Scenario):
    """Steps that are done stay usable, no half-made one ever counts, and nothing else is left."""
    argv = ["docker", "build", "-t", "made", "ctx"]
    dockerfile = "FROM box AS side\nRUN echo one >/one\nFROM box\nRUN rm -r /data\nCOPY --from=side /one /one\nCOPY file /two\n" \
        "RUN cat /one /two >/three; ls / | grep -c data >>/three; true\n"

    def prepare(self):
        write_small_image(self.box.work / "oci", "box:latest", ("grep", "rm", "ls"))
        self.box.ok("docker", "load", "-q", "-i", "oci.tar")
        (self.box.work / "ctx").mkdir()
        (self.box.work / "ctx/file").write_text("two\n")
        (self.box.work / "ctx/Dockerfile").write_text(self.dockerfile)

    def interrupted(self):
        left = [x.name for x in (self.box.dirs["cache"] / "build").iterdir() if x.name.startswith(("new-", "old-"))]
        return [f"after gc there is {x}" for x in left]

    def reset(self):
        self.box.ok("docker", "builder", "prune", "-af")
        self.box.run("docker", "rmi", "-f", "made")

    def works(self, p):
        bad = super().works(p)
        if not bad:
            said = self.box.run("docker", "run", "--rm", "made", "/bin/cat", "/three")
            if said.stdout != "one\ntwo\n0\n":
                bad = [f"the image says {said.stdout!r} {said.stderr.strip()}"]
        return bad


class Spare(Scenario):
    """A start, the container that it makes ahead, and a start that takes it, or makes its own where that was killed."""
    program = "/bin/sh"
    argv = ["-c", """
csbx start c /bin/true
i=0; while [ $i -lt 40 ] && ! ls "$CSBX_RUNTIME_PATH"/spares/*.sock >/dev/null 2>&1; do sleep 0.02; i=$((i + 1)); done
csbx start c /bin/echo second"""]

    def prepare(self):
        write_small_image(self.box.work / "oci")
        self.box.ok("import", "-q", "-o", "image.sqsh", "oci:oci")
        self.box.ok("create", "--name", "c", "image.sqsh")
        self.box.env |= {"CSBX_SPARES": "always", "CSBX_LINGER": "1", "PATH": f"{harness.BIN}:{self.box.env['PATH']}"}

    def works(self, p):
        bad = super().works(p)
        if not bad and p.stdout != "second\n":
            bad = [f"said {p.stdout!r}"]
        return bad


class Lanes(Scenario):
    """A batch goes on where a killed one stopped. Each line ends with one record, and the verdict is right but where
    the kill has hit the snippet itself."""
    argv = ["eval", "--image", "python.sqsh", "--lanes", "yes", "-j", "1", "--timeout", "40", "--batch", "in", "-o", "out"]
    lines = 8

    def prepare(self):
        import images
        self.box.env |= {"CSBX_LINGER": "1"}
        self.box.ok("import", "-q", "-o", "python.sqsh", f"oci:{images.layout('python')}")
        (self.box.work / "in").write_text("".join(
            f'{{"id": {n}, "code": "def f(x): return x + {n % 2}", "function": "f", "cases": [{{"args": [1], "expected": 2}}]}}\n' if n > 5 else
            f'{{"id": {n}, "code": "print({n})"}}\n' for n in range(self.lines)))
        self.out = self.box.work / "out"

    def reset(self):
        self.out.unlink(missing_ok=True)

    def wrong(self, record):
        n = record["id"]
        if record["status"] in ("signaled", "sandbox_error"):
            return False
        return record["all_passed"] != bool(n % 2) if n > 5 else record["stdout"] != f"{n}\n"

    def interrupted(self):
        whole = [json.loads(x) for x in self.out.read_text().splitlines(keepends=True) if x.endswith("\n")] if self.out.exists() else []
        return [f"wrong: {x}" for x in whole if self.wrong(x)]

    def works(self, p):
        records = [json.loads(x) for x in self.out.read_text().splitlines()] if self.out.exists() else []
        bad = [f"wrong: {x}" for x in records if self.wrong(x)]
        last = {x["id"]: x for x in records}
        if p.returncode or len(last) != self.lines or sum(x["status"] != "exited" for x in last.values()) > 1:
            bad.append(f"exit code {p.returncode}, {len(last)} lines are judged: {p.stderr.strip()} {[x['status'] for x in records]}")
        return bad


class Warm(Scenario):
    """One command leaves a lane for the next (--warm), which runs where it finds none, too."""
    program = "/bin/sh"
    argv = ["-c", "for n in 1 2 3; do csbx eval --warm --timeout 40 --image python.sqsh snippet.py; done"]

    def prepare(self):
        import images
        self.box.ok("import", "-q", "-o", "python.sqsh", f"oci:{images.layout('python')}")
        (self.box.work / "snippet.py").write_text("print(6 * 7)\n")
        self.box.env |= {"CSBX_LINGER": "1", "PATH": f"{harness.BIN}:{self.box.env['PATH']}"}

    def works(self, p):
        bad = super().works(p)
        if not bad and p.stdout != "42\n" * 3:
            bad = [f"said {p.stdout!r}"]
        return bad


SCENARIOS = {"build": Build, "docker-run": DockerRun, "import": Import, "create": Create, "start": Start, "start-w": StartKept,
             "start-cgroup": StartGrouped, "spare": Spare, "lanes": Lanes, "warm": Warm}


# --- one point ------------------------------------------------------------------------------------

class Sweep:
    def __init__(self, name, top):
        harness.become_subreaper()
        self.name = name
        self.box = harness.Sandbox(top=top)
        self.scenario = SCENARIOS[name](self.box)
        self.log = Path(self.box.top) / "killat.log"
        self.needed_gc = 0  # points after which there was something for gc to do
        # As root we make the files, but they must be the user's own.
        self.scenario.prepare()
        subprocess.run(["chown", "-R", self.box.owner.pw_name, str(self.box.work)], check=True)

    def traced(self, *point):
        """Runs the command under killat; (exit code, stderr, log lines as lists of words)."""
        killat = [str(harness.BIN / "killat"), "-u", self.box.owner.pw_name, "-o", str(self.log)]
        if point:
            killat += ["-p", str(point[0]), "-n", str(point[1])]
        with open(self.box.top / "stderr", "w+b") as err:
            p = subprocess.run([*killat, "--", *self.box.argv(self.scenario.argv, self.scenario.program)], env=self.box.env,
                               cwd=self.box.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=err, timeout=RUN_TIMEOUT_S, check=False)
            err.seek(0)
            said = err.read().decode(errors="replace")
        return p.returncode, said, [line.split() for line in self.log.read_text().splitlines()]

    def points(self):
        """[(process, call)], and a line that says which process makes how many."""
        code, said, lines = self.traced()
        if code:
            raise RuntimeError(f"{self.name} fails under the tracer: {code} {said}")
        left = self.box.leftovers()
        if left:
            raise RuntimeError(f"{self.name} undisturbed leaves {left}")
        if self.name not in ("start", "start-cgroup"):
            self.scenario.reset()
        calls = [(int(n), int(count), name) for n, count, name in lines]
        text = ", ".join(f"{name} {count}" for _, count, name in calls if count)
        return [(n, c) for n, count, _ in calls for c in range(1, count + 1)], text

    def run_point(self, process, call):
        """(reached?, problems)"""
        try:
            _, _, lines = self.traced(process, call)
        except subprocess.TimeoutExpired:
            left = self.box.leftovers()
            return True, [f"hangs; then left: {left}"]
        reached = [x for x in lines if x[0] == "killed"]
        self.needed_gc += bool(self.box.debris())
        bad = []
        gc = self.box.run("gc")
        if gc.returncode:
            bad.append(f"gc fails: {gc.stderr.strip()}")
        bad += [f"after gc there is {x}" for x in self.box.leftovers()]
        bad += self.scenario.interrupted()
        again = self.box.run(*self.scenario.argv, program=self.scenario.program)
        if "--force" in again.stderr and again.returncode == 125 and self.name == "start-w":
            # The layer was in use when the machine, for all csbx knows, crashed: it says so.
            again = self.box.run("start", "--force", *self.scenario.argv[1:])
        bad += [f"the same command: {x}" for x in self.scenario.works(again)]
        bad += [f"after that there is {x}" for x in self.box.leftovers()]
        self.scenario.reset()
        if reached and bad:
            bad.insert(0, f"killed {reached[0][4]} at system call {reached[0][3]}")
        return bool(reached), bad

    def close(self):
        self.scenario.close()
        self.box.close()


def work(job):
    """One worker's share: runs points of one scenario after the other until the time is up."""
    shares, top, deadline = job
    done = []
    sweeps = {}
    try:
        for name, process, call in shares:
            if STOP.is_set() or deadline and time.time() > deadline:
                break
            if name not in sweeps:
                sweeps[name] = Sweep(name, top)
            before = sweeps[name].needed_gc
            reached, bad = sweeps[name].run_point(process, call)
            done.append((name, process, call, reached, bad, sweeps[name].needed_gc - before))
            if bad:  # what is broken now must not spoil the next point
                sweeps.pop(name).close()
    finally:
        for sweep in sweeps.values():
            sweep.close()
    return done


def deal(groups, rng):
    """One of each list, and again, until all are dealt; each round in another order."""
    out = []
    while groups := [g for g in groups if g]:
        rng.shuffle(groups)
        out += [g.pop() for g in groups]
    return out


def interleave(points, rng):
    """All scenarios alike at the beginning, and in each its processes; the calls of a process in random order."""
    scenarios = {}
    for p in points:
        scenarios.setdefault(p[0], {}).setdefault(p[1], []).append(p)
    for processes in scenarios.values():
        for calls in processes.values():
            rng.shuffle(calls)
    return deal([deal(list(processes.values()), rng)[::-1] for processes in scenarios.values()], rng)


def count_points(names, top):
    points = []
    for name in names:
        sweep = Sweep(name, top)
        try:
            found, text = sweep.points()
        finally:
            sweep.close()
        print(f"# {name}: {len(found)} points ({text})", flush=True)
        points += [(name, *p) for p in found]
    return points


def main():
    a = parse_arguments()
    harness.become_root()
    start = time.time()
    if os.geteuid() != 0:
        print("# tracing needs root")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: STOP.set())
    with tempfile.TemporaryDirectory(prefix="csbx-crash.", dir="/tmp") as top:
        os.chmod(top, 0o755)
        harness.stage_programs(a.build, top)
        names = a.scenario or list(SCENARIOS)
        if a.only:
            name, process, call = a.only.split(":")
            points = [(name, int(process), int(call))]
        else:
            points = interleave(count_points(names, top), random.Random(a.seed))
        deadline = start + a.seconds if a.seconds else None
        jobs = [(points[n::a.jobs], top, deadline) for n in range(a.jobs)]
        with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
            done = sum(pool.map(work, jobs), [])
    failed = [d for d in done if d[4]]
    for name, process, call, _, bad, _ in failed[:20]:
        print(f"FAIL {name}:{process}:{call}")
        for line in bad:
            print(f"     {line}")
    reached = sum(d[3] for d in done)
    print(f"# {len(done)} of {len(points)} points run in {time.time() - start:.0f} s, "
          f"{len(done) - reached} not reached, {sum(d[5] for d in done)} left something for gc")
    print(f"{len(done) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    if STOP.is_set() and len(done) < len(points):
        return 1
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
