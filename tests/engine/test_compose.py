# SPDX-License-Identifier: Apache-2.0
"""Debian's docker-compose 1.29 as a client: a project of three services from up to down."""
import contextlib
import datetime
import shutil
import socket
import subprocess

import pytest

from apisocket import frames, read_all, wait_for
from registries import free_port

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users,
              pytest.mark.skipif(not shutil.which("docker-compose"), reason="docker-compose is not installed")]

PROJECT = """
version: "3.7"
services:
  db:
    image: box
    command: ["sh", "-c", "echo db is up; mkdir -p /data/www; echo from-db >/data/www/x; exec httpd -f -p 127.0.0.1:PORT -h /data/www"]
    volumes: ["data:/data"]
    networks: {default: {aliases: [database]}}
  cache:
    image: box
    command: sleep 1000
    depends_on: [db]
    hostname: memory
  web:
    image: box
    command: ["sh", "-c", "echo web is up as $$A; exec sleep 1000"]
    depends_on: [db, cache]
    volumes: ["data:/d:ro"]
    environment: {A: b}
    networks: [default, other]
volumes: {data: {labels: {kept: "no"}}}
networks: {other: {}}
"""


CONDITIONS = """
services:
  setup:
    image: box
    command: ["sh", "-c", "sleep 0.5; echo made >/data/made; exit ${CODE:-0}"]
    volumes: ["data:/data"]
  db:
    image: box
    command: ["sh", "-c", "cat /data/made; sleep 1; touch /tmp/ready; exec sleep 1000"]
    volumes: ["data:/data"]
    depends_on: {setup: {condition: service_completed_successfully}}
    healthcheck: {test: ["CMD", "test", "-e", "/tmp/ready"], interval: 300ms, retries: 20}
  web:
    image: box
    command: sleep 1000
    depends_on: {db: {condition: service_healthy}}
  side:
    image: box
    command: ["sh", "-c", "hostname; exec sleep 1000"]
    network_mode: "service:web"
volumes: {data: {}}
"""


@pytest.fixture
def project(box):
    port = free_port()
    (box.box.work / "docker-compose.yml").write_text(PROJECT.replace("PORT", str(port)))
    yield from composed(box, port)


@pytest.fixture
def conditions(box):
    (box.box.work / "docker-compose.yml").write_text(CONDITIONS)
    yield from composed(box, None)


def composed(box, port):
    def compose(*argv, code=0, **env):
        p = subprocess.run(["docker-compose", "-p", "pj", "--no-ansi", *argv], cwd=box.box.work, stdin=subprocess.DEVNULL, text=True,
                           env={**box.box.env, **box.env, **env}, capture_output=True, timeout=110, check=False,
                           **box.box.identity())
        assert p.returncode == code, (argv, p.stdout, p.stderr)
        return p.stdout if not code else p.stderr
    yield compose, port
    compose("down", "-v", "-t", "0", "--remove-orphans")


def names(box):
    return sorted(c["Names"][0] for c in box.ask("GET", "/containers/json").json)


def test_project(box, project):
    compose, port = project
    compose("up", "-d")
    assert names(box) == ["/pj_cache_1", "/pj_db_1", "/pj_web_1"]
    assert sorted(compose("ps", "-q").split()) == sorted(c["Id"] for c in box.ask("GET", "/containers/json").json)
    assert compose("ps").count(" Up ") == 3
    wait_for(lambda: "db is up" in compose("logs", "db"))
    for service, host in (("web", "db"), ("cache", "database"), ("web", "pj_db_1")):
        assert compose("exec", "-T", service, "wget", "-qO-", f"http://{host}:{port}/x") == "from-db\n"
    assert compose("exec", "-T", "web", "cat", "/d/www/x") == "from-db\n" and "web is up as b" in compose("logs", "web")
    assert compose("exec", "-T", "cache", "hostname") == "memory\n"
    assert compose("run", "--rm", "-T", "web", "wget", "-qO-", f"http://db:{port}/x") == "from-db\n"
    before = {c["Id"] for c in box.ask("GET", "/containers/json").json}
    compose("up", "-d")
    assert {c["Id"] for c in box.ask("GET", "/containers/json").json} == before, "nothing has changed, nothing is made anew"
    compose("stop", "-t", "0", "web")
    assert names(box) == ["/pj_cache_1", "/pj_db_1"]
    compose("start", "web")
    compose("restart", "-t", "0", "cache")
    compose("up", "-d", "--force-recreate", "-t", "0", "web")
    assert compose("exec", "-T", "web", "wget", "-qO-", f"http://db:{port}/x") == "from-db\n", "the one that was made anew is a member, too"
    volume = box.ask("GET", "/volumes/pj_data").json
    assert volume["Labels"]["com.docker.compose.project"] == "pj" and volume["Labels"]["kept"] == "no"
    compose("down", "-v", "-t", "0")
    assert box.ask("GET", "/containers/json?all=1").json == [] and box.ask("GET", "/volumes").json["Volumes"] == []
    assert [n["Name"] for n in box.ask("GET", "/networks").json] == ["bridge", "host", "none"]


def test_a_service_waits_for_what_it_depends_on(box, conditions):
    compose, _ = conditions
    compose("up", "-d")
    assert names(box) == ["/pj_db_1", "/pj_side_1", "/pj_web_1"]
    state = {n: box.ask("GET", f"/containers/pj_{n}_1/json").json["State"] for n in ("setup", "db", "web")}
    assert (state["setup"]["Status"], state["setup"]["ExitCode"]) == ("exited", 0)
    assert state["setup"]["FinishedAt"] < state["db"]["StartedAt"]
    begun = [datetime.datetime.fromisoformat(state[n]["StartedAt"][:26].rstrip("Z")) for n in ("db", "web")]
    assert begun[1] - begun[0] > datetime.timedelta(seconds=1), "healthy is what sleeps a second first"
    assert state["db"]["Health"]["Status"] == "healthy"
    assert "made" in compose("logs", "db")
    assert compose("exec", "-T", "web", "hostname") == compose("exec", "-T", "side", "hostname")
    compose("down", "-v", "-t", "0")
    assert "setup" in compose("up", "-d", code=1, CODE="3") and names(box) == []


def test_a_connection_a_stream(box):
    """docker-compose run attaches to each stream by a connection of its own, before the start."""
    answer = box.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["sh", "-c", "echo out; cat; echo err >&2"], "OpenStdin": True,
                                                    "StdinOnce": True, "AttachStdin": True})
    c = answer.json["Id"]
    config = box.ask("GET", f"/containers/{c}/json").json["Config"]
    assert (config["AttachStdin"], config["AttachStdout"], config["OpenStdin"]) == (True, False, True)
    with contextlib.ExitStack() as stack:
        streams = {}
        for name in ("stdin", "stdout", "stderr"):
            streams[name] = s = stack.enter_context(box.connect())
            s.sendall(f"POST /containers/{c}/attach?stream=1&{name}=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n".encode())
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += s.recv(1)
        assert box.ask("POST", f"/containers/{c}/start").status == 204
        streams["stdin"].sendall(b"input\n")
        streams["stdin"].shutdown(socket.SHUT_WR)
        assert b"".join(b for _, b in frames(read_all(streams["stdout"]))) == b"out\ninput\n"
        assert frames(read_all(streams["stderr"])) == [(2, b"err\n")]
        assert read_all(streams["stdin"]) == b""
