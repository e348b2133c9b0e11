# SPDX-License-Identifier: Apache-2.0
"""Lanes where a control group can be had: each snippet has one of its own below the lane's. Which limits are held there
depends on the controllers that this machine has in its version 2 tree."""
import json
import signal
import time

import cgroups
import pytest

from lane_attacks import ATTACKS, LIBC, WITNESS

pytestmark = pytest.mark.needs_root
FILL = [{"id": f"fill {n}", "code": "pass"} for n in range(4)]  # before the batch has an interpreter to share
LANE = "print(open('/proc/self/cgroup').read().split()[-1], open('/proc/1/stat').read().split()[21])"  # pid 1 is as old as its lane
OPTIONS = ("-j", "1", "--memory", "128m", "--pids-limit", "100", "--hostname", "judge", "--max-output-kill", "1m")
OF_A_RUN = ("instance", "started_at", "wall_s", "cpu_user_s", "cpu_sys_s", "setup_s", "teardown_s", "memory_peak_bytes", "max_pids")


def write_lines(csbx, objects):
    (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in [*FILL, *objects]), encoding="utf-8")
    return "--batch", csbx.work / "in"


def batch(csbx, image, objects, *options):
    p = csbx.run("eval", "--image", image, *OPTIONS, *options, *write_lines(csbx, objects), timeout=300)
    records = [json.loads(line) for line in p.stdout.splitlines()]
    assert len(records) == len(FILL) + len(objects), p.stderr
    return {r["id"]: r for r in records if not str(r["id"]).startswith("fill ")}


def test_a_snippet_has_a_group_below_its_lanes(csbx, python_image, delegated):
    objects = [{"id": 0, "code": LANE}, {"id": 1, "code": "import os, time\nif os.fork(): time.sleep(60)\nelse:\n    os.setsid(); time.sleep(60)", "timeout": 90}]
    with csbx.popen("eval", "--image", python_image, *OPTIONS, "--lanes", "yes", *write_lines(csbx, objects)) as p:
        end = time.monotonic() + 60
        while len(seen := [n for g in delegated.path.glob("csbx-*/csbx-run/payload") for n in cgroups.members(g)]) != 2:
            assert time.monotonic() < end, (seen, delegated.containers())
            time.sleep(0.02)
        lane, = (g for g in delegated.path.glob("csbx-*") if (g / "csbx-run").is_dir())
        assert cgroups.members(lane) == cgroups.members(lane / "payload") == cgroups.members(lane / "csbx-run") == []
        for controller, (name, value) in {"memory": ("memory.max", str(128 << 20)), "pids": ("pids.max", "100")}.items():
            if controller in delegated.has:
                assert (lane / name).read_text().strip() == "max", "it is the snippet's group that holds the limit"
                assert (lane / "csbx-run" / name).read_text().strip() == value
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=30)


def test_the_verdicts_are_those_of_a_container_each(csbx, python_image, delegated):
    programs = {
        "prints": "print(6 * 7)", "raises": "1 / 0", "too much memory": "x = bytearray(300 << 20)\nimport time\ntime.sleep(5)", "killed": "import os; os.kill(os.getpid(), 9)",
        "too many processes": "import os, time\nn = 0\ntry:\n    while n < 300:\n        if not os.fork(): time.sleep(99)\n        n += 1\nexcept OSError as e: print(n, e.errno)",
        "timeout": "print('x', flush=True)\nwhile True: pass"}
    objects = [{"id": name, "code": code, **({"timeout": 1} if name == "timeout" else {})} for name, code in programs.items()]
    plain, lanes = (batch(csbx, python_image, objects, "--lanes", value) for value in ("no", "yes"))
    for name, record in plain.items():
        for key in record.keys() - set(OF_A_RUN):
            assert lanes[name][key] == record[key], (name, key)
    assert plain["too much memory"]["oom_killed"] and plain["too many processes"]["stdout"].endswith(" 11\n")


# What a group counts or holds.
IN_A_GROUP = ("nothing", "shared memory file", "file in tmp", "sessions", "daemon", "signals to all", "memory", "names that are not there", "file without a name", "fills inodes")


def test_a_snippet_sees_nothing_of_the_one_before(csbx, python_image, delegated):
    objects = [{"id": "first", "code": WITNESS}, *({"id": n, "code": LANE, "memory": f"{100 + n}m"} for n in range(8))]
    for name in IN_A_GROUP:
        objects += [{"id": name, "code": LIBC + ATTACKS[name][0]}, {"id": f"after {name}", "code": WITNESS}]
    done = batch(csbx, python_image, objects, "--lanes", "yes")
    assert len({done[n]["stdout"] for n in range(8)}) == 1 and done[0]["stdout"].startswith("0::/ "), "one lane, whatever a line's own limit"
    expected = done["first"]["stdout"].splitlines()[0]
    for name in IN_A_GROUP:
        assert done[f"after {name}"]["stdout"].splitlines()[0] == expected, name
