# SPDX-License-Identifier: Apache-2.0
"""Steps end and leave nothing: every test ends with an idle node and an empty one."""
import json
import os

import pytest

import cluster as clusters
import harness

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

SLOW_S = 60


@pytest.fixture
def sh(jobs, busybox_image):
    jobs.box.ok("create", "-n", "sh", busybox_image)
    jobs.image = busybox_image
    yield jobs
    jobs.box.ok("gc")


def until(wanted, what):
    return clusters.poll(wanted, what, SLOW_S)


def ours():
    """pid -> name of what csbx runs: a bare `sleep` of a test counts as well."""
    return {pid: name.removeprefix("memfd:") for pid, name in harness.descendants().items()
            if name.removeprefix("memfd:") in ("csbx", "csbx-init", "csbx-squashd", "csbx-attendant", "sleep")}


def count(name):
    return sum(n == name for n in ours().values())


def wait_gone():
    until(lambda: not ours(), f"an end of {ours()}")


class Barrier:
    """Tasks say that they are there and wait in their containers until they may go."""

    def __init__(self, jobs):
        self.there = jobs.box.work / "there"
        self.there.mkdir()
        os.chown(self.there, jobs.box.owner.pw_uid, jobs.box.owner.pw_gid)
        self.go = self.there / "go"

    def words(self, *options, then="true"):
        """csbx start ... of the container sh."""
        script = f"echo $$ >/there/$SLURM_JOB_ID.$SLURM_PROCID; until [ -e /there/go ]; do sleep 0.1; done; {then}"
        return ["csbx", "start", "--mount", f"{self.there}:/there", *options, "sh", "sh", "-c", script]

    def wait(self, n):
        until(lambda: len([x for x in os.listdir(self.there) if x != "go"]) >= n, f"{n} tasks")

    def open(self):
        self.go.touch()


@pytest.fixture
def barrier(sh):
    b = Barrier(sh)
    yield b
    b.open()


# --- servers ------------------------------------------------------------------------------------------------

def test_one_image_server_a_node_and_step(sh, barrier):
    """Eight tasks of a node share one; it leaves with the last of them, however long it would linger."""
    p = sh.popen("srun", "-N2", "--ntasks-per-node=8", *barrier.words(), env={"CSBX_LINGER": ""})
    barrier.wait(16)
    until(lambda: count("csbx-init") == 16 and count("csbx-squashd") == 2, "a server a node")
    barrier.open()
    assert p.communicate(timeout=SLOW_S)[1] == "" and p.returncode == 0
    wait_gone()


def test_two_jobs_of_one_user_on_a_node(sh, barrier):
    """Each has its own server: the end of one job, a hard one too, is nothing to the other."""
    read = "cat /bin/* | md5sum >/there/read"  # pages not read yet come from the server
    first = sh.popen("srun", "-w", "n1", *barrier.words())
    barrier.wait(1)
    [victim] = sh.cluster.jobs()
    second = sh.popen("srun", "-w", "n1", *barrier.words(then=read))
    barrier.wait(2)
    until(lambda: count("csbx-squashd") == 2, "a server a job")
    sh.cancel(victim, "--signal=KILL", "--full")
    until(lambda: count("csbx-squashd") == 1, "an end of the cancelled job's server")
    assert first.wait(SLOW_S) != 0
    barrier.open()
    assert second.communicate(timeout=SLOW_S)[1] == "" and second.returncode == 0
    assert len((barrier.there / "read").read_text().split()[0]) == 32


# --- ends ---------------------------------------------------------------------------------------------------

def servers_of(jobs):
    return json.loads(jobs.box.ok("list", "--servers", "--json"))


@pytest.mark.parametrize("how", [[], ["--signal=KILL"], ["--signal=TERM"]])
def test_scancel(sh, barrier, how):
    """A step that is cancelled, by whatever signal to whatever of it, is gone within moments."""
    p = sh.popen("srun", "-N2", "--ntasks-per-node=2", *barrier.words())
    barrier.wait(4)
    [job] = sh.cluster.jobs()
    sh.cancel(job, *how)
    p.communicate(timeout=SLOW_S)
    assert p.returncode != 0
    wait_gone()
    sh.box.ok("gc")
    assert sh.srun("csbx", "start", "sh", "echo", "next") == "next\n"


def test_a_batch_job_ends_with_its_script(sh, barrier):
    """Processes that a script left running in the background, and the script's lingering image server, go with the
    job."""
    script = sh.box.work / "job.sh"
    script.write_text("#!/bin/sh\n" + " ".join(f"'{w}'" for w in barrier.words()) + " &\n"
                      "until [ -e there/*.0 ]; do sleep 0.1; done\necho over\n", encoding="ascii")
    job = sh.sbatch("-o", "out", script, env={"CSBX_LINGER": ""})
    sh.cluster.wait_job(job)
    wait_gone()
    assert (sh.box.work / "out").read_text() == "over\n"


def test_time_limit(sh, barrier):
    # The shortest limit is a minute: it is made shorter when the job runs.
    job = sh.sbatch("--time=10", "-N2", "--ntasks-per-node=1", "-o", "out", "--wrap", "srun " + " ".join(
        f"'{w}'" for w in barrier.words()))
    barrier.wait(2)
    planned = sh.cluster.job(job)["EndTime"]
    until(lambda: sh.cluster.ask("scontrol", "update", f"JobId={job}", "EndTime=now") is not None
          and sh.cluster.job(job)["EndTime"] < planned, "an earlier end")
    assert sh.cluster.wait_job(job)["JobState"] == "TIMEOUT"
    wait_gone()
    assert "DUE TO TIME LIMIT" in (sh.box.work / "out").read_text()


def test_the_program_gets_its_warning(sh, barrier):
    """--signal=USR1@..., as scancel sends it: the program inside can save its work."""
    script = "trap 'echo saved; exit 3' USR1; echo >/there/0; while :; do sleep 0.05; done"
    p = sh.popen("srun", "csbx", "start", "--mount", f"{barrier.there}:/there", "sh", "sh", "-c", script)
    barrier.wait(1)
    [job] = sh.cluster.jobs()
    sh.cancel(job, "--signal=USR1")
    assert p.communicate(timeout=SLOW_S)[0] == "saved\n" and p.returncode == 3


def test_a_node_that_lost_everything(sh, barrier):
    """All processes of a step killed at once, as by the OOM killer or a reboot: the next step does not care."""
    p = sh.popen("srun", "-n4", *barrier.words("--upper-size", "16m"))
    barrier.wait(4)
    harness.kill_all([pid for pid, name in ours().items() if name != "sleep"])
    p.communicate(timeout=SLOW_S)
    wait_gone()
    assert sh.srun("csbx", "start", "sh", "echo", "next") == "next\n"
    sh.box.ok("gc")


def test_slurmstepd_is_killed(sh, barrier):
    """No process is left that scancel could reach: the containers end by themselves."""
    p = sh.popen("srun", *barrier.words(), env={"CSBX_LINGER": ""})
    barrier.wait(1)
    [job] = sh.cluster.jobs()
    harness.kill_all([pid for pid, name in harness.descendants().items() if name == "slurmstepd"])
    wait_gone()
    p.kill()  # srun waits for a word of the dead
    p.communicate()
    sh.cancel(job)


def test_slurmd_is_killed(sh, barrier):
    """A crash of slurmd is none of a running step's business; restarted, it takes the step over."""
    p = sh.popen("srun", "-w", "n1", *barrier.words())
    barrier.wait(1)
    sh.cluster.kill_slurmd("n1")
    sh.cluster.start_slurmd("n1")
    sh.cluster.wait_registered("n1")
    barrier.open()
    assert p.communicate(timeout=SLOW_S)[1] == "" and p.returncode == 0
