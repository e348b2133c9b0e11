# SPDX-License-Identifier: Apache-2.0
"""P14: the cost of limits without a control group, and of the result object."""
import json
import statistics
import subprocess
import time

from measure import Case, Failed

HOLD = "import time; x = b'x' * (int({mib}) << 20); print('up', flush=True); time.sleep(600)"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as f:
        return int(f.read().split()[0]) / 1e9


def without_groups(world):
    return {**world.env, "CSBX_CGROUP_PARENT": "none"}


def watchdog_share(world, name, mib, limit):
    """Share of one CPU, in percent, that csbx itself uses while the program holds that much."""
    argv = world.csbx_start(name, "python3", "-c", HOLD.format(mib=mib), options=["--memory", limit])
    p = subprocess.Popen(argv, env=without_groups(world), cwd=world.work, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, **world.identity())
    try:
        if p.stdout.readline() != b"up\n":
            raise Failed(f"a program that holds {mib} MiB did not start")
        before, begin = cpu_seconds(p.pid), time.monotonic()
        time.sleep(3 if world.quick else 15)
        return 100 * (cpu_seconds(p.pid) - before) / (time.monotonic() - begin)
    finally:
        p.terminate()
        p.wait(20)


def overshoot_mib(world, name):
    """The memory in MiB that a program gets under --memory 100m when it touches 2 GiB as fast as it can."""
    argv = world.csbx_start(name, "python3", "-c", "x = b'x' * (2 << 30)", options=["--json", "--memory", "100m"])
    p = subprocess.run(argv, env=without_groups(world), cwd=world.work, stdin=subprocess.DEVNULL,
                       capture_output=True, check=False, timeout=60, **world.identity())
    result = json.loads(p.stdout)
    if result["status"] != "oom":
        raise Failed(f"2 GiB under --memory 100m: {result['status']}")
    return result["memory_peak_bytes"] / (1 << 20) - 100


def p14(world, report):
    name = world.container("python")
    report.value("P14", "watchdog, idle container", watchdog_share(world, name, 0, "500m"), "% of a CPU", 1)
    report.value("P14", "watchdog, 1 GiB held of 4", watchdog_share(world, name, 1024, "4g"), "% of a CPU", 2)
    report.value("P14", "watchdog, 1 GiB held of 1.1", watchdog_share(world, name, 1024, "1100m"), "% of a CPU", 2)
    over = [overshoot_mib(world, name) for _ in range(3 if world.quick else 10)]
    report.value("P14", "2 GiB in one go under 100 MiB, median past it", statistics.median(over), "MiB")
    report.value("P14", "the largest of them", max(over), "MiB")
    plain = Case("csbx start", world.csbx_start(name, "true"))
    result = Case("csbx start --json=FILE",
                  world.csbx_start(name, "true", options=[f"--json={world.work}/home/r.json"]))
    samples = world.stopwatch([result, plain], 60 if world.quick else 300)
    report.samples("P14", samples, result.name)
    report.value("P14", "--json more", samples[result.name].median_ms - samples[plain.name].median_ms, "ms", 0.2)


BENCHES = {"P14": p14}
