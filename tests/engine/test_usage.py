# SPDX-License-Identifier: Apache-2.0
"""The use that containers make of the machine, and their limits: top, stats, system df, changes, export, update,
prune."""
import io
import json
import subprocess
import tarfile

import pytest

from apisocket import wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

EAT = "x=; i=0; while :; do i=$((i+1)); done"  # one CPU


def test_stats_once(api):
    c = api.containers.run("box", ["sh", "-c", EAT], detach=True, mem_limit="64m")
    s = c.stats(stream=False)
    assert s["name"] == "/" + c.name and s["id"] == c.id
    assert 0 < s["memory_stats"]["usage"] < s["memory_stats"]["limit"] == 64 << 20
    assert s["pids_stats"]["current"] >= 1
    used = s["cpu_stats"]["cpu_usage"]["total_usage"] - s["precpu_stats"]["cpu_usage"]["total_usage"]
    host = s["cpu_stats"]["system_cpu_usage"] - s["precpu_stats"]["system_cpu_usage"]
    assert 0 < used <= host * 1.1 and s["cpu_stats"]["online_cpus"] >= 1
    assert s["preread"] < s["read"]


def test_stats_of_what_does_not_run(api, box):
    c = api.containers.create("box", ["true"])
    s = box.ask("GET", f"/containers/{c.id}/stats?stream=0").json
    assert s["read"].startswith("0001-01-01") and s["memory_stats"] == {} and s["pids_stats"] == {}
    assert box.ask("GET", "/containers/nope/stats?stream=0").status == 404


def test_stats_stream_ends_with_the_container(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    messages = c.stats(stream=True, decode=True)
    first, second = next(messages), next(messages)
    assert first["read"] < second["read"] and second["preread"] == first["read"]
    c.remove(force=True)
    assert len(list(messages)) <= 2


def test_docker_stats(csbx, api):
    c = api.containers.run("box", ["sleep", "60"], detach=True, name="st", mem_limit="64m")
    row = json.loads(csbx.ok("docker", "stats", "--no-stream", "--format", "{{json .}}"))
    assert row["Name"] == "st" and row["ID"] == c.id[:12] and row["MemUsage"].endswith("/ 64MiB")
    assert int(row["PIDs"]) >= 1 and row["CPUPerc"].endswith("%")


def test_top(api):
    c = api.containers.run("box", ["sh", "-c", "sleep 61 & sleep 62 & wait"], detach=True)
    wait_for(lambda: len(c.top()["Processes"]) == 3)
    found = c.top(ps_args="-eo pid,args")
    assert found["Titles"] == ["PID", "COMMAND"]
    assert {"sleep 61", "sleep 62"} <= {row[1] for row in found["Processes"]}


def test_changes_and_export(api):
    c = api.containers.run("box", ["sh", "-c", "echo x >/new; rm /etc/passwd"], detach=True)
    c.wait()
    assert {"Path": "/new", "Kind": 1} in c.diff() and {"Path": "/etc/passwd", "Kind": 2} in c.diff()
    names = tarfile.open(fileobj=io.BytesIO(b"".join(c.export()))).getnames()
    assert "new" in names and "etc/passwd" not in names and "etc" in names


def test_disk_usage(api, box):
    api.volumes.create("v1")
    c = api.containers.run("box", ["sh", "-c", "head -c 9000 /dev/zero >/v/f; cat /v/f >/f"], detach=True, volumes={"v1": {"bind": "/v"}})
    c.wait()
    df = api.df()
    assert df["Images"][0]["Containers"] == 1 and df["LayersSize"] == df["Images"][0]["Size"]
    assert df["Containers"][0]["Id"] == c.id and df["Containers"][0]["SizeRw"] >= 9000
    assert df["Volumes"][0]["UsageData"]["RefCount"] == 1 and df["Volumes"][0]["UsageData"]["Size"] >= 9000
    only = box.ask("GET", "/system/df?type=volume").json
    assert only["Volumes"] and only["Images"] is None
    c.remove()
    api.volumes.get("v1").remove()


def test_prune_by_label(api):
    for label in ("a", "b"):
        api.containers.create("box", ["true"], labels={label: ""})
    runs = api.containers.run("box", ["sleep", "60"], detach=True, labels={"a": ""})
    assert len(api.containers.prune(filters={"label": "a"})["ContainersDeleted"]) == 1
    assert len(api.containers.prune()["ContainersDeleted"]) == 1
    assert api.containers.list(all=True) == [runs]


# --- update ---------------------------------------------------------------------------------------

def host_config(c):
    c.reload()
    return c.attrs["HostConfig"]


def test_update_counts_at_the_next_start(api):
    c = api.containers.create("box", ["sh", "-c", "ulimit -u"])
    assert c.update(mem_limit="64m", memswap_limit=-1) == {"Warnings": None}
    assert c.update(restart_policy={"Name": "on-failure", "MaximumRetryCount": 2}) == {"Warnings": None}
    found = host_config(c)
    assert (found["Memory"], found["MemorySwap"]) == (64 << 20, -1)
    assert found["RestartPolicy"] == {"Name": "on-failure", "MaximumRetryCount": 2}
    c.start()
    assert c.wait()["StatusCode"] == 0


def test_update_of_what_runs(api):
    """csbx lets go of the limit that it held before: the larger one counts at once."""
    script = "read x </tmp/p; x=$(head -c 60000000 /dev/zero | tr '\\0' a); echo ${#x}"
    c = api.containers.run("box", ["sh", "-c", "mkfifo /tmp/p; " + script], detach=True, mem_limit="32m")
    assert c.update(mem_limit="512m") == {"Warnings": None}
    c.exec_run(["sh", "-c", "until [ -p /tmp/p ]; do sleep 0.01; done; echo go >/tmp/p"])
    assert c.wait()["StatusCode"] == 0 and c.logs().strip() == b"60000000"


def test_update_of_what_was_not_limited_warns(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    (warning,) = c.update(mem_limit="64m")["Warnings"]
    assert "takes effect with the container's next start" in warning
    assert host_config(c)["Memory"] == 64 << 20


@pytest.mark.parametrize("body, status, text", [
    ({"Memory": 1024}, 400, "Minimum memory limit allowed is 6MB"),
    ({"RestartPolicy": {"Name": "sometimes"}}, 400, "unknown policy"),
    ({"Memory": "x"}, 400, "Memory"), ({"CpusetCpus": "0"}, 400, "cpuset-cpus"),
])
def test_bad_updates(api, box, body, status, text):
    c = api.containers.create("box", ["true"])
    answer = box.ask("POST", f"/containers/{c.id}/update", body)
    assert answer.status == status and text in answer.json["message"]
    assert host_config(c)["Memory"] == 0


def test_docker_update(csbx, api):
    c = api.containers.create("box", ["true"], name="up")
    assert csbx.ok("docker", "update", "--cpus", "1.5", "--pids-limit", "50", "--restart", "always", "up") == "up\n"
    found = host_config(c)
    assert (found["NanoCpus"], found["PidsLimit"], found["RestartPolicy"]["Name"]) == (1500000000, 50, "always")
    p = csbx.run("docker", "update", "up")
    assert p.returncode == 1 and "one or more flags" in p.stderr


def test_a_peak_before_a_lower_limit_is_no_oom(csbx, python_image):
    """140 MiB were used while 256 were allowed; under 96, which came later, it never used too much."""
    code = ("import os, sys\nx = bytearray(140 << 20); x[::4096] = b'x' * len(x[::4096]); del x\n"
            "print('used', flush=True)\nsys.stdin.readline()")
    p = csbx.popen("docker", "run", "-i", "--name", "low", "-m", "256m", "--network", "none", python_image, "python3", "-c",
                   code, stdin=subprocess.PIPE)
    try:
        assert p.stdout.readline() == b"used\n"
        assert csbx.ok("docker", "update", "-m", "96m", "--memory-swap", "-1", "low") == "low\n"
        p.communicate(b"\n", timeout=30)
        assert p.returncode == 0
        said = csbx.ok("docker", "inspect", "-f", "{{.State.OOMKilled}} {{.State.ExitCode}}", "low")
        assert said == "false 0\n"
    finally:
        csbx.ok("docker", "rm", "-f", "low")
