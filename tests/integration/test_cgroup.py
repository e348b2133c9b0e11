# SPDX-License-Identifier: Apache-2.0
"""Control groups: placement, limits, removal. Root arranges a delegated directory; which limits are
held there depends on the controllers that this machine has in its version 2 tree."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cgroups import CONTROLLERS, members

pytestmark = pytest.mark.needs_root


def judge(csbx, image, *words):
    options, command = words[:-1], words[-1]
    p = csbx.run("run", "--json", *options, image, "python3", "-c", command)
    return json.loads(p.stdout)


def wait_for(what, seconds=10):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def start_sleeper(csbx, image, *options):
    return csbx.popen("run", *options, image, "python3", "-c",
                      "import time; print('up', flush=True); time.sleep(60)")


def test_program_and_init_have_groups_of_their_own(csbx, python_image, delegated):
    p = start_sleeper(csbx, python_image, "--pids-limit", "50")
    assert p.stdout.readline() == b"up\n"
    helper, = (x for x in delegated.path.glob("csbx-*") if x.suffix == ".helper")
    limits = helper.with_suffix("")
    assert members(limits) == []
    assert members(limits / "payload") == ["python3"]
    assert members(helper) == ["memfd:csbx-init"]
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)
    assert delegated.containers() == []


def test_group_is_the_top_of_what_the_program_sees(csbx, python_image, delegated):
    result = judge(csbx, python_image, "--pids-limit", "50",
                   "import os\nprint(open('/proc/self/cgroup').read())\n"
                   "print(os.listdir('/sys/fs/cgroup') if os.path.isdir('/sys/fs/cgroup') else [])")
    assert "\n0::/\n" in "\n" + result["stdout"]
    assert result["stdout"].endswith("\n[]\n")


def test_limits_are_held_by_what_is_there(csbx, python_image, delegated):
    result = judge(csbx, python_image, "--memory", "200m", "--cpus", "0.5", "--pids-limit", "50", "pass")
    names = {"memory": "memory", "cpu": "cpus", "pids": "pids"}
    others = {"memory": "watchdog", "cpu": "affinity", "pids": "rlimit"}
    for controller in CONTROLLERS:
        by = "cgroup2" if controller in delegated.has else others[controller]
        limit = names[controller]
        assert result["limits"][limit]["enforced_by"] == by
        said = [x for x in result["degraded"] if x.startswith(f"{limit}: CSBX_CGROUP_PARENT")]
        assert len(said) == (controller not in delegated.has), result["degraded"]


def test_limits_are_in_the_files(csbx, python_image, delegated):
    p = start_sleeper(csbx, python_image, "--memory", "100m", "--cpus", "1.5", "--pids-limit", "77")
    assert p.stdout.readline() == b"up\n"
    group, = (x for x in delegated.path.glob("csbx-*") if not x.suffix)
    want = {"memory": {"memory.max": str(100 << 20), "memory.oom.group": "1"},
            "cpu": {"cpu.max": "150000 100000"}, "pids": {"pids.max": "77"}}
    for controller in delegated.has:
        for name, value in want[controller].items():
            assert (group / name).read_text().strip() == value
            assert not (group / "payload" / name).exists()
    instance, = json.loads(csbx.ok("inspect", group.name.removeprefix("csbx-")))["instances"]
    assert instance["cgroup"] == str(group)
    shown = instance["effective"]["cgroup_limits"]
    assert all(shown[k] == v for c in delegated.has for k, v in want[c].items()), shown
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)


def test_no_group_without_limits(csbx, python_image, delegated):
    p = start_sleeper(csbx, python_image)
    assert p.stdout.readline() == b"up\n"
    assert delegated.containers() == []
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)


def test_caller_outside_of_the_parent(csbx, python_image, delegated):
    """The kernel refuses the placement: the run goes on with the other limits, and says so."""
    delegated.leave()
    result = judge(csbx, python_image, "--pids-limit", "50", "print('ran')")
    delegated.enter()
    assert (result["status"], result["stdout"]) == ("exited", "ran\n")
    assert result["limits"]["pids"]["enforced_by"] == "rlimit"
    assert "outside of what is delegated" in result["degraded"][0]


@pytest.mark.parametrize("place, why", [("/proc", "not in a cgroup v2 tree"),
                                        ("/nonexistent", "No such file"),
                                        (None, "Permission denied")])
def test_parent_that_is_no_use(csbx, python_image, delegated, place, why):
    csbx.env["CSBX_CGROUP_PARENT"] = place or str(delegated.top)
    result = judge(csbx, python_image, "--pids-limit", "50", "print('ran')")
    assert result["stdout"] == "ran\n"
    assert any(x.startswith("pids: CSBX_CGROUP_PARENT: ") and why in x for x in result["degraded"])


def test_parent_must_be_a_path(csbx, python_image):
    csbx.env["CSBX_CGROUP_PARENT"] = "a/b"
    csbx.fails("run", python_image, "true", says="CSBX_CGROUP_PARENT: 'a/b' is neither")


def test_none_means_no_groups(csbx, python_image, delegated):
    csbx.env["CSBX_CGROUP_PARENT"] = "none"
    result = judge(csbx, python_image, "--memory", "200m", "pass")
    assert result["limits"]["memory"]["enforced_by"] == "watchdog"
    assert [x.split(":")[:2] for x in result["degraded"]] == [["memory", " CSBX_CGROUP_PARENT is none"]]


def test_nothing_survives_the_timeout(csbx, python_image, delegated):
    result = judge(csbx, python_image, "--pids-limit", "40", "--timeout", "1",
                   "import os,signal,time\nsignal.signal(15, signal.SIG_IGN)\nif os.fork() == 0: os.setsid()\n"
                   "while 1:\n try: os.fork()\n except OSError: time.sleep(.05)")
    assert result["status"] == "timeout"
    assert delegated.containers() == []


def test_a_killed_supervisor_leaves_what_gc_finds(csbx, python_image, delegated):
    p = start_sleeper(csbx, python_image, "--pids-limit", "50")
    assert p.stdout.readline() == b"up\n"
    p.kill()
    p.communicate(timeout=20)
    group, helper = delegated.containers()
    assert helper == f"{group}.helper"
    wait_for(lambda: not members(delegated.path / group / "payload"))
    assert f"would remove cgroup {delegated.path / group}" in csbx.ok("gc", "--dry-run")
    assert delegated.containers() == [group, helper]
    assert f"removed cgroup {delegated.path / group}" in csbx.ok("gc")
    assert delegated.containers() == []
    assert csbx.ok("gc") == ""


def test_gc_leaves_the_groups_of_the_living(csbx, python_image, delegated):
    p = start_sleeper(csbx, python_image, "--pids-limit", "50")
    assert p.stdout.readline() == b"up\n"
    csbx.ok("gc")
    assert len(delegated.containers()) == 2
    assert p.poll() is None
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)


def test_times_are_those_of_all_processes(csbx, python_image, delegated):
    """A child that no process waits for is in no rusage; the group has its time."""
    result = judge(csbx, python_image, "--pids-limit", "50",
                   "import os,signal,time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                   "if os.fork() == 0:\n while time.process_time() < .6: pass\n os._exit(0)\n"
                   "try: os.wait()\nexcept ChildProcessError: pass")
    assert result["cpu_user_s"] + result["cpu_sys_s"] >= 0.6


def test_doctor_says_which_limits_are_held(csbx, delegated):
    facts = json.loads(csbx.ok("doctor", "--json"))
    assert facts["cgroup"]["ok"] and f"below {delegated.path}, named" in facts["cgroup"]["reason"]
    for controller in CONTROLLERS:
        fact = facts[f"cgroup-{controller}"]
        assert fact["ok"] == (controller in delegated.has), fact
        assert csbx.run("doctor", "--feature", f"cgroup-{controller}").returncode == (not fact["ok"])
        assert fact["ok"] or controller in fact["reason"] and fact["remedy"], fact
    delegated.leave()
    facts = json.loads(csbx.ok("doctor", "--json"))
    delegated.enter()
    assert not facts["cgroup"]["ok"] and "Permission denied" in facts["cgroup"]["reason"]
    assert "below it" in facts["cgroup"]["remedy"]
    assert delegated.containers() == []


MOUNT_AND_WRITE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.mkdir('/g')
if libc.mount(b'none', b'/g', b'cgroup2', 0, None):
    print('mount', os.strerror(ctypes.get_errno()))
    raise SystemExit
print('limits', sorted(set(os.listdir('/g')) & {'memory.max', 'cpu.max', 'pids.max'}))
print('procs', open('/g/cgroup.procs').read().split())
os.makedirs('/g/a/b/c')
print('above', os.path.samefile('/g', '/g/..') or os.listdir('/g/..') == os.listdir('/'))
try:
    os.write(os.open('/g/cgroup.subtree_control', os.O_WRONLY), b'+pids')
except OSError as e:
    print('control', e.strerror)
"""


def test_all_capabilities_do_not_reach_the_limits(csbx, python_image, delegated):
    """It can mount the tree: the limits are above its root, and nothing of theirs is handed down."""
    loose = ["--cap-add", "ALL"]
    for what in ("seccomp=unconfined", "landlock=off", "systempaths=unconfined"):
        loose += ["--security-opt", what]
    said = judge(csbx, python_image, "--pids-limit", "50", *loose, MOUNT_AND_WRITE)["stdout"].splitlines()
    assert said[:3] == ["limits []", "procs ['2']", "above True"], said
    assert said[3].startswith("control "), said
    assert delegated.containers() == [], "groups that it made are removed too"


def test_without_capabilities_the_tree_is_not_mounted(csbx, python_image, delegated):
    result = judge(csbx, python_image, "--pids-limit", "50", MOUNT_AND_WRITE)
    assert result["stdout"].startswith("mount "), result


@pytest.fixture
def step(csbx, delegated):
    """We are in a step of a batch job, below which a group of the job's is given to the user."""
    task, given = delegated.path / "job_71/step_0/task", delegated.path / "job_71/step_0/given"
    task.mkdir(parents=True)
    given.mkdir()
    for group in (given.parent, given):
        for name in ("", "cgroup.procs", "cgroup.subtree_control"):
            os.chown(group / name, csbx.owner.pw_uid, csbx.owner.pw_gid)
    csbx.env["SLURM_JOB_ID"] = "71"
    (task / "cgroup.procs").write_text(str(os.getpid()))
    yield given
    delegated.enter()


def test_a_batch_job_is_not_left(csbx, python_image, delegated, step):
    """Even where the kernel would allow it."""
    result = judge(csbx, python_image, "--pids-limit", "50", "print('ran')")
    assert result["stdout"] == "ran\n"
    assert any("outside of the batch job's" in x for x in result["degraded"]), result["degraded"]
    csbx.env["CSBX_CGROUP_PARENT"] = str(step)
    p = start_sleeper(csbx, python_image, "--pids-limit", "50")
    assert p.stdout.readline() == b"up\n"
    assert len([x for x in step.iterdir() if x.name.startswith("csbx-")]) == 2
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)


def test_nearest_group_that_hands_on_controllers(csbx, python_image, delegated):
    """Without a name: ours holds processes, the one above hands on what is needed."""
    if "pids" not in delegated.has:
        pytest.skip("the pids controller is not in this machine's version 2 tree")
    (delegated.path / "cgroup.subtree_control").write_text("+pids")
    del csbx.env["CSBX_CGROUP_PARENT"]
    result = judge(csbx, python_image, "--pids-limit", "50", "print('ran')")
    assert result["limits"]["pids"]["enforced_by"] == "cgroup2"
    assert f"below {delegated.path}, the nearest" in json.loads(csbx.ok("doctor", "--json"))["cgroup"]["reason"]


def test_an_outer_sandbox_without_clone3(csbx, python_image, delegated):
    """No process can be born in a group there: the others hold the limits."""
    without = Path(__file__).parent.parent / "tools/without_calls.py"
    p = subprocess.run([sys.executable, without, csbx.owner.pw_name, "clone3",
                        *csbx.argv(["run", "--json", "--pids-limit", "50", python_image, "python3", "-c", "print(1)"])],
                       env=csbx.env, cwd=csbx.work, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                       timeout=60)
    result = json.loads(p.stdout)
    assert (result["stdout"], result["limits"]["pids"]["enforced_by"]) == ("1\n", "rlimit"), result
    assert any("not implemented" in x for x in result["degraded"]), result["degraded"]
    assert delegated.containers() == []


def test_a_full_group_is_hinted_at(csbx, python_image, delegated):
    if "pids" not in delegated.has:
        pytest.skip("the pids controller is not in this machine's version 2 tree")
    bomb = "import threading, time\nfor i in range(50): threading.Thread(target=time.sleep, args=(1,)).start()"
    p = csbx.run("run", "--pids-limit", "20", python_image, "python3", "-c", bomb)
    assert p.returncode == 1 and "can't start new thread" in p.stderr
    assert "the limit of 20 processes was reached" in p.stderr.splitlines()[-1]
