# SPDX-License-Identifier: Apache-2.0
"""Import against hostile layers, manifests and archives. The letters and numbers are the cases of
docs/security.md. Either the image is what the merge rules say, or import refuses with one line and
exit code 125 and leaves nothing behind."""
import gzip
import hashlib
import io
import json
import os
import stat
import tarfile

import pytest

import ociimage
import squashfs
from ociimage import C, D, F, H, L, O, P, W, Entry, Image, Layer, make_layer, to_json

FINE = [D("etc"), F("etc/hostname", b"x\n")]


class Importer:
    def __init__(self, csbx):
        self.csbx = csbx
        self.source = csbx.work / "in"
        self.out = csbx.work / "out.sqsh"

    def write(self, *layers, **kw):
        Image([x if isinstance(x, Layer) else make_layer(x) for x in layers], **kw).write_oci(self.source)
        return self

    def edit(self, change, what="index"):
        """Rewrites index.json, or the manifest or config blob it leads to, by change(object)."""
        index = json.loads((self.source / "index.json").read_bytes())
        entry = index["manifests"][0]
        if what == "index":
            (self.source / "index.json").write_bytes(as_bytes(change(index), index))
            return self
        manifest = json.loads(self.blob(entry["digest"]).read_bytes())
        if what == "config":
            config = json.loads(self.blob(manifest["config"]["digest"]).read_bytes())
            self.relink(manifest["config"], as_bytes(change(config), config))
            self.relink(entry, to_json(manifest))
        else:
            self.relink(entry, as_bytes(change(manifest), manifest))
        (self.source / "index.json").write_bytes(to_json(index))
        return self

    def blob(self, digest):
        return self.source / "blobs" / digest.replace(":", "/")

    def relink(self, descriptor, data):
        descriptor["digest"], descriptor["size"] = ociimage.digest(data), len(data)
        self.blob(descriptor["digest"]).write_bytes(data)

    def ok(self, *options, uri=None):
        self.csbx.ok("import", *options, "--no-enroot-files", "-o", self.out, uri or f"oci:{self.source}",
                     timeout=120)
        return squashfs.without(squashfs.listing(self.out), [".csbx"])

    def refused(self, *options, says=(), uri=None):
        before = sorted(os.listdir(self.csbx.work))
        said = self.csbx.fails("import", "-q", *options, "-o", self.out, uri or f"oci:{self.source}",
                               says=says, timeout=120)
        assert sorted(os.listdir(self.csbx.work)) == before, "something half-made stayed"
        assert all(c == "\n" or c.isprintable() for c in said), f"control characters: {said!r}"
        return said

    def either(self, *options):
        """The listing, or None for a clean refusal."""
        p = self.csbx.run("import", "-q", *options, "--no-enroot-files", "-o", self.out,
                          f"oci:{self.source}", timeout=120)
        if p.returncode == 0:
            found = squashfs.without(squashfs.listing(self.out), [".csbx"])
            self.out.unlink()
            return found
        self.refused(*options)
        return None


def as_bytes(result, obj):
    """change() may edit in place, return another object, or return bytes."""
    if isinstance(result, bytes):
        return result
    return to_json(obj if result is None else result)


@pytest.fixture
def imp(csbx):
    return Importer(csbx)


# --- names ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["/", ".", "./", "", "//", "./."])
@pytest.mark.parametrize("make", [lambda n: L(n, "/etc"), lambda n: F(n, b"x"), lambda n: H(n, "etc/hostname"),
                                  lambda n: C(n, 1, 3), lambda n: P(n)],
                         ids=["symlink", "file", "hardlink", "device", "fifo"])
def test_a9_root_stays_a_directory(imp, name, make):
    found = imp.write([*FINE, make(name)]).either()
    if found is not None:
        assert stat.S_ISDIR(found[""].kind)
        assert found.keys() == {"", "etc", "etc/hostname"}


@pytest.mark.parametrize("name", ["../x", "a/../../x", "a/..", "..", "a/../b", "/../x", "etc/../../../x"])
@pytest.mark.parametrize("make", [F, D, lambda n: L(n, "t"), lambda n: H(n, "etc/hostname")],
                         ids=["file", "directory", "symlink", "hardlink"])
def test_a10_dot_dot_is_refused(imp, name, make):
    imp.write([*FINE, make(name)]).refused(says="..")


@pytest.mark.parametrize("raw,clean", [
    ("/abs", "abs"), ("//a//b", "a/b"), ("./c/./d", "c/d"), ("...", "..."), ("x/....", "x/...."),
    ("new\nline", "new\nline"), ("esc\x1b[2J", "esc\x1b[2J"), ("q" * 255, "q" * 255), ("-rf", "-rf"),
    ("\udcff\udcfe", "\udcff\udcfe"), ("ü" * 127, "ü" * 127), (" ", " "), ("a\\b", "a\\b"), ("*?[", "*?["),
])
def test_a10_names_are_normalised_or_kept_byte_for_byte(imp, raw, clean):
    found = imp.write([F(raw, b"x")]).ok()
    assert {n for n, x in found.items() if x.kind == stat.S_IFREG} == {clean}


@pytest.mark.parametrize("name", ["q" * 256, "d/" * 2100 + "x", "ab/" * 1030 + "x"],
                         ids=["component of 256", "path over 4096", "deeper than 1024"])
def test_a10_names_that_no_file_system_holds_are_refused(imp, name):
    imp.write([F(name, b"x")]).refused()


def test_a10_file_name_with_trailing_slash(imp):
    found = imp.write([F("file/", b"x")]).either()
    assert found is None or found["file"].kind in (stat.S_IFREG, stat.S_IFDIR)


# --- links ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("target", ["missing", "../x", "/../etc/passwd", "..", "etc", "", "/", "etc/hostname/x"])
def test_a11_hard_links_to_nothing_inside_are_refused(imp, target):
    imp.write([*FINE, H("link", target)]).refused()


def test_a11_hard_link_never_means_a_file_of_the_host(imp):
    imp.write([H("stolen", "/etc/passwd")]).refused(says="etc/passwd")


def test_a11_hard_link_to_itself(imp):
    found = imp.write([F("a", b"x"), H("a", "a")]).either()
    assert found is None or found["a"].nlink == 1
    imp.write([H("b", "b")]).refused()


def test_a11_hard_link_to_a_symlink_is_the_symlink(imp):
    found = imp.write([L("sym", "/etc/passwd"), H("hard", "sym")]).ok()
    assert found["hard"].kind == stat.S_IFLNK and found["hard"].inode == found["sym"].inode


def test_a11_later_and_across_layers(imp):
    found = imp.write([H("early", "late"), F("late", b"1"), F("base", b"2"), F("hidden", b"3")],
                      [H("cross", "base"), H("saved", "hidden"), W("hidden")]).ok()
    assert found["early"].inode == found["late"].inode
    assert found["cross"].inode == found["base"].inode
    assert found["saved"].content == hashlib.sha256(b"3").hexdigest() and "hidden" not in found


def test_a11_chain_of_links_through_symlinked_parents(imp):
    found = imp.write([D("real"), F("real/f", b"x"), L("alias", "real"), H("one", "alias/f"),
                       H("alias/two", "one")]).ok()
    assert found["one"].inode == found["real/f"].inode == found["real/two"].inode


def test_a11_loop_of_symlinked_parents_is_refused(imp):
    imp.write([L("a", "b"), L("b", "a"), F("a/x", b"x")]).refused()


# --- replacing ------------------------------------------------------------------------------------

@pytest.mark.parametrize("target", ["/tmp", "../../../../tmp", "/proc/self/root/tmp", "."])
def test_a12_directory_replaced_by_a_link_then_written_through(imp, target):
    """A program that unpacks layer by layer would write this file on the host."""
    found = imp.write([D("dir"), F("dir/old", b"o")], [L("dir", target), F("dir/csbx-evil", b"e")]).either()
    if found is not None:
        assert found["dir"].kind == stat.S_IFLNK
        evil = [n for n in found if n.endswith("csbx-evil")]
        assert len(evil) == 1
    assert not os.path.exists("/tmp/csbx-evil")


def test_a12_link_replaced_by_a_directory(imp):
    found = imp.write([D("real"), F("real/keep", b"k"), L("dir", "real")], [D("dir"), F("dir/new", b"n")]).ok()
    assert found["dir"].kind == stat.S_IFDIR
    assert {"real/keep", "dir/new"} <= found.keys() and "real/new" not in found


def test_a12_file_becomes_a_directory_with_children_and_back(imp):
    found = imp.write([F("x", b"1")], [D("x"), F("x/y", b"2")], [F("x", b"3")]).ok()
    assert found["x"].content == hashlib.sha256(b"3").hexdigest() and "x/y" not in found


def test_a12_same_name_twice_the_last_wins(imp):
    found = imp.write([F("x", b"1"), L("x", "t"), D("x"), F("x", b"4")]).ok()
    assert found["x"].content == hashlib.sha256(b"4").hexdigest()


# --- whiteouts, overlay metadata ------------------------------------------------------------------

@pytest.mark.parametrize("name", [".wh.", "etc/.wh.", ".wh..", ".wh..."])
def test_a13_whiteout_of_nothing_is_refused(imp, name):
    imp.write(FINE, [F(name)]).refused()


def test_a13_whiteouts_hide_lower_layers_only(imp):
    found = imp.write([D("d"), F("d/old", b"1"), F("d/both", b"1")],
                      [F("d/new", b"2"), F("d/both", b"2"), O("d"), F("d/later", b"2"), W("d/both")]).ok()
    assert {"d/new", "d/both", "d/later"} <= found.keys() and "d/old" not in found


@pytest.mark.parametrize("entry", [D("d/.wh..wh..opq"), L("d/.wh.x", "/etc"), D("d/.wh.x")],
                         ids=["opaque as directory", "whiteout as link", "whiteout as directory"])
def test_a13_whiteouts_of_odd_types(imp, entry):
    found = imp.write([D("d"), F("d/x", b"1")], [entry]).either()
    assert found is None or not any(".wh." in n for n in found)


def test_a13_content_below_a_whiteout(imp):
    found = imp.write(FINE, [F(".wh.etc/x", b"1")]).either()
    assert found is None or not any(".wh." in n for n in found)


def test_a13_aufs_leftovers_never_appear(imp):
    found = imp.write([D(".wh..wh.plnk"), F(".wh..wh.plnk/123.4", b"x"), F(".wh..wh.aufs"), *FINE]).ok()
    assert not any(".wh." in n for n in found)


def test_a13_no_overlay_metadata_gets_in(imp):
    evil = {"trusted.overlay.opaque": b"y", "user.overlay.opaque": b"y", "user.overlay.redirect": b"/etc",
            "trusted.overlay.redirect": b"/etc", "user.overlay.": b"x", "user.fine": b"1"}
    found = imp.write([D("d", xattrs=evil), F("f", b"x", xattrs=evil), C("wh", 0, 0)]).ok()
    assert found["d"].xattrs == found["f"].xattrs == {"user.fine": b"1"}
    assert "wh" not in found, "a device 0:0 is overlayfs's whiteout"


def test_devices_are_left_out(imp):
    block = Entry("sda", tarfile.BLKTYPE, dev=(8, 0))
    found = imp.write([C("null", 1, 3), block, F("f")]).ok()
    assert found.keys() == {"", "f"}


# --- size and number ------------------------------------------------------------------------------

def fast_tar(n, name=b"d/%07d", kind=b"0", link=b""):
    """A tar of n empty entries; tarfile would take a minute."""
    out = io.BytesIO()
    for i in range(n):
        head = bytearray(512)
        text = name % i if b"%" in name else name
        head[:len(text)] = text
        head[100:157] = (b"0000644\0" + b"0000000\0" * 2 + b"00000000000\0" + b"14524770400\0"
                         + b" " * 8 + kind)
        head[157:157 + len(link)] = link
        head[257:265] = b"ustar\x0000"
        head[148:156] = b"%06o\0 " % sum(head)
        out.write(head)
    return out.getvalue() + bytes(1024)


def import_rss_mb(imp, *layers):
    """Peak memory of an import in MiB, and its exit code."""
    Image([make_layer(x, "gzip") for x in layers]).write_oci(imp.source)
    p = imp.csbx.popen("import", "-q", "-o", imp.out, f"oci:{imp.source}", program="csbx-image",
                       stdout=None, stderr=None)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1024, p.returncode


def test_a14_300000_names(imp):
    rss, code = import_rss_mb(imp, fast_tar(300000))
    assert code == 0 and rss < 512, rss


def test_a14_100000_links_to_one_file(imp):
    tar = ociimage.tar_bytes([F("target", b"x")])
    tar = tar[:tar.rindex(b"ustar") + 255 + 512]  # without the end marker
    rss, code = import_rss_mb(imp, tar + fast_tar(100000, b"l%07d", b"1", b"target"))
    assert code == 0 and rss < 512, rss
    found = squashfs.listing(imp.out)
    assert found["target"].nlink == 100001


def test_a14_100000_opaque_marks_in_one_directory(imp):
    rss, code = import_rss_mb(imp, [D("d"), *(F(f"d/{n}") for n in range(1000))],
                              fast_tar(100000, b"d/.wh..wh..opq"))
    assert code == 0 and rss < 512, rss
    assert "d/5" not in squashfs.listing(imp.out)


def test_a14_200_layers(imp):
    found = imp.write(*[[F(f"f{n}", str(n)), W(f"f{n - 2}")] for n in range(200)]).ok()
    assert {n for n in found if n} == {"f198", "f199"}


def test_a14_tree_of_1000_levels(imp):
    found = imp.write([F("a/" * 1000 + "end", b"x")]).ok()
    assert "a/" * 1000 + "end" in found


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a15_bomb_stops_at_the_limit(imp, compression):
    zeros = [F("zeros", bytes(100 << 20))]
    imp.write(make_layer(zeros, compression)).refused("--max-image-size", "64m", says="limit")
    imp.write(make_layer([F(f"z{n}", bytes(10 << 20)) for n in range(10)], compression)
              ).refused("--max-image-size", "64m", says="limit")


def raw_header(name, size, kind=b"0", sparse=None):
    info = tarfile.TarInfo(name)
    info.size = 0
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[124:136] = size
    head[156:157] = kind
    if sparse:
        head[386:386 + len(sparse)] = sparse
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


@pytest.mark.parametrize("size", [b"\x80" + b"\x00" * 3 + b"\x7f" + b"\xff" * 7, b"\xff" * 12,
                                  b"77777777777\0", b"\x80" + b"\xff" * 11])
def test_a15_absurd_sizes(imp, size):
    imp.write(make_layer(raw_header("big", size) + bytes(2048))).refused()


def test_a15_sparse_file_of_an_exbibyte(imp):
    pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "hole",
           "GNU.sparse.realsize": str(1 << 60)}
    imp.write([F("GNUSparseFile.0/hole", b"0\n".ljust(512, b"\0"), pax=pax)]).refused()
    old = raw_header("old", b"00000000000\0", b"S",
                     sparse=bytes(96) + b"\0" + b"\x80" + b"\0" * 3 + b"\x10" + bytes(7))
    imp.write(make_layer(old + bytes(1024))).refused()


def test_a15_zstd_window_of_2_gib(imp):
    frame = bytes.fromhex("28b52ffd") + bytes([0x00, (31 - 10) << 3]) + b"\x01\x00\x00"
    tar = ociimage.tar_bytes(FINE)
    layer = make_layer(tar, "zstd")
    layer.blob = frame
    imp.write(layer).refused()


def test_a15_gzip_in_gzip_is_no_tar(imp):
    layer = make_layer(FINE)
    layer.blob = gzip.compress(layer.blob, mtime=0)
    imp.write(layer).refused()


# --- digests, JSON --------------------------------------------------------------------------------

BAD_DIGESTS = ["sha256:../../x", "sha256:" + "A" * 64, "sha256:abc", "md5:" + "a" * 32, "sha256:", "",
               "sha512:" + "a" * 64, "sha256:" + "a" * 65, "sha256:" + "g" * 64, "sha256", "../../etc/passwd",
               "sha256:/etc/passwd", "sha256:" + "a" * 63 + "\n", "SHA256:" + "a" * 64, "x" * 100000]


@pytest.mark.parametrize("digest", BAD_DIGESTS, ids=range(len(BAD_DIGESTS)))
@pytest.mark.parametrize("where", ["index", "config", "layer"])
def test_a16_bad_digests_are_refused(imp, digest, where):
    imp.write(FINE)
    if where == "index":
        imp.edit(lambda x: x["manifests"][0].update(digest=digest))
    elif where == "config":
        imp.edit(lambda m: m["config"].update(digest=digest), "manifest")
    else:
        imp.edit(lambda m: m["layers"][0].update(digest=digest), "manifest")
    imp.refused()


@pytest.mark.parametrize("what", ["manifest", "config", "layer"])
def test_wrong_content_of_a_blob(imp, what):
    imp.write(FINE)
    index = json.loads((imp.source / "index.json").read_bytes())
    manifest = json.loads(imp.blob(index["manifests"][0]["digest"]).read_bytes())
    digest = {"manifest": index["manifests"][0], "config": manifest["config"],
              "layer": manifest["layers"][0]}[what]["digest"]
    data = bytearray(imp.blob(digest).read_bytes())
    data[len(data) // 2] ^= 1
    imp.blob(digest).write_bytes(data)
    imp.refused()


def test_wrong_diff_id(imp):
    imp.write(FINE).edit(lambda c: c["rootfs"].update(diff_ids=["sha256:" + "0" * 64]), "config")
    imp.refused(says="diff")


@pytest.mark.parametrize("ids", [[], ["sha256:" + "0" * 64] * 2])
def test_number_of_diff_ids(imp, ids):
    imp.write(FINE).edit(lambda c: c["rootfs"].update(diff_ids=ids), "config")
    imp.refused()


def twice(key, value):
    """JSON text with a key a second time, which parsers read in different ways."""
    return lambda obj: to_json(obj)[:-1] + b"," + json.dumps(key).encode() + b":" + to_json(value) + b"}"


MANIFESTS = {
    "both manifests and layers": lambda m: m.update(manifests=[]),
    "duplicate layers": twice("layers", []),
    "duplicate config": twice("config", {}),
    "duplicate in another spelling": lambda m: to_json(m)[:-1] + b',"con\\u0066ig":{}}',
    "schemaVersion 1": lambda m: m.update(schemaVersion=1),
    "no layers": lambda m: m.pop("layers") and None,
    "layers no list": lambda m: m.update(layers={}),
    "layer no object": lambda m: m.update(layers=["x"]),
    "config no object": lambda m: m.update(config=[]),
    "index's media type": lambda m: m.update(mediaType="application/vnd.oci.image.index.v1+json"),
    "trailing bytes": lambda m: to_json(m) + b"x",
    "trailing object": lambda m: to_json(m) + b"{}",
    "NUL at the end": lambda m: to_json(m) + b"\0",
    "byte order mark": lambda m: b"\xef\xbb\xbf" + to_json(m),
    "bad UTF-8": lambda m: to_json(m).replace(b"config", b"config\xff", 1),
    "deep nesting": lambda m: to_json(m)[:-1] + b',"x":' + b"[" * 100000 + b"]" * 100000 + b"}",
    "comment": lambda m: b"/* x */" + to_json(m),
    "single quotes": lambda m: to_json(m).replace(b'"', b"'"),
    "empty": lambda m: b"",
    "null": lambda m: b"null",
    "list": lambda m: b"[]",
    "unknown layer type": lambda m: m["layers"][0].update(mediaType="application/x-evil"),
    "encrypted layer": lambda m: m["layers"][0].update(
        mediaType="application/vnd.oci.image.layer.v1.tar+gzip+encrypted"),
    "layer as config": lambda m: m.update(config=m["layers"][0]),
    "over 4 MiB": lambda m: to_json(m)[:-1] + b',"x":"' + b"y" * (5 << 20) + b'"}',
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_a17_a23_bad_manifests_are_refused(imp, case):
    imp.write(FINE).edit(MANIFESTS[case], "manifest").refused()


@pytest.mark.parametrize("size", ["-1", "-0", "1e308", "1.5", "9007199254740993", "18446744073709551616",
                                  "NaN", '"5"', "null", "true", "1e2"])
@pytest.mark.parametrize("where", ["layer", "config", "index"])
def test_a23_bad_sizes_are_refused(imp, size, where):
    def put(obj):
        marker = 987654321
        target = {"layer": lambda: obj["layers"][0], "config": lambda: obj["config"],
                  "index": lambda: obj["manifests"][0]}[where]()
        target["size"] = marker
        return to_json(obj).replace(str(marker).encode(), size.encode())
    imp.write(FINE).edit(put, "index" if where == "index" else "manifest").refused()


def test_a17_a_million_layers(imp):
    imp.write(FINE).edit(lambda m: m.update(layers=m["layers"] * 20000), "manifest").refused()


def test_index_that_contains_itself(imp):
    imp.write(FINE)
    nested = to_json({"schemaVersion": 2, "manifests": []})
    for _ in range(100):
        entry = {"mediaType": "application/vnd.oci.image.index.v1+json", "digest": ociimage.digest(nested),
                 "size": len(nested)}
        imp.blob(entry["digest"]).write_bytes(nested)
        nested = to_json({"schemaVersion": 2, "manifests": [entry]})
    (imp.source / "index.json").write_bytes(nested)
    imp.refused()


# --- archives -------------------------------------------------------------------------------------

def docker_tar(imp, change=None, extra=()):
    files = ociimage.docker_files(Image([make_layer(FINE)]), 1, ["test:latest"])
    manifest = json.loads(files["manifest.json"])
    if change:
        files["manifest.json"] = as_bytes(change(manifest), manifest)
    path = imp.csbx.work / "in.tar"
    ociimage.write_tar(path, {**files, **dict(extra)})
    return f"docker-archive:{path}"


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "missing/layer.tar", "", ".", "a" * 5000])
def test_a18_archive_member_paths_stay_inside(imp, path):
    imp.refused(uri=docker_tar(imp, lambda m: m[0].update(Layers=[path])))
    imp.refused(uri=docker_tar(imp, lambda m: m[0].update(Config=path)))


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "loop/layer.tar", "..", "."])
def test_a18_links_between_members_stay_inside(imp, target):
    imp.refused(uri=docker_tar(imp, lambda m: m[0].update(Layers=["loop/layer.tar"]),
                               [("loop/layer.tar", ("link", target))]))


def test_a18_ambiguous_archive_asks_for_a_choice(imp):
    uri = docker_tar(imp, lambda m: [m[0], {**m[0], "RepoTags": ["other:1"], "Config": "other.json"}],
                     [("other.json", b"{}")])
    imp.refused(uri=uri)
    assert imp.ok(uri=uri + ":test:latest")


@pytest.mark.parametrize("manifest", [b"null", b"[]", b"{}", b"[null]", b'[{"Config":1}]', b"[", b'[{"Layers":[]}]'])
def test_a18_bad_manifest_json(imp, manifest):
    imp.refused(uri=docker_tar(imp, lambda m: manifest))


def cut(blob):
    return blob[:len(blob) // 2]


BROKEN = {
    "cut in half": cut, "empty": lambda b: b"", "no end": lambda b: b[:-9],
    "bad checksum": lambda b: b[:-8] + bytes([b[-8] ^ 1]) + b[-7:],
    "garbage after the end": lambda b: b + b"garbage that is no gzip member",
    "bad second member": lambda b: b + b"\x1f\x8b\x08" + b"\0" * 20,
    "bit error": lambda b: b[:40] + bytes([b[40] ^ 0x10]) + b[41:],
    "html": lambda b: b"<!DOCTYPE html><html><body>404</body></html>",
}


@pytest.mark.parametrize("case", BROKEN)
def test_a19_broken_gzip_layers(imp, case):
    """The digest in the manifest is that of the broken bytes: only the content is wrong."""
    layer = make_layer([*FINE, F("data", os.urandom(5000))])
    layer.blob = BROKEN[case](layer.blob)
    imp.write(layer).refused()


@pytest.mark.parametrize("case", ["cut in half", "no end", "garbage after the end", "bit error"])
def test_a19_broken_zstd_layers(imp, case):
    layer = make_layer([*FINE, F("data", os.urandom(5000))], "zstd")
    layer.blob = BROKEN[case](layer.blob)
    imp.write(layer).refused()


def test_a19_truncated_tar_and_archives(imp):
    tar = ociimage.tar_bytes([*FINE, F("data", b"x" * 3000)])
    imp.write(make_layer(tar[:2500], "plain")).refused()
    image = Image([make_layer(FINE)])
    path = imp.csbx.work / "in.tar"
    for write in (image.write_oci_archive, image.write_docker_archive):
        write(path)
        path.write_bytes(path.read_bytes().rstrip(b"\0")[:-10])
        imp.refused(uri=str(path))


def test_wrong_kind_of_file(imp):
    path = imp.csbx.work / "file"
    for content in (b"", b"hello", b"\1" * 1400, b"\x1f\x8b", b"PK\x03\x04" + bytes(100)):
        path.write_bytes(content)
        imp.refused(uri=str(path))
        imp.refused(uri=f"tar:{path}")
    imp.refused(uri="oci:/nonexistent", says="/nonexistent")
    imp.refused(uri=f"oci:{path}")


# --- pax, xattrs ----------------------------------------------------------------------------------

def pax_layer(record):
    """A PAX header with this text, then a file."""
    body = record.ljust((len(record) + 511) // 512 * 512, b"\0")
    return make_layer(raw_header("pax", b"%011o\0" % len(record), b"x") + body
                      + raw_header("file", b"00000000000\0") + bytes(1024))


@pytest.mark.parametrize("record", [b"0 path=x\n", b"-5 path=x\n", b"99999999999999999999 path=x\n", b"9 path=x",
                                    b"x path=x\n", b"10 path\n", b"", b"8 =xxx\n", b"13 size=-100\n",
                                    b"30 size=99999999999999999999\n", b"12 path=a\0b\n"],
                         ids=range(11))
def test_a20_pax_records(imp, record):
    found = imp.write(pax_layer(record)).either()
    assert found is None or {n for n in found if n} <= {"file", "x", "a"}


def test_a20_pax_key_of_8_mib(imp):
    record = b"path" * (2 << 20)
    imp.write(pax_layer(b"%d %s=x\n" % (len(record) + 12, record))).either()


def test_a20_xattrs_a_container_must_not_get(imp):
    evil = {"security.capability": b"\1\0\0\2" + b"\xff" * 16, "security.selinux": b"x", "trusted.x": b"y",
            "system.posix_acl_access": b"z", "user.ok": b"1", "user." + "n" * 251: b"long name"}
    found = imp.write([F("f", xattrs=evil)]).either()
    assert found is None or "user.ok" in found["f"].xattrs
    assert found is None or all(k.startswith("user.") for k in found["f"].xattrs)


@pytest.mark.parametrize("xattrs", [{"user." + "n" * 256: b"x"}, {"user.x": b"v" * 70000}, {"user.": b"x"}, {"": b"x"}],
                         ids=["long name", "long value", "no name", "nothing"])
def test_a20_xattrs_out_of_range(imp, xattrs):
    found = imp.write([F("f", xattrs=xattrs)]).either()
    assert found is None or found["f"].xattrs == {}


def test_ids_and_times_at_the_edges(imp):
    found = imp.write([F("a", uid=4294967294, gid=4294967294), F("b", mtime=-5), F("c", mtime=1 << 40)]).ok()
    assert found["a"].uid == found["a"].gid == 4294967294
    assert found["b"].mtime == 0 and found["c"].mtime == 0xFFFFFFFF
    imp.write([F("a", uid=1 << 32)]).refused()


# --- layouts on disk ------------------------------------------------------------------------------

def test_a22_symlinked_blob_is_not_followed(imp):
    imp.write(FINE)
    index = json.loads((imp.source / "index.json").read_bytes())
    blob = imp.blob(index["manifests"][0]["digest"])
    blob.rename(imp.csbx.work / "elsewhere")
    blob.symlink_to(imp.csbx.work / "elsewhere")
    imp.refused()


@pytest.mark.parametrize("name", ["index.json", "oci-layout", "blob"])
def test_a22_fifo_does_not_hang(imp, name):
    imp.write(FINE)
    index = json.loads((imp.source / "index.json").read_bytes())
    path = imp.blob(index["manifests"][0]["digest"]) if name == "blob" else imp.source / name
    path.unlink()
    os.mkfifo(path)
    imp.refused()


def test_a22_directory_in_place_of_a_blob(imp):
    imp.write(FINE)
    index = json.loads((imp.source / "index.json").read_bytes())
    path = imp.blob(index["manifests"][0]["digest"])
    path.unlink()
    path.mkdir()
    imp.refused()


def test_missing_blob_names_it(imp):
    imp.write(FINE)
    index = json.loads((imp.source / "index.json").read_bytes())
    imp.blob(index["manifests"][0]["digest"]).unlink()
    imp.refused(says=index["manifests"][0]["digest"][7:19])


def test_a24_hostile_text_does_not_reach_the_terminal(imp):
    said = imp.write([*FINE, F("evil\x1b]0;owned\x07\r\u202e/../x")]).refused()
    assert "\x1b" not in said
    imp.write(FINE, ref="esc\x1b[31m")
    p = imp.csbx.run("import", "-o", imp.out, f"oci:{imp.source}:other")
    assert p.returncode == 125 and "\x1b" not in p.stderr


def test_existing_output_stays(imp):
    imp.out.write_text("precious")
    imp.write(FINE).refused(says="exists")
    assert imp.out.read_text() == "precious"
    imp.write([F("bad/..")]).refused("--force")
    assert imp.out.read_text() == "precious", "a failed import with --force keeps the old file"


def test_fuzzed_layouts(imp):
    """150 seeded damages anywhere in a small layout: accepted or refused, never a crash."""
    import random
    rng = random.Random(int(os.environ.get("CSBX_TEST_SEED", "1")))
    image = Image([make_layer([*FINE, F("x", b"1" * 100), H("y", "x"), L("z", "x")], "plain"),
                   make_layer([W("y"), D("etc"), O("etc")], "gzip")])
    files = ociimage.oci_files([image])
    crashed = []
    for n in range(150):
        name = rng.choice(sorted(files))
        data = bytearray(files[name])
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(data))
            data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
        (imp.source).mkdir(exist_ok=True)
        ociimage.write_files(imp.source, {**files, name: bytes(data)})
        p = imp.csbx.run("import", "-q", "-f", "-o", imp.out, f"oci:{imp.source}")
        if p.returncode not in (0, 125):
            crashed.append((n, name, p.returncode, p.stderr))
    assert not crashed
