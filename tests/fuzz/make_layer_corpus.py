#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_layer_corpus.py: writes the seeds of fuzz_layer and fuzz_tree to tests/fuzz/corpus.

Each seed is small and shows one form of the input; crashes that were found are added by hand under
names of their own, and are never removed here.
"""
import gzip
import io
import os
import struct
import tarfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def member(name, kind=tarfile.REGTYPE, data=b"", link="", pax=None):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(data), link
    info.pax_headers = pax or {}
    return info, data


def tar(*members, form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for info, data in members:
            t.addfile(info, io.BytesIO(data))
    return out.getvalue().rstrip(b"\0") + b"\0" * 1024


def layers(*blobs):
    return b"".join(struct.pack("<H", len(b)) + b for b in blobs)


def sparse():
    pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s",
           "GNU.sparse.realsize": "3000"}
    return tar(member("GNUSparse/s", data=b"1\n100\n2\n".ljust(512, b"\0") + b"ab", pax=pax))


def layer_seeds():
    base = tar(member("d", tarfile.DIRTYPE), member("d/f", data=b"data"),
               member("l", tarfile.SYMTYPE, link="d"), member("h", tarfile.LNKTYPE, link="d/f"))
    upper = tar(member("d/.wh.f"), member("l/x", data=b"x"), member("d/.wh..wh..opq"))
    yield "two", layers(base, upper)
    yield "gzip", layers(gzip.compress(base, mtime=0))
    yield "gnu", layers(tar(member("n" * 150, tarfile.SYMTYPE, link="t" * 150), form=tarfile.GNU_FORMAT))
    yield "pax", layers(tar(member("a", pax={"SCHILY.xattr.user.k": "v", "mtime": "-1.5", "uid": "70000",
                                              "LIBARCHIVE.xattr.user.b": "dmFsdWU"})))
    yield "sparse", layers(sparse())
    yield "devices", layers(tar(member("c", tarfile.CHRTYPE), member("p", tarfile.FIFOTYPE)))
    yield "zstd-raw", layers(b"\x28\xb5\x2f\xfd\0\x50" + struct.pack("<I", 1024 << 3 | 1)[:3] + bytes(1024))


def tree_seeds():
    yield "file-and-whiteout", bytes([0, 0, 0, 0xFF, 0x80, 0, 4])
    yield "links", bytes([0, 0x41, 1, 3, 0, 2, 0x41, 1, 0xFF, 2, 0, 0, 1, 0, 0x80, 1, 0])
    yield "deep", bytes([1, 0xC6, 1, 0, 0xC6, 2, 0xFF, 0x80, 0x42, 6, 0xFF, 2, 0x80, 0, 5])
    yield "late-links", bytes([3, 0, 0, 0, 1, 3, 0, 1, 0, 2, 0, 0, 2])


def main():
    for name, seeds in (("layer", layer_seeds()), ("tree", tree_seeds())):
        folder = os.path.join(CORPUS, name)
        os.makedirs(folder, exist_ok=True)
        for seed, data in seeds:
            with open(os.path.join(folder, seed), "wb") as f:
                f.write(data)


main()
