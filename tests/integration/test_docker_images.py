# SPDX-License-Identifier: Apache-2.0
"""Images by name: docker load, pull, tag, rmi and what csbx's own verbs find. Texts and exit codes
of the docker dialect are compared with Docker's in tests/docker; here is what needs a registry,
many processes at once, or damage."""
import gzip
import json
import re
import resource
import shutil
import signal
import subprocess
import tarfile
import time

import pytest

import harness
import images
from ociimage import D, F, H, Image, L, digest, make_layer, tar_bytes
from tinyregistry import Registry

NAMES = {"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV]}


def busybox(config=None, **files):
    """busybox with some files of its own in a second layer."""
    base = images.busybox_image()
    extra = [make_layer([F(name, text) for name, text in files.items()])] if files else []
    return Image([*base.layers, *extra], {**NAMES, **(config or {})})


def ident(image):
    return digest(image.config_blob)


def docker(csbx, *args, code=0, **kw):
    p = csbx.run("docker", *args, **kw)
    assert p.returncode == code, f"{args}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p


def archive(csbx, image, *tags, generation=1, name="a.tar"):
    path = csbx.work / name
    image.write_docker_archive(path, generation=generation, tags=tags)
    return path


def listed(csbx):
    out = docker(csbx, "images", "--no-trunc", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}").stdout
    return sorted(out.splitlines())


def table(csbx):
    return csbx.dirs["data"] / "images"


def files(csbx):
    return sorted(p.name for p in table(csbx).iterdir() if p.name != ".lock")


# --- load -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("generation", [1, 2, 3])
def test_load_each_generation(csbx, generation):
    image = busybox(mark="x")
    path = archive(csbx, image, "app:1", "reg.example/team/app:2", generation=generation)
    out = docker(csbx, "load", "-i", path)
    assert out.stdout == "Loaded image: app:1\nLoaded image: reg.example/team/app:2\n"
    assert listed(csbx) == [f"app:1 {ident(image)}", f"reg.example/team/app:2 {ident(image)}"]
    assert csbx.ok("run", "app:1", "cat", "/mark") == "x"
    assert csbx.ok("run", "reg.example/team/app:2", "cat", "/mark") == "x"


def test_load_from_a_pipe_and_compressed(csbx):
    path = archive(csbx, busybox(), "app:1")
    packed = gzip.compress(path.read_bytes(), 1)
    assert docker(csbx, "load", stdin=packed, text=False).stdout == b"Loaded image: app:1\n"
    with path.open("rb") as f:
        p = csbx.popen("docker", "load", "-q", stdin=f)
        assert p.communicate(timeout=60)[0] == b"Loaded image: app:1\n"


def test_load_and_import_from_who_does_not_wait(csbx):
    """A standard input with O_NONBLOCK, as node and some runners give it, is waited for."""
    path = archive(csbx, busybox(), "app:1")
    data = path.read_bytes()
    assert harness.run_without_waiting(csbx, data, "docker", "load") == (0, b"Loaded image: app:1\n", b"")
    code, out, err = harness.run_without_waiting(csbx, tar_bytes([D("."), F("f", "x")]), "docker", "import", "-", "new")
    assert (code, err) == (0, b"") and out.startswith(b"sha256:")
    assert harness.run_without_waiting(csbx, data, "import", "-q", "-o", csbx.work / "x.sqsh", "-") == (0, b"", b"")
    assert (csbx.work / "x.sqsh").stat().st_size > 0


def test_load_without_a_name(csbx):
    image = busybox()
    path = archive(csbx, image)
    assert docker(csbx, "load", "-i", path).stdout == f"Loaded image ID: {ident(image)}\n"
    assert listed(csbx) == [f"<none>:<none> {ident(image)}"]
    assert csbx.ok("run", ident(image)[7:19], "echo", "by id") == "by id\n"


def test_load_an_oci_archive(csbx):
    image = busybox()
    image.ref = "app:3"
    image.write_oci_archive(csbx.work / "oci.tar")
    assert docker(csbx, "load", "-i", "oci.tar").stdout == "Loaded image: app:3\n"


def test_load_moves_a_name(csbx):
    old, new = busybox(mark="old"), busybox(mark="new")
    docker(csbx, "load", "-i", archive(csbx, old, "app:1"))
    out = docker(csbx, "load", "-i", archive(csbx, new, "app:1")).stdout
    assert out == (f"The image app:1 already exists, renaming the old one with ID {ident(old)} to "
                   "empty string\nLoaded image: app:1\n")
    assert csbx.ok("run", "app:1", "cat", "/mark") == "new"
    assert f"<none>:<none> {ident(old)}" in listed(csbx)


def test_load_of_what_is_no_image(csbx, busybox_image):
    """A root file system, packed either way: the command that takes it, which then does."""
    said = docker(csbx, "load", "-i", busybox_image, code=1).stderr
    assert "a squashfs image already: create a container from it" in said and len(said.splitlines()) == 1, said
    with tarfile.open(csbx.work / "root.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("etc/x"))
    said = docker(csbx, "load", "-i", csbx.work / "root.tar", code=1).stderr
    assert "docker import makes an image of a root file system" in said and len(said.splitlines()) == 1, said
    docker(csbx, "import", csbx.work / "root.tar", "root:1")
    csbx.ok("create", "--name", "box", busybox_image)


def test_load_damaged(csbx):
    image = busybox()
    path = archive(csbx, image, "app:1", generation=2)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1  # in a layer
    path.write_bytes(data)
    assert "Error response from daemon: " in docker(csbx, "load", "-i", path, code=1).stderr
    assert files(csbx) == [] and listed(csbx) == []


# --- save -----------------------------------------------------------------------------------------

def members(tar):
    """The metadata of each file in a layer, without what squashfs cannot hold."""
    with tarfile.open(tar) as t:
        return {m.name.strip("/"): (m.type, m.mode, m.uid, m.gid, int(m.mtime), m.linkname, m.size,
                                    {k: v for k, v in m.pax_headers.items() if "xattr" in k},
                                    t.extractfile(m).read() if m.isreg() else None)
                for m in t.getmembers()}


def layer_of(path, where):
    with tarfile.open(path) as t:
        names = json.load(t.extractfile("manifest.json"))[0]["Layers"]
        assert len(names) == 1
        where.write_bytes(t.extractfile(names[0]).read())
    return where


def test_save_a_loaded_image(csbx):
    """Its layers are gone: one comes of its content, with owners, times, links and attributes."""
    long = "/".join(["d" * 60] * 3)
    entries = [D("etc", mode=0o755, mtime=7), F("etc/os", "x", uid=1000, gid=70000, mode=0o640, mtime=9),
               F("big", random_bytes(300000), mode=0o4755), H("again", "big"), L("link", "etc/os"),
               F("empty"), F("x", "y", xattrs={"user.mine": b"a\0b"}),
               *[D("/".join([("d" * 60)] * n)) for n in (1, 2, 3)], F(f"{long}/deep", "z")]
    image = Image([make_layer(entries)], NAMES)
    docker(csbx, "load", "-i", archive(csbx, image, "app:1"))
    docker(csbx, "save", "-o", "saved.tar", "app:1")
    want = csbx.work / "want.tar"
    want.write_bytes(tar_bytes(entries))
    got, want = members(layer_of(csbx.work / "saved.tar", csbx.work / "got.tar")), members(want)
    assert {n: m for n, m in got.items() if n in ("again", "big")}.keys() == {"again", "big"}
    for name in want.keys() - {"again", "big"}:
        assert got[name] == want[name], name
    assert {got["again"][0], got["big"][0]} == {tarfile.LNKTYPE, tarfile.REGTYPE}
    assert got.keys() == want.keys()
    docker(csbx, "rmi", "app:1")
    assert docker(csbx, "load", "-i", "saved.tar").stdout == "Loaded image: app:1\n"
    docker(csbx, "save", "-o", "twice.tar", "app:1")  # what it is now, it stays
    assert manifest(csbx.work / "twice.tar") == manifest(csbx.work / "saved.tar")


def manifest(path):
    with tarfile.open(path) as t:
        return json.load(t.extractfile("manifest.json"))


def test_save_a_pulled_image(csbx, registry):
    """The cache has its layers: it is saved as it was, and is the same image after a load."""
    image = busybox(mark="x")
    registry.put("1", image)
    name = f"{registry.host}/app:1"
    docker(csbx, "pull", name)
    p = csbx.run("docker", "save", name, text=False)
    (csbx.work / "s.tar").write_bytes(p.stdout)
    [saved] = manifest(csbx.work / "s.tar")
    assert saved == {"Config": f"blobs/sha256/{ident(image)[7:]}", "RepoTags": [name],
                     "Layers": [f"blobs/sha256/{x.diff_id[7:]}" for x in image.layers]}
    docker(csbx, "rmi", name)
    docker(csbx, "load", "-i", "s.tar")
    assert listed(csbx) == [f"{name} {ident(image)}"]
    assert csbx.ok("run", name, "cat", "/mark") == "x"


def test_others_read_what_save_wrote(csbx, registry):
    if not shutil.which("skopeo"):
        pytest.skip("skopeo is not installed")
    docker(csbx, "load", "-i", archive(csbx, busybox(mark="x"), "app:1", "app:2"))
    docker(csbx, "save", "-o", "s.tar", "app")
    run = {"check": True, "capture_output": True, "cwd": csbx.work}
    subprocess.run(["skopeo", "copy", "-q", "docker-archive:s.tar:app:2", "dir:as-docker"], **run)
    subprocess.run(["skopeo", "copy", "-q", "oci-archive:s.tar:1", "dir:as-oci"], **run)
    csbx.ok("import", "-q", "-o", "x.sqsh", "docker-archive:s.tar:app:1")
    assert csbx.ok("run", "./x.sqsh", "cat", "/mark") == "x"


# --- names ----------------------------------------------------------------------------------------

def test_containers_go_before_images(csbx):
    docker(csbx, "load", "-i", archive(csbx, busybox(mark="image"), "app:latest", "other:1"))
    csbx.ok("create", "other:1")
    assert csbx.ok("list", "-q") == "other\n"
    docker(csbx, "load", "-i", archive(csbx, busybox(mark="second"), "other:latest"))
    assert csbx.ok("start", "other", "cat", "/mark") == "image"
    assert csbx.ok("start", "other:latest", "cat", "/mark") == "second"
    assert csbx.ok("start", "app", "cat", "/mark") == "image"
    csbx.fails("start", "app:2", says=["app:2"])
    csbx.fails("start", "./app", says=["./app"])
    csbx.fails("start", "nothing", says=["no such container"])


def test_a_container_outlives_its_image(csbx):
    docker(csbx, "load", "-i", archive(csbx, busybox(), "app:1"))
    csbx.ok("create", "-n", "box", "app:1")
    docker(csbx, "rmi", "app:1")
    assert files(csbx) == []
    assert csbx.ok("start", "box", "echo", "still here") == "still here\n"


# --- pull -----------------------------------------------------------------------------------------

@pytest.fixture
def registry():
    with Registry() as r:
        yield r


def test_pull(csbx, registry):
    image = busybox(mark="1")
    manifest = registry.put("latest", image)
    name = f"{registry.host}/team/app"
    out = docker(csbx, "pull", name).stdout.splitlines()
    assert out[0] == "Using default tag: latest"
    assert out[1] == "latest: Pulling from team/app"
    for layer in image.layers:
        short = digest(layer.blob)[7:19]
        assert f"{short}: Pulling fs layer" in out and f"{short}: Pull complete" in out
    assert out[-3:] == [f"Digest: {manifest}",
                        f"Status: Downloaded newer image for {name}:latest", f"{name}:latest"]
    assert csbx.ok("run", name, "cat", "/mark") == "1"
    again = docker(csbx, "pull", name).stdout.splitlines()
    assert again[2:] == [f"Digest: {manifest}", f"Status: Image is up to date for {name}:latest",
                         f"{name}:latest"]
    assert docker(csbx, "pull", "-q", f"{name}:latest").stdout == f"{name}:latest\n"


def test_pull_a_moved_tag(csbx, registry):
    name = f"{registry.host}/app:1"
    registry.put("1", busybox(mark="old"))
    docker(csbx, "pull", name)
    new = busybox(mark="new")
    registry.put("1", new)
    assert "Status: Downloaded newer image" in docker(csbx, "pull", name).stdout
    assert csbx.ok("run", name, "cat", "/mark") == "new"
    assert f"{name} {ident(new)}" in listed(csbx)


def test_pull_by_digest(csbx, registry):
    image = busybox()
    name = f"{registry.host}/app@{registry.put('1', image)}"
    out = docker(csbx, "pull", name).stdout.splitlines()
    assert out[0] == f"{name}: Pulling from app" and out[-1] == name
    assert csbx.ok("run", name, "echo", "by digest") == "by digest\n"
    inspected = json.loads(docker(csbx, "image", "inspect", name).stdout)[0]
    assert inspected["RepoDigests"] == [name] and inspected["RepoTags"] == []
    assert docker(csbx, "rmi", name).stdout.startswith(f"Untagged: {name}\nDeleted: {ident(image)}\n")


def test_digests_go_with_the_last_tag(csbx, registry):
    image = busybox()
    manifest = registry.put("1", image)
    registry.tags["2"] = manifest
    name = f"{registry.host}/app"
    docker(csbx, "pull", f"{name}:1")
    docker(csbx, "pull", f"{name}:2")
    out = docker(csbx, "images", "--digests", "--format", "{{.Tag}} {{.Digest}}").stdout
    assert sorted(out.splitlines()) == [f"1 {manifest}", f"2 {manifest}"]
    assert docker(csbx, "rmi", f"{name}:1").stdout == f"Untagged: {name}:1\n"
    out = docker(csbx, "rmi", f"{name}:2").stdout.splitlines()
    assert out[:3] == [f"Untagged: {name}:2", f"Untagged: {name}@{manifest}",
                       f"Deleted: {ident(image)}"]


def test_a_pulled_image_needs_no_registry(csbx):
    with Registry() as r:
        name = f"{r.host}/app:1"
        r.put("1", busybox(mark="x"))
        docker(csbx, "pull", name)
    assert csbx.ok("run", name, "cat", "/mark") == "x"
    err = docker(csbx, "pull", name, code=1, env={"CSBX_REGISTRY_TRIES": "1"}).stderr
    assert err.startswith("Error response from daemon: Get ")


def test_layers_are_fetched_once(csbx, registry):
    registry.put("1", busybox(a="1"))
    registry.put("2", busybox(a="2"))
    docker(csbx, "pull", f"{registry.host}/app:1")
    before = registry.count("GET", "blob")
    docker(csbx, "pull", f"{registry.host}/app:2")
    assert registry.count("GET", "blob") - before == 2  # the config and one layer


def test_pull_errors(csbx, registry):
    registry.put("1", busybox())
    name = f"{registry.host}/app"
    p = docker(csbx, "pull", f"{name}:9", code=1)
    assert p.stderr == (f"Error response from daemon: manifest for {name}:9 not found: manifest "
                        "unknown: manifest unknown\n")
    assert p.stdout == ""
    assert "invalid reference format" in docker(csbx, "pull", "Bad:Name:", code=1).stderr
    p = docker(csbx, "pull", "--platform", "linux/s390x", f"{name}:1", code=1)
    assert p.stderr.startswith("Error response from daemon: ")
    assert listed(csbx) == []


def test_pull_a_platform(csbx, registry):
    mine, other = busybox(mark="mine"), busybox(mark="other")
    other.arch = "s390x"
    other.__init__(other.layers, other.config, arch="s390x")
    root = registry.put("1", mine, other)
    name = f"{registry.host}/app:1"
    assert f"Digest: {root}" in docker(csbx, "pull", name).stdout
    assert csbx.ok("run", name, "cat", "/mark") == "mine"
    docker(csbx, "pull", "--platform", "linux/s390x", name)
    template = "{{.Architecture}}"
    assert docker(csbx, "image", "inspect", "-f", template, name).stdout == "s390x\n"


# --- many at once ---------------------------------------------------------------------------------

def test_many_load_one_image(csbx):
    image = busybox(mark="x")
    path = archive(csbx, image, "app:1")
    all_of_them = [csbx.popen("docker", "load", "-q", "-i", path) for _ in range(16)]
    for p in all_of_them:
        out, err = p.communicate(timeout=120)
        assert (p.returncode, out) == (0, b"Loaded image: app:1\n"), err
    hexa = ident(image)[7:]
    assert files(csbx) == ["@docker.io+library+app:1", f"{hexa}.image", f"{hexa}.sqsh"]


def test_tag_and_remove_at_once(csbx):
    """Loads, tags and removals race; at the end the image is there or not, never half."""
    path = archive(csbx, busybox(mark="x"), "app:1")
    jobs = []
    for n in range(8):
        jobs.append(("load", csbx.popen("docker", "load", "-q", "-i", path)))
        jobs.append(("tag", csbx.popen("docker", "tag", "app:1", f"other:{n}")))
        jobs.append(("rmi", csbx.popen("docker", "rmi", "-f", "app:1")))
        jobs.append(("run", csbx.popen("run", "app:1", "cat", "/mark")))
    for what, p in jobs:
        out, err = p.communicate(timeout=180)
        if what in ("load", "rmi"):
            assert p.returncode == 0, (what, err)
        elif what == "tag":
            assert p.returncode == 0 or b"No such image: app:1" in err, err
        else:
            assert p.returncode == 125 or (p.returncode, out) == (0, b"x"), err
    for name in {line.split()[0] for line in listed(csbx) if "none" not in line}:
        assert csbx.ok("run", name, "cat", "/mark") == "x"
    docker(csbx, "image", "prune", "-af")
    assert files(csbx) == []


# --- damage ---------------------------------------------------------------------------------------

def test_killed_load(csbx):
    """A kill leaves nothing that counts; the next load makes the image whole."""
    image = Image([make_layer([D("etc"), F("etc/os", "x"), F("big", bytes(200 << 20))])], NAMES)
    path = archive(csbx, image, "app:1")
    p = csbx.popen("docker", "load", "-i", path, env={"CSBX_COMP": "zstd:19"})
    deadline = time.monotonic() + 60
    while not any(table(csbx).glob(".import-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    p.send_signal(signal.SIGKILL)
    p.communicate()
    assert listed(csbx) == []
    csbx.ok("gc")
    assert files(csbx) == []
    docker(csbx, "load", "-i", path)
    assert listed(csbx) == [f"app:1 {ident(image)}"]


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_killed_commit(csbx, sig):
    """The container that it has paused goes on, no process goes on writing, and no image is there."""
    docker(csbx, "load", "-i", archive(csbx, busybox(), "app:1"))
    docker(csbx, "run", "-d", "--name", "cc", "app:1", "sh", "-c", "dd if=/dev/zero of=/big bs=1 count=1 seek=8G; exec sleep 1000")
    status = ["inspect", "-f", "{{.State.Status}}", "cc"]
    deadline = time.monotonic() + 60
    while csbx.run("docker", "exec", "cc", "test", "-e", "/big").returncode and time.monotonic() < deadline:
        time.sleep(0.01)
    p = csbx.popen("docker", "commit", "cc", "done:1")
    while docker(csbx, *status).stdout != "paused\n" and time.monotonic() < deadline:
        pass
    p.send_signal(sig)
    p.communicate()
    assert p.returncode == -sig  # what it was reading has 8 GiB
    while docker(csbx, *status).stdout == "paused\n" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert docker(csbx, *status).stdout == "running\n"
    assert not [line for line in listed(csbx) if "done" in line]
    docker(csbx, "rm", "-f", "cc")


def test_half_written_records(csbx):
    image = busybox(mark="x")
    path = archive(csbx, image, "app:1", "app:2")
    docker(csbx, "load", "-i", path)
    name = table(csbx) / "@docker.io+library+app:1"
    name.write_bytes(name.read_bytes()[:30])
    csbx.fails("run", "app:1", "true", says=["app:1"])
    assert listed(csbx) == [f"app:2 {ident(image)}"]
    docker(csbx, "tag", "app:2", "app:1")
    assert csbx.ok("run", "app:1", "cat", "/mark") == "x"
    record = table(csbx) / f"{ident(image)[7:]}.image"
    record.write_bytes(b"")
    assert listed(csbx) == []
    csbx.fails("run", "app:2", "true")
    assert docker(csbx, "load", "-i", path).stdout == "Loaded image: app:1\nLoaded image: app:2\n"
    assert csbx.ok("run", "app:2", "cat", "/mark") == "x"


def test_missing_file(csbx):
    image = busybox(mark="x")
    path = archive(csbx, image, "app:1")
    docker(csbx, "load", "-i", path)
    (table(csbx) / f"{ident(image)[7:]}.sqsh").unlink()
    csbx.fails("run", "app:1", "true", says=["app:1", "is gone", "load or pull it again"])
    docker(csbx, "load", "-i", path)
    assert csbx.ok("run", "app:1", "cat", "/mark") == "x"


def test_gc(csbx):
    image = busybox()
    docker(csbx, "load", "-i", archive(csbx, image, "app:1"))
    before = files(csbx)
    lost = "ab" * 32
    (table(csbx) / f"{lost}.sqsh").write_bytes(b"no record")
    (table(csbx) / f".import-{lost}").write_bytes(b"")
    (table(csbx) / ".tmp-0123456789abcdef").write_bytes(b"half")
    gone = table(csbx) / "@docker.io+library+gone:1"
    gone.write_bytes((table(csbx) / "@docker.io+library+app:1").read_bytes())
    csbx.ok("gc")
    assert files(csbx) == before
    assert csbx.ok("run", "app:1", "echo", "kept") == "kept\n"


def test_disk_full(csbx):
    image = Image([make_layer([F("big", random_bytes(4 << 20))])], NAMES)
    path = archive(csbx, image, "app:1")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    p = csbx.run("docker", "load", "-i", path, preexec_fn=limit)
    assert p.returncode == 1 and p.stderr.startswith("Error response from daemon: "), p
    assert files(csbx) == []
    docker(csbx, "load", "-i", path)


def random_bytes(n):
    return subprocess.run(["head", "-c", str(n), "/dev/urandom"], capture_output=True, check=True).stdout


# --- image prune ----------------------------------------------------------------------------------

def test_prune(csbx):
    old, new = busybox(mark="old"), busybox(mark="new")
    docker(csbx, "load", "-qi", archive(csbx, old, "app:1"))
    docker(csbx, "load", "-qi", archive(csbx, new, "app:1"))
    out = docker(csbx, "image", "prune", stdin="n\n").stdout
    assert out.startswith("WARNING! This will remove all dangling images.\n") and len(listed(csbx)) == 2
    out = docker(csbx, "image", "prune", "-f").stdout
    assert re.fullmatch(rf"Deleted Images:\ndeleted: {ident(old)}\ndeleted: sha256:[0-9a-f]+\n\n"
                        r"Total reclaimed space: [0-9.]+[kM]B\n", out), out
    assert listed(csbx) == [f"app:1 {ident(new)}"]
    assert docker(csbx, "image", "prune", "-f").stdout == "Total reclaimed space: 0B\n"
    out = docker(csbx, "image", "prune", "-a", "-f", "--filter", "label=nope").stdout
    assert out == "Total reclaimed space: 0B\n"
    assert "untagged: app:1\n" in docker(csbx, "image", "prune", "-a", stdin="y\n").stdout
    assert files(csbx) == []
