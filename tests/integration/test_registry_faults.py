# SPDX-License-Identifier: Apache-2.0
"""Registries that misbehave: csbx survives what it can; the rest is one sentence, 125, and no trace."""
import os
import resource
import threading
import time

import pytest

import images
import registries
from ociimage import D, DOCKER, F, Image, OCI, digest, make_layer, to_json
from registries import FaultRegistry, Server, TokenServer, cut_off, noise, range_start

SIZE = 3 << 20
PASSWORD = "geheim-4711"


def small_image(text="hello", **kw):
    return Image([make_layer([D("."), F("etc/motd", text)])],
                 {"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV]}, **kw)


def large_image():
    return Image([make_layer([D("."), F("data", noise(SIZE))], "plain"),
                  make_layer([F("etc/motd", "large")])], {"Cmd": ["/bin/sh"]})


@pytest.fixture
def serve():
    """serve(Class, ...) starts a server that is closed after the test."""
    started = []

    def start(cls=FaultRegistry, **kw):
        started.append(cls(**kw))
        return started[-1]
    yield start
    for s in started:
        s.close()


@pytest.fixture(scope="session")
def authority(session_dir):
    return registries.Authority(session_dir / "fault-ca")


def blob_of(image, n=0):
    return digest(image.layers[n].blob)


def imported(csbx, ref, *options, **kw):
    """The import must work; returns the names in the image."""
    out = csbx.work / "out.sqsh"
    out.unlink(missing_ok=True)
    csbx.ok("import", "-o", out, *options, ref, **kw)
    assert out.stat().st_size > 0
    return out


def refused(csbx, registry, ref="app:1", says=(), options=(), **kw):
    """One sentence with the registry's name, 125, no file; afterwards the cache is as good as new."""
    said = csbx.fails("import", "-q", *options, f"docker://{registry.host}/{ref}", says=says, **kw)
    assert len(said.strip().splitlines()) == 1, said
    assert registry.host in said and "app" in said, said
    left = [p.name for p in csbx.work.iterdir() if p.name.endswith(".sqsh") or p.name.startswith(".")]
    assert not left, left
    registry.hook = None
    registry.basic = registry.bearer = None
    if ref in ("app:1", "app"):
        registry.add(small_image(), "1", "latest")
        imported(csbx, f"{registry.host}/app:1")
    return said


# --- what is survived -----------------------------------------------------------------------------

def test_redirected_blobs_without_credentials(csbx, serve):
    """Storage at another port: it fails a client that shows a credential, as S3 does."""
    image = small_image()
    registry, storage = serve(basic=f"me:{PASSWORD}"), serve(Server)
    registry.add(image, "1")

    def store(h):
        if "Authorization" in h.headers:
            h.send(400, b"only one auth mechanism allowed")
        else:
            registry.send_blob(h, registry.blobs[h.path.split("?")[0][1:]])

    def hook(h, kind, name):
        if kind != "blob" or not registry.may(h):
            return kind == "blob"
        h.send(307, b"", {"Location": f"{storage.url}/{name}?signature=abc"})
        return True
    storage.answer, registry.hook = store, hook
    imported(csbx, f"{registry.host}/app:1",
             env={"CSBX_REGISTRY_AUTH": f"{registry.host}=me:{PASSWORD}"})
    assert len(storage.paths()) == 2 and not storage.authorizations()
    assert registry.authorizations()


def test_redirect_to_the_same_origin_keeps_the_login(csbx, serve):
    registry = serve(basic=f"me:{PASSWORD}")
    registry.add(small_image(), "1")

    def hook(h, kind, name):
        if kind == "blob" and "moved" not in h.path and registry.may(h):
            h.send(302, b"", {"Location": f"./{name}?moved=1"})
            return True
        return False
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1",
             env={"CSBX_REGISTRY_AUTH": f"{registry.host}=me:{PASSWORD}"})
    assert any("moved=1" in p for p in registry.paths())


@pytest.mark.parametrize("status", [429, 500, 503])
def test_try_again_later(csbx, serve, status):
    registry = serve()
    registry.add(small_image(), "1")
    times = []

    def hook(h, kind, _):
        times.append(time.monotonic())
        if kind == "ping" or len(times) > 3:
            return False
        h.send(status, b"", {"Retry-After": "1"})
        return True
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1")
    assert times[3] - times[2] >= 1.0


def test_resumed_by_range(csbx, serve):
    """A connection that breaks every megabyte: the rest is asked for, nothing is fetched twice."""
    image = large_image()
    registry = serve()
    registry.add(image, "1")
    starts = []

    def hook(h, kind, name):
        if kind != "blob" or name != blob_of(image):
            return False
        first, blob = range_start(h) or 0, registry.blobs[name]
        starts.append(first)
        piece = blob[first:first + (1 << 20)]
        if first + len(piece) == len(blob):
            return False
        headers = {"Content-Range": f"bytes {first}-{len(blob) - 1}/{len(blob)}"} if first else {}
        h.send(206 if first else 200, piece, headers, length=len(blob) - first)
        h.close_connection = True
        return True
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1", "--registry-tries", "2")
    assert len(starts) >= 3 and starts == sorted(set(starts)), starts


def broken_once(registry, name_of_blob, then):
    """The first answer to a blob breaks off; `then` gives the next."""
    seen = []

    def hook(h, kind, name):
        if kind != "blob" or name != name_of_blob:
            return False
        seen.append(h.headers.get("Range"))
        if len(seen) == 1:
            cut_off(h, registry.blobs[name][:1 << 20], len(registry.blobs[name]))
            return True
        return then(h, registry.blobs[name], len(seen))
    registry.hook = hook
    return seen


def whole(h, blob, _):
    h.send(200, blob)
    return True


def wrong_start(h, blob, n):
    if n > 2:
        return False
    h.send(206, blob[:1000], {"Content-Range": f"bytes 0-999/{len(blob)}"})
    return True


def wrong_total(h, blob, n):
    if n > 2:
        return False
    first = range_start(h)
    h.send(206, blob[first:], {"Content-Range": f"bytes {first}-{len(blob)}/{len(blob) + 1}"})
    return True


def no_content_range(h, blob, n):
    if n > 2:
        return False
    h.send(206, blob[range_start(h):])
    return True


def not_satisfiable(h, blob, n):
    if n > 2:
        return False
    h.send(416, b"", {"Content-Range": f"bytes */{len(blob)}"})
    return True


@pytest.mark.parametrize("then", [whole, wrong_start, wrong_total, no_content_range, not_satisfiable])
def test_answers_to_a_range(csbx, serve, then):
    image = large_image()
    registry = serve()
    registry.add(image, "1")
    seen = broken_once(registry, blob_of(image), then)
    imported(csbx, f"{registry.host}/app:1")
    assert seen[0] is None and seen[1].startswith("bytes=")
    if then is not whole:
        assert seen[2] is None, "after a wrong range the whole is asked for"


def test_expired_tokens(csbx, serve):
    """A token that is refused later is replaced, once, and the import goes on."""
    tokens = serve(TokenServer)
    registry = serve(bearer=tokens)
    registry.add(large_image(), "1")
    state = {"expired": 0}

    def hook(h, kind, _):
        # The token of the manifest is not good for blobs any more.
        if kind == "blob" and not state["expired"]:
            state["expired"] = 1
            tokens.given.append("another")
        return False
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1", "--registry-connections", "1")
    assert [p.split("?")[0] for p in tokens.paths()] == ["/token", "/token"]


def test_insufficient_scope(csbx, serve):
    """The scope that the registry names is the one that is asked for."""
    tokens = serve(TokenServer)
    registry = serve(bearer=tokens)
    registry.add(small_image(), "1")

    def hook(h, kind, _):
        if kind == "manifest" and not any("extra" in p for p in tokens.paths()):
            h.send(401, b"", {"WWW-Authenticate":
                              f'Bearer realm="{tokens.url}/token",service="registry",'
                              'scope="repository:app:pull extra:x:pull",error="insufficient_scope"'})
            return True
        return False
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1")
    assert any("extra%3Ax%3Apull" in p for p in tokens.paths())


def test_identity_token(csbx, serve):
    tokens = serve(TokenServer)
    registry = serve(bearer=tokens)
    registry.add(small_image(), "1")
    tokens.refresh_tokens["refresh-me"] = "me"
    # The token server is on another port, so it has to be allowed to see the token.
    registries.write_private(csbx.dirs["home"] / ".docker/config.json", to_json(
        {"auths": {registry.host: {"auth": "", "identitytoken": "refresh-me"}}}).decode())
    imported(csbx, f"{registry.host}/app:1", "--registry-token-server",
             f"{registry.host}={tokens.host}")
    assert tokens.paths("POST") == ["/token"] and not tokens.authorizations()


def test_several_challenges(csbx, serve):
    """Bearer is taken where it is offered beside others; quoted commas do not end a scope."""
    tokens = serve(TokenServer)
    registry = serve(bearer=tokens)
    registry.add(small_image(), "1")

    def hook(h, kind, _):
        if kind == "ping" or h.headers.get("Authorization"):
            return False
        h.send_response(401)
        h.send_header("WWW-Authenticate", 'Negotiate abc==, Basic realm="x, y"')
        h.send_header("WWW-Authenticate", f'bearer Realm="{tokens.url}/t\\oken" , service=registry, '
                                          'scope="repository:app:pull,push"')
        h.send_header("Content-Length", "0")
        h.end_headers()
        return True
    registry.hook = hook
    imported(csbx, f"{registry.host}/app:1")
    assert "scope=repository%3Aapp%3Apull%2Cpush" in tokens.paths()[0]


# --- what is refused ------------------------------------------------------------------------------

def test_rate_limit(csbx, serve):
    registry = serve()
    registry.hook = lambda h, kind, _: kind != "ping" and not h.send(429, b"", {"Retry-After": "3600"})
    start = time.monotonic()
    refused(csbx, registry, says=["429", "too many requests", "3600", f"csbx login {registry.host}"])
    assert time.monotonic() - start < 20


def test_never_enough_bytes(csbx, serve):
    registry = serve()
    registry.add(large_image(), "1")

    def hook(h, kind, name):
        if kind != "blob":
            return False
        cut_off(h, b"", len(registry.blobs[name]))
        return True
    registry.hook = hook
    refused(csbx, registry, says=["blob sha256:", "try again"], options=["--registry-tries", "2"])
    assert len([p for p in registry.paths() if "/blobs/" in p]) < 12


@pytest.mark.parametrize("what", ["content", "short", "long", "length"])
def test_wrong_blob(csbx, serve, what):
    image = small_image()
    registry = serve()
    registry.add(image, "1")
    good = image.layers[0].blob

    def hook(h, kind, name):
        if name != blob_of(image):
            return False
        if what == "content":
            h.send(200, good[:-1] + bytes([good[-1] ^ 1]))
        elif what == "length":
            h.send(200, good, length=len(good) + 7)
            h.close_connection = True
        else:  # without Content-Length: the size shows at the end only
            h.send_response(200)
            h.send_header("Connection", "close")
            h.end_headers()
            h.wfile.write(good[:-5] if what == "short" else good + b"12345")
            h.close_connection = True
        return True
    registry.hook = hook
    says = {"content": "the bytes that came have sha256:", "short": "too early"}
    refused(csbx, registry, says=says.get(what, "the manifest says"),
            options=["--registry-tries", "1"])


def test_manifest_of_another_digest(csbx, serve):
    registry = serve()
    want = registry.add(small_image(), "1")
    other = to_json(small_image("other").manifest())
    registry.manifests[want] = (f"{OCI}.manifest.v1+json", other)
    refused(csbx, registry, f"app@{want}", says=[digest(other), want])


def test_manifest_unlike_its_header(csbx, serve):
    registry = serve()
    image = small_image()
    registry.add(image, "1")

    def hook(h, kind, _):
        if kind != "manifest":
            return False
        h.send(200, to_json(image.manifest()), {"Content-Type": f"{OCI}.manifest.v1+json",
                                                "Docker-Content-Digest": "sha256:" + "0" * 64})
        return True
    registry.hook = hook
    refused(csbx, registry, says="sha256:" + "0" * 64)


def test_child_manifest_is_verified(csbx, serve):
    registry = serve()
    image = small_image()
    registry.add_index([image], "1")
    child = digest(to_json(image.manifest()))
    registry.manifests[child] = (f"{OCI}.manifest.v1+json", to_json(small_image("other").manifest()))
    refused(csbx, registry, says=child)


def test_slow_body(csbx, serve):
    """A byte now and then is not progress."""
    image = large_image()
    registry = serve()
    registry.add(image, "1")
    stop = []

    def hook(h, _, name):
        if name != blob_of(image) or stop:
            return False
        h.send_response(200)
        h.send_header("Content-Length", str(len(registry.blobs[name])))
        h.end_headers()
        for _ in range(200):
            h.wfile.write(b"x")
            h.wfile.flush()
            time.sleep(0.1)
        return True
    registry.hook = hook
    start = time.monotonic()
    try:
        refused(csbx, registry, says=["--registry-timeout"],
                options=["--registry-tries", "1", "--registry-timeout", "2"])
    finally:
        stop.append(1)
    assert time.monotonic() - start < 30


def test_no_answer(csbx, serve):
    registry = serve()
    registry.add(small_image(), "1")
    registry.hook = lambda h, kind, _: kind != "ping" and not time.sleep(6)
    refused(csbx, registry, says="--registry-timeout",
            options=["--registry-tries", "1", "--registry-timeout", "2"])


@pytest.mark.parametrize("verb", ["import", "digest"])
def test_silence_is_told(csbx, serve, verb):
    """A registry that has said nothing for 10 s is named once, and when it will be given up."""
    registry = serve()
    gone = threading.Event()
    registry.hook = lambda *_: gone.wait(60) or True
    where = ["-o", csbx.work / "out.sqsh"] if verb == "import" else []
    try:
        p = csbx.run(verb, *where, "--registry-timeout", "6s", f"docker://{registry.host}/app:1")
    finally:
        gone.set()
    told = [x for x in p.stderr.splitlines() if "has not answered for 1" in x]
    assert p.returncode == 125 and len(p.stderr.splitlines()) == 2, p.stderr
    assert len(told) == 1 and f"{registry.host} has" in told[0] and "given up after 17 s" in told[0], p.stderr
    # Twice as it has never answered, after one look whether it speaks TLS.
    assert len(registry.paths()) == 2, registry.paths()


def test_silence_is_not_told_to_the_quiet(csbx, serve):
    registry = serve()
    registry.add(small_image(), "1")
    gone = threading.Event()
    registry.hook = lambda *_: gone.wait(60) or True
    try:
        said = csbx.fails("import", "-q", "--registry-tries", "1", "--registry-timeout", "12s", "-o",
                          csbx.work / "out.sqsh", f"docker://{registry.host}/app:1")
    finally:
        gone.set()
    assert len(said.strip().splitlines()) == 1, said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_endless_redirects(csbx, serve, status):
    registry = serve()

    def hook(h, kind, _):
        if kind == "ping":
            return False
        n = int((h.path.partition("n=")[2]) or 0) + 1
        h.send(status, b"", {"Location": f"/v2/app/manifests/1?n={n}"})
        return True
    registry.hook = hook
    refused(csbx, registry, says="redirects more than 5 times")
    assert len([p for _, p, _ in registry.log if "n=" in p]) == 5


@pytest.mark.parametrize("location,says", [
    ("file:///etc/passwd", "neither http:// nor https://"),
    ("ftp://localhost/x", "neither http:// nor https://"),
    ("http://user:pw@localhost/x", "user name"),
    ("http://local host/x", "byte"),
    ("http://localhost\\@example.com/", "byte"),
    (None, "Location")])
def test_redirects_to_nowhere(csbx, serve, location, says):
    registry = serve()
    registry.hook = lambda h, kind, _: kind == "manifest" and not h.send(
        302, b"", {"Location": location} if location else {})
    refused(csbx, registry, says=says)


def test_redirect_from_tls_to_plain(csbx, serve, authority):
    registry, plain = serve(tls=authority.issue("fault")), serve(Server)
    registry.add(small_image(), "1")
    registry.hook = lambda h, kind, name: kind == "blob" and not h.send(
        307, b"", {"Location": f"{plain.url}/{name}"})
    said = csbx.fails("import", "-q", f"{registry.host}/app:1", says=["https to http", plain.host],
                      env={"SSL_CERT_FILE": str(authority.cert)})
    assert registry.host in said and not plain.log


def foreign_realm(registry, realm):
    def hook(h, kind, _):
        if kind == "ping" or "Bearer" in h.headers.get("Authorization", ""):
            return False
        h.send(401, b"", {"WWW-Authenticate": f'Bearer realm="{realm}",service="registry"'})
        return True
    registry.hook = hook


def test_realm_on_another_host(csbx, serve):
    """The password goes to no token server that is not known to belong to the registry."""
    thief, registry = serve(TokenServer), serve()
    thief.users["me"] = PASSWORD
    registry.add(small_image(), "1")
    foreign_realm(registry, f"{thief.url}/token")
    env = {"CSBX_REGISTRY_AUTH": f"{registry.host}=me:{PASSWORD}"}
    said = csbx.fails("import", "-q", f"docker://{registry.host}/app:1", env=env,
                      says=[f"CSBX_REGISTRY_TOKEN_SERVER {registry.host}={thief.host}"])
    assert PASSWORD not in said and not thief.log
    imported(csbx, f"{registry.host}/app:1", env={
        **env, "CSBX_REGISTRY_TOKEN_SERVER": f"{registry.host}={thief.host}"})
    assert len(thief.authorizations()) == 1


def test_realm_with_its_own_credentials(csbx, serve):
    """enroot's way: a line for the token server's host, which then gets that and nothing else."""
    tokens, registry = serve(TokenServer), serve()
    tokens.users["you"] = "theirs"
    registry.add(small_image(), "1")
    foreign_realm(registry, f"{tokens.url}/token")
    registries.write_private(csbx.dirs["home"] / ".config/containers/auth.json", registries.auth_json(
        **{registry.host: f"me:{PASSWORD}", tokens.host: "you:theirs"}))
    imported(csbx, f"{registry.host}/app:1")
    assert [a.split()[0] for a in tokens.authorizations()] == ["Basic"]
    assert "you:theirs" in str(registries.base64.b64decode(tokens.authorizations()[0].split()[1]))


@pytest.mark.parametrize("realm,says", [
    ("file:///etc/passwd", "neither http://"), ("http://u:p@localhost/t", "user name"),
    ("not a url", "byte")])
def test_bad_realms(csbx, serve, realm, says):
    registry = serve()
    foreign_realm(registry, realm)
    refused(csbx, registry, says=["token server", says])


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer realm", 'Bearer realm="x', "Negotiate", "=",
                                    'Bearer realm="http://a/",realm="http://b/"', "\"", "Digest a=b"])
def test_bad_challenges(csbx, serve, header):
    registry = serve()
    registry.hook = lambda h, kind, _: kind == "manifest" and not h.send(
        401, b"", {"WWW-Authenticate": header})
    refused(csbx, registry)


def test_401_for_ever(csbx, serve):
    tokens = serve(TokenServer)
    registry = serve(bearer=tokens)
    registry.hook = lambda h, kind, _: kind == "manifest" and not h.send(
        401, b"", {"WWW-Authenticate": f'Bearer realm="{tokens.url}/token"'})
    refused(csbx, registry, says=["401", f"csbx login {registry.host}"])
    assert len(tokens.log) <= 4  # HEAD and GET, a second token each


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"token":"a\\r\\nX: y"}', b'{"token":""}',
                                  b'{"token":1}', b"x" * (1 << 20), b'{"token":"a","token":"b"}'])
def test_bad_tokens(csbx, serve, body):
    tokens, registry = serve(Server), serve()
    tokens.answer = lambda h: h.send(200, body)
    foreign_realm(registry, f"{tokens.url}/token")
    refused(csbx, registry, says="token server")


def test_huge_manifest(csbx, serve):
    """100 MB: given up at 4 MiB, by the bytes that come, not by what a header says."""
    registry = serve()
    sent = []

    def hook(h, kind, _):
        if kind != "manifest":
            return False
        h.send_response(200)
        h.send_header("Content-Type", f"{OCI}.manifest.v1+json")
        h.send_header("Connection", "close")
        h.end_headers()
        h.close_connection = True
        for n in range(100):
            h.wfile.write(b" " * (1 << 20))
            sent.append(n)
        return True
    registry.hook = hook
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    refused(csbx, registry, says="more than 4194304 bytes")
    assert len(sent) < 100
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert after == before or after < 100 << 10


def test_huge_headers(csbx, serve):
    registry = serve()
    registry.hook = lambda h, kind, _: kind == "manifest" and not h.send(
        200, b"", {f"X-{n}": "y" * 8000 for n in range(50)})
    refused(csbx, registry)


def test_foreign_layer(csbx, serve):
    """`urls` are not followed: neither asked nor given anything."""
    elsewhere, registry = serve(Server), serve()
    image = small_image()
    manifest = image.manifest()
    manifest["layers"][0].update(mediaType=f"{DOCKER}.image.rootfs.foreign.diff.tar.gzip",
                                 urls=[f"{elsewhere.url}/layer"])
    registry.add(image)
    del registry.blobs[blob_of(image)]
    registry.add_manifest(to_json(manifest), f"{OCI}.manifest.v1+json", "1")
    refused(csbx, registry, says="outside the registry")
    assert not elsewhere.log
    # If the registry has the layer itself, the urls do not matter.
    registry.blobs[blob_of(image)] = image.layers[0].blob
    registry.add_manifest(to_json(manifest), f"{OCI}.manifest.v1+json", "1")
    imported(csbx, f"{registry.host}/app:1")


@pytest.mark.parametrize("kind,body,says", [
    ("text/html", b"<html>Log in to the wifi", "web page"),
    (f"{DOCKER}.distribution.manifest.v1+prettyjws", b'{"schemaVersion":1,"fsLayers":[]}', "schema 1"),
    ("application/json", b'{"schemaVersion":1,"fsLayers":[]}', "schema 1"),
    ("application/json", b"[]", "not a JSON object"),
    ("application/json", b"", "unexpected end at column 1"),
    (f"{OCI}.manifest.v1+json", b'{"schemaVersion":2,"manifests":[]}', "members are those of an index"),
    (f"{OCI}.index.v1+json", to_json(small_image().manifest()), "")])
def test_bad_manifests(csbx, serve, kind, body, says):
    registry = serve()
    registry.hook = lambda h, what, _: what == "manifest" and not h.send(200, body, {"Content-Type": kind})
    refused(csbx, registry, says=says)


@pytest.mark.parametrize("status,says", [
    (404, "check the name and the tag"), (403, "csbx login"), (400, "is it a registry?"),
    (500, "try later")])
def test_error_statuses(csbx, serve, status, says):
    registry = serve()
    body = to_json({"errors": [{"code": "SOME_CODE", "message": "of \x1b[31m this kind"}]})
    registry.hook = lambda h, kind, _: kind == "manifest" and not h.send(status, body)
    said = refused(csbx, registry, says=[str(status), "SOME_CODE", says],
                   options=["--registry-tries", "1"])
    assert "\x1b" not in said


def test_missing_layer(csbx, serve):
    image = small_image()
    registry = serve()
    registry.add(image, "1")
    del registry.blobs[blob_of(image)]
    refused(csbx, registry, says=["404", "incomplete"])


def test_platforms(csbx, serve):
    """linux and the right variant; attestations are no images; the error lists what is offered."""
    registry = serve()
    offers = [small_image("windows", os="windows", arch="amd64"), small_image("v6", arch="arm", variant="v6"),
              small_image("v7", arch="arm", variant="v7"), small_image("amd64", arch="amd64"),
              small_image("attestation", os="unknown", arch="unknown")]
    for nested in (False, True):
        registry.add_index(offers, "1", nested=nested)
        for platform, text in (("linux/arm/v7", b"v7"), ("linux/arm/v6", b"v6"), ("linux/amd64", b"amd64")):
            out = imported(csbx, f"{registry.host}/app:1", "--platform", platform)
            shown = registries.run("unsquashfs", "-cat", out, "etc/motd").stdout
            assert shown == text
        said = csbx.fails("import", "-q", "--arch", "s390x", f"{registry.host}/app:1",
                          says=["windows/amd64", "linux/arm/v7", "linux/amd64"])
        assert "unknown" not in said


# --- secrets and the way to the registry ----------------------------------------------------------

def test_secrets_stay_secret(csbx, serve):
    """Neither messages nor traces nor files show a password or a token."""
    tokens = serve(TokenServer)
    tokens.users["me"] = PASSWORD
    registry = serve(bearer=tokens)
    registry.add(small_image(), "1")
    env = {"CSBX_REGISTRY_AUTH": f"{registry.host}=me:{PASSWORD}", "CSBX_DEBUG": "1",
           "CSBX_REGISTRY_TOKEN_SERVER": f"{registry.host}={tokens.host}"}
    coded = registries.base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    for ref in ("app:1", "app:2"):
        p = csbx.run("import", "-f", f"{registry.host}/{ref}", env=env)
        said = p.stdout + p.stderr
        assert len(said) > 200 and not any(s in said for s in (PASSWORD, coded, *tokens.given)), said
    assert PASSWORD not in csbx.ok("info", env=env) and PASSWORD not in csbx.ok("info", "--json", env=env)
    for name in csbx.top.rglob("*"):
        if name.is_file() and not name.is_symlink() and os.access(name, os.R_OK):
            assert PASSWORD.encode() not in name.read_bytes(), name


def test_no_proxy_for_loopback(csbx, serve):
    registry, proxy = serve(), serve(Server)
    registry.add(small_image(), "1")
    imported(csbx, f"{registry.host}/app:1", env={k: proxy.url for k in (
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")})
    assert not proxy.log


def test_proxy_for_others(csbx, serve):
    """Names elsewhere go through the proxy; plain HTTP only where the registry is listed."""
    registry, proxy = serve(), serve(Server)
    registry.add(small_image(), "1")

    def forward(h):
        assert h.path.startswith("http://registry.invalid/v2/")
        h.path = h.path[len("http://registry.invalid"):]
        registry.answer(h)
    proxy.answer = forward
    env = {"http_proxy": proxy.url, "https_proxy": proxy.url}
    imported(csbx, "registry.invalid/app:1", "--insecure-registry", "registry.invalid", env=env)
    assert proxy.paths()
    csbx.fails("import", "-q", "registry.invalid/app:1", env=env,
               says=["registry.invalid", "the proxy answered 501 to CONNECT"])


def test_mirrors(csbx, serve):
    """Asked in their order, before the registry, without its password; any failure goes on."""
    upstream, empty, mirror = serve(basic=f"me:{PASSWORD}"), serve(), serve()
    image = small_image()
    upstream.add(image, "1", "2")
    mirror.add(image, "1")
    dead = registries.free_port()
    options = [x for host in (f"localhost:{dead}", empty.host, f"{mirror.host}/prefix/")
               for x in ("--registry-mirror", f"{upstream.host}={host}")]
    env = {"CSBX_REGISTRY_AUTH": f"{upstream.host}=me:{PASSWORD}"}
    imported(csbx, f"{upstream.host}/app:1", *options, env=env)
    assert empty.log and all("/v2/prefix/app/" in p or p == "/v2/" for p in mirror.paths())
    assert not upstream.log and not mirror.authorizations() and not empty.authorizations()
    imported(csbx, f"{upstream.host}/app:2", *options, env=env)
    assert upstream.authorizations() and not mirror.authorizations()
    said = csbx.fails("import", "-q", *options, f"{upstream.host}/app:3", env=env, says="404")
    assert upstream.host in said


def test_mirror_that_lies(csbx, serve):
    """A mirror's wrong manifest for a digest is not taken; the registry's is."""
    upstream, mirror = serve(), serve()
    want = upstream.add(small_image(), "1")
    mirror.manifests[want] = (f"{OCI}.manifest.v1+json", to_json(small_image("other").manifest()))
    imported(csbx, f"{upstream.host}/app@{want}", "--registry-mirror", f"{upstream.host}={mirror.host}")
