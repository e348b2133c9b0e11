# SPDX-License-Identifier: Apache-2.0
"""Health checks that run: of flags, of requests, of images; what inspect, ps and events say of them."""
import json
import time

import pytest

import images
from apisocket import wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

MS = 1_000_000
FAST = {"interval": 100 * MS, "timeout": 3000 * MS, "retries": 2}


def health(c):
    c.reload()
    return c.attrs["State"]["Health"]


def status_events(box, c):
    query = json.dumps({"container": [c.id], "event": ["health_status"]}).replace('"', "%22").replace(" ", "")
    answer = box.ask("GET", f"/events?until={time.time():.9f}&filters={query}")
    return [json.loads(line)["Action"] for line in answer.body.splitlines()]


def test_healthy_and_not(api, box):
    c = api.containers.run("box", ["sleep", "60"], detach=True, name="hc",
                           healthcheck={"test": ["CMD-SHELL", "echo looking; test ! -e /tmp/ill"], **FAST})
    assert c.attrs["Config"]["Healthcheck"]["Test"] == ["CMD-SHELL", "echo looking; test ! -e /tmp/ill"]
    wait_for(lambda: health(c)["Status"] == "healthy")
    log = health(c)["Log"]
    assert log[-1]["ExitCode"] == 0 and log[-1]["Output"] == "looking\n" and log[-1]["Start"] < log[-1]["End"]
    assert api.containers.list(filters={"health": "healthy"}) == [c]
    assert box.ask("GET", "/containers/json").json[0]["Status"].endswith(" (healthy)")
    c.exec_run("touch /tmp/ill")
    wait_for(lambda: health(c)["Status"] == "unhealthy")
    assert health(c)["FailingStreak"] >= 2 and health(c)["Log"][-1]["ExitCode"] == 1
    assert box.ask("GET", "/containers/json").json[0]["Status"].endswith(" (unhealthy)")
    c.exec_run("rm /tmp/ill")
    wait_for(lambda: health(c)["Status"] == "healthy")
    assert health(c)["FailingStreak"] == 0 and len(health(c)["Log"]) <= 5
    assert status_events(box, c)[:3] == ["health_status: healthy", "health_status: unhealthy", "health_status: healthy"]


def test_a_check_that_hangs(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True,
                           healthcheck={"test": ["CMD", "sleep", "50"], "interval": 50 * MS, "timeout": 300 * MS, "retries": 1})
    wait_for(lambda: health(c)["Status"] == "unhealthy")
    last = health(c)["Log"][-1]
    assert last["ExitCode"] == -1 and "exceeded timeout" in last["Output"]


def test_start_period(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True,
                           healthcheck={"test": ["CMD", "false"], "interval": 50 * MS, "retries": 1, "start_period": 40_000 * MS})
    wait_for(lambda: len(health(c)["Log"]) >= 2)
    assert health(c)["Status"] == "starting" and health(c)["FailingStreak"] == 0


def test_command_line(csbx, box):
    csbx.ok("docker", "run", "-d", "--name", "one", "--health-cmd", "true", "--health-interval", "100ms", "box", "sleep", "60")
    assert csbx.ok("docker", "inspect", "-f", "{{.State.Health.Status}}", "one").strip() in ("starting", "healthy")
    wait_for(lambda: "(healthy)" in csbx.ok("docker", "ps", "--format", "{{.Status}}"))
    csbx.ok("docker", "run", "-d", "--name", "two", "box", "sleep", "60")
    assert "health" not in csbx.ok("docker", "ps", "-f", "name=two", "--format", "{{.Status}}")
    p = csbx.run("docker", "create", "--no-healthcheck", "--health-cmd", "true", "box")
    assert p.returncode and "--no-healthcheck conflicts" in p.stderr
    assert csbx.run("docker", "create", "--health-cmd", "true", "--health-interval", "x", "box").returncode


def test_of_an_image(csbx, api):
    path = csbx.work / "checked.tar"
    image = images.busybox_image({"Cmd": ["sleep", "60"], "Healthcheck": {
        "Test": ["CMD", "true"], "Interval": 100 * MS, "Timeout": 2000 * MS, "Retries": 2}})
    image.write_docker_archive(path, tags=("checked:1",))
    path.chmod(0o644)
    csbx.ok("docker", "load", "-q", "-i", path)
    c = api.containers.run("checked:1", detach=True)
    wait_for(lambda: health(c)["Status"] == "healthy")
    assert c.attrs["Config"]["Healthcheck"] == {"Test": ["CMD", "true"], "Interval": 100 * MS, "Timeout": 2000 * MS, "Retries": 2}
    off = api.containers.run("checked:1", detach=True, healthcheck={"test": ["NONE"]})
    off.reload()
    assert "Health" not in off.attrs["State"]


def test_it_ends_with_the_container(api):
    c = api.containers.run("box", ["sleep", "60"], detach=True, healthcheck={"test": ["CMD", "true"], **FAST})
    wait_for(lambda: health(c)["Status"] == "healthy")
    c.stop(timeout=0)
    assert health(c)["Status"] == "healthy", "the last word stays"
    c.start()
    assert health(c)["Status"] in ("starting", "healthy")
    wait_for(lambda: health(c)["Status"] == "healthy")
