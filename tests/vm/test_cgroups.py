# SPDX-License-Identifier: Apache-2.0
"""Limits held by cgroup v2, wherever csbx can have a group; and by other means where it cannot."""
import json

import pytest
from world import BUSYBOX

JOB = "/sys/fs/cgroup/job"
LIMITS = ("--memory", "64m", "--cpus", "0.5", "--pids-limit", "20")
ALLOCATE = "dd if=/dev/zero of=/dev/null bs=300M count=1"
SCOPE = {"CSBX_SCOPE_TIMEOUT": "20s"}  # an emulated manager is not the fastest


def held_by(result):
    return {name: limit["enforced_by"] for name, limit in result["limits"].items()}


KERNEL = {"memory": "cgroup2", "cpus": "cgroup2", "pids": "cgroup2"}
OURSELVES = {"memory": "watchdog", "cpus": "affinity", "pids": "rlimit"}

# The places where csbx can have a group, and doctor's names for them.
PLACES = {
    "named": ({"parent": JOB}, "named by CSBX_CGROUP_PARENT"),
    "service": ({"manager": True}, "the nearest group that is delegated"),
    "login": ({"login": True, "env": SCOPE}, "a scope of the systemd user manager"),
}


@pytest.fixture(params=PLACES)
def place(world, request):
    if request.param == "named":
        world.delegate(JOB)
    return PLACES[request.param]


def test_doctor(world, place):
    how, words = place
    facts = world.doctor(**how)
    assert facts["cgroup"]["ok"] and words in facts["cgroup"]["reason"], facts["cgroup"]
    for name in ("cgroup-memory", "cgroup-cpu", "cgroup-pids"):
        assert facts[name]["ok"], facts[name]


def test_every_limit(world, place):
    """All three are the kernel's, none is degraded, and they are strict enough for anyone."""
    how, _ = place
    result = world.result("--limits", "strict", *LIMITS, BUSYBOX, "cat", "/proc/self/cgroup", code=0, **how)
    assert held_by(result) == KERNEL and not result["degraded"], result
    assert result["stdout"] == "0::/\n", result


def test_oom(world, place):
    """The kernel kills, and csbx says what its event says, not what it thinks it saw."""
    how, _ = place
    before = world.ooms()
    result = world.result("--memory", "64m", BUSYBOX, "sh", "-c", ALLOCATE + "; echo survived", code=137, **how)
    assert (result["status"], result["oom_killed"], result["detected"]) == ("oom", True, "event"), result
    assert result["exit_code"] is None and result["signal"] == 9 and not result["success"], result
    assert 60 << 20 < result["memory_peak_bytes"] <= 64 << 20 and result["stdout"] == "", result
    assert world.ooms() > before


# --- each limit, in a named parent ----------------------------------------------------------------

@pytest.fixture
def job(world):
    world.delegate(JOB)
    return world


def test_no_oom_below_the_limit(job):
    result = job.result("--memory", "512m", BUSYBOX, "sh", "-c", ALLOCATE, code=0, parent=JOB)
    assert result["status"] == "exited" and not result["oom_killed"], result
    assert 300 << 20 <= result["memory_peak_bytes"] < 330 << 20, result


def test_oom_of_what_exec_started(job):
    """The group is killed as a whole; the kernel's word reaches the result of exec, whichever process was too large."""
    script = r"""
csbx run --memory 64m "$1" sh -c 'echo up; sleep 60' >out &
while ! [ -s out ]; do sleep 0.1; done
id=$(basename "$CSBX_CGROUP_PARENT"/csbx-*.helper .helper)
csbx exec --json "${id#csbx-}" sh -c "$2"
kill %1; wait; rm ~/out
"""
    p = job.run("bash", "-c", script, "-", BUSYBOX, ALLOCATE, parent=JOB)
    result = json.loads(p.stdout)
    assert (result["status"], result["oom_killed"], result["detected"]) == ("oom", True, "event"), str(p)


def test_docker_one_process_dies(job):
    """In the docker dialect the kernel kills the process it chooses, and csbx says so of that process and of the
    container."""
    script = r"""
csbx docker run -d --name box --network none -m 64m "$1" sleep 300 >/dev/null
for i in 1 2; do csbx docker exec box $2; echo $?; done
csbx exec --json box $2 >~/json; cat ~/json; rm ~/json
csbx docker exec box sh -c "$2; echo rc=\$?; kill -9 \$\$"; echo $?
csbx docker inspect -f '{{.State.OOMKilled}} {{.State.Running}}' box
csbx docker kill box >/dev/null; csbx docker wait box
csbx docker inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' box
csbx docker rm -f box >/dev/null
csbx docker run --rm --network none -m 64m "$1" $2; echo $?
"""
    p = job.run("bash", "-c", script, "-", BUSYBOX, ALLOCATE, parent=JOB)
    told = p.stdout.split("\n")
    assert told[:2] == ["137", "137"], str(p)
    result = json.loads(told[2])
    assert (result["status"], result["oom_killed"], result["detected"]) == ("oom", True, "event"), str(p)
    assert told[3:] == ["rc=137", "137", "true true", "137", "true 137", "137", ""], str(p)


def test_no_swapping_out_of_it(job):
    """memory.swap.max is 0: a machine with swap gives not more than the limit."""
    job.arrange("dd if=/dev/zero of=/swap bs=1M count=300 2>&1; chmod 600 /swap; mkswap -q /swap; swapon /swap",
                "swapoff /swap; rm /swap")
    result = job.result("--memory", "64m", BUSYBOX, "sh", "-c", ALLOCATE, code=137, parent=JOB)
    assert result["status"] == "oom" and result["memory_peak_bytes"] <= 64 << 20, result


@pytest.mark.parametrize("cpus,loops", [("0.3", 1), ("1", 2)])
def test_cpu_is_throttled(job, cpus, loops):
    script = "for n in $(seq $0); do (while :; do :; done) & done; wait"
    result = job.result("--cpus", cpus, "--timeout", "3", BUSYBOX, "sh", "-c", script, loops, code=124, parent=JOB)
    used = (result["cpu_user_s"] + result["cpu_sys_s"]) / result["wall_s"]
    assert used <= float(cpus) * 1.15 and held_by(result)["cpus"] == "cgroup2", result


def test_pids_refused_not_killed(job):
    """fork fails with EAGAIN; nothing is killed for it."""
    script = "n=0; while [ $n -lt 60 ]; do sleep 2 & n=$((n + 1)); done"
    result = job.result("--pids-limit", "20", BUSYBOX, "sh", "-c", script, parent=JOB)
    assert result["status"] == "exited" and result["exit_code"] == 2 and result["max_pids"] == 20, result
    assert "can't fork: Resource temporarily unavailable" in result["stderr"], result


def test_csbx_is_not_charged(job):
    """One process may be one process: init and the server live elsewhere."""
    result = job.result("--pids-limit", "1", BUSYBOX, "true", code=0, parent=JOB)
    assert result["max_pids"] == 1 and result["memory_peak_bytes"] < 4 << 20, result


def test_files(job):
    """Root reads the values that csbx told the kernel while the program runs; afterwards no group is left (world)."""
    script = r"""
csbx run --memory 64m --cpus 0.5 --pids-limit 20 "$1" sh -c 'echo up; sleep 60' >out &
while ! [ -s out ]; do sleep 0.1; done
cd "$CSBX_CGROUP_PARENT"/csbx-*[0-9a-f]/payload/..
for f in memory.max memory.high memory.swap.max memory.oom.group cpu.max pids.max; do echo "$f=$(cat $f)"; done
echo procs=$(cat cgroup.procs) payload=$(wc -l <payload/cgroup.procs)
kill %1; wait; rm ~/out
"""
    p = job.run("bash", "-c", script, "-", BUSYBOX, parent=JOB)
    assert p.stdout.split("\n")[:7] == [f"memory.max={64 << 20}", "memory.high=max", "memory.swap.max=0", "memory.oom.group=1",
                                        "cpu.max=50000 100000", "pids.max=20", "procs= payload=1"], str(p)


def test_killed_supervisor(job):
    """The container ends with it; its groups are found by gc."""
    script = r"""
csbx run --memory 64m "$1" sh -c 'echo up; sleep 60' >out &
while ! [ -s out ]; do sleep 0.1; done
kill -9 %1; wait; rm ~/out
for n in $(seq 100); do grep -q 'populated 0' "$CSBX_CGROUP_PARENT"/csbx-*[0-9a-f]/cgroup.events && break; sleep 0.1; done
csbx gc
ls "$CSBX_CGROUP_PARENT" | grep ^csbx-
"""
    p = job.run("bash", "-c", script, "-", BUSYBOX, parent=JOB)
    assert p.stdout.startswith(f"removed cgroup {JOB}/csbx-") and p.returncode == 1, str(p)


# --- only part of it, or nothing ------------------------------------------------------------------

def test_some_controllers(world):
    """Each limit for itself: csbx holds a limit that the group cannot hold as without one, and says so."""
    job = "/sys/fs/cgroup/batch/job"
    world.delegate(job, controllers="pids")
    result = world.result(*LIMITS, BUSYBOX, "true", code=0, parent=job)
    assert held_by(result) == {"memory": "watchdog", "cpus": "affinity", "pids": "cgroup2"}, result
    assert any("memory" in x for x in result["degraded"]) and any("cpu" in x for x in result["degraded"]), result
    facts = world.doctor(parent=job)
    assert not facts["cgroup-memory"]["ok"] and not facts["cgroup-cpu"]["ok"] and facts["cgroup-pids"]["ok"], facts
    assert "does not offer the memory controller" in facts["cgroup-memory"]["reason"], facts["cgroup-memory"]


def test_nothing_delegated(world):
    """A daemon's child: limits hold all the same, only not as exactly."""
    result = world.result(*LIMITS, BUSYBOX, "true", code=0)
    assert held_by(result) == OURSELVES and any("memory" in x for x in result["degraded"]), result
    world.refuses("run", "--limits", "strict", *LIMITS, BUSYBOX, "true", says=["--memory", "csbx doctor --feature cgroup"])
    fact = world.doctor()["cgroup"]
    assert not fact["ok"] and "loginctl enable-linger csbx-test" in fact["remedy"], fact


def test_oom_by_watchdog(world):
    """The same verdict without a group."""
    script = "dd if=/dev/zero of=/dev/null bs=1000M count=9"
    result = world.result("--memory", "64m", BUSYBOX, "sh", "-c", script, code=137)
    assert (result["status"], result["oom_killed"]) == ("oom", True), result
    assert result["detected"] in ("tick", "at_exit") and held_by(result)["memory"] == "watchdog", result


def test_switched_off(world):
    result = world.result(*LIMITS, BUSYBOX, "true", code=0, manager=True, env={"CSBX_CGROUP_PARENT": "none"})
    assert held_by(result) == OURSELVES, result


def test_never_out_of_a_batch_job(world):
    """A step whose own group is not delegated: the user manager's groups would not be charged to the job."""
    job = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", **SCOPE}
    for how in ({"login": True}, {"manager": True}):
        result = world.result(*LIMITS, BUSYBOX, "true", code=0, env=job, **how)
        assert held_by(result) == OURSELVES, result


def test_manager_without_a_controller(world):
    """As systemd before 252 delegates: everything but cpu."""
    base = "/sys/fs/cgroup/user.slice/user-1001.slice/user@1001.service"
    world.arrange(f"for g in {base}/app.slice {base}; do echo -cpu >$g/cgroup.subtree_control || :; done; "
                  f"echo -cpu >{base}/../cgroup.subtree_control",
                  f"for g in {base}/.. {base}; do echo +cpu >$g/cgroup.subtree_control; done")
    result = world.result(*LIMITS, BUSYBOX, "true", code=0, manager=True)
    assert held_by(result) == {"memory": "cgroup2", "cpus": "affinity", "pids": "cgroup2"}, result
    fact = world.doctor(manager=True)["cgroup-cpu"]
    assert not fact["ok"] and "Delegate=cpu memory pids" in fact["remedy"], fact


def test_slow_manager(world):
    """A user manager that does not answer costs CSBX_SCOPE_TIMEOUT, no more, and the run goes on."""
    world.arrange("kill -STOP $(systemctl show -P MainPID user@1001.service)",
                  "kill -CONT $(systemctl show -P MainPID user@1001.service)")
    p = world.csbx("run", "--json", "--memory", "64m", BUSYBOX, "true",
                   env={"XDG_RUNTIME_DIR": "/run/user/1001", "CSBX_SCOPE_TIMEOUT": "300ms"})
    result = json.loads(p.stdout)
    assert p.returncode == 0 and held_by(result)["memory"] == "watchdog", str(p)
