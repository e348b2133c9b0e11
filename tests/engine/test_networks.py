# SPDX-License-Identifier: Apache-2.0
"""Volumes and networks through the socket: docker-py, docker's command line, csbx's own, and requests as they are."""
import json
import os
import shlex
import subprocess

import pytest

from apisocket import CLIENTS, script, wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]
WARNING = "networks carry no traffic of their own"


def made(engine, *cmd, **more):
    answer = engine.ask("POST", "/containers/create", {"Image": "box", "Cmd": list(cmd), **more})
    assert answer.status == 201, answer.body
    return answer.json["Id"]


def filters(**x):
    return "filters=" + json.dumps(x).replace('"', "%22").replace(" ", "")


# --- volumes ----------------------------------------------------------------------------------

def test_py_volumes(api):
    import docker
    v = api.volumes.create("vol", labels={"a": "b", "c": ""})
    assert (v.name, v.attrs["Labels"], v.attrs["Driver"], v.attrs["Scope"]) == ("vol", {"a": "b", "c": ""}, "local", "local")
    assert api.volumes.create("vol", labels={"other": "x"}).attrs["Labels"] == {"a": "b", "c": ""}, "one that is there stays"
    anonymous = api.volumes.create()
    assert len(anonymous.name) == 64
    assert [x.name for x in api.volumes.list(filters={"label": "a=b"})] == ["vol"]
    assert [x.name for x in api.volumes.list(filters={"name": "vo"})] == ["vol"]
    api.containers.run("box", "sh -c 'echo kept >/v/f'", volumes={"vol": {"bind": "/v", "mode": "rw"}}, remove=True)
    assert api.containers.run("box", "cat /v/f", volumes={"vol": {"bind": "/v", "mode": "ro"}}, remove=True) == b"kept\n"
    c = api.containers.create("box", "true", volumes={"vol": {"bind": "/v"}})
    assert [x.name for x in api.volumes.list(filters={"dangling": True})] == [anonymous.name]
    with pytest.raises(docker.errors.APIError, match="in use") as e:
        v.remove()
    assert e.value.status_code == 409
    c.remove()
    assert anonymous.name in api.volumes.prune()["VolumesDeleted"]
    if api.volumes.list():
        v.remove()
    with pytest.raises(docker.errors.NotFound):
        api.volumes.get("vol")
    with pytest.raises(docker.errors.NotFound, match="no such volume"):
        v.remove()


def test_volumes_from(box):
    """The mounts of another container, read-only where that is asked for; other flags win, and an anonymous volume
    lives as long as one has it."""
    (box.box.work / "d").mkdir()
    first = made(box, "true", Volumes={"/anon": {}, "/here": {}}, HostConfig={
        "Binds": ["vol:/v", f"{box.box.work}/d:/d:ro"], "Tmpfs": {"/t": ""}})
    run = made(box, "sh", "-c", "echo x >/anon/f; echo y >/v/f; echo z >/here/f; ls /t; touch /d/no 2>&1 | grep -c Read-only",
               Volumes={"/here": {}}, HostConfig={"VolumesFrom": [first], "Binds": ["other:/v"]})
    assert box.ask("POST", f"/containers/{run}/start").status == 204 and box.ask("POST", f"/containers/{run}/wait").json["StatusCode"] == 0
    value = box.ask("GET", f"/containers/{run}/json").json
    assert value["HostConfig"]["VolumesFrom"] == [first]
    mounts = {m["Destination"]: m for m in value["Mounts"]}
    of_first = {m["Destination"]: m for m in box.ask("GET", f"/containers/{first}/json").json["Mounts"]}
    assert mounts["/v"]["Name"] == "other" and mounts["/anon"]["Name"] == of_first["/anon"]["Name"]
    assert mounts["/here"]["Name"] == of_first["/here"]["Name"] and "/t" not in mounts
    assert box.ask("DELETE", f"/containers/{first}?v=1").status == 204
    third = made(box, "sh", "-c", "cat /anon/f; touch /anon/g 2>/dev/null || echo fixed", HostConfig={"VolumesFrom": [run + ":ro"]})
    assert box.ask("POST", f"/containers/{third}/start").status == 204 and box.ask("POST", f"/containers/{third}/wait").json["StatusCode"] == 0
    assert box.ask("GET", f"/containers/{third}/logs?stdout=1").body.endswith(b"fixed\n")
    for word, status, text in (("nope", 404, "No such container: nope"), (run + ":xx", 400, "invalid mode: xx"), (":ro", 400, "malformed")):
        answer = box.ask("POST", "/containers/create", {"Image": "box", "Cmd": ["true"], "HostConfig": {"VolumesFrom": [word]}})
        assert answer.status == status and text in answer.message, answer.body


def test_volume_prune_by_version(box):
    """Since 1.42 only anonymous ones go, unless all are asked for."""
    for name in ("one", "two"):
        assert box.ask("POST", "/volumes/create", {"Name": name, "Labels": {"n": name}}).status == 201
    assert box.ask("POST", "/v1.42/volumes/prune").json["VolumesDeleted"] == []
    assert box.ask("POST", "/v1.42/volumes/prune?" + filters(all=["1"], label=["n=one"])).json["VolumesDeleted"] == ["one"]
    assert box.ask("POST", "/v1.41/volumes/prune").json["VolumesDeleted"] == ["two"]
    assert box.ask("DELETE", "/volumes/one?force=1").status == 204 and box.ask("DELETE", "/volumes/one").status == 404
    assert box.ask("GET", "/volumes").json == {"Volumes": [], "Warnings": None}


@pytest.mark.parametrize("method,path,body,status,text", [
    ("POST", "/volumes/create", {"Name": "-x"}, 400, "invalid characters"),
    ("POST", "/volumes/create", {"Name": 3}, 400, "Name: not a string"),
    ("POST", "/volumes/create", {"Name": "x", "Labels": {"a": 1}}, 400, "Labels"),
    ("POST", "/volumes/create", {"Name": "x", "Driver": "nfs"}, 404, "nfs"),
    ("POST", "/volumes/create", {"Name": "x", "DriverOpts": {"type": "nfs"}}, 400, "no options"),
    ("GET", "/volumes?" + filters(nokey=["x"]), None, 400, "nokey"),
    ("POST", "/volumes/prune?" + filters(nokey=["x"]), None, 400, "nokey"),
    ("GET", "/volumes/nope", None, 404, "no such volume"),
    ("POST", "/networks/create", {}, 400, "name"),
    ("POST", "/networks/create", {"Name": "a/b"}, 400, "a/b"),
    ("POST", "/networks/create", {"Name": "host"}, 403, "predefined host network"),
    ("POST", "/networks/create", {"Name": "n", "Internal": True}, 400, "internal"),
    ("POST", "/networks/create", {"Name": "n", "Driver": "nope"}, 404, "nope"),
    ("POST", "/networks/create", {"Name": "n", "Driver": "overlay"}, 400, "overlay"),
    ("POST", "/networks/create", {"Name": "n", "IPAM": {"Config": [3]}}, 400, "Config"),
    ("DELETE", "/networks/none", None, 403, "pre-defined"),
    ("DELETE", "/networks/nope", None, 404, "network nope not found"),
    ("GET", "/networks/nope", None, 404, "network nope not found"),
    ("GET", "/networks/host?scope=swarm", None, 404, "host"),
    ("GET", "/networks?" + filters(nokey=["x"]), None, 400, "nokey"),
    ("POST", "/networks/prune?" + filters(until=["x"]), None, 400, "until"),
    ("POST", "/networks/nope/connect", {"Container": "x"}, 404, "network nope not found"),
    ("POST", "/networks/host/connect", {"Container": "x"}, 400, "host network"),
    ("POST", "/networks/bridge/connect", {}, 400, "Container is empty"),
    ("POST", "/networks/bridge/connect", {"Container": "nope"}, 404, "No such container"),
])
def test_what_cannot_be(box, method, path, body, status, text):
    answer = box.ask(method, path, body)
    assert answer.status == status and text in answer.message, answer.body


# --- networks ---------------------------------------------------------------------------------

def test_py_networks(api):
    import docker
    n = api.networks.create("net", labels={"a": "b"}, attachable=True, options={"o": "p"},
                            ipam=docker.types.IPAMConfig(pool_configs=[docker.types.IPAMPool(subnet="10.9.0.0/16", gateway="10.9.0.1")]))
    n.reload()
    assert (n.name, n.attrs["Labels"], n.attrs["Options"], n.attrs["Attachable"]) == ("net", {"a": "b"}, {"o": "p"}, True)
    assert n.attrs["IPAM"]["Config"] == [{"Gateway": "10.9.0.1", "Subnet": "10.9.0.0/16"}]
    with pytest.raises(docker.errors.APIError, match="already exists") as e:
        api.networks.create("net")
    assert e.value.status_code == 409
    assert [x.name for x in api.networks.list(names=["net"])] == ["net"] == [x.name for x in api.networks.list(ids=[n.id])]
    assert [x.name for x in api.networks.list(filters={"type": "custom"})] == ["net"]
    assert sorted(x.name for x in api.networks.list()) == ["bridge", "host", "net", "none"]
    assert api.networks.get(n.id[:10]).name == "net"
    c = api.containers.run("box", "sleep 60", name="one", network="net", detach=True)
    assert list(c.attrs["NetworkSettings"]["Networks"]) == ["net"] and c.attrs["HostConfig"]["NetworkMode"] == "net"
    n.reload()
    assert [x.name for x in n.containers] == ["one"]
    with pytest.raises(docker.errors.APIError, match="active endpoints") as e:
        n.remove()
    assert e.value.status_code == 403
    n.disconnect(c)
    c.reload()
    assert c.attrs["NetworkSettings"]["Networks"] == {}
    with pytest.raises(docker.errors.APIError, match="is not connected"):
        n.disconnect(c)
    n.connect(c, aliases=["first"])
    with pytest.raises(docker.errors.APIError, match="already exists in network"):
        n.connect(c)
    c.reload()
    assert c.attrs["NetworkSettings"]["Networks"]["net"]["Aliases"] == ["first"]
    assert [x.name for x in api.containers.list(filters={"network": "net"})] == ["one"]
    with pytest.raises(docker.errors.APIError, match="no addresses of their own"):
        api.networks.get("net").connect("one", ipv4_address="10.9.0.7")
    c.remove(force=True)
    assert api.networks.prune()["NetworksDeleted"] == ["net"] and api.networks.prune()["NetworksDeleted"] is None
    with pytest.raises(docker.errors.NotFound):
        n.remove()


def test_members_find_each_other(box):
    """Also those that come later, under aliases, links and a new name; and only within a network."""
    for name in ("red", "blue"):
        answer = box.ask("POST", "/networks/create", {"Name": name, "CheckDuplicate": True})
        assert answer.status == 201 and WARNING in answer.json["Warning"]

    def run(name, *networks, **config):
        ends = {"EndpointsConfig": {n: {"Aliases": [f"{name}-alias"], "Links": [f"x:{name}-link"]} for n in networks}}
        answer = box.ask("POST", f"/containers/create?name={name}", {
            "Image": "box", "Cmd": ["sleep", "60"], "HostConfig": {"NetworkMode": networks[0]}, "NetworkingConfig": ends, **config})
        assert answer.status == 201 and any(WARNING in w for w in answer.json["Warnings"]), answer.body
        assert box.ask("POST", f"/containers/{name}/start").status == 204
        return answer.json["Id"]

    def knows(container, *names):
        return [n for n in names if not resolve(box, container, n)] == []

    first = run("first", "red", Hostname="head")
    second = run("second", "red", "blue")
    third = run("third", "blue")
    assert knows("first", "first", "second", "second-alias", "head", "first-link", second[:12]) and not knows("first", "third")
    assert knows("second", "first", "head", "third", "third-alias", first[:12]) and not knows("second", "first-link")
    assert knows("third", "second", "second-alias", third[:12]) and not knows("third", "first") and not knows("third", "head")
    assert box.ask("POST", "/networks/blue/connect", {"Container": "first", "EndpointConfig": {"Aliases": ["late"]}}).status == 200
    assert knows("third", "first", "late") and knows("first", "third")
    assert box.ask("POST", "/containers/first/rename?name=renamed").status == 204
    assert knows("third", "renamed", "late") and not knows("third", "first")
    assert box.ask("POST", "/networks/blue/disconnect", {"Container": "renamed"}).status == 200
    assert not knows("third", "renamed") and not knows("renamed", "third")
    assert box.ask("DELETE", "/containers/second?force=1").status == 204
    assert not knows("third", "second") and not knows("renamed", "second")
    assert box.ask("POST", "/containers/renamed/restart?t=0").status == 204
    assert not knows("renamed", "second-alias") and knows("renamed", "renamed", "head")


def resolve(engine, container, name):
    e = engine.ask("POST", f"/containers/{container}/exec", {"Cmd": ["sh", "-c", f"grep -qw '^127.0.0.1.*[[:space:]]{name}' /etc/hosts"]})
    assert e.status == 201, e.body
    assert engine.ask("POST", f"/exec/{e.json['Id']}/start", {"Detach": True}).status == 200
    path = f"/exec/{e.json['Id']}/json"
    wait_for(lambda: not engine.ask("GET", path).json["Running"])
    return engine.ask("GET", path).json["ExitCode"] == 0


def test_names_that_would_tear_a_line(box):
    """An alias is any text; one that is no name of a host stands in no file."""
    assert box.ask("POST", "/networks/create", {"Name": "net"}).status == 201
    c = made(box, "cat", "/etc/hosts", HostConfig={"NetworkMode": "net"}, NetworkingConfig={
        "EndpointsConfig": {"net": {"Aliases": ["good", "bad\n8.8.8.8 evil", "two words", "#x", "x" * 5000]}}})
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    assert box.ask("POST", f"/containers/{c}/wait").json["StatusCode"] == 0
    text = box.ask("GET", f"/containers/{c}/logs?stdout=1").body
    assert b" good" in text and b"evil" not in text and b"two words" not in text and b"#x" not in text


def test_a_container_without_a_record_of_networks(box):
    """host and none stay what they are; of the default one csbx makes a record when it joins another."""
    assert box.ask("POST", "/networks/create", {"Name": "net"}).status == 201
    for mode, text in (("host", "host network"), ("none", "private (none) mode")):
        c = made(box, "true", HostConfig={"NetworkMode": mode})
        answer = box.ask("POST", "/networks/net/connect", {"Container": c})
        assert answer.status == 400 and text in answer.message
    c = made(box, "grep", "-c", "csbx", "/etc/hosts")
    assert box.ask("POST", "/networks/net/connect", {"Container": c}).status == 200
    assert sorted(box.ask("GET", f"/containers/{c}/json").json["NetworkSettings"]["Networks"]) == ["bridge", "net"]
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    assert box.ask("POST", f"/containers/{c}/wait").json["StatusCode"] == 0


def test_the_file_is_nobodys_way_in(box, csbx):
    """The container may write to its /etc/hosts; csbx follows no link that it makes of the file, and does not believe
    its content."""
    assert box.ask("POST", "/networks/create", {"Name": "net"}).status == 201
    c = made(box, "sh", "-c", "rm -f /etc/hosts; ln -sf /etc/passwd /etc/hosts; echo '1.2.3.4 mine' >/etc/hosts; exec sleep 60",
             HostConfig={"NetworkMode": "net"})
    assert box.ask("POST", f"/containers/{c}/start").status == 204
    wait_for(lambda: resolve_raw(box, c, "1.2.3.4 mine"))
    other = made(box, "true", HostConfig={"NetworkMode": "net"}, NetworkingConfig={"EndpointsConfig": {"net": {"Aliases": ["new"]}}})
    assert resolve_raw(box, c, "1.2.3.4 mine") and resolve(box, c, "new")
    assert box.ask("DELETE", f"/containers/{other}").status == 204
    assert not resolve(box, c, "new")


CLOSED = {
    "mode": "chmod 000 /etc/hosts; sleep 100",
    "owner": "chown 5 /etc/hosts; chmod 000 /etc/hosts; sleep 100",
    "a lease": "exec python3 -c \"import fcntl, os, signal, time; signal.signal(signal.SIGIO, signal.SIG_IGN); "
               "f = os.open('/etc/hosts', os.O_RDWR); fcntl.fcntl(f, 1024, fcntl.F_WRLCK); os.mkdir('/tmp/leased'); time.sleep(100)\"",
}


@pytest.mark.parametrize("how", CLOSED)
def test_what_a_member_does_to_its_own_file_harms_no_other(box, how):
    """Its /etc/hosts is a file of the caller's, which csbx writes anew when others come and go."""
    mounts = [f"/{d}:/{d}:ro" for d in ("usr", "lib", "lib64") if os.path.isdir(f"/{d}")] if "lease" in how else []
    box.ask("POST", "/networks/create", {"Name": "net"})
    options = ["seccomp=unconfined"] if "lease" in how else []  # the filter refuses leases
    bad = made(box, "sh", "-c", CLOSED[how], HostConfig={"NetworkMode": "net", "Binds": mounts, "SecurityOpt": options})
    assert box.ask("POST", f"/containers/{bad}/start").status == 204
    test = "test -d /tmp/leased" if "lease" in how else "ls -l /etc/hosts | grep -q '^----------'"
    wait_for(lambda: runs(box, bad, test))
    other = made(box, "sleep", "100", HostConfig={"NetworkMode": "net"}, NetworkingConfig={"EndpointsConfig": {"net": {"Aliases": ["new"]}}})
    for method, path, body in (("POST", f"/containers/{other}/start", None), ("POST", "/networks/net/disconnect", {"Container": other}),
                               ("POST", "/networks/net/connect", {"Container": other}), ("POST", f"/containers/{other}/rename?name=later", None)):
        answer = box.ask(method, path, body)
        assert answer.status in (200, 204), answer.body
    assert resolve(box, other, "later")
    for c in (bad, other):
        assert box.ask("DELETE", f"/containers/{c}?force=1").status == 204


def runs(engine, container, command):
    e = engine.ask("POST", f"/containers/{container}/exec", {"Cmd": ["sh", "-c", command]})
    assert engine.ask("POST", f"/exec/{e.json['Id']}/start", {"Detach": True}).status == 200
    path = f"/exec/{e.json['Id']}/json"
    wait_for(lambda: not engine.ask("GET", path).json["Running"])
    return engine.ask("GET", path).json["ExitCode"] == 0


def resolve_raw(engine, container, text):
    e = engine.ask("POST", f"/containers/{container}/exec", {"Cmd": ["grep", "-q", text, "/etc/hosts"]})
    assert engine.ask("POST", f"/exec/{e.json['Id']}/start", {"Detach": True}).status == 200
    path = f"/exec/{e.json['Id']}/json"
    wait_for(lambda: not engine.ask("GET", path).json["Running"])
    return engine.ask("GET", path).json["ExitCode"] == 0


# --- command lines ----------------------------------------------------------------------------

WORK = """
    $D volume create --label x=y v1; $D volume ls -q; $D volume inspect -f '{{.Labels}}' v1
    id=$($D network create --label x=y net 2>warn); test ${#id} = 64; grep -c traffic warn
    $D network create net 2>&1 | tail -1; $D network ls --format '{{.Name}} {{.Driver}}' --filter type=custom
    $D run -d --name one --network net --network-alias uno -v v1:/v box sh -c 'echo in >/v/f; exec sleep 100' >id 2>warn2
    $D run --rm --network net --name two box grep -c 'one.*uno' /etc/hosts 2>/dev/null
    $D network connect --alias dos net one 2>&1 | grep -c 'already exists in network'
    $D network disconnect net one; $D network connect --alias dos net one; $D inspect -f '{{.NetworkSettings.Networks.net.Aliases}}' one
    $D network inspect -f '{{range .Containers}}{{.Name}}{{end}}' net
    $D network rm net 2>&1 | grep -c 'active endpoints'; $D volume rm v1 2>&1 | grep -c 'in use'
    $D rm -f one; $D network rm net; $D volume rm v1; $D network rm none 2>&1 | grep -c pre-defined
    $D network create other >/dev/null 2>&1; $D network prune -f; $D network ls -q | wc -l
"""
WANTED = ("v1\nv1\nmap[x:y]\n1\nError response from daemon: network with name net already exists\nnet bridge\n1\n1\n[dos]\none\n1\n1\none\nnet\n"
          "v1\n1\nDeleted Networks:\nother\n\n3\n")


@pytest.mark.parametrize("client", CLIENTS)
def test_cli(box, client):
    code, out, err = script(box, client, WORK.replace("grep -c traffic warn", "echo 1"))
    assert (code, out) == (0, WANTED), err


def test_own_cli(box):
    """csbx's own docker does the same without the socket."""
    env = {k: v for k, v in box.box.env.items() if k != "DOCKER_HOST"}
    p = subprocess.run(["sh", "-ec", WORK.replace("$D", shlex.join(str(x) for x in box.box.argv(("docker",), "csbx")))], env=env, cwd=box.box.work, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=60, check=False, **box.box.identity())
    assert (p.returncode, p.stdout) == (0, WANTED), p.stderr
    assert "WARNING" in (box.box.work / "warn2").read_text() and os.path.exists(box.box.work / "id")


# --- the network of another container -----------------------------------------------------------

def test_py_joins_the_network_of_another_container(api):
    import docker
    one = api.containers.run("box", "sleep 60", detach=True, name="one", hostname="first")
    two = api.containers.run("box", "sleep 60", detach=True, name="two", network_mode="container:one")
    two.reload()
    assert two.attrs["HostConfig"]["NetworkMode"] == f"container:{one.id}" and two.attrs["NetworkSettings"]["Networks"] == {}
    assert two.exec_run("hostname").output == b"first\n"
    assert two.exec_run("readlink /proc/self/ns/net").output == one.exec_run("readlink /proc/self/ns/net").output
    assert api.containers.run("box", "echo in", network_mode=f"container:{one.id[:12]}", remove=True) == b"in\n"
    with pytest.raises(docker.errors.APIError, match="cannot be connected to any other network"):
        api.networks.create("net").connect(two)
    api.networks.get("net").remove()
    alone = api.containers.run("box", "sleep 60", detach=True, network_mode="none")
    for mode, text in ((f"container:{alone.id}", "has a network of its own"), ("container:nope", "No such container: nope"),
                       ("container:me", "cannot join own network")):
        with pytest.raises(docker.errors.APIError, match=text):
            api.containers.run("box", "true", network_mode=mode, name="me")
        api.containers.get("me").remove()
    one.stop(timeout=0)
    with pytest.raises(docker.errors.APIError, match=f"cannot join network of a non running container: {one.id}"):
        two.restart(timeout=0)
    one.remove()
    with pytest.raises(docker.errors.APIError, match=f"No such container: {one.id}"):
        two.start()


@pytest.mark.parametrize("flags,text", [
    ("", "Invalid network mode: invalid container format container:<name|id>"),
    ("xx -p 80:80", "conflicting options: port publishing and the container type network mode"),
    ("xx -h foo", "conflicting options: hostname and the network mode"),
    ("xx --add-host a:1.2.3.4", "conflicting options: custom host-to-IP mapping and the network mode"),
    ("xx --dns 1.2.3.4", "conflicting options: dns and the network mode"),
    ("xx --expose 80", "conflicting options: port exposing and the container type network mode"),
])
def test_what_does_not_go_with_the_network_of_another_container(box, flags, text):
    p = box.box.run("docker", "run", *shlex.split(f"--network container:{flags}"), "box", "true")
    assert p.returncode == 125 and text in p.stderr, p.stderr
