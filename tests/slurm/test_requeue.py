# SPDX-License-Identifier: Apache-2.0
"""A job that is requeued: nothing of its first life is left, and nothing of it is in the second one's way."""
import pytest

import cluster as clusters
from plugin_steps import running
from test_life import ours, until, wait_gone

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

FIRST_LIFE = '[ "${SLURM_RESTART_COUNT:-0}" -ge 1 ] || exec sleep 54321'


class Requeued:
    """A batch job on both nodes, that waits in its first life and goes through in its second."""

    def __init__(self, jobs, *lines):
        self.jobs, self.out = jobs, jobs.box.work / "out"
        script = jobs.box.work / "job.sh"
        script.write_text("\n".join(["#!/bin/sh", 'echo "life ${SLURM_RESTART_COUNT:-0}"', *lines, ""]), encoding="ascii")
        self.script = script

    def submit(self, *options, env=None):
        self.id = self.jobs.sbatch("--requeue", "--open-mode=append", "-N2", "-n2", "-o", self.out, *options, self.script,
                                   env=env)
        return self.id

    def said(self):
        return self.out.read_text() if self.out.exists() else ""

    def wait_said(self, line, times):
        until(lambda: self.said().split("\n").count(line) >= times, f"{times} x {line} in {self.said()}")

    def hold(self):
        """Ends the first life; the second one waits."""
        self.jobs.cluster.ask("scontrol", "requeuehold", str(self.id))
        fields = self.jobs.cluster.wait_job(self.id, ["PENDING"])
        assert fields["Reason"] == "job_requeued_in_held_state" and fields["Restarts"] == "1", fields
        self.jobs.cluster.wait_idle_nodes()

    def go_on(self):
        """
        Not before the next second: what was revoked of the first life's credential is told by its time in seconds,
        and slurmd refuses what began in the same one ("Job credential revoked": the job has FAILED with 1:0).
        """
        cluster = self.jobs.cluster
        assert cluster.ask("scontrol", "release", str(self.id)) is not None
        assert cluster.ask("scontrol", "update", f"JobId={self.id}", "StartTime=now+2") is not None
        fields = cluster.wait_job(self.id)
        assert fields["JobState"] == "COMPLETED" and fields["Restarts"] == "1", (fields, self.said())


def check_gone(jobs):
    """No process, mount, control group or layer. SLURM kills what it finds: dead records are the next start's to sweep."""
    wait_gone()
    assert not running("sleep 54321") and not running(" __hold ")
    left = [x for x in jobs.box.debris() if not x.startswith("run/")]
    assert left == []


def test_steps_of_a_script(jobs, busybox_image):
    """One in a step on each node, and one in the background of the script with a server that would linger."""
    jobs.box.ok("create", "-n", "sh", busybox_image)
    jobs.box.ok("create", "-n", "kept", busybox_image)
    start = f"csbx start --upper-size 16m sh sh -c 'echo inside; {FIRST_LIFE}; echo second >/x; cat /x'"
    job = Requeued(jobs, '[ "${SLURM_RESTART_COUNT:-0}" -ge 1 ] || csbx start -d -w kept sleep 54321', f"srun {start}")
    job.submit(env={"CSBX_LINGER": ""})
    job.wait_said("inside", 2)
    until(lambda: sum(n == "csbx-squashd" for n in ours().values()) == 3, f"three servers: {ours()}")
    job.hold()
    check_gone(jobs)
    job.go_on()
    wait_gone()
    jobs.box.ok("gc")
    after = job.said().split("life 1\n")[1]
    assert sorted(after.split()) == ["inside", "inside", "second", "second"], job.said()


def test_steps_of_the_plugin(steps, cluster):
    """A name that the first life made and used is there again, and its lock is not."""
    jobs = steps.jobs
    step = f"srun --container-image={steps.image} --container-name=again --container-writable"
    job = Requeued(jobs, f"{step} sh -c 'echo inside; echo $SLURM_RESTART_COUNT- >>/f; {FIRST_LIFE}; cat /f'")
    job.submit("--nodes=1", "--ntasks=2")
    job.wait_said("inside", 2)
    assert running(" __hold ") and running("/run/csbx-hold")
    job.hold()
    clusters.poll(lambda: not steps.left(), "the step's directory", 60)
    check_gone(jobs)
    job.go_on()
    after = job.said().split("life 1\n")[1].split()
    assert after.count("inside") == 2 and after.count("1-") >= 2 and "-" in after, job.said()
    jobs.ok("csbx", "remove", "-f", "pyxis_again")


def test_a_batch_script_in_a_container(steps, cluster):
    job = Requeued(steps.jobs, "echo inside; ls -d /.csbx", FIRST_LIFE)
    job.submit(f"--container-image={steps.image}")
    job.wait_said("/.csbx", 1)
    job.hold()
    clusters.poll(lambda: not steps.left(), "the step's directory", 60)
    check_gone(steps.jobs)
    job.go_on()
    assert job.said().split("life 1\n")[1] == "inside\n/.csbx\n", job.said()
