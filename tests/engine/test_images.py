# SPDX-License-Identifier: Apache-2.0
"""Images through the socket: Debian's docker-py, docker's own command line, and requests."""
import base64
import io
import json
import shutil
import tarfile

import pytest

import images
from apisocket import CLIENTS, script
from ociimage import digest
from registries import DebianRegistry, FaultRegistry
from tinyregistry import Registry

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

WRONG = {"username": "me", "password": "wrong"}


@pytest.fixture
def registry():
    with Registry() as r:
        yield r


@pytest.fixture
def guarded():
    r = FaultRegistry(basic="me:pass:word")
    yield r
    r.close()


def lines(answer):
    return [json.loads(line) for line in answer.body.splitlines() if line]


def header(**words):
    return {"X-Registry-Auth": base64.urlsafe_b64encode(json.dumps(words).encode()).decode()}


def marked(text):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        one = tarfile.TarInfo("mark")
        one.size = len(text)
        t.addfile(one, io.BytesIO(text.encode()))
    return b.getvalue()


# --- the table ---------------------------------------------------------------------------------

def test_list(api):
    image = api.images.get("box")
    assert [i.id for i in api.images.list()] == [image.id] and image.tags == ["box:latest"]
    assert api.images.list(name="box")[0].tags == ["box:latest"] and api.images.list(name="other") == []
    assert api.images.list(filters={"dangling": True}) == []
    assert image.tag("localhost:5000/team/box", tag="2") is True
    image.reload()
    assert image.tags == ["box:latest", "localhost:5000/team/box:2"]
    one = api.api.images("localhost:5000/team/box")[0]
    assert one["RepoTags"] == ["localhost:5000/team/box:2"] and one["Size"] == image.attrs["Size"] > 0
    assert api.api.images(quiet=True) == [image.id]
    api.images.remove("localhost:5000/team/box:2")
    image.reload()
    assert image.tags == ["box:latest"]


def test_what_versions_differ_in(box):
    box.ask("POST", "/images/box/tag?repo=twice")
    assert box.ask("DELETE", "/images/box").json == [{"Untagged": "box:latest"}]
    image = box.ask("GET", "/images/json").json[0]
    assert "VirtualSize" not in image and image["RepoTags"] == ["twice:latest"] and image["Containers"] == -1
    assert box.ask("GET", "/v1.41/images/json").json[0]["VirtualSize"] == image["Size"]


def test_history(api):
    steps = api.images.get("box").history()
    assert steps[0]["Id"] == api.images.get("box").id and steps[0]["Tags"] == ["box:latest"]
    assert all(s["Id"] == "<missing>" and s["Tags"] is None for s in steps[1:])
    assert all(isinstance(s["Created"], int) and isinstance(s["Size"], int) for s in steps)


def test_remove_and_prune(api):
    import docker
    c = api.containers.create("box", "true")
    with pytest.raises(docker.errors.APIError, match="conflict: unable to remove repository reference") as e:
        api.images.remove("box")
    assert e.value.status_code == 409
    c.remove()
    image_id = api.images.get("box").id
    gone = api.api.remove_image("box")
    assert gone[0] == {"Untagged": "box:latest"} and gone[1] == {"Deleted": image_id}
    with pytest.raises(docker.errors.ImageNotFound):
        api.images.get("box")
    with pytest.raises(docker.errors.ImageNotFound):
        api.images.remove("box")
    assert api.images.prune() == {"ImagesDeleted": None, "SpaceReclaimed": 0}


def test_prune_takes_what_has_no_name(api):
    api.api.import_image_from_data(marked("x"))
    named = api.images.get("box").id
    gone = api.images.prune()
    assert len(gone["ImagesDeleted"]) >= 1 and gone["SpaceReclaimed"] > 0
    assert [i.id for i in api.images.list()] == [named]
    assert api.images.prune(filters={"dangling": False})["ImagesDeleted"][0] == {"Untagged": "box:latest"}
    assert api.images.list() == []


@pytest.mark.parametrize("method,path,status,text", [
    ("GET", "/images/nope/json", 404, "No such image: nope:latest"),
    ("GET", "/images/nope/history", 404, "No such image: nope:latest"),
    ("GET", "/images/nope/get", 404, "No such image: nope:latest"),
    ("GET", "/images/get", 400, "no image is named"),
    ("DELETE", "/images/nope", 404, "No such image: nope:latest"),
    ("POST", "/images/nope/tag?repo=x", 404, "No such image: nope:latest"),
    ("POST", "/images/box/tag?repo=UPPER", 400, "invalid reference format"),
    ("GET", "/images/json?filters=%7B%22nokey%22%3A%5B%22a%22%5D%7D", 400, "invalid filter 'nokey'"),
    ("POST", "/images/prune?filters=%7B%22dangling%22%3A%5B%22a%22%5D%7D", 400, "invalid filter 'dangling"),
    ("POST", "/images/create", 400, "neither"),
    ("POST", "/images/create?fromImage=UPPER&tag=1", 400, "invalid reference format"),
    ("POST", "/images/create?fromImage=box", 501, "name one"),
    ("POST", "/images/create?fromSrc=http://127.0.0.1/x", 501, "URL"),
    ("POST", "/images/create?fromImage=127.0.0.1:1/nope&tag=1", 500, "127.0.0.1:1"),
    ("POST", "/images/create?fromSrc=-&changes=NOTHING", 400, "NOTHING"),
    ("POST", "/images/load", 500, ""),
    ("POST", "/commit?container=nope", 404, "No such container: nope"),
    ("POST", "/commit?container=nope&repo=UPPER", 400, "invalid reference format"),
    ("GET", "/images/search?term=q", 501, "whole name"),
    ("GET", "/containers/any/attach/ws?stream=1", 501, "POST /containers/ID/attach"),
    ("GET", "/plugins/any/name:latest/json", 404, "plugin not found"),
    ("POST", "/plugins/pull?remote=x", 501, "plugins"),
    ("GET", "/distribution/127.0.0.1:1/nope/json", 500, "127.0.0.1:1"),
])
def test_refused(box, method, path, status, text):
    answer = box.ask(method, path, b"" if method == "POST" else None)
    assert (answer.status, text in answer.message) == (status, True), answer.body


def test_there_are_no_plugins(box):
    answer = box.ask("GET", "/plugins")
    assert (answer.status, answer.json) == (200, [])


# --- archives -----------------------------------------------------------------------------------

def test_save_and_load(box, api):
    image = api.images.get("box")
    image.tag("box", "two")
    data = b"".join(image.save(named=True))
    both = box.ask("GET", "/images/get?names=box:latest&names=box:two").body
    with tarfile.open(fileobj=io.BytesIO(both)) as t:
        assert sorted(json.load(t.extractfile("manifest.json"))[0]["RepoTags"]) == ["box:latest", "box:two"]
    api.images.remove("box")
    api.images.remove("box:two")
    assert [i.tags for i in api.images.load(data)] == [["box:latest"]]
    assert api.containers.run("box", "echo loaded", remove=True) == b"loaded\n"


def test_load_says_what_is_wrong(box):
    answer = box.ask("POST", "/images/load", b"no tar at all" * 100)
    assert answer.status == 500 and answer.message
    half = box.ask("GET", "/images/box/get").body[:5000]
    answer = box.ask("POST", "/images/load", half)
    assert answer.status == 500 or "error" in lines(answer)[-1], "half an archive is none"


def test_import(api):
    made = json.loads(api.api.import_image_from_data(marked("hello"), repository="made", tag="1",
                                                     changes=["CMD [\"a\"]", "USER foobar"]).splitlines()[-1])
    image = api.images.get("made:1")
    assert (made["status"], image.attrs["Config"]["Cmd"], image.attrs["Config"]["User"]) == (image.id, ["a"], "foobar")


def test_commit(api):
    c = api.containers.run("box", ["sh", "-c", "echo kept >/kept; exec sleep 60"], detach=True, environment=["A=1", "B=2"])
    while c.exec_run("cat /kept").output != b"kept\n":
        pass
    image = c.commit("kept", tag="2", message="why", author="me", changes="EXPOSE 80", conf={"Env": ["B=3"], "Labels": {"x": "y"}})
    config = image.attrs["Config"]
    assert image.tags == ["kept:2"] and image.attrs["Author"] == "me" and image.attrs["Comment"] == "why"
    assert set(config["ExposedPorts"]) == {"80/tcp"} and config["Labels"] == {"x": "y"}
    assert {"A=1", "B=3"} <= set(config["Env"]) and "B=2" not in config["Env"]
    assert api.containers.run("kept:2", "cat /kept", remove=True) == b"kept\n"


# --- registries ---------------------------------------------------------------------------------

def test_pull(api, registry):
    image = images.busybox_image()
    manifest = registry.put("1", image)
    name = f"{registry.host}/team/app"
    pulled = api.images.pull(name, tag="1")
    assert f"{name}:1" in pulled.tags and pulled.attrs["RepoDigests"] == [f"{name}@{manifest}"]
    said = list(api.api.pull(name, tag="1", stream=True, decode=True))
    assert said[0] == {"status": "Pulling from team/app", "id": "1"}
    assert said[-2:] == [{"status": f"Digest: {manifest}"}, {"status": f"Status: Image is up to date for {name}:1"}]
    assert api.containers.run(f"{name}:1", "echo pulled", remove=True) == b"pulled\n"
    assert api.images.get_registry_data(f"{name}:1").id == manifest


def test_pull_shows_layers_as_they_come(box, registry):
    image = images.busybox_image()
    registry.put("1", image)
    registry.bytes_per_s = 600_000
    said = lines(box.ask("POST", f"/images/create?fromImage={registry.host}/app&tag=1", b""))
    short = digest(image.layers[0].blob)[7:19]
    mine = [x for x in said if x.get("id") == short]
    assert [x["status"] for x in mine if x["status"] != "Downloading"] == [
        "Pulling fs layer", "Verifying Checksum", "Download complete", "Pull complete"]
    loading = [x["progressDetail"] for x in mine if x["status"] == "Downloading"]
    assert loading and all(0 <= x["current"] <= x["total"] == len(image.layers[0].blob) for x in loading)
    assert [x["current"] for x in loading] == sorted(x["current"] for x in loading)


def test_pull_what_is_not_there(api, registry):
    import docker
    with pytest.raises(docker.errors.NotFound, match="manifest unknown"):
        api.images.pull(f"{registry.host}/app", tag="none")
    assert len(api.images.list()) == 1


def test_pull_with_a_password(box, guarded):
    guarded.add(images.busybox_image(), "1")
    path = f"/images/create?fromImage={guarded.host}/app&tag=1"
    answer = box.ask("POST", path, b"")
    assert answer.status == 404 and "pull access denied" in answer.message
    answer = box.ask("POST", path, b"", headers=header(**WRONG))
    assert answer.status == 404 and "pull access denied" in answer.message
    for words in ({"username": "me", "password": "pass:word"}, {"auth": base64.b64encode(b"me:pass:word").decode()}):
        answer = box.ask("POST", path, b"", headers=header(**words))
        assert answer.status == 200 and "error" not in lines(answer)[-1], answer.body
    assert box.ask("POST", path, b"", headers=header(identitytoken="t")).status == 501
    assert box.ask("POST", path, b"", headers={"X-Registry-Auth": "%%%"}).status == 400
    assert box.ask("POST", path, b"", headers={"X-Registry-Auth": "e30="}).status == 404, "nothing is kept"


def test_login(api, guarded):
    import docker
    # docker-py keeps what was good in memory, and sends it with a pull.
    with pytest.raises(docker.errors.APIError, match="unauthorized") as e:
        api.login(registry=guarded.host, **WRONG)
    assert e.value.status_code == 401
    assert api.login("me", "pass:word", registry=guarded.host)["Status"] == "Login Succeeded"
    guarded.add(images.busybox_image(), "1")
    assert f"{guarded.host}/app:1" in api.images.pull(f"{guarded.host}/app", tag="1").tags


# --- docker's own command line -------------------------------------------------------------------

@pytest.mark.parametrize("client", CLIENTS)
def test_cli(box, registry, client):
    registry.put("1", images.busybox_image())
    code, out, err = script(box, client, f"""
        $D pull -q {registry.host}/app:1
        $D images --format '{{{{.Repository}}}}:{{{{.Tag}}}}' | sort
        $D tag box other:3; $D save -o both.tar box other:3; $D rmi -f box other:3 >/dev/null
        $D load -i both.tar | sort
        echo x >x; tar c x | $D import - tarred:1 | cut -c1-7
        $D create --name cc box true >/dev/null; $D commit -m why cc committed | cut -c1-7; $D rm cc
        $D history -q committed | head -1 | wc -c
        $D image inspect -f '{{{{.Comment}}}}' committed
        $D image prune -f
    """)
    assert code == 0, err
    assert out.splitlines() == [
        f"{registry.host}/app:1", f"{registry.host}/app:1", "box:latest", "Loaded image: box:latest", "Loaded image: other:3",
        "sha256:", "sha256:", "cc", "13", "why", "Total reclaimed space: 0B"]


@pytest.mark.parametrize("client", CLIENTS)
def test_cli_run_pulls(box, registry, client):
    registry.put("1", images.busybox_image())
    code, out, err = script(box, client, f"$D run --rm {registry.host}/app:1 echo pulled first")
    assert (code, out) == (0, "pulled first\n") and "Unable to find image" in err and "Pull complete" in err


def test_push(box, tmp_path):
    """Into Debian's registry; the lines are those docker's clients read."""
    if not shutil.which("docker-registry"):
        pytest.skip("not installed: docker-registry")
    r = DebianRegistry(tmp_path / "registry")
    try:
        assert box.ask("POST", f"/images/box/tag?repo={r.host}/team/box&tag=2", b"").status == 201
        said = lines(box.ask("POST", f"/images/{r.host}/team/box/push?tag=2", b""))
        assert said[0]["status"] == f"The push refers to repository [{r.host}/team/box]"
        assert {"Preparing", "Pushed"} <= {x.get("status") for x in said if "id" in x}
        aux = said[-1]["aux"]
        assert aux["Tag"] == "2" and said[-2]["status"] == f"2: digest: {aux['Digest']} size: {aux['Size']}"
        none = box.ask("POST", f"/images/{r.host}/none/push?tag=1", b"")
        assert "does not exist locally" in none.body.decode()
    finally:
        r.close()
