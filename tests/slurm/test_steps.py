# SPDX-License-Identifier: Apache-2.0
"""csbx in job steps, without a plugin: the container has all that the step has."""
import os
import re
import subprocess
from pathlib import Path

import pytest

import harness

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]


@pytest.fixture
def py(jobs, python_image):
    """A container made on the login node, for all nodes."""
    jobs.box.ok("create", "-n", "py", python_image)
    return jobs


@pytest.fixture
def sh(jobs, busybox_image):
    jobs.box.ok("create", "-n", "sh", busybox_image)
    return jobs


def test_a_script_of_the_host_in_every_task(py):
    work = py.box.work
    (work / "train.py").write_text("import os\nprint('rank', os.environ['SLURM_PROCID'], os.getcwd(), os.getpid())\n")
    out = py.srun("-n8", "csbx", "start", "--mount", f"{work}:/work", "py", "python3", "/work/train.py")
    ranks = sorted(line.split()[1] for line in out.splitlines())
    assert ranks == list("01234567"), out


def test_on_two_nodes(sh):
    out = sh.srun("-N2", "--ntasks-per-node=2", "csbx", "start", "sh", "sh", "-c", "echo $SLURMD_NODENAME $SLURM_LOCALID")
    assert sorted(out.splitlines()) == ["n1 0", "n1 1", "n2 0", "n2 1"]


def test_environment(sh):
    """The job's variables and nothing else of the login node's environment."""
    env = {"MASTER_ADDR": "n1", "OMP_NUM_THREADS": "3", "CUDA_VISIBLE_DEVICES": "1", "SECRET": "x", "PMI_X": "p"}
    out = sh.srun("-n2", "csbx", "start", "sh", "env", env=env)
    names = {line.split("=")[0] for line in out.splitlines()}
    assert {"SLURM_JOB_ID", "SLURM_PROCID", "SLURM_STEP_ID", "SLURM_NTASKS", "SLURMD_NODENAME", "MASTER_ADDR",
            "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "PMI_X"} <= names
    foreign = {n for n in names if not re.match(r"SLURMD?_|PMIX?_", n)}
    assert foreign == {"PATH", "HOME", "HOSTNAME", "MASTER_ADDR", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"}, foreign
    out = sh.srun("csbx", "start", "--no-job-env", "sh", "env", env=env)
    assert "SLURM" not in out and "MASTER_ADDR" not in out


SHOW = "ulimit -n; ulimit -s; ulimit -v; grep Cpus_allowed_list /proc/self/status; cut -d' ' -f19 /proc/self/stat"


def test_limits_and_cpus_are_the_tasks(sh):
    """The container keeps the values that SLURM has set for a task: resource limits, the CPU mask, the nice value. Of
    the hard limit of open files csbx keeps a quarter for itself."""
    limits = "ulimit -Sn 300; ulimit -s 4096; ulimit -v 8000000; exec \"$@\""
    for options in (["-n1"], ["-n2", "--cpu-bind=map_cpu:1,0" if os.cpu_count() > 1 else "--cpu-bind=none"]):
        outside = sh.srun("-l", *options, "sh", "-c", limits, "-", "sh", "-c", SHOW)
        inside = sh.srun("-l", *options, "sh", "-c", limits, "-", "csbx", "start", "sh", "sh", "-c", SHOW)
        assert sorted(inside.splitlines()) == sorted(outside.splitlines()), options
        assert "0: 8000000\n" in inside, inside
    assert sh.srun("sh", "-c", 'ulimit -n 400; exec "$@"', "-", "csbx", "start", "sh", "sh", "-c", "ulimit -n; ulimit -Hn") == "300\n300\n"


def test_limits_propagated_from_the_login_node(sh):
    """PropagateResourceLimits: limits that the user set before srun hold inside."""
    out = sh.ok("sh", "-c", "ulimit -Sn 256; exec srun csbx start sh sh -c 'ulimit -n'")
    assert out == "256\n"


def test_the_cgroup_of_the_step_is_kept(sh):
    """All of a container is where its task is, in every hierarchy; seen from outside."""
    script = "cat /proc/self/cgroup; exec csbx start sh sh -c 'echo up; read x'"
    before = set(harness.descendants())
    p = sh.popen("srun", "--unbuffered", "sh", "-c", script, stdin=subprocess.PIPE)
    task = []
    while (line := p.stdout.readline()) != "up\n":
        assert line, p.communicate()
        task.append(line)
    names = {pid: name for pid, name in harness.descendants().items()
             if pid not in before and name not in ("srun", "slurmstepd")}
    for wanted in ("csbx", "csbx-init", "csbx-squashd", "sh"):
        assert any(name.endswith(wanted) for name in names.values()), names
    groups = {names[pid]: Path(f"/proc/{pid}/cgroup").read_text(encoding="ascii") for pid in names}
    assert p.communicate("\n", timeout=60) == ("", "") and p.returncode == 0
    assert set(groups.values()) == {"".join(task)}, groups


def test_stdin_and_exit_codes(sh):
    assert sh.srun("csbx", "start", "sh", "cat", stdin="one\ntwo\n") == "one\ntwo\n"
    p = sh.run("srun", "csbx", "start", "sh", "sh", "-c", "exit 7")
    assert p.returncode == 7 and "Exited with exit code 7" in p.stderr, sh.told(p)
    p = sh.run("srun", "csbx", "start", "none", "true")
    assert p.returncode == 125 and "csbx: start none" in p.stderr, sh.told(p)
    p = sh.run("srun", "-n2", "csbx", "start", "sh", "sh", "-c", "kill -9 $$")
    assert p.returncode == 137, sh.told(p)


@pytest.mark.parametrize("runtime", ["missing", "root", "open"])
def test_runtime_directory_of_the_login_node(sh, runtime):
    """XDG_RUNTIME_DIR is inherited from where sbatch was typed: not there, another's, or open to all."""
    there = sh.box.top / runtime
    if runtime != "missing":
        there.mkdir()
        os.chmod(there, 0o700 if runtime == "root" else 0o777)
    del sh.env["CSBX_RUNTIME_PATH"]
    uid = sh.box.owner.pw_uid
    out = sh.srun("csbx", "start", "sh", "echo", "fine", env={"XDG_RUNTIME_DIR": str(there)})
    assert out == "fine\n"
    assert os.stat(f"/tmp/csbx-{uid}").st_mode & 0o7777 == 0o700
    assert not there.exists() or os.listdir(there) == []


def test_enroot_in_a_step(sh, busybox_image):
    """The sequence of scripts written for enroot; each task has its own container of the one name."""
    sh.box.ok("shims", sh.box.work / "bin")
    enroot = sh.box.work / "bin/enroot"
    sh.ok(enroot, "create", "--name", "py", busybox_image)
    out = sh.srun("-n4", enroot, "start", "--mount", f"{sh.box.work}:/work", "py", "sh", "-c", "cd /work; echo $PWD")
    assert out == "/work\n" * 4
    sh.ok(enroot, "remove", "-f", "py")


@pytest.mark.parametrize("task", ["", "0", "1", "-5", "99999999999999999999", "x", "self"])
def test_task_variable_of_somebody_else(sh, task):
    """SLURM_TASK_PID is the user's to set: csbx watches the process it names only if slurmstepd is behind it."""
    assert sh.box.ok("start", "sh", "echo", "fine", env={"SLURM_TASK_PID": task, "SLURM_JOB_ID": "1"}) == "fine\n"
    assert sh.box.ok("start", "sh", "echo", "fine", env={"SLURM_TASK_PID": str(os.getpid())}) == "fine\n"
