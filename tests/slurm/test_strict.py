# SPDX-License-Identifier: Apache-2.0
"""A cluster that kills what takes more memory than it asked for, and ends every job with csbx gc."""
import os

import pytest

import cluster as clusters
import harness
import jobs as submitted
from test_life import Barrier, ours, until, wait_gone

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

SLOW_S = 60


@pytest.fixture
def sh(csbx, busybox_image):
    csbx.ok("create", "-n", "sh", busybox_image)
    return csbx


@pytest.fixture(scope="module")
def strict_cluster(session_dir):
    """Kills what takes more memory than it asked for; ends every job with csbx gc."""
    top = session_dir / "strict"
    top.mkdir(mode=0o755)
    epilog = top / "epilog"
    epilog.write_text(f"#!/bin/sh\n. {top}/paths\nexec {harness.BIN}/csbx gc --job \"$SLURM_JOB_ID\" >>{top}/said 2>&1\n")
    epilog.chmod(0o755)
    (top / "paths").write_text("")
    with clusters.Cluster(top / "cluster", nodes=("n1",), options={
            "JobAcctGatherType": "jobacct_gather/linux", "JobAcctGatherFrequency": "task=1",
            "JobAcctGatherParams": "OverMemoryKill", "SelectTypeParameters": "CR_CPU_Memory",
            "DefMemPerNode": "64", "Epilog": epilog}) as c:
        c.site = top
        yield c


@pytest.fixture
def strict(sh, strict_cluster):
    (strict_cluster.site / "paths").write_text(f"export CSBX_RUNTIME_PATH={sh.dirs['run']} CSBX_SCRATCH_PATH={sh.dirs['scratch']}\n")
    (strict_cluster.site / "said").unlink(missing_ok=True)
    j = submitted.Jobs(sh, strict_cluster)
    yield j
    left = j.settle()
    assert not left, left


def test_memory_of_a_step(strict):
    """SLURM counts what a container uses as the step's, kills the step, and nothing of it stays."""
    eat = "x=$(head -c 150000000 /dev/zero | tr '\\0' x); echo not killed; sleep 100"
    p = strict.run("srun", "--mem=40", "csbx", "start", "sh", "sh", "-c", eat)
    assert p.returncode != 0 and "not killed" not in p.stdout, strict.told(p)
    assert "exceeded" in p.stderr or "oom" in p.stderr.lower(), strict.told(p)
    wait_gone()
    assert strict.srun("csbx", "start", "sh", "echo", "next") == "next\n"


def test_epilog(strict):
    """Root's `csbx gc --job` after each job, here after one whose slurmstepd and supervisors were stopped and killed."""
    barrier = Barrier(strict)
    p = strict.popen("srun", *barrier.words(), env={"SLURM_TASK_PID": "1"})
    barrier.wait(1)
    harness.kill_all([pid for pid, name in ours().items() if name == "csbx"])
    p.communicate(timeout=SLOW_S)
    strict.cluster.wait_idle()
    until(lambda: not os.listdir(strict.box.dirs["run"] / "instances"), "the Epilog")
    said = (strict.cluster.site / "said").read_text()
    assert "removed instance" in said and "csbx:" not in said, said
    barrier.open()
