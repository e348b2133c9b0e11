# SPDX-License-Identifier: Apache-2.0
"""Restart policies: the containers that are started again, and the events that end that."""
import json
import time

import pytest

from apisocket import wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]


def state(c):
    c.reload()
    return c.attrs["State"]


def actions(box, c):
    query = json.dumps({"container": [c.id]}).replace('"', "%22").replace(" ", "")
    answer = box.ask("GET", f"/events?until={time.time():.9f}&filters={query}")
    return [json.loads(line)["Action"] for line in answer.body.splitlines()]


def test_on_failure_so_many_times(api, box):
    c = api.containers.run("box", ["sh", "-c", "echo run; exit 3"], detach=True,
                           restart_policy={"Name": "on-failure", "MaximumRetryCount": 2})
    assert c.wait()["StatusCode"] == 3
    assert state(c)["Status"] == "exited" and c.attrs["RestartCount"] == 2
    assert c.logs() == b"run\n" * 3
    assert actions(box, c) == ["create"] + ["start", "die"] * 3


def test_a_success_is_no_failure(api):
    c = api.containers.run("box", ["true"], detach=True, restart_policy={"Name": "on-failure"})
    assert c.wait()["StatusCode"] == 0 and state(c)["Status"] == "exited" and c.attrs["RestartCount"] == 0


@pytest.mark.parametrize("policy", ["always", "unless-stopped"])
def test_stopped_while_it_waits(api, policy):
    c = api.containers.run("box", ["true"], detach=True, restart_policy={"Name": policy})
    wait_for(lambda: state(c)["Status"] == "restarting" and c.attrs["RestartCount"] >= 3)
    assert state(c)["Running"]
    wait_for(lambda: c in api.containers.list())
    c.stop()
    assert state(c)["Status"] == "exited"
    count = c.attrs["RestartCount"]
    c.start()
    wait_for(lambda: state(c)["Status"] == "restarting")
    assert c.attrs["RestartCount"] <= count
    c.remove(force=True)


def test_one_that_is_started_again_is_in_every_list(api, box):
    """Whatever of the end of one start and the beginning of the next is under way when it is looked for."""
    made = {api.containers.run("box", ["true"], detach=True, restart_policy={"Name": "always"}).id for _ in range(4)}
    until, looked = time.monotonic() + 6, 0
    while time.monotonic() < until:
        assert {c["Id"] for c in box.ask("GET", "/containers/json").json} == made
        looked += 1
    assert looked > 100


def test_stopped_while_it_runs(api):
    c = api.containers.run("box", ["sh", "-c", "test -e /once && exec sleep 60; echo >/once; exit 3"], detach=True,
                           restart_policy={"Name": "always"})
    wait_for(lambda: state(c)["Status"] == "running" and c.attrs["RestartCount"] == 1)
    c.stop(timeout=0)
    assert state(c)["Status"] == "exited" and state(c)["ExitCode"] == 137


def test_a_policy_that_is_taken_away(api):
    c = api.containers.run("box", ["sh", "-c", "sleep 0.2; exit 1"], detach=True, restart_policy={"Name": "always"})
    wait_for(lambda: state(c) and c.attrs["RestartCount"] >= 1)
    c.update(restart_policy={"Name": "no"})
    c.wait()
    assert state(c)["Status"] == "exited"


def test_docker_restart_with_a_policy(csbx, api):
    c = api.containers.run("box", ["sleep", "60"], detach=True, name="rs", restart_policy={"Name": "always"})
    csbx.ok("docker", "restart", "-t", "0", "rs")
    assert state(c)["Status"] == "running" and c.attrs["RestartCount"] == 0
    c.kill()
    wait_for(lambda: state(c)["Status"] == "exited")
