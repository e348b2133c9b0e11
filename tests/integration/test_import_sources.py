# SPDX-License-Identifier: Apache-2.0
"""Every form an image can come in gives the same file system, and damaged forms give none."""
import gzip
import io
import os
import random
import shutil
import struct
import subprocess
import tarfile

import pytest

import conftest
import ociimage
import squashfs
from ociimage import D, F, H, Image, L, W, docker_files, make_layer, oci_files, to_json, write_files, write_tar

BASE = [D("etc"), F("etc/hostname", "box\n"), D("bin"), F("bin/sh", b"#!", mode=0o755), L("lib", "usr/lib")]
TOP = [F("top", "upper\n"), F("etc/hostname", "changed\n")]
CONFIG = {"Cmd": ["/bin/sh"], "Env": ["A=b"], "Volumes": {"/data": {}}}


@pytest.fixture
def image():
    return Image([make_layer(BASE), make_layer(TOP)], CONFIG)


def file_system(path):
    """The squashfs without what stands behind it: length from the superblock's bytes_used."""
    data = path.read_bytes()
    return data[:struct.unpack_from("<Q", data, 40)[0]]


def imported(csbx, source, *options, name="out", **kw):
    out = csbx.work / f"{name}.sqsh"
    csbx.ok("import", "-f", "-o", out, *options, source, **kw)
    return out


@pytest.fixture
def expected(csbx, image):
    image.write_oci(csbx.work / "layout")
    return file_system(imported(csbx, "oci:layout"))


# --- the forms --------------------------------------------------------------------------------------

@pytest.mark.parametrize("scheme", ["", "docker-archive:"])
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_docker_archive(csbx, image, expected, generation, scheme):
    image.write_docker_archive(csbx.work / "a.tar", generation)
    assert file_system(imported(csbx, f"{scheme}a.tar")) == expected


def test_oci_archive(csbx, image, expected):
    image.write_oci_archive(csbx.work / "a.tar")
    for uri in ("oci-archive:a.tar", "a.tar", "oci-archive:a.tar:latest", "oci-archive:a.tar@0"):
        assert file_system(imported(csbx, uri)) == expected


def test_bare_path_of_a_layout(csbx, expected):
    assert file_system(imported(csbx, "layout")) == expected


def test_skopeo_directory(csbx, image, expected):
    image.write_dir(csbx.work / "d")
    for uri in ("dir:d", "d"):
        assert file_system(imported(csbx, uri)) == expected


def test_layers_of_mixed_compression(csbx, expected):
    Image([make_layer(BASE, "zstd"), make_layer(TOP, "plain")], CONFIG).write_oci(csbx.work / "mixed")
    assert file_system(imported(csbx, "oci:mixed")) == expected


def test_members_in_any_order(csbx, image, expected):
    """Some writers put manifest.json first, others last."""
    files = docker_files(image, 1, ["x:1"])
    for turn in range(len(files)):
        names = [*files][turn:] + [*files][:turn]
        write_tar(csbx.work / "a.tar", {n: files[n] for n in names})
        assert file_system(imported(csbx, "a.tar")) == expected


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_compressed_archive(csbx, image, expected, pack):
    image.write_docker_archive(csbx.work / "a.tar", 2)
    packed = ociimage.compress((csbx.work / "a.tar").read_bytes(), pack)
    (csbx.work / "a.tar.x").write_bytes(packed)
    for uri in ("a.tar.x", "docker-archive:a.tar.x"):
        assert file_system(imported(csbx, uri)) == expected


def test_archive_on_a_pipe(csbx, image, expected):
    image.write_docker_archive(csbx.work / "a.tar", 1)
    data = (csbx.work / "a.tar").read_bytes()
    for uri, text in (("-", data), ("docker-archive:-", data), ("-", gzip.compress(data))):
        assert file_system(imported(csbx, uri, stdin=text, text=False)) == expected


def test_repeated_layer_is_a_link(csbx, image):
    twice = Image([make_layer(BASE), make_layer(TOP), make_layer(BASE)], CONFIG)
    twice.write_oci(csbx.work / "layout")
    want = file_system(imported(csbx, "oci:layout"))
    twice.write_docker_archive(csbx.work / "a.tar", 1)
    with tarfile.open(csbx.work / "a.tar") as tar:
        assert any(m.issym() for m in tar), "the fixture has lost its link"
    assert file_system(imported(csbx, "a.tar")) == want


def test_manifest_without_images_falls_back_to_the_layout(csbx, image, expected):
    files = {**oci_files([image]), "manifest.json": b"null"}
    write_tar(csbx.work / "a.tar", files)
    assert file_system(imported(csbx, "a.tar")) == expected


def test_index_without_manifests_beside_manifest_json(csbx, image, expected):
    """As docker 25.0 wrote it."""
    files = docker_files(image, 2, ["x:1"])
    files["index.json"] = to_json({"schemaVersion": 2, "manifests": None})
    write_tar(csbx.work / "a.tar", files)
    assert file_system(imported(csbx, "a.tar")) == expected


def copied_by_skopeo(csbx, target):
    subprocess.run(["skopeo", "copy", "-q", "--insecure-policy", "oci:layout:latest", target], cwd=csbx.work,
                   check=True, capture_output=True, timeout=60, env={**csbx.env, "HOME": str(csbx.work)})


@pytest.mark.parametrize("target", ["docker-archive:s:name:tag", "oci-archive:s:tag", "dir:s", "oci:s:tag"])
def test_what_skopeo_writes(csbx, expected, target):
    if not shutil.which("skopeo"):
        conftest.skip_or_fail("skopeo is not installed")
    copied_by_skopeo(csbx, target)
    assert file_system(imported(csbx, "s")) == expected
    if not target.startswith("dir:"):
        assert file_system(imported(csbx, target)) == expected


def test_rootfs_tar_and_directory(csbx):
    tar = ociimage.tar_bytes(BASE)
    (csbx.work / "root.tar").write_bytes(tar)
    (csbx.work / "root.tgz").write_bytes(gzip.compress(tar))
    want = file_system(imported(csbx, "tar:root.tar"))
    for uri in ("root.tar", "root.tgz", "tar:root.tgz"):
        assert file_system(imported(csbx, uri)) == want
    for text in (tar, gzip.compress(tar)):
        assert file_system(imported(csbx, "-", stdin=text, text=False)) == want
    assert squashfs.listing(csbx.work / "out.sqsh")["etc/hostname"].size == 4
    with tarfile.open(fileobj=io.BytesIO(tar)) as t:
        t.extractall(csbx.work / "root", filter="tar") if hasattr(tarfile, "tar_filter") else \
            t.extractall(csbx.work / "root")
    for uri in ("dir:root", "root"):
        got = squashfs.listing(imported(csbx, uri))
        assert {"etc/hostname", "bin/sh", "lib"} <= set(got)


def test_what_every_start_reads_lies_uncompressed(csbx):
    """Its bytes are in the file as they are, in a row; those of others are not."""
    data = {name: b"".join(b"%s %d;" % (name.encode(), n) for n in range(20_000))
            for name in ("bin/sh", "lib/ld-linux-x86-64.so.2", "usr/lib/libpython3.11.so.1.0",
                         "usr/bin/python3.11", "bin/ls", "usr/lib/libcrypto.so.3")}
    for name, content in data.items():
        (csbx.work / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (csbx.work / "root" / name).write_bytes(content)
    os.link(csbx.work / "root/bin/ls", csbx.work / "root/bin/zz")
    os.link(csbx.work / "root/bin/sh", csbx.work / "root/bin/a name of it")
    made = imported(csbx, "dir:root").read_bytes()
    assert {name for name in data if data[name] in made} == set(data) - {"bin/ls", "usr/lib/libcrypto.so.3"}
    subprocess.run(["/usr/bin/unsquashfs", "-q", "-n", "-d", csbx.work / "back", csbx.work / "out.sqsh"],
                   check=True, capture_output=True)
    assert {name: (csbx.work / "back" / name).read_bytes() for name in data} == data


def numbers(word, n):
    """Text that compresses well and is found nowhere else."""
    return b"".join(b"%s %d;" % (word, i) for i in range(n))


def test_odd_files_that_every_start_reads(csbx):
    """Holes, nothing, equal ones and the largest: the same bytes come out as went in, once."""
    top, text, noise = csbx.work / "root", numbers(b"text", 20_000), random.Random(1).randbytes(300_000)
    (top / "bin").mkdir(parents=True)
    for name, content in {"sh": text, "copy": text, "dash": text, "bash": noise, "noise": noise, "ash": b""}.items():
        (top / "bin" / name).write_bytes(content)
    (top / "bin/busybox").write_bytes(bytes(200_000) + numbers(b"island", 20_000) + bytes(400_100))
    largest = {"python3": 16 << 20, "python2": (16 << 20) + 1}
    for name, size in largest.items():
        with open(top / "bin" / name, "wb") as f:
            f.truncate(size)
            f.write(numbers(name.encode(), 5000))
    os.link(top / "bin/busybox", top / "bin/applet")
    made = [imported(csbx, "dir:root", "--comp", comp, name=comp) for comp in ("zstd", "lz4", "gzip")]
    want = squashfs.directory_listing(top)
    for path in made:
        got, data = squashfs.listing(path), path.read_bytes()
        assert {n: (got[n].size, got[n].content, got[n].nlink) for n in want if n.startswith("bin/")} == {
            n: (want[n].size, want[n].content, want[n].nlink) for n in want if n.startswith("bin/")}
        assert got["bin/busybox"].inode == got["bin/applet"].inode
        assert [data.count(x) for x in (text, noise)] == [1, 1]
        assert {n for n in largest if numbers(n.encode(), 5000) in data} == {"python3"}
        assert len(data) < 1_600_000, "the holes lie in it"


def test_a_name_that_is_gone_does_not_show(csbx):
    """A file that was a shell in a lower layer is a file like others; a file that became a shell is one."""
    gone, made = numbers(b"gone", 20_000), numbers(b"made", 20_000)
    layers = [[D("bin"), F("a", gone), H("bin/sh", "a"), F("b", made)], [W("bin/sh"), H("bin/bash", "b")]]
    Image([make_layer(x) for x in layers], CONFIG).write_oci(csbx.work / "layout")
    data = imported(csbx, "oci:layout").read_bytes()
    assert (gone in data, made in data) == (False, True)


# --- choice -----------------------------------------------------------------------------------------

def test_several_images_need_a_choice(csbx):
    one = Image([make_layer(BASE)], {"Cmd": ["one"]}, ref="one")
    two = Image([make_layer(TOP)], {"Cmd": ["two"]}, ref="two")
    ociimage.write_oci(csbx.work / "both", [one, two])
    csbx.fails("import", "oci:both", says=["several images", "one, two"])
    csbx.fails("import", "oci:both:three", says=["no such image", "one, two"])
    csbx.ok("import", "oci:both:two")
    assert "top" in squashfs.listing(csbx.work / "both+two.sqsh")


def test_platform(csbx):
    here, there = Image([make_layer(BASE)]), Image([make_layer(TOP)], arch="s390x")
    windows = Image([make_layer([F("C")])], os="windows")
    ociimage.write_oci(csbx.work / "multi", [windows, there, here], nested=True)
    assert "bin/sh" in squashfs.listing(imported(csbx, "oci:multi"))
    assert "top" in squashfs.listing(imported(csbx, "oci:multi", "--arch", "s390x"))
    assert "top" in squashfs.listing(imported(csbx, "oci:multi", "--platform", "linux/s390x"))
    csbx.fails("import", "--arch", "ppc64le", "oci:multi", says=["linux/ppc64le", "linux/s390x"])
    csbx.fails("import", "--platform", "windows/amd64", "oci:multi", says="linux")
    csbx.fails("import", "--arch", "vax", "oci:multi", says="vax")
    there.write_oci(csbx.work / "single")
    csbx.fails("import", "oci:single", says=["linux/s390x", "--arch"])
    csbx.ok("import", "--arch", "s390x", "oci:single")


# --- damage -----------------------------------------------------------------------------------------

def test_default_names(csbx, image):
    image.write_docker_archive(csbx.work / "all.tar", 1, tags=["docker.io/a/b:1"])
    for uri, name in (("all.tar", "all"), ("docker-archive:all.tar:a/b:1", "a+b+1"), ("docker-archive:all.tar@0", "all+0")):
        csbx.ok("import", uri)
        assert (csbx.work / f"{name}.sqsh").exists()
        csbx.fails("import", uri, says="exists")


def blob_of(layout, digest):
    return layout / "blobs" / digest.replace(":", "/")


def test_wrong_and_missing_blobs(csbx, image):
    image.write_oci(csbx.work / "bad")
    layer = blob_of(csbx.work / "bad", ociimage.digest(image.layers[1].blob))
    good = layer.read_bytes()
    config = blob_of(csbx.work / "bad", ociimage.digest(image.config_blob))
    layer.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    csbx.fails("import", "oci:bad", says="layer 2")
    layer.write_bytes(good + b"x")
    csbx.fails("import", "oci:bad", says=["layer 2", "bytes"])
    layer.unlink()
    csbx.fails("import", "oci:bad", says=["layer 2", "No such file"])
    os.mkfifo(layer)
    csbx.fails("import", "oci:bad", says=["layer 2", "regular file"])
    layer.unlink()
    layer.symlink_to("/etc/passwd")
    csbx.fails("import", "oci:bad", says=["layer 2", "symbolic link"])
    layer.unlink()
    layer.write_bytes(good)
    config.write_bytes(config.read_bytes().replace(b"A=b", b"A=c"))
    csbx.fails("import", "oci:bad", says=["image config", "sha256"])
    assert not [*csbx.work.glob("*.sqsh")]


def test_wrong_diff_id(csbx, image):
    image.layers[0].diff_id = ociimage.digest(b"something else")
    Image(image.layers, CONFIG).write_oci(csbx.work / "bad")
    csbx.fails("import", "oci:bad", says=["layer 1", "sha256"])


@pytest.mark.parametrize("change, says", [
    ({"manifests": []}, "index and of a manifest"),
    ({"schemaVersion": 1}, "schema 1"),
    ({"mediaType": ociimage.OCI + ".index.v1+json"}, "mediaType"),
    ({"Layers": []}, "layers"),
])
def test_confusing_manifest(csbx, image, change, says):
    manifest = to_json({**image.manifest(), **change})
    files = oci_files([image])
    files[ociimage.blob_path(manifest)] = manifest
    entry = ociimage.descriptor(ociimage.OCI + ".manifest.v1+json", manifest)
    files["index.json"] = to_json({"schemaVersion": 2, "manifests": [entry]})
    write_files(csbx.work / "bad", files)
    csbx.fails("import", "oci:bad", says=["manifest", says])


@pytest.mark.parametrize("index, says", [
    (b"", "index.json"),
    (b'{"schemaVersion":2,"manifests":[]} x', "after the document"),
    (b'{"schemaVersion":2,"manifests":[],"manifests":[]}', "twice"),
    (b"\xef\xbb\xbf{}", "byte order mark"),
    (b"[" * 100000, "deep"),
    (b'{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",'
     b'"digest":"sha256:../../../../../../../../etc/passwd","size":1}]}', "digest"),
    (b" " * (5 << 20), "larger than"),
])
def test_bad_index(csbx, image, index, says):
    files = {**oci_files([image]), "index.json": index}
    write_files(csbx.work / "bad", files)
    csbx.fails("import", "oci:bad", says=["index.json", says])


@pytest.mark.parametrize("how, says", [("cut", "truncated"), ("garbage", "header"), ("empty", "empty")])
def test_damaged_archive(csbx, image, how, says):
    image.write_docker_archive(csbx.work / "a.tar", 1)
    data = (csbx.work / "a.tar").read_bytes()
    data = {"cut": data[:data.index(b"layer.tar") + 600], "garbage": data[:1024] + b"x" * 512 + data[1536:],
            "empty": b""}[how]
    (csbx.work / "a.tar").write_bytes(data)
    csbx.fails("import", "docker-archive:a.tar")
    csbx.fails("import", "a.tar")
    assert not [*csbx.work.glob("*.sqsh")]


@pytest.mark.parametrize("layer", ["../../../../etc/passwd", "/etc/passwd", "link", "none"])
def test_archive_members_stay_inside(csbx, image, layer):
    files = docker_files(image, 1, ["x:1"])
    files["link"] = ("link", "../../../../../../etc/passwd")
    files["manifest.json"] = to_json([{
        "Config": next(n for n in files if n.endswith(".json") and len(n) > 60), "RepoTags": ["x:1"],
        "Layers": [layer, layer]}])
    write_tar(csbx.work / "a.tar", files)
    csbx.fails("import", "docker-archive:a.tar", says="layer 1")


def test_what_is_no_image(csbx):
    (csbx.work / "text").write_text("hello\n")
    (csbx.work / "empty").mkdir()
    for uri, says in (("./missing", "No such file"), ("oci:empty", "not an OCI layout"), ("oci:text", "not a directory"),
                      ("tar:empty", "a directory"), ("docker-archive:text", "text"), ("/dev/null", "neither"),
                      ("docker://UBUNTU", "UBUNTU"), ("oci:", "path")):
        csbx.fails("import", "-o", "out.sqsh", uri, says=says)
    assert not (csbx.work / "out.sqsh").exists()


def test_directory_that_is_gone(csbx, image):
    """The message tells the user the cause, not the file system's odd error for it."""
    image.write_oci(csbx.work / "image.oci")
    source = f"oci:{csbx.work}/image.oci"
    gone = csbx.work / "gone"
    for options in ([], ["-o", "x.sqsh"]):
        gone.mkdir(mode=0o777)
        p = subprocess.run(["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', gone, *csbx.argv(["import", *options, source])],
                           env=csbx.env, capture_output=True, text=True, timeout=60, check=False, **csbx.identity())
        assert p.returncode == 125 and "current directory: this directory has been deleted" in p.stderr, p.stderr
