# SPDX-License-Identifier: Apache-2.0
"""POST /build: requests as clients send them, docker-py, and docker's command line with its classic builder."""
import base64
import io
import json
import subprocess
import tarfile
from urllib.parse import quote

import pytest

import engines
import harness
import images
from apisocket import wait_for
from registries import FaultRegistry

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

DOCKERFILE = "FROM box\nARG V=1\nENV A=$V\nRUN echo said $A >/o && cat /o\nCOPY a /b\nCMD [\"cat\", \"/o\", \"/b\"]\n"


@pytest.fixture
def box(csbx, engine):
    path = csbx.work / "box.tar"
    images.busybox_image().write_docker_archive(path, tags=("box:latest",))
    path.chmod(0o644)
    csbx.ok("docker", "load", "-q", "-i", path)
    yield engine
    csbx.run("docker", "builder", "prune", "-af")


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            t.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def lines_of(answer):
    return [json.loads(line) for line in answer.body.splitlines() if line.strip()]


def build(engine, files, query="t=made"):
    return engine.ask("POST", f"/build?{query}", tar_of(files), headers={"Content-Type": "application/x-tar"})


def config(auths):
    return {"X-Registry-Config": base64.urlsafe_b64encode(json.dumps(auths).encode()).decode()}


def test_a_base_of_a_private_registry(box):
    """X-Registry-Config is a map from registries to what X-Registry-Auth has; nothing of it is kept."""
    r = FaultRegistry(basic="me:pass:word")
    try:
        r.add(images.busybox_image(), "1")
        good = {"username": "me", "password": "pass:word"}
        context = tar_of({"Dockerfile": f"FROM {r.host}/app:1\nENV A=1\n"})

        def answer(headers):
            return box.ask("POST", "/build?pull=1", context, headers={"Content-Type": "application/x-tar", **headers})

        for auths in {}, {r.host: {**good, "password": "wrong"}}, {"other:1": good}, {r.host: {"identitytoken": "t"}}:
            assert "error" in lines_of(answer(config(auths)))[-1], auths
        for auths in ({r.host: good}, {f"https://{r.host}/v1/": {"auth": base64.b64encode(b"me:pass:word").decode()}},
                      {"https://index.docker.io/v1/": {"identitytoken": "t"}, r.host: good}):
            assert "Successfully built" in text_of(lines_of(answer(config(auths)))), auths
        assert "error" in lines_of(answer({}))[-1]
        for bad in "%%%", base64.b64encode(b"[]").decode(), base64.b64encode(b'{"a":"b"}').decode():
            assert answer({"X-Registry-Config": bad}).status == 400, bad
    finally:
        r.close()


def text_of(lines):
    return "".join(one.get("stream", "") for one in lines)


def test_answer(box):
    answer = build(box, {"Dockerfile": DOCKERFILE, "a": "file\n"})
    assert answer.status == 200, answer.body
    lines = lines_of(answer)
    said = text_of(lines)
    assert "Step 1/6 : FROM box\n" in said and "Step 4/6 : RUN echo" in said and "said 1\n" in said
    ids = [one["aux"]["ID"] for one in lines if "aux" in one]
    assert len(ids) == 1 and said.endswith(f"Successfully built {ids[0][7:19]}\nSuccessfully tagged made:latest\n")
    found = box.ask("GET", "/images/made/json").json
    assert (found["Id"], found["Config"]["Cmd"]) == (ids[0], ["cat", "/o", "/b"])
    again = text_of(lines_of(build(box, {"Dockerfile": DOCKERFILE, "a": "file\n"})))
    assert again.count(" ---> Using cache\n") == 2 and "said 1" not in again
    quiet = lines_of(build(box, {"Dockerfile": DOCKERFILE, "a": "file\n"}, "q=1"))
    assert quiet == [{"stream": ids[0] + "\n"}]


def test_parameters(box):
    args = quote(json.dumps({"V": "7", "U": None}))
    labels = quote(json.dumps({"l": "x y"}))
    ulimits = quote(json.dumps([{"Name": "nofile", "Soft": 77, "Hard": 88}]))
    text = "FROM box AS one\nARG V\nRUN echo $V $(ulimit -n) >/o; grep other /etc/hosts >>/o\nCMD cat /o\nFROM box\nRUN false\n"
    answer = build(box, {"sub/D": text}, f"t=a&t=b:2&dockerfile=sub/D&target=one&buildargs={args}&labels={labels}"
                   f"&ulimits={ulimits}&extrahosts=other:1.2.3.4&nocache=1&rm=1&memory=0&networkmode=default&shmsize=0&version=1")
    assert answer.status == 200 and "tagged a:latest\nSuccessfully tagged b:2\n" in text_of(lines_of(answer)), answer.body
    config = box.ask("GET", "/images/b:2/json").json["Config"]
    assert config["Labels"] == {"l": "x y"}
    assert box.box.ok("docker", "run", "--rm", "a") == "7 77\n1.2.3.4\tother\n"


def test_cache_from_is_said(box):
    answer = build(box, {"Dockerfile": "FROM box\nRUN true\n"}, f"cachefrom={quote(json.dumps(['box:1']))}")
    assert answer.status == 200 and "box:1 gives no steps: " in text_of(lines_of(answer)), answer.body


@pytest.mark.parametrize("files, query, status, says", [
    ({"Dockerfile": "FROM box\nFOO\n"}, "", 400, "dockerfile parse error on line 2: unknown instruction: FOO"),
    ({"a": ""}, "", 400, "open Dockerfile: no such file"),
    ({"Dockerfile": "FROM box\n"}, "target=none", 400, "target stage \"none\" could not be found"),
    ({"Dockerfile": "FROM box\n"}, "memory=1000", 400, "memory is not done"),
    ({"Dockerfile": "FROM box\n"}, "version=2", 400, "DOCKER_BUILDKIT=0"),
    ({"Dockerfile": "FROM box\n"}, "remote=https://x", 400, "URL"),
    ({"Dockerfile": "FROM box\n"}, "buildargs=%7B", 400, "buildargs"),
    ({"Dockerfile": "FROM box\n"}, "buildargs=%7B%22a%22:1%7D", 400, "must be a string"),
    ({"Dockerfile": "FROM box\n"}, "t=UPPER", 400, "invalid reference format"),
])
def test_refused(box, files, query, status, says):
    answer = build(box, files, query)
    assert answer.status == status and says in answer.json["message"], answer.body


def test_failures_in_the_stream(box):
    lines = lines_of(build(box, {"Dockerfile": "FROM box\nRUN exit 3\n"}))
    message = "The command '/bin/sh -c exit 3' returned a non-zero code: 3"
    assert lines[-1] == {"errorDetail": {"code": 3, "message": message}, "error": message}
    lines = lines_of(build(box, {"Dockerfile": "FROM box\nCOPY nope /x\n"}))
    assert "\"/nope\": not found" in lines[-1]["error"]
    lines = lines_of(build(box, {"Dockerfile": "FROM localhost:1/nosuch:1\n"}))
    assert "localhost:1/nosuch:1" in lines[-1]["error"]
    assert box.ask("GET", "/images/made/json").status == 404


def test_a_client_that_goes_ends_the_build(box):
    body = tar_of({"Dockerfile": "FROM box\nRUN echo begun; sleep 600\n"})
    with box.connect() as s:
        s.sendall(f"POST /build?t=made HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while b"begun" not in got:
            piece = s.recv(4096)
            assert piece, got
            got += piece
    # the frame finds no process of it afterwards
    assert box.ask("POST", "/build/prune").status in (200, 409)


def test_hostile_context(box):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, kind, link in (("../up", tarfile.REGTYPE, ""), ("l", tarfile.SYMTYPE, "/etc"), ("l/x", tarfile.REGTYPE, ""),
                                 ("dev", tarfile.CHRTYPE, "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            t.addfile(info)
    answer = box.ask("POST", "/build", out.getvalue(), headers={"Content-Type": "application/x-tar"})
    assert answer.status == 400 and answer.message.startswith("unpack the context: "), answer.body
    assert not (box.box.dirs["cache"] / "up").exists()
    # It goes in a process of its own, for which the answer does not wait.
    wait_for(lambda: not [p for p in (box.box.dirs["cache"] / "build").iterdir() if p.name.startswith("new-")])


def test_prune(box):
    build(box, {"Dockerfile": DOCKERFILE, "a": "file\n"})
    answer = box.ask("POST", "/build/prune")
    assert answer.status == 200 and answer.json["SpaceReclaimed"] > 0
    assert " ---> Using cache" not in text_of(lines_of(build(box, {"Dockerfile": DOCKERFILE, "a": "file\n"})))


def test_docker_py(box):
    docker = pytest.importorskip("docker", reason="python3-docker is not installed")
    client = docker.DockerClient(base_url=f"unix://{box.path}", timeout=60)
    context = box.box.work / "ctx"
    context.mkdir()
    (context / "Dockerfile").write_text(DOCKERFILE, encoding="ascii")
    (context / "a").write_text("file\n", encoding="ascii")
    image, log = client.images.build(path=str(context), tag="py:1", buildargs={"V": "9"}, labels={"k": "v"})
    assert image.tags == ["py:1"] and "said 9\n" in text_of(log)
    image, _ = client.images.build(fileobj=io.BytesIO(b"FROM box\nRUN true\n"), tag="py:2")
    assert image.tags == ["py:2"]
    with pytest.raises(docker.errors.BuildError, match="returned a non-zero code: 4"):
        client.images.build(fileobj=io.BytesIO(b"FROM box\nRUN exit 4\n"))
    with pytest.raises(docker.errors.APIError, match="unknown instruction"):
        client.images.build(fileobj=io.BytesIO(b"FOO box\n"))
    client.close()


def test_command_line(box):
    """Debian's, 20.10: its classic builder sends the context, and its own .dockerignore holds."""
    docker = engines.program("docker")
    if not docker:
        pytest.skip("docker is not installed")
    context = box.box.work / "ctx"
    context.mkdir()
    (context / "Dockerfile").write_text(DOCKERFILE, encoding="ascii")
    (context / "a").write_text("file\n", encoding="ascii")
    env = {**box.box.env, **box.env, "DOCKER_BUILDKIT": "0"}

    def run(*words, **how):
        return subprocess.run([docker, *words], env=env, cwd=context, capture_output=True, text=True, timeout=60, check=False,
                              **box.box.identity(), **how)
    p = run("build", "-t", "cli", "--build-arg", "V=5", "--iidfile", "id", ".", stdin=subprocess.DEVNULL)
    assert p.returncode == 0 and "said 5\n" in p.stdout and "Successfully tagged cli:latest" in p.stdout, p.stderr
    assert (context / "id").read_text(encoding="ascii") == box.ask("GET", "/images/cli/json").json["Id"]
    p = run("build", "-q", "-", input="FROM box\nRUN true\n")
    assert p.returncode == 0 and p.stdout.startswith("sha256:"), p.stderr
    p = run("build", "-", input="FROM box\nRUN exit 5\n")
    assert p.returncode == 5 and "returned a non-zero code: 5" in p.stderr


def test_plugin(box):
    """docker buildx of docker's own command line, with csbx as its plugin."""
    docker = engines.program("docker")
    if not docker:
        pytest.skip("docker is not installed")
    plugins = box.box.work / "conf/cli-plugins"
    plugins.mkdir(parents=True)
    (plugins / "docker-buildx").symlink_to(harness.BIN / "csbx")
    env = {**box.box.env, **box.env, "DOCKER_CONFIG": str(plugins.parent)}

    def run(*words, text):
        return subprocess.run([docker, *words], env=env, cwd=box.box.work, capture_output=True, text=True, timeout=60, check=False,
                              input=text, **box.box.identity())
    p = run("buildx", "build", "-t", "plug", "--load", "--progress=plain", "-", text="FROM box\nRUN echo <<E >/o\nE\nCMD echo plugged\n")
    assert p.returncode == 0, p.stderr
    assert box.box.ok("docker", "run", "--rm", "plug") == "plugged\n"
    p = run("buildx", "version", text="")
    assert p.returncode == 0 and p.stdout.startswith("csbx ")
