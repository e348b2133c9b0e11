# SPDX-License-Identifier: Apache-2.0
"""The plugin as tests use it: srun with a container, and what plugstack.conf says."""
import os
from pathlib import Path

import harness

PLUGIN = harness.BIN / "csbx_spank.so"


class Steps:
    """srun with a container, and where the plugin keeps what steps share with their tasks."""

    def __init__(self, jobs, image, runtime):
        self.jobs, self.image, self.runtime = jobs, image, runtime

    def run(self, *argv, image=True, **kw):
        flags = [f"--container-image={self.image}"] if image is True else [f"--container-image={image}"] if image else []
        return self.jobs.run("srun", *flags, *argv, **kw)

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, self.jobs.told(p)
        return p.stdout

    def fails(self, *argv, says, code=None, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode if code is None else p.returncode == code, self.jobs.told(p)
        assert says in p.stderr, self.jobs.told(p)
        return p

    def left(self):
        """Directories of steps that have ended."""
        return [p for p in self.runtime.glob("*/*") if p.is_dir()]


def plugstack(cluster, *words):
    cluster.set_plugstack(f"required {PLUGIN} csbx_path={harness.BIN}/csbx "
                          f"runtime_path={cluster.top}/steps {' '.join(words)}\n")


def running(match):
    """pids of processes below us whose command line, words joined by blanks, holds the text."""
    found = []
    for pid in harness.descendants():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if match in line.replace(b"\0", b" ").decode(errors="replace"):
            found.append(pid)
    return found


def beside(steps, first, second):
    """A shell script of two steps of one job: the first lasts until the second has begun."""
    work = steps.jobs.box.work
    os.mkfifo(work / "fifo")
    os.chown(work / "fifo", *[steps.jobs.box.identity()[k] for k in ("user", "group")])
    return steps.jobs.ok("salloc", "-N1", "-n2", "sh", "-c", f"""
srun -n1 --overlap --container-image={steps.image} --container-mounts={work}:{work} {first} \\
    sh -c 'echo up >{work}/fifo; cat {work}/fifo' &
read up <{work}/fifo
srun -n1 --overlap {second}
wait
""")
