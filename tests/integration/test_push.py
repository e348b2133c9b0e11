# SPDX-License-Identifier: Apache-2.0
"""csbx push and docker push into Debian's docker-registry; skopeo reads the result."""
import hashlib
import json
import os
import shutil
import socket
import threading
import urllib.parse

import pytest

import registries
from registries import DebianRegistry, TokenServer

USER, PASSWORD = "alice", "Pass word:mit+%&=Zeichen"
NEEDED = ("docker-registry", "skopeo", "openssl", "htpasswd")


@pytest.fixture(scope="session")
def tools():
    missing = [n for n in NEEDED if not shutil.which(n)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture
def plain(tmp_path, tools, busybox_layout):
    r = DebianRegistry(tmp_path / "plain")
    r.push(busybox_layout, "base:1")
    yield r
    r.close()


def docker(csbx, *argv, code=0, **kw):
    p = csbx.run("docker", *argv, **kw)
    assert p.returncode == code, f"{argv}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p


def build(csbx, tag, *lines, files=()):
    context = csbx.work / "context"
    context.mkdir(exist_ok=True)
    for name, data in files:
        (context / name).write_bytes(data)
    (context / "Dockerfile").write_text("\n".join(lines) + "\n")
    docker(csbx, "build", "-q", "-t", tag, context)


def inspect(ref, *how):
    return json.loads(registries.run("skopeo", "inspect", "--tls-verify=false", *how, f"docker://{ref}").stdout)


def listing(csbx, image):
    script = "cd /; for f in tree tree/* etc/group bin usr usr/bin/busybox; do stat -c '%n %f %u %g %Y' $f; " \
             "[ -f $f ] && md5sum <$f; done 2>/dev/null; ls usr/bin etc"
    return docker(csbx, "run", "--rm", image, "sh", "-c", script).stdout


@pytest.mark.both_users
def test_as_it_came(csbx, plain):
    """A pulled image keeps its digest, and within one registry no layer is sent."""
    digest = inspect(f"{plain.host}/base:1")["Digest"]
    docker(csbx, "pull", "-q", f"{plain.host}/base:1")
    docker(csbx, "tag", f"{plain.host}/base:1", f"{plain.host}/copy/of/base:2")
    before = len(plain.requests())
    out = docker(csbx, "push", f"{plain.host}/copy/of/base:2").stdout.splitlines()
    assert out[0] == f"The push refers to repository [{plain.host}/copy/of/base]"
    assert out[-1].startswith(f"2: digest: {digest} size: ")
    assert any(line.endswith(": Mounted from another repository") for line in out)
    assert not any(method == "PATCH" for method, _ in plain.requests()[before:])
    assert inspect(f"{plain.host}/copy/of/base:2")["Digest"] == digest
    assert docker(csbx, "push", "-q", f"{plain.host}/copy/of/base:2").stdout == f"{plain.host}/copy/of/base:2\n"


@pytest.mark.both_users
def test_a_stack(csbx, plain):
    """The base's layers are those of the registry, the file over it is one more; read back, all of it is the same."""
    base = f"{plain.host}/base:1"
    build(csbx, "app:1", f"FROM {base}", "RUN mkdir /tree; echo one >/tree/file; ln /tree/file /tree/link; rm /usr/bin/zcat",
          "RUN chmod 2750 /tree; ln -s file /tree/to", 'CMD ["sh"]')
    name = f"{plain.host}/team/app:1"
    said = csbx.ok("push", "-q", "app:1", name)
    assert said == f"{plain.host}/team/app@{inspect(name)['Digest']}\n"
    layers = inspect(base)["Layers"]
    assert inspect(name)["Layers"][:-1] == layers and len(inspect(name)["Layers"]) == len(layers) + 1
    local = json.loads(docker(csbx, "image", "inspect", "app:1").stdout)[0]
    assert inspect(name, "--config")["rootfs"]["diff_ids"] == local["RootFS"]["Layers"]
    shown = listing(csbx, "app:1")
    assert "tree/link" in shown and "\nzcat\n" not in shown
    docker(csbx, "rmi", "-f", "app:1", base)
    docker(csbx, "pull", "-q", name)
    assert json.loads(docker(csbx, "image", "inspect", name).stdout)[0]["Id"] == local["Id"]
    assert listing(csbx, name) == shown
    registries.run("skopeo", "copy", "--quiet", "--insecure-policy", "--src-tls-verify=false", f"docker://{name}",
                   f"oci:{plain.dir}/back:x")
    # csbx does not send again the blobs that are there.
    before = len(plain.requests())
    csbx.ok("push", "-q", name)
    assert [m for m, _ in plain.requests()[before:] if m in ("POST", "PATCH")] == []


@pytest.mark.both_users
def test_by_zstd(csbx, plain):
    """A layer compressed by zstd, which skopeo unpacks and checks; nothing of it is sent twice; the base's goes as it came."""
    base = f"{plain.host}/base:1"
    data = bytes(range(256)) * 8192 + os.urandom(300000)
    build(csbx, "app:1", f"FROM {base}", "COPY data /tree/file", files=[("data", data)])
    name = f"{plain.host}/app:z"
    csbx.ok("push", "-q", "--comp", "zstd", "app:1", name)
    layers = json.loads(registries.run("skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{name}").stdout)["layers"]
    assert [x["digest"] for x in layers[:-1]] == inspect(base)["Layers"]
    assert layers[-1]["mediaType"] == "application/vnd.oci.image.layer.v1.tar+zstd"
    assert 300000 < layers[-1]["size"] < 400000
    registries.run("skopeo", "copy", "--quiet", "--insecure-policy", "--src-tls-verify=false", "--dest-decompress", f"docker://{name}",
                   f"dir:{plain.dir}/plain")
    plains = json.loads((plain.dir / "plain/manifest.json").read_text())["layers"]
    diff_ids = inspect(name, "--config")["rootfs"]["diff_ids"]
    assert [x["digest"] for x in plains] == diff_ids
    docker(csbx, "rmi", "-f", "app:1")
    docker(csbx, "pull", "-q", name)
    said = docker(csbx, "run", "--rm", name, "md5sum", "/tree/file").stdout
    assert said.split()[0] == hashlib.md5(data).hexdigest()
    before = len(plain.requests())
    csbx.ok("push", "-q", "--comp", "zstd", name)
    assert [m for m, _ in plain.requests()[before:] if m in ("POST", "PATCH")] == []


def test_without_the_cache(csbx, plain):
    """Layers that are gone from the cache are one, and the image is another one with the same files."""
    base = f"{plain.host}/base:1"
    build(csbx, "app:1", f"FROM {base}", "RUN mkdir /tree; echo one >/tree/file")
    shown = listing(csbx, "app:1")
    shutil.rmtree(csbx.dirs["cache"] / "oci")
    name = f"{plain.host}/app:1"
    csbx.ok("push", "-q", "app:1", name)
    assert len(inspect(name)["Layers"]) == 2
    docker(csbx, "rmi", "-f", "app:1")
    docker(csbx, "pull", "-q", name)
    assert listing(csbx, name) == shown
    csbx.ok("push", "-q", base, f"{plain.host}/flat:1")
    assert len(inspect(f"{plain.host}/flat:1")["Layers"]) == 1


def test_all_tags_and_none(csbx, plain):
    docker(csbx, "pull", "-q", f"{plain.host}/base:1")
    for tag in ("1", "2"):
        docker(csbx, "tag", f"{plain.host}/base:1", f"{plain.host}/many:{tag}")
    docker(csbx, "push", "-a", f"{plain.host}/many")
    assert sorted(inspect(f"{plain.host}/many:1")["RepoTags"]) == ["1", "2"]
    p = docker(csbx, "push", f"{plain.host}/none", code=1)
    assert p.stdout == f"Using default tag: latest\nThe push refers to repository [{plain.host}/none]\n"
    assert p.stderr == f"An image does not exist locally with the tag: {plain.host}/none\n"
    p = docker(csbx, "push", "-a", f"{plain.host}/many:1", code=1)
    assert p.stderr == "tag can't be used with --all-tags/-a\n"
    p = docker(csbx, "push", f"{plain.host}/many@sha256:{'0' * 64}", code=1)
    assert p.stderr == "cannot push a digest reference\n"
    csbx.fails("push", "nosuch:1", says="push nosuch:1: no such image")
    csbx.fails("push", f"{plain.host}/base:1", "localhost:1/x:1", says="nothing listens there")


class Cutter:
    """A proxy that breaks the first connection after so many bytes from the client."""

    def __init__(self, port, after):
        self.port, self.left, self.cut = port, after, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"localhost:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            for pair in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink, counts):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
                self.left -= len(data) if counts else 0
                if self.left < 0 and not self.cut:
                    self.cut = 1
                    break
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class Half(registries.Server):
    """Takes uploads; fails at the second piece, of which it keeps half, or forgets the upload then."""

    def __init__(self, forgets=False):
        self.uploads, self.blobs, self.pieces, self.forgets = {}, {}, 0, forgets
        super().__init__()

    def answer(self, h):
        url = h.path.partition("?")[0]
        upload = self.uploads.get(url)
        if h.command == "POST":
            place = f"/v2/big/blobs/uploads/{len(self.uploads)}"
            self.uploads[place] = b""
            h.send(202, headers={"Location": place})
        elif h.command == "PATCH" and upload is not None:
            self.patch(h, url, upload)
        elif h.command == "GET" and upload is not None:
            h.send(204, headers={"Location": url, "Range": f"0-{max(len(upload) - 1, 0)}"})
        elif h.command == "PUT" and upload is not None:
            digest = urllib.parse.unquote(h.path.partition("digest=")[2])
            assert "sha256:" + hashlib.sha256(upload).hexdigest() == digest
            self.blobs[digest] = upload
            h.send(201)
        elif h.command == "PUT" and "/manifests/" in url:
            h.send(201)
        else:
            h.send(200 if url == "/v2/" else 404)

    def patch(self, h, url, upload):
        first, last = map(int, h.headers["Content-Range"].split("-"))
        assert last - first + 1 == len(h.body)
        self.pieces += 1
        if first != len(upload):
            h.send(416)
        elif self.pieces == 2:
            self.uploads[url] = upload + h.body[:len(h.body) // 2]
            if self.forgets:
                del self.uploads[url]
            h.send(503)
        else:
            self.uploads[url] = upload + h.body
            h.send(202, headers={"Location": url, "Range": f"0-{len(upload) + len(h.body) - 1}"})


@pytest.mark.parametrize("forgets", [False, True])
def test_what_the_registry_has_is_not_sent_again(csbx, forgets):
    data = os.urandom(20 << 20)
    build(csbx, "big:1", "FROM scratch", "COPY data /data", files=[("data", data)])
    registry = Half(forgets)
    csbx.ok("push", "-q", "big:1", f"{registry.host}/big:1")
    sent = sum(int(headers["Content-Length"]) for method, _, headers in registry.log if method == "PATCH")
    size = sum(map(len, registry.blobs.values()))
    registry.close()
    assert len(registry.blobs) == 2 and size > 20 << 20
    # Half a piece of 8 MiB twice, or the first piece and the second.
    assert sent - size == (16 << 20 if forgets else 4 << 20)


class Together(Half):
    """Takes a piece of a layer when a piece of another one is on its way too; refuses what begins a third."""

    def __init__(self, refused=None):
        self.both, self.refused = threading.Barrier(2, timeout=60), refused
        super().__init__()

    def answer(self, h):
        if h.command == "POST" and len(self.uploads) == self.refused:
            h.send(403)
        else:
            super().answer(h)

    def patch(self, h, url, upload):
        if len(h.body) > 4000:  # a layer, not the configuration
            self.both.wait()
        self.uploads[url] = upload + h.body
        h.send(202, headers={"Location": url, "Range": f"0-{len(upload) + len(h.body) - 1}"})


def two_layers(csbx):
    build(csbx, "big:1", "FROM scratch", "COPY data /data", files=[("data", os.urandom(100000))])
    build(csbx, "big:2", "FROM big:1", "COPY data /more", files=[("data", os.urandom(100000))])


@pytest.mark.both_users
def test_layers_side_by_side(csbx):
    two_layers(csbx)
    registry = Together()
    docker(csbx, "tag", "big:2", f"{registry.host}/big:2")
    out = docker(csbx, "push", f"{registry.host}/big:2").stdout
    manifest = [path for method, path, _ in registry.log if method == "PUT" and "/manifests/" in path]
    registry.close()
    assert out.count(": Pushed") == 2 and len(manifest) == 1, out
    assert len(registry.blobs) == 3


def test_a_layer_that_is_refused(csbx):
    """One error ends it: the registry gets no manifest."""
    two_layers(csbx)
    registry = Together(refused=1)
    registry.both = threading.Barrier(1)
    docker(csbx, "tag", "big:2", f"{registry.host}/big:2")
    said = docker(csbx, "push", f"{registry.host}/big:2", code=1).stderr
    log = registry.log
    registry.close()
    assert registry.host in said and said.count("\n") == 1, said
    assert not [path for method, path, _ in log if method == "PUT" and "/manifests/" in path]


def test_compression_of_docker_push(csbx, plain):
    build(csbx, "app:1", "FROM scratch", "COPY data /data", files=[("data", bytes(100000))])
    name = f"{plain.host}/app:z"
    docker(csbx, "tag", "app:1", name)
    for comp in "zstd", "gzip":
        docker(csbx, "push", "-q", name, env={"CSBX_PUSH_COMP": comp})
        layers = json.loads(registries.run("skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{name}").stdout)["layers"]
        assert [x["mediaType"] for x in layers] == [f"application/vnd.oci.image.layer.v1.tar+{comp}"]
    said = docker(csbx, "push", "-q", name, code=1, env={"CSBX_PUSH_COMP": "xz"}).stderr
    assert "CSBX_PUSH_COMP xz: gzip or zstd" in said


def test_gone_on_after_a_break(csbx, plain):
    """After a connection that broke in the middle of a layer the registry is asked what it has."""
    data = os.urandom(24 << 20)
    build(csbx, "big:1", "FROM scratch", "COPY data /data", files=[("data", data)])
    proxy = Cutter(plain.port, 12 << 20)
    before = len(plain.requests())
    csbx.ok("push", "-q", "big:1", f"{proxy.host}/big:1", env={"CSBX_INSECURE_REGISTRY": proxy.host})
    proxy.close()
    assert proxy.cut == 1
    seen = plain.requests()[before:]
    assert any(method == "GET" and "/blobs/uploads/" in path for method, path in seen)
    # The layer's upload and the configuration's. This registry drops an upload of which it has more than it
    # has said, and that one is begun once more.
    assert [method for method, _ in seen].count("POST") in (2, 3)
    docker(csbx, "rmi", "-f", "big:1")
    docker(csbx, "pull", "-q", f"{plain.host}/big:1")
    docker(csbx, "create", "--name", "held", f"{plain.host}/big:1", "true")
    docker(csbx, "cp", "held:/data", csbx.work / "data")
    docker(csbx, "rm", "held")
    assert (csbx.work / "data").read_bytes() == data


def test_with_a_password(csbx, tmp_path, tools, busybox_layout):
    r = DebianRegistry(tmp_path / "basic", auth=registries.htpasswd(tmp_path / "htpasswd", USER, PASSWORD))
    docker(csbx, "load", "-i", archive(csbx, busybox_layout))
    try:
        said = csbx.fails("push", "box:1", f"{r.host}/box:1", says=f"csbx login {r.host}")
        csbx.ok("push", "-q", "box:1", f"{r.host}/box:1", env={"CSBX_REGISTRY_AUTH": f"{r.host}={USER}:{PASSWORD}"})
        assert PASSWORD not in said
        assert inspect(f"{r.host}/box:1", f"--creds={USER}:{PASSWORD}")["RepoTags"] == ["1"]
    finally:
        r.close()


def test_with_a_token(csbx, tmp_path, session_dir, tools, busybox_layout):
    """The token is asked for with what the registry wants for writing; a user who may only read is refused."""
    authority = registries.Authority(session_dir / "push-ca")
    cert, key = authority.issue("token")
    tokens = TokenServer(key=key, cert=cert, users={USER: PASSWORD},
                         allow=lambda user, scope: user == USER or "push" not in scope)
    r = DebianRegistry(tmp_path / "token", auth={"token": {
        "realm": f"{tokens.url}/token", "service": "registry", "issuer": "csbx-test", "rootcertbundle": str(authority.cert)}})
    docker(csbx, "load", "-i", archive(csbx, busybox_layout))
    auth = {"CSBX_REGISTRY_AUTH": f"{r.host}={USER}:{PASSWORD}",
            "CSBX_REGISTRY_TOKEN_SERVER": f"{r.host}={tokens.url.partition('//')[2]}"}
    try:
        csbx.fails("push", "box:1", f"{r.host}/pub/box:1", says=f"csbx login {r.host}")
        csbx.ok("push", "-q", "box:1", f"{r.host}/pub/box:1", env=auth)
        assert inspect(f"{r.host}/pub/box:1")["RepoTags"] == ["1"]
        assert any("push" in path for path in tokens.paths())
    finally:
        r.close()
        tokens.close()


def archive(csbx, layout):
    """The layout's image as box:1, for docker load."""
    path = csbx.work / "box.tar"
    registries.run("skopeo", "copy", "--quiet", "--insecure-policy", f"oci:{layout}", f"docker-archive:{path}:box:1")
    path.chmod(0o644)
    return path
