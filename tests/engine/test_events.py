# SPDX-License-Identifier: Apache-2.0
"""The journal: what docker's verbs and the socket write, and GET /events and docker events read."""
import json
import os
import signal
import time

import pytest

import harness
from apisocket import CLIENTS, script, wait_for

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]


def said(engine, query=""):
    answer = engine.ask("GET", f"/events?until={time.time():.9f}{query}")
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    return [json.loads(line) for line in answer.body.splitlines()]


def words(events):
    return [(e["Type"], e["Action"]) for e in events]


def pidfds(pid):
    found = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    return sum("pidfd" in name for name in found)


def supervisor(c):
    """The parent of csbx-init, whose child is the program."""
    c.reload()
    return parent(parent(c.attrs["State"]["Pid"]))


def parent(pid):
    return harness.read_stat(pid)[0]


def filters(**words):
    return "&filters=" + json.dumps(words).replace('"', "%22").replace(" ", "")


def test_a_life(api, box):
    c = api.containers.create("box", ["sh", "-c", "exit 3"], name="dp", labels={"a": "b"})
    c.start()
    c.wait()
    c.rename("dq")
    c.remove()
    mine = said(box, filters(container=[c.id]))
    assert words(mine) == [("container", a) for a in ("create", "start", "die", "rename", "destroy")]
    die = mine[2]
    assert (die["status"], die["id"], die["from"], die["scope"]) == ("die", c.id, "box", "local")
    assert die["Actor"] == {"ID": c.id, "Attributes": {"a": "b", "exitCode": "3", "image": "box", "name": "dp"}}
    assert die["timeNano"] // 10**9 == die["time"] and die["timeNano"] > mine[0]["timeNano"]
    assert mine[3]["Actor"]["Attributes"]["oldName"] == "/dp"


def test_what_is_done_to_one_that_runs(api, box):
    c = api.containers.run("box", ["sleep", "60"], detach=True, remove=True)
    c.pause()
    c.unpause()
    c.exec_run(["sh", "-c", "exit 4"])
    c.kill("USR1")
    c.restart(timeout=0)
    c.stop(timeout=0)
    wait_for(lambda: {"destroy", "stop"} <= {e["Action"] for e in said(box, filters(container=[c.id]))[13:]})
    mine = said(box, filters(container=[c.id]))
    actions = [e["Action"] for e in mine]
    assert actions[:10] == ["create", "start", "pause", "unpause", "exec_create: sh -c exit 4", "exec_start: sh -c exit 4",
                            "exec_die", "kill", "kill", "die"]
    assert actions[10:13] == ["stop", "start", "restart"] and sorted(actions[13:]) == ["destroy", "die", "kill", "stop"]
    ids = {e["Actor"]["Attributes"]["execID"] for e in mine if e["Action"].startswith("exec")}
    assert len(ids) == 1 and mine[6]["Actor"]["Attributes"]["exitCode"] == "4"
    assert [e["Actor"]["Attributes"]["signal"] for e in mine[7:9]] == ["10", "15"]


def test_the_command_line_writes_the_same(csbx, box):
    csbx.ok("docker", "run", "--rm", "--name", "one", "box", "true")
    csbx.ok("docker", "volume", "create", "vol")
    csbx.ok("docker", "volume", "rm", "vol")
    csbx.ok("docker", "tag", "box", "other")
    csbx.ok("docker", "rmi", "other")
    events = said(box)
    assert [e["Action"] for e in events if e["Actor"]["Attributes"].get("name") == "one"] == [
        "create", "attach", "start", "die", "destroy"]
    assert [x for x in words(events) if x[0] != "container"] == [
        ("image", "load"), ("network", "connect"), ("network", "disconnect"), ("volume", "create"), ("volume", "destroy"),
        ("image", "tag"), ("image", "untag")]


def test_csbx_itself_writes_none(csbx, box):
    before = len(said(box))
    csbx.ok("run", "box", "true")
    csbx.ok("create", "--name", "mine", "box")
    csbx.ok("start", "mine", "true")
    csbx.ok("remove", "-f", "mine")
    assert len(said(box)) == before


def test_what_is_looked_at_and_copied(csbx, api, box):
    c = api.containers.run("box", ["sh"], detach=True, tty=True, stdin_open=True, name="cc")
    c.top()
    c.resize(30, 90)
    assert c.put_archive("/tmp", b"".join(c.get_archive("/etc/passwd")[0]))
    csbx.ok("docker", "top", "cc")
    csbx.ok("docker", "cp", "cc:/tmp/passwd", "f")
    csbx.ok("docker", "cp", "f", "cc:/tmp/g")
    csbx.ok("docker", "exec", "-d", "cc", "sh", "-c", "exit 5")
    wait_for(lambda: "exec_die" in [e["Action"] for e in said(box, filters(container=[c.id]))])
    mine = said(box, filters(container=[c.id]))
    assert [e["Action"] for e in mine][2:] == [
        "top", "resize", "archive-path", "extract-to-dir", "top", "archive-path", "extract-to-dir",
        "exec_create: sh -c exit 5", "exec_start: sh -c exit 5", "exec_die"]
    assert (mine[3]["Actor"]["Attributes"]["height"], mine[3]["Actor"]["Attributes"]["width"]) == ("30", "90")
    assert mine[-1]["Actor"]["Attributes"]["exitCode"] == "5"


def test_one_that_is_renamed_while_it_runs_dies_by_its_new_name(api, box):
    c = api.containers.run("box", ["sleep", "60"], detach=True, name="old", healthcheck={"test": ["CMD", "true"], "interval": 10**8})
    c.rename("new")
    wait_for(lambda: "health_status: healthy" in [e["Action"] for e in said(box, filters(container=[c.id]))])
    c.kill()
    c.wait()
    mine = said(box, filters(container=[c.id]))
    assert {e["Actor"]["Attributes"]["name"] for e in mine if e["Action"] == "die"} == {"new"}
    assert "health_status: unhealthy" not in [e["Action"] for e in mine]


def test_the_end_of_one_whose_supervisor_is_killed(csbx, api, box):
    """No supervisor writes it: a reader does, and of two readers one."""
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    readers = [csbx.popen("docker", "events", "-f", "event=die", "--format", "{{.Actor.ID}} {{.Actor.Attributes.exitCode}}") for _ in range(2)]
    stream = api.events(decode=True, filters={"event": "die"})
    wait_for(lambda: all(pidfds(p.pid) for p in readers))
    other = api.containers.run("box", ["sleep", "60"], detach=True)
    wait_for(lambda: all(pidfds(p.pid) == 2 for p in readers))
    for one in (other, c):
        os.kill(supervisor(one), signal.SIGKILL)
        assert next(stream)["id"] == one.id
        assert [p.stdout.readline() for p in readers] == [f"{one.id} 137\n".encode()] * 2
    stream.close()
    for p in readers:
        p.terminate()
        p.communicate()
    assert [e["Actor"]["ID"] for e in said(box, filters(event=["die"]))] == [other.id, c.id]


def test_a_start_that_fails_is_no_end(api, box):
    import docker
    c = api.containers.create("box", ["nosuch"])
    with pytest.raises(docker.errors.APIError):
        c.start()
    assert [e["Action"] for e in said(box, filters(container=[c.id]))] == ["create"]


def test_prunes(csbx, api, box):
    api.containers.run("box", ["sh", "-c", "head -c 9000 /dev/zero >/f"], detach=True).wait()
    for prune in (api.containers.prune, api.volumes.prune, api.networks.prune, api.images.prune):
        prune()
    csbx.ok("docker", "container", "prune", "-f")
    mine = [e for e in said(box) if e["Action"] == "prune"]
    assert [e["Type"] for e in mine] == ["container", "volume", "network", "image", "container"]
    assert int(mine[0]["Actor"]["Attributes"]["reclaimed"]) >= 9000 and {e["Actor"]["ID"] for e in mine} == {""}
    assert [e["Actor"]["Attributes"] for e in mine[1:]] == [{"reclaimed": "0"}] * 4
    assert "id" not in mine[0] and "from" not in mine[0]


def told(box, *names):
    """Of each event its words, and of its attributes what these tests give."""
    known = dict(zip(names[::2], names[1::2]))
    for e in said(box, filters(type=["container", "network", "volume"])):
        attributes = {k: known.get(v, v) for k, v in e["Actor"]["Attributes"].items() if k != "image"}
        yield f"{e['Type']} {e['Action']} " + " ".join(f"{k}={v}" for k, v in sorted(attributes.items()))


def test_what_a_start_takes_and_an_end_gives_back(api, box):
    """As dockerd 20.10 tells it: networks and volumes, in this order; also of a start that fails."""
    volume = "container=C destination=/v driver=local propagation= read/write="
    n = api.networks.create("net")
    c = api.containers.create("box", "true", name="one", volumes={"nv": {"bind": "/v", "mode": "ro"}}, network="net")
    c.start()
    c.wait()
    c.remove()
    assert list(told(box, c.id, "C")) == [
        "network create name=net type=bridge", "volume create driver=local", "container create name=one",
        "network connect container=C name=net type=bridge", f"volume mount {volume}false", "container start name=one",
        "container die exitCode=0 name=one", "network disconnect container=C name=net type=bridge",
        "volume unmount container=C driver=local", "container destroy name=one"]
    before = len(list(told(box)))
    c = api.containers.create("box", "nosuch", name="two", volumes=["/v"], network_mode="none")
    with pytest.raises(Exception, match="not found"):
        c.start()
    c.remove(v=True)
    assert list(told(box, c.id, "C"))[before:] == [
        "volume create driver=local", "container create name=two",
        "network connect container=C name=none type=null", f"volume mount {volume}true",
        "network disconnect container=C name=none type=null", "volume unmount container=C driver=local",
        "volume destroy driver=local", "container destroy name=two"]
    n.remove()
    api.volumes.get("nv").remove()


def test_filters(api, box):
    one = api.containers.run("box", "true", labels={"x": "1"}, detach=True)
    one.wait()
    two = api.containers.run("box", "true", labels={"x": "2"}, detach=True)
    two.wait()
    assert {e["id"] for e in said(box, filters(label=["x=2"]))} == {two.id}
    assert {e["id"] for e in said(box, filters(label=["x"]))} == {one.id, two.id}
    assert {e["Action"] for e in said(box, filters(event=["die", "start"]))} == {"die", "start"}
    assert {e["Action"] for e in said(box, filters(type=["network"]))} == {"connect", "disconnect"}
    assert {e["id"] for e in said(box, filters(image=["box"], type={"container": True}))} == {one.id, two.id}
    assert {e["id"] for e in said(box, filters(container=[two.name]))} == {two.id}
    since = said(box, filters(container=[two.id]))[0]["timeNano"]
    assert {e["id"] for e in said(box, f"&since={since // 10**9}.{since % 10**9:09}") if e["Type"] == "container"} == {two.id}
    for query in ("since=never", "since=20&until=10", "filters=%7B%22nokey%22%3A%5B%22a%22%5D%7D"):
        assert box.ask("GET", f"/events?{query}").status == 400


def test_following(api, box):
    """Events come while a reader waits, one a message, and a reader that goes is no trouble."""
    stream = api.events(decode=True, filters={"event": "start"})
    made = [api.containers.run("box", "true", detach=True).id for _ in range(3)]
    assert [next(stream)["id"] for _ in made] == made
    stream.close()


def test_many_writers_and_a_new_generation(csbx, box):
    """Lines of many processes are whole; a file that is long becomes the old one, and both are read."""
    journal = csbx.dirs["run"] / "events"
    journal.write_text(json.dumps({"Type": "container", "Action": "old", "Actor": {"ID": "x", "Attributes": {}},
                                   "timeNano": 10**18}) + "\n" + "#" * (9 << 20) + "\n")
    writers = [csbx.popen("docker", "create", "box", "true") for _ in range(12)]
    for w in writers:
        w.communicate()
        assert w.returncode == 0
    events = said(box, "&since=1")
    assert len([e for e in events if e["Action"] == "create"]) == 12 and events[0]["Action"] == "old"
    assert (csbx.dirs["run"] / "events.1").exists() and journal.stat().st_size < 1 << 20


@pytest.mark.parametrize("client", ["csbx", *CLIENTS])
def test_docker_events(csbx, box, client):
    csbx.ok("docker", "run", "--name", "one", "--label", "l=m", "box", "true")
    until = str(int(time.time()) + 2)  # the client passes whole seconds on
    if client == "csbx":
        def run(*args):
            return csbx.ok("docker", "events", "--since", "1h", "--until", until, *args)
    else:
        def run(*args):
            quoted = " ".join(f"'{a}'" for a in args)
            code, out, err = script(box, client, f"$D events --since 1h --until {until} {quoted}")
            assert code == 0, err
            return out
    assert run("--format", "{{.Type}} {{.Action}} {{.Actor.Attributes.name}}", "-f", "type=container").splitlines() == [
        f"container {a} one" for a in ("create", "attach", "start", "die")]
    line = run("-f", "event=create").splitlines()[0]
    assert " container create " in line and line.endswith("(image=box, l=m, name=one)")
    assert json.loads(run("--format", "{{json .}}", "-f", "event=die"))["Action"] == "die"


def test_what_a_killed_engine_leaves(csbx, box):
    with box.connect() as s:
        s.sendall(b"GET /events HTTP/1.1\r\nHost: d\r\n\r\n")
        assert b"200 OK" in s.recv(4096)
        box.process.kill()
        box.process.wait()
        csbx.ok("docker", "create", "--name", "later", "box", "true")
        assert b"later" in s.recv(65536), "its connection goes on without it"
    csbx.ok("docker", "rm", "later")
    os.unlink(box.path)
    box.ask = lambda *_: type("Gone", (), {"json": []})


def test_what_is_done_with_images(box):
    csbx = box.box
    csbx.ok("docker", "create", "--name", "cc", "box", "true")
    csbx.ok("docker", "export", "-o", "t.tar", "cc")
    imported = csbx.ok("docker", "import", "t.tar", "imp:1").strip()
    committed = csbx.ok("docker", "commit", "-m", "why", "cc", "com:1").strip()
    csbx.ok("docker", "save", "-o", "s.tar", "imp:1")
    csbx.ok("docker", "load", "-q", "-i", "s.tar")
    csbx.ok("docker", "rm", "cc")
    mine = [e for e in said(box) if e["Action"] in ("export", "import", "commit", "save", "load", "tag")]
    mine = mine[[e["Action"] for e in mine].index("export"):]
    assert words(mine) == [("container", "export"), ("image", "tag"), ("image", "import"), ("image", "tag"), ("container", "commit"),
                           ("image", "save"), ("image", "load")]
    assert [e["Actor"]["Attributes"].get("name") for e in mine] == [
        "cc", "imp:1", imported, "com:1", "cc", imported, mine[6]["Actor"]["ID"]]
    more = mine[4]["Actor"]["Attributes"]
    assert (more["comment"], more["imageID"], more["imageRef"]) == ("why", committed, "com:1")
    assert {e["Actor"]["ID"] for e in mine[1:3] + mine[5:6]} == {imported}


def test_what_is_done_with_networks(box, api):
    c = api.containers.run("box", ["sleep", "60"], detach=True)
    n = api.networks.create("net")
    n.connect(c)
    n.disconnect(c)
    n.remove()
    api.networks.create("other")
    api.networks.prune()
    mine = [e for e in said(box) if e["Type"] == "network"][1:]  # the first is of the start
    assert [e["Action"] for e in mine] == ["create", "connect", "disconnect", "destroy", "create", "destroy", "prune"]
    assert mine[0]["Actor"] == {"ID": n.id, "Attributes": {"name": "net", "type": "bridge"}}
    assert mine[1]["Actor"] == {"ID": n.id, "Attributes": {"container": c.id, "name": "net", "type": "bridge"}}
