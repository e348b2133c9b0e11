# SPDX-License-Identifier: Apache-2.0
"""Other programs judge the files that import writes: umoci the merge; unsquashfs, the kernel and squashfuse the format.
Root unpacks (ids) and mounts; the import itself runs as an ordinary user. Random stacks of layers are compared by
tests/tools/random_stacks.py (make check-oracle)."""
import json
import os
import stat
import subprocess

import pytest

import conftest
import ociimage
import squashfs
from ociimage import D, F, H, L, O, P, W, Image, make_layer

OURS = [".csbx", "etc/rc", "etc/rc.local", "etc/environment", "etc/fstab"]

SAMPLE = [
    [D(".", mode=0o755), D("etc"), F("etc/passwd", "root:x:0:0::/:/bin/sh\n"), D("data", mtime=5),
     F("data/big", bytes(range(256)) * 3000, uid=7, gid=8), F("data/empty"), H("data/second", "data/big"),
     F("data/gone", b"x"), L("data/link", "big"), P("data/fifo"), D("old"), F("old/file", b"old"),
     F("suid", b"s", mode=0o4755), F("attr", b"a", xattrs={"user.note": b"kept"})],
    [W("data/gone"), O("old"), F("old/new", b"new"), F("data/tail", b"t" * 131073)],
]


def import_layout(csbx, layout, *options, name="out"):
    out = csbx.work / f"{name}.sqsh"
    csbx.ok("import", *options, "-o", out, f"oci:{layout}", timeout=300)
    return out


def umoci_listing(csbx, layout, ref):
    out = csbx.top / "umoci"
    subprocess.run(["umoci", "raw", "unpack", "--image", f"{layout}:{ref}", str(out)], check=True,
                   capture_output=True)
    found = squashfs.directory_listing(out)
    for node in found.values():
        node.xattrs = {k: v for k, v in node.xattrs.items() if k.startswith("user.")}
    # A container gets its devices from the runtime; an image never brings any.
    return {k: v for k, v in found.items() if v.kind not in (stat.S_IFCHR, stat.S_IFBLK)}


def compare_with_umoci(csbx, layout, ref):
    got = squashfs.listing(import_layout(csbx, layout))
    assert squashfs.directory_nlinks(got) == []
    want = umoci_listing(csbx, layout, ref)
    # Directories that got one of our files, and the root, whose time umoci does not restore.
    touched = {"", "etc"}
    bad = squashfs.differences(squashfs.without(got, OURS), squashfs.without(want, OURS),
                               ignore=lambda name, field: field == "mtime" and name in touched)
    assert bad == [], "\n".join(bad[:20])
    return got


@pytest.mark.needs_root
def test_busybox_equals_umoci(csbx, busybox_layout):
    got = compare_with_umoci(csbx, busybox_layout, "latest")
    assert len(got) > 200


@pytest.mark.needs_root
def test_python_equals_umoci(csbx, python_layout):
    compare_with_umoci(csbx, python_layout, "3")


@pytest.mark.needs_root
def test_debian_with_python_and_git_equals_umoci(csbx):
    layout = conftest.layout("debian")
    got = compare_with_umoci(csbx, layout, "debian")
    assert len(got) > 5000
    assert "usr/bin/git" in got and "usr/bin/python3" in got


# --- readers --------------------------------------------------------------------------------------

@pytest.fixture
def sample(csbx):
    """A small image with one of everything, and the listing it must have."""
    layout = csbx.work / "sample.oci"
    Image([make_layer(x) for x in SAMPLE], ref="s").write_oci(layout)
    from layermodel import Model
    model = Model()
    for layer in SAMPLE:
        model.apply(layer)
    return layout, model.listing()


@pytest.mark.parametrize("comp", ["zstd", "zstd:19", "gzip", "lz4", "none"])
def test_unsquashfs_as_a_user(csbx, sample, comp):
    layout, want = sample
    out = import_layout(csbx, layout, "--comp", comp)
    assert squashfs.differences(squashfs.without(squashfs.listing(out), OURS), want, ignore=lambda n, f:
                                f == "mtime" and n in ("", "etc")) == []
    p = subprocess.run(["unsquashfs", "-no-progress", "-d", csbx.work / "un", out],
                       capture_output=True, text=True, check=False)
    assert p.returncode == 0, p.stdout + p.stderr
    got = squashfs.without(squashfs.directory_listing(csbx.work / "un"), OURS)
    ids = ("uid", "gid", "mode")  # a user cannot give files away
    assert squashfs.differences(got, want, ignore=lambda n, f: f in ids or
                                f == "mtime" and n in ("", "etc")) == []


@pytest.mark.needs_root
@pytest.mark.parametrize("reader", ["kernel", "squashfuse_ll"])
def test_mounted(csbx, sample, reader):
    layout, _ = sample
    out = import_layout(csbx, layout)
    at = csbx.top / "mnt"
    at.mkdir()
    if reader == "kernel":
        p = subprocess.run(["mount", "-t", "squashfs", "-o", "loop,ro", out, at], capture_output=True,
                           text=True, check=False)
        if p.returncode:
            conftest.skip_or_fail(f"this kernel does not mount squashfs files: {p.stderr.strip()}")
    else:
        subprocess.run(["squashfuse_ll", out, at], check=True, capture_output=True)
    try:
        mounted = squashfs.directory_listing(at)
    finally:
        subprocess.run(["umount", at], check=True)
    mine = squashfs.listing(out)
    for node in (*mine.values(), *mounted.values()):
        node.inode = node.inode if node.kind != stat.S_IFDIR else 0
    assert squashfs.differences(mounted, mine, ignore=lambda n, f: f == "size" and
                                mine[n].kind == stat.S_IFDIR) == []


# --- the same bytes -------------------------------------------------------------------------------

def fs_part(csbx, uri, *options, cpus=None, name="same"):
    out = csbx.work / f"{name}.sqsh"
    kw = {"preexec_fn": lambda: os.sched_setaffinity(0, cpus)} if cpus else {}
    csbx.ok("import", "-f", *options, "-o", out, uri, timeout=300, **kw)
    return squashfs.file_system_part(out)


def test_two_imports_are_equal_byte_for_byte(csbx, python_layout):
    a, b = csbx.work / "a.sqsh", csbx.work / "b.sqsh"
    for out in (a, b):
        csbx.ok("import", "-o", out, f"oci:{python_layout}", timeout=120)
    assert a.read_bytes() == b.read_bytes()


def test_number_of_threads_does_not_show(csbx, python_layout):
    cpus = sorted(os.sched_getaffinity(0))
    one = fs_part(csbx, f"oci:{python_layout}", cpus=cpus[:1])
    assert one == fs_part(csbx, f"oci:{python_layout}", cpus=cpus)


def test_compression_of_the_layers_does_not_show(csbx):
    parts = {}
    for compression in ("gzip", "zstd", "plain"):
        layout = csbx.work / compression
        Image([make_layer(x, compression) for x in SAMPLE]).write_oci(layout)
        parts[compression] = fs_part(csbx, f"oci:{layout}")
    assert parts["gzip"] == parts["zstd"] == parts["plain"]


def test_form_of_the_source_does_not_show(csbx):
    image = Image([make_layer(x) for x in SAMPLE])
    image.write_oci(csbx.work / "oci")
    image.write_oci_archive(csbx.work / "oci.tar")
    image.write_dir(csbx.work / "dir")
    for n in (1, 2, 3):
        image.write_docker_archive(csbx.work / f"docker{n}.tar", n)
    uris = ["oci:oci", "oci-archive:oci.tar", "dir:dir", "oci", "oci.tar", "docker1.tar",
            *(f"docker-archive:docker{n}.tar" for n in (1, 2, 3))]
    parts = {uri: fs_part(csbx, uri) for uri in uris}
    assert len(set(parts.values())) == 1, {uri: hash(p) for uri, p in parts.items()}


def test_time_umask_and_name_do_not_show(csbx, sample):
    layout, _ = sample
    first = fs_part(csbx, f"oci:{layout}")
    old = os.umask(0o077)
    try:
        assert first == fs_part(csbx, f"oci:{layout}", name="another-name")
    finally:
        os.umask(old)


def test_image_keeps_its_config_word_for_word(csbx):
    image = Image([make_layer([F("f")])], {"Cmd": ["x"], "Labels": {"a": "b"}})
    image.write_oci(csbx.work / "oci")
    out = import_layout(csbx, csbx.work / "oci")
    found = squashfs.listing(out)
    assert found[".csbx/config.json"].content == ociimage.digest(image.config_blob)[7:]
    assert json.loads(image.config_blob)["config"]["Labels"] == {"a": "b"}
