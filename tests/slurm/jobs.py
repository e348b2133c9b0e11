# SPDX-License-Identifier: Apache-2.0
"""The commands of a user of the cluster: srun, sbatch, scancel, with csbx from the build under test."""
import subprocess

import cluster as clusters
import harness

SLOW_S = 120  # for a step on a loaded machine


class Jobs:
    def __init__(self, box, cluster):
        self.box, self.cluster = box, cluster
        self.env = {**box.env, **cluster.env, "PATH": f"{harness.BIN}:{box.env['PATH']}"}

    def popen(self, *argv, env=None, **kw):
        """A command of the user's on the login node."""
        kw.setdefault("stdin", subprocess.DEVNULL)
        kw.setdefault("stdout", subprocess.PIPE)
        kw.setdefault("stderr", subprocess.PIPE)
        kw.setdefault("text", True)
        return subprocess.Popen([str(a) for a in argv], env={**self.env, **(env or {})},
                                **{"cwd": self.box.work, **self.box.identity(), **kw})

    def run(self, *argv, timeout=SLOW_S, stdin=None, **kw):
        kw.setdefault("stdin", subprocess.DEVNULL if stdin is None else subprocess.PIPE)
        with self.popen(*argv, **kw) as p:
            try:
                out, err = p.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired:
                p.kill()
                raise
        return subprocess.CompletedProcess(list(map(str, argv)), p.returncode, out, err)

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, self.told(p)
        return p.stdout

    def told(self, p):
        """Everything that explains why a command did what it did."""
        logs = "".join(f"\n-- {n}\n{self.cluster.log(n, 8)}" for n in self.cluster.nodes)
        return f"{' '.join(p.args)}\nexit code {p.returncode}\nstdout: {p.stdout[-3000:]}\nstderr: {p.stderr[-3000:]}{logs}"

    def srun(self, *argv, **kw):
        return self.ok("srun", *argv, **kw)

    def sbatch(self, *argv, **kw):
        """Submits, returns the job's id."""
        return int(self.ok("sbatch", "--parsable", *argv, **kw).split(";")[0])

    def cancel(self, job_id, *options):
        self.ok("scancel", *options, str(job_id))

    def settle(self):
        """Ends jobs that a test left to SLURM; returns the faults of the cluster, as lines."""
        bad = []
        self.box.known.update(d.pid for d in self.cluster.daemons.values())  # one may have been started anew
        try:
            if left := {j: s for j, s in self.cluster.jobs().items() if s != "COMPLETING"}:
                bad.append(f"jobs {left}")
                self.cluster.cancel_all()
            self.cluster.check_alive()
            self.cluster.wait_idle()
        except (clusters.ClusterError, subprocess.SubprocessError) as e:
            bad.append(str(e))
        return bad
