# SPDX-License-Identifier: Apache-2.0
"""Every program of tests/limits gets the verdict from control groups that it gets from a watchdog.

How long a run took is not compared: an emulated machine beside other work is many times slower, and
programs that do much of one thing do less of it there (`scaled:`). Time limits are longer there."""
import shlex
import subprocess

import misbehave
import pytest
from world import PYTHON

PROGRAMS, JOB, WORK = "/srv/tests/limits", "/sys/fs/cgroup/job", "/home/csbx-test/work"
HELD = {"--memory": "memory", "--cpus": "cpus", "--pids-limit": "pids"}


@pytest.fixture
def job(world):
    """A delegated group, and a directory for the scripts."""
    world.delegate(JOB)
    world.arrange(f"install -d -o csbx-test {WORK}", f"rm -rf {WORK}")
    return world


def is_timeless(word):
    return word[0] not in ("wall_s", "setup_s", "teardown_s", "cpu_user_s", "timeout_s")


@pytest.mark.parametrize("case", misbehave.cases(), ids=repr)
def test_verdict(job, case):
    def run(argv):
        p = job.run(*argv, parent=JOB, timeout_s=150)
        return subprocess.CompletedProcess(argv, p.returncode, p.stdout, p.stderr)
    if case.needs and job.csbx("doctor", "--feature", case.needs).returncode:
        pytest.skip(f"needs {case.needs}, which Linux 6.1 lacks")
    case.expect = list(filter(is_timeless, case.expect))
    wrong, result = misbehave.check(case, run, image=PYTHON, directory=PROGRAMS, work=WORK, is_slow=True)
    assert not wrong, f"{'; '.join(wrong)}\n{result and {k: str(v)[:200] for k, v in result.items()}}"
    for option in HELD.keys() & set(shlex.split(case.options)):
        assert result["limits"][HELD[option]]["enforced_by"] == "cgroup2", result["limits"]
