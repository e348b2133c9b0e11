# SPDX-License-Identifier: Apache-2.0
"""The cache of blobs from registries: csbx fetches none twice, and the cache survives damage."""
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time

import pytest
import squashfs
from ociimage import GOARCH, D, F, Image, digest, make_layer
from tinyregistry import Registry

SLOW = 4 << 20  # bytes a second


def noise(size, seed=1):
    return random.Random(seed).randbytes(size)


BASE = make_layer([D("etc"), F("etc/base", "base\n"), F("noise", noise(3 << 20))], "plain")


def app(word="one", arch=GOARCH, base=BASE):
    return Image([base, make_layer([F("etc/os", word + "\n")])], {"Cmd": ["/bin/x"]}, arch=arch)


@pytest.fixture
def registry():
    with Registry() as r:
        r.put("1", app())
        yield r


def blob_file(box, data, where="cache"):
    return box.dirs[where] / "oci/blobs/sha256" / digest(data).removeprefix("sha256:")


def cat(image, path):
    return subprocess.run(["unsquashfs", "-cat", image, path], check=True, capture_output=True).stdout


def fetch(box, uri, *options, name="a.sqsh", **kw):
    box.ok("import", "-f", "-o", name, *options, uri, **kw)
    return squashfs.file_system_part(box.work / name)


def damage(path, at=1000):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 1]))


# --- what is not asked for twice --------------------------------------------------------------------

def test_second_import_fetches_nothing(csbx, registry):
    first = fetch(csbx, registry.uri())
    assert registry.count("GET", "blob") == 3
    registry.requests.clear()
    assert fetch(csbx, registry.uri()) == first
    assert [r.split()[:2] for r in registry.requests] == [["HEAD", "manifest"]]


def test_by_digest_nothing_is_asked(csbx, registry):
    uri = registry.uri(f"app@{registry.tags['1']}")
    fetch(csbx, uri)
    registry.requests.clear()
    fetch(csbx, uri)
    assert not registry.requests


def test_moved_tag(csbx, registry):
    fetch(csbx, registry.uri())
    registry.put("1", app("two"))
    registry.requests.clear()
    fetch(csbx, registry.uri())
    assert cat(csbx.work / "a.sqsh", "etc/os") == b"two\n"
    assert registry.count("GET", "blob") == 2  # the base has not changed


def test_shared_layers(csbx, registry):
    registry.put("other", app("other"))
    fetch(csbx, registry.uri())
    fetch(csbx, registry.uri("app:other"))
    assert sum(f"GET blob {digest(BASE.blob)}" in r for r in registry.requests) == 1


def test_platforms(csbx, registry):
    other = "arm64" if GOARCH != "arm64" else "amd64"
    registry.put("multi", app(), app("other", arch=other))
    fetch(csbx, registry.uri("app:multi"))
    fetch(csbx, registry.uri("app:multi"), "--arch", other, name="b.sqsh")
    registry.requests.clear()
    fetch(csbx, registry.uri("app:multi"))
    assert registry.count("GET", "") == 0
    fetch(csbx, registry.uri("app:multi"), "--offline", "--arch", other, name="b.sqsh")
    assert cat(csbx.work / "a.sqsh", "etc/os") == b"one\n"
    assert cat(csbx.work / "b.sqsh", "etc/os") == b"other\n"
    said = csbx.fails("import", "--offline", "--arch", "s390x", registry.uri("app:multi"))
    assert "s390x" in said


def test_layer_index_is_used(csbx, registry):
    first = fetch(csbx, registry.uri())
    indexes = csbx.dirs["cache"] / "indexes"
    assert len(list(indexes.iterdir())) == 2
    assert fetch(csbx, registry.uri()) == first
    for path in indexes.iterdir():
        damage(path, 60)
    assert fetch(csbx, registry.uri()) == first
    for path in indexes.iterdir():
        path.write_bytes(b"")
    assert fetch(csbx, registry.uri()) == first
    assert fetch(csbx, registry.uri(), "--keep-capabilities") == first
    assert fetch(csbx, registry.uri(), "--all-root") == first


# --- digest, load -----------------------------------------------------------------------------------

def test_digest(csbx, registry):
    assert csbx.ok("digest", registry.uri()) == registry.tags["1"] + "\n"
    assert registry.count("GET", "blob") == 0
    image = app("multi")
    registry.put("multi", image, app(arch="s390x"))
    said = csbx.ok("digest", registry.uri("app:multi")).strip()
    assert said != registry.tags["multi"] and said in registry.blobs
    csbx.fails("digest", registry.uri("app:none"), says="app:none")
    csbx.fails("digest", "--offline", registry.uri("app:none"), says="not in the cache")
    image.write_oci(csbx.work / "dir")
    assert csbx.ok("digest", f"oci:{csbx.work}/dir").strip() == said
    image.write_docker_archive(csbx.work / "d.tar")
    csbx.fails("digest", f"docker-archive:{csbx.work}/d.tar", says="no manifest")


def test_load(csbx, registry):
    csbx.ok("load", "-n", "py", registry.uri())
    assert csbx.ok("list", "-q") == "py\n"


# --- offline ----------------------------------------------------------------------------------------

def test_offline(csbx):
    with Registry() as registry:
        registry.put("1", app())
        uri = registry.uri()
        csbx.fails("import", "--offline", uri, says="is not in the cache")
        assert not registry.requests
        first = fetch(csbx, uri)
    assert fetch(csbx, uri, "--offline") == first
    assert fetch(csbx, uri, env={"CSBX_OFFLINE": "yes"}) == first
    blob_file(csbx, BASE.blob).unlink()
    csbx.fails("import", "-f", "-o", "a.sqsh", "--offline", uri,
               says=[digest(BASE.blob)[:19], "not in the cache", "--offline"])


# --- many at once -----------------------------------------------------------------------------------

def test_eight_at_once(csbx, registry):
    registry.bytes_per_s = SLOW
    running = [csbx.popen("import", "-o", f"{i}.sqsh", registry.uri(), text=True) for i in range(8)]
    said = [p.communicate(timeout=60)[1] for p in running]
    assert [p.returncode for p in running] == [0] * 8, said
    assert registry.count("GET", "blob") == 3
    assert any("which another import fetches" in text for text in said)
    parts = {squashfs.file_system_part(csbx.work / f"{i}.sqsh") for i in range(8)}
    assert len(parts) == 1


def test_two_with_layers_in_different_order(csbx, registry):
    other = make_layer([F("second", noise(2 << 20, 2))], "plain")
    registry.put("ab", Image([BASE, other]))
    registry.put("ba", Image([other, BASE]))
    registry.bytes_per_s = SLOW
    running = [csbx.popen("import", "-o", f"{i}.sqsh", registry.uri(f"app:{'ab' if i % 2 else 'ba'}"))
               for i in range(4)]
    for p in running:
        assert p.communicate(timeout=60) and p.returncode == 0
    for layer in (BASE, other):
        assert sum(f"GET blob {digest(layer.blob)}" in r for r in registry.requests) == 1


# --- killed, damaged, full --------------------------------------------------------------------------

def wait_until(ready, timeout_s=20):
    deadline = time.monotonic() + timeout_s
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_killed_import_resumes(csbx, registry):
    registry.bytes_per_s = 2 << 20
    name = digest(BASE.blob)
    p = csbx.popen("import", "-o", "a.sqsh", registry.uri())
    wait_until(lambda: registry.sent.get(name, 0) > 1 << 20)
    p.send_signal(signal.SIGKILL)
    p.communicate()
    partial = csbx.dirs["cache"] / "partial" / name.replace(":", "-")
    had = partial.stat().st_size
    assert had > 0
    registry.bytes_per_s = None
    fetch(csbx, registry.uri())
    assert f"GET blob {name} bytes={had}-" in "\n".join(registry.requests)
    assert not list(partial.parent.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_download(csbx, registry, number):
    """It ends soon, by that signal, with a line, and leaves nothing but what the next import goes on from."""
    registry.bytes_per_s = 1 << 20
    name = digest(BASE.blob)
    p = csbx.popen("import", "-o", "a.sqsh", registry.uri(), text=True)
    wait_until(lambda: registry.sent.get(name, 0) > 1 << 19)
    begin = time.monotonic()
    p.send_signal(number)
    said = p.communicate(timeout=20)[1]
    assert p.returncode == -number and time.monotonic() - begin < 5
    assert [line for line in said.splitlines() if "interrupted; csbx keeps the part that came" in line], said
    assert sorted(x.name for x in csbx.work.iterdir()) == []
    partial = csbx.dirs["cache"] / "partial" / name.replace(":", "-")
    had = partial.stat().st_size
    assert had > 0
    registry.bytes_per_s = None
    fetch(csbx, registry.uri())
    assert f"GET blob {name} bytes={had}-" in "\n".join(registry.requests)


def test_interrupted_while_nobody_answers(csbx):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        p = csbx.popen("import", "-o", "a.sqsh", f"docker://127.0.0.1:{mute.getsockname()[1]}/app:1", text=True)
        mute.accept()
        p.send_signal(signal.SIGTERM)
        said = p.communicate(timeout=20)[1]
    assert p.returncode == -signal.SIGTERM and "interrupted" in said
    assert list(csbx.work.iterdir()) == []


def test_wrong_beginning(csbx, registry):
    name = digest(BASE.blob)
    fetch(csbx, registry.uri("app:1"))
    blob_file(csbx, BASE.blob).unlink()
    partial = csbx.dirs["cache"] / "partial" / name.replace(":", "-")
    csbx.run("cache", "ls")
    partial.write_bytes(b"\0" * 100000)
    os.chmod(partial, 0o600)
    fetch(csbx, registry.uri())
    assert blob_file(csbx, BASE.blob).read_bytes() == BASE.blob


@pytest.mark.parametrize("indexed", [True, False])
def test_damaged_layer(csbx, registry, indexed):
    first = fetch(csbx, registry.uri())
    if not indexed:
        shutil.rmtree(csbx.dirs["cache"] / "indexes")
    damage(blob_file(csbx, BASE.blob), 100000)
    registry.requests.clear()
    p = csbx.run("import", "-f", "-o", "a.sqsh", registry.uri())
    assert p.returncode == 0 and "dropped from the cache" in p.stderr
    assert squashfs.file_system_part(csbx.work / "a.sqsh") == first
    assert registry.count("GET", "blob") == 1


def test_damaged_layer_offline(csbx, registry):
    fetch(csbx, registry.uri())
    damage(blob_file(csbx, BASE.blob), 100000)
    p = csbx.run("import", "-o", "b.sqsh", "--offline", registry.uri())
    assert p.returncode == 125 and "dropped from the cache" in p.stderr
    assert "not in the cache" in p.stderr
    assert not (csbx.work / "b.sqsh").exists()


@pytest.mark.parametrize("what", ["manifest", "config", "short layer", "long layer"])
def test_damaged_blobs(csbx, registry, what):
    first = fetch(csbx, registry.uri())
    image = app()
    config, manifest, *_ = image.blobs()
    if what == "short layer":
        blob_file(csbx, BASE.blob).write_bytes(BASE.blob[:-1])
    elif what == "long layer":
        blob_file(csbx, BASE.blob).write_bytes(BASE.blob + b"x")
    else:
        damage(blob_file(csbx, manifest if what == "manifest" else config), 20)
    assert fetch(csbx, registry.uri()) == first


@pytest.mark.parametrize("text", ["", "{", "[]", '{"manifests":[{}]}', '{"manifests":{}}', "\x00"])
def test_damaged_index_json(csbx, registry, text):
    first = fetch(csbx, registry.uri())
    (csbx.dirs["cache"] / "oci/index.json").write_text(text, encoding="utf-8")
    csbx.ok("cache", "ls")
    assert fetch(csbx, registry.uri()) == first
    assert fetch(csbx, registry.uri(), "--offline") == first


@pytest.mark.needs_root
def test_full_disk(csbx, registry):
    cache = csbx.dirs["cache"]
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=2m,mode=0700,uid={csbx.owner.pw_uid}", "none",
                    cache], check=True)
    try:
        csbx.fails("import", "-q", "-o", "a.sqsh", registry.uri(), says="No space left")
        assert not (csbx.work / "a.sqsh").exists()
        subprocess.run(["mount", "-o", "remount,size=64m", cache], check=True)
        registry.requests.clear()
        fetch(csbx, registry.uri())
        assert any("bytes=" in r for r in registry.requests)
        fetch(csbx, registry.uri(), "--offline")
    finally:
        subprocess.run(["umount", cache], check=True)


# --- the shared directory ---------------------------------------------------------------------------

@pytest.fixture
def shared(csbx, registry):
    """A cache filled before, which only its owner may write to; csbx's own is empty again."""
    path = csbx.top / "shared"
    fetch(csbx, registry.uri(), env={"CSBX_CACHE_PATH": str(csbx.dirs["work"] / "c")})
    shutil.copytree(csbx.dirs["work"] / "c", path)
    subprocess.run(["chmod", "-R", "a-w,a+rX", path], check=True)
    registry.requests.clear()
    yield path
    subprocess.run(["chmod", "-R", "u+w", path], check=True)


def test_shared(csbx, registry, shared):
    env = {"CSBX_SHARED_CACHE_PATH": str(shared)}
    before = sorted((str(p), p.stat().st_mtime_ns) for p in shared.rglob("*"))
    first = fetch(csbx, registry.uri(), env=env)
    assert registry.count("GET", "") == 0
    assert fetch(csbx, registry.uri(), "--offline", env=env) == first
    assert not list((csbx.dirs["cache"] / "oci/blobs/sha256").iterdir())
    assert sorted((str(p), p.stat().st_mtime_ns) for p in shared.rglob("*")) == before


def test_damaged_shared(csbx, registry, shared):
    env = {"CSBX_SHARED_CACHE_PATH": str(shared)}
    path = shared / "oci/blobs/sha256" / digest(BASE.blob).removeprefix("sha256:")
    path.chmod(0o644)
    damage(path, 100000)
    p = csbx.run("import", "-f", "-o", "a.sqsh", registry.uri(), env=env)
    assert p.returncode == 0 and "dropped from the cache" in p.stderr
    assert registry.count("GET", "blob") == 1
    assert blob_file(csbx, BASE.blob).read_bytes() == BASE.blob


@pytest.mark.needs_root
@pytest.mark.parametrize("mode", [0o755, 0o1775, 0o1777])
def test_shared_by_a_link_of_another_user(csbx, registry, shared, mode):
    """A site may have it so; in a directory like /tmp, or a group's like it, the link is not followed."""
    way = csbx.top / "ways/shared"
    way.parent.mkdir()
    way.symlink_to(shared)
    os.lchown(way, pwd.getpwnam("csbx-test2").pw_uid, -1)
    way.parent.chmod(mode)
    fetch(csbx, registry.uri(), env={"CSBX_SHARED_CACHE_PATH": str(way)})
    assert (registry.count("GET", "") == 0) == (mode == 0o755)


def test_no_shared(csbx, registry):
    fetch(csbx, registry.uri(), env={"CSBX_SHARED_CACHE_PATH": "/nonexistent/x"})


# --- ls and prune -----------------------------------------------------------------------------------

def images(csbx):
    return json.loads(csbx.ok("cache", "ls", "--json"))


def age(csbx, data, seconds):
    past = time.time() - seconds
    os.utime(blob_file(csbx, data), (past, past))


def test_ls(csbx, registry):
    assert images(csbx) == {"total_bytes": 0, "images": [], "repositories": []}
    fetch(csbx, registry.uri())
    registry.put("2", app("two"))
    fetch(csbx, registry.uri("app:2"))
    found = images(csbx)
    assert {i["name"] for i in found["images"]} == {f"{registry.host}/app:{n}" for n in (1, 2)}
    for i in found["images"]:
        assert i["complete"] and not i["in_use"]
        assert i["bytes"] > len(BASE.blob) > i["own_bytes"] > 0
    assert "app:1" in csbx.ok("cache", "ls")


def test_prune(csbx, registry):
    one, two = app(), app("two")
    registry.put("2", two)
    fetch(csbx, registry.uri())
    fetch(csbx, registry.uri("app:2"))
    assert csbx.ok("cache", "prune") == ""
    assert len(images(csbx)["images"]) == 2
    age(csbx, list(one.blobs())[1], 40 * 86400)
    assert csbx.ok("cache", "prune", "-n", "--older", "30d") == f"{registry.host}/app:1\n"
    assert len(images(csbx)["images"]) == 2
    assert csbx.ok("cache", "prune", "--older", "30d") == f"{registry.host}/app:1\n"
    assert fetch(csbx, registry.uri("app:2"), "--offline")
    csbx.fails("import", "--offline", registry.uri(), says="not in the cache")
    # Only the blobs of the base and those of two alone are left.
    left = {p.name for p in (csbx.dirs["cache"] / "oci/blobs/sha256").iterdir()}
    assert left == {digest(b).removeprefix("sha256:") for b in two.blobs()}
    assert csbx.ok("cache", "prune", "--max", "1k") == f"{registry.host}/app:2\n"
    assert images(csbx) == {"total_bytes": 0, "images": [], "repositories": []}
    assert not list((csbx.dirs["cache"] / "indexes").iterdir())


def test_prune_by_size_takes_the_oldest(csbx, registry):
    for n in range(3):
        base = make_layer([D("etc"), F("noise", noise(1 << 20, n))], "plain")
        image = app(str(n), base=base)
        registry.put(str(n), image)
        fetch(csbx, registry.uri(f"app:{n}"))
        age(csbx, list(image.blobs())[1], 1000 - n * 100)
    fetch(csbx, registry.uri("app:0"))  # now the one used last
    assert csbx.ok("cache", "prune", "--max", "2500k").split() == [f"{registry.host}/app:1"]


def test_moved_tag_is_garbage(csbx, registry):
    fetch(csbx, registry.uri())
    registry.put("1", app("two", base=make_layer([F("new")])))
    fetch(csbx, registry.uri())
    csbx.ok("cache", "prune")
    assert not blob_file(csbx, BASE.blob).exists()
    fetch(csbx, registry.uri(), "--offline")


def test_prune_while_importing(csbx, registry):
    first = fetch(csbx, registry.uri())
    big = make_layer([F("second", noise(3 << 20, 2))], "plain")
    registry.put("3", Image([BASE, big]))
    registry.bytes_per_s = 2 << 20
    p = csbx.popen("import", "-o", "b.sqsh", registry.uri("app:3"), text=True)
    wait_until(lambda: registry.sent.get(digest(big.blob), 0) > 1 << 20)
    csbx.ok("cache", "prune", "--max", "1k")
    assert blob_file(csbx, BASE.blob).exists()  # it waits for the rest
    assert p.communicate(timeout=60) and p.returncode == 0
    assert sum(f"GET blob {digest(big.blob)}" in r for r in registry.requests) == 1
    registry.bytes_per_s = None
    assert fetch(csbx, registry.uri()) == first


def test_bad_words(csbx):
    csbx.fails("cache", "clear", says="neither ls nor prune")
    csbx.fails("cache", "ls", "--max", "1g", says="prune")
    csbx.fails("cache", "prune", "--json", says="ls")


# --- others read it ---------------------------------------------------------------------------------

def test_skopeo_and_umoci(csbx, registry):
    fetch(csbx, registry.uri())
    layout = csbx.dirs["cache"] / "oci"
    ref = f"{registry.host}/app:1"

    def run(*argv):
        return subprocess.run(list(map(str, argv)), check=True, capture_output=True, env=csbx.env,
                              cwd=csbx.work, timeout=60, **csbx.identity()).stdout.decode()
    if shutil.which("skopeo"):
        assert json.loads(run("skopeo", "inspect", "--config", f"oci:{layout}:{ref}"))["config"]["Cmd"]
        run("skopeo", "copy", "--insecure-policy", f"oci:{layout}:{ref}", f"oci:{csbx.work}/copy:x")
        csbx.ok("import", "-o", "b.sqsh", f"oci:{csbx.work}/copy")
    if shutil.which("umoci"):
        assert run("umoci", "ls", "--layout", layout).strip() == ref
        run("umoci", "unpack", "--rootless", "--image", f"{layout}:{ref}", csbx.work / "bundle")
        assert (csbx.work / "bundle/rootfs/etc/os").read_text(encoding="ascii") == "one\n"
