#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_corpus.py: writes the seeds of the image fuzzers to tests/fuzz/corpus. Run it after a change.

Each seed is small and shows one form of the input; crashes that were found are added by hand under
names of their own, and are never removed here.
"""
import io
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fixtures"))
import ociimage  # noqa: E402
from ociimage import F, Image, descriptor, docker_files, make_layer, oci_files, to_json  # noqa: E402

CONFIG = {"User": "1000:100", "Env": ["PATH=/bin", "A=${HOME}", "N=a\nb"], "Entrypoint": ["/e", "it's"],
          "Cmd": None, "WorkingDir": "w", "Labels": {"k": "v\n", "b": "\\"},
          "Volumes": {"/data": {}, "/../x": {}}, "ExposedPorts": {"80/tcp": {}}, "StopSignal": "SIGINT"}


def image():
    return Image([make_layer([F("a", b"1")], "plain")], CONFIG, arch="amd64")


def json_seeds():
    yield "object", b'{"a":[1,-2.5e3,true,false,null,"\\u00e9\\ud83d\\ude00\\n"],"b":{"c":{}}}'
    yield "twice", b'{"a":1,"\\u0061":2}'
    yield "deep", b"[" * 40 + b"]" * 40
    yield "numbers", b"[0,-0,1e999,9007199254740991,9007199254740993,1.0,0.1E-2]"
    yield "blanks", b' {\t"x"\r:\n[ ] } '
    yield "utf8", '"\u00e4\u20ac\U0001f600"'.encode()
    yield "surrogate", b'"\\ud800x"'
    yield "python", b'[NaN,Infinity,-Infinity,"\\u0000\\ud800\\ud83d\\ude00\\udc00"]'
    yield "long-number", b"[-12345678901234567890123456789012345678901234567890123456789012345]"
    yield "any-case", '{"Binds":1,"bind\u017f":2,"\u212a":null,"k":[]}'.encode()
    yield "config", to_json({"config": {**CONFIG, "Labels": {"k": None, "\n": "1"}}, "rootfs": {"diff_ids": []},
                             "history": [{"a": 1}, {"empty_layer": True}, {"empty_layer": False}, None]})
    yield "values", b'{"$dict":[[1,{"$tuple":[2]}]]}'
    yield "words", b'[{"$float":"nan"},{"$bytes":"AP8="},{"$set":[1,2]},{"$set":1}]'
    yield "many-names", b"{" + b",".join(b'"k%d":%d' % (n * 7 % 40, n) for n in range(40)) + b"}"


def manifest_seeds():
    x = image()
    files = oci_files([x], nested=True)
    yield "config", x.config_blob
    yield "manifest", to_json(x.manifest())
    yield "index", next(v for k, v in files.items() if k.startswith("blobs/") and b"platform" in v)
    yield "layout-index", files["index.json"]
    yield "oci-layout", files["oci-layout"]
    yield "docker", docker_files(x, 1, ["x:1", "y:2"])["manifest.json"]
    yield "docker-null", b"null"
    both = {**x.manifest(), "manifests": []}
    yield "both", to_json(both)
    yield "schema1", b'{"schemaVersion":1,"fsLayers":[]}'
    attestation = descriptor(ociimage.OCI + ".manifest.v1+json", b"x",
                             platform={"os": "unknown", "architecture": "unknown"},
                             annotations={"vnd.docker.reference.type": "attestation-manifest"})
    yield "attestation", to_json({"schemaVersion": 2, "manifests": [attestation]})


def ref_seeds():
    hexa = "0123456789abcdef" * 4
    for n, text in enumerate((
            "ubuntu", "nvcr.io/nvidia/cuda:12.4", "user@nvcr.io#nvidia/cuda:12.4", "localhost:5000/a/b",
            "x@sha256:" + hexa, "me@h.io@[::1]:5000#a__b/c-d:t@sha256:" + hexa, "oci:dir:v1",
            "docker-archive:f.tar:docker.io/library/busybox:1", "oci-archive:f@3", "oci:f:@0",
            "oci:d@sha256:" + hexa, "tar:x.tar.gz", "-")):
        yield f"{n:02}", text.encode()


def tar_of(members, fmt):
    out = io.BytesIO()
    # A record of one block instead of twenty keeps the seeds small.
    with tarfile.open(fileobj=out, mode="w", format=fmt) as tar:
        for name, kind, link, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(data)
            tar.addfile(info, io.BytesIO(data))
    text = out.getvalue().rstrip(b"\0")
    return text + b"\0" * (-len(text) % 512 + 1024)


def archive_seeds():
    reg, sym, lnk, directory = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
    plain = [("d", directory, "", b""), ("d/f", reg, "", b"data"), ("l", sym, "d/f", b""),
             ("e/l", sym, "../d/f", b""), ("h", lnk, "d/f", b""), ("loop", sym, "loop", b"")]
    long = [("n" * 90 + "/" + "m" * 90, reg, "", b"x"), ("s", sym, "t" * 150, b"")]
    yield "ustar", tar_of(plain, tarfile.USTAR_FORMAT)
    yield "gnu-long", tar_of(long, tarfile.GNU_FORMAT)
    yield "pax-long", tar_of(long, tarfile.PAX_FORMAT)
    yield "pax-utf8", tar_of([("\u00e4", reg, "", b"x")], tarfile.PAX_FORMAT)
    yield "twice", tar_of([("a", reg, "", b"1"), ("a", reg, "", b"2")], tarfile.USTAR_FORMAT)
    yield "escapes", tar_of([("../a", reg, "", b"1"), ("b", sym, "../../a", b"")], tarfile.USTAR_FORMAT)


def http_seeds():
    for n, text in enumerate((
            "https://registry.example:5000/v2/a/blobs/sha256:0?x=1#f", "http://[::1]:80/", "//other/x",
            "/path", "../x?y", "https://u:p@h/", "http://0x7f.1/", "http://169.254.169.254/latest",
            'Bearer realm="https://a/t",service="s",scope="repository:a/b:pull,push",error="x"',
            'Negotiate abc==, Basic realm="x\\"y"', "bytes 5-9/10", "bytes 0-0/*", "bytes */10", "120",
            "Tue, 14 Nov 2023 22:13:30 GMT", "application/json; charset=utf-8")):
        yield f"{n:02}", text.encode()


def credentials_seeds():
    for n, text in enumerate((
            'machine host login me password "a b"\n# x\nmachine other account z login $u password p\n',
            "default login me password $HOME", "machine host login me password $(id -u) x\n",
            '{"auths":{"https://host:5000/v2/":{"auth":"bWU6YTpi"},"host:5000/a":{"auth":""}}}',
            '{"auths":{"host:5000":{"identitytoken":"t","username":"u","password":"p"}}}',
            '{"credHelpers":{"host:5000":"x"},"credsStore":"y","n":[1,null,true]}',
            '{"ServerURL":"h","Username":"<token>","Secret":"s"}',
            '{"token":"abc","expires_in":300,"issued_at":"2020-01-01T00:00:00Z"}', '{"access_token":"x"}',
            '{"errors":[{"code":"DENIED","message":"no\\u001b[m","detail":{}}]}')):
        yield f"{n:02}", text.encode()


def main():
    for target, seeds in (("json", json_seeds), ("manifest", manifest_seeds), ("ref", ref_seeds),
                          ("archive_index", archive_seeds), ("http", http_seeds),
                          ("credentials", credentials_seeds)):
        home = os.path.join(HERE, "corpus", target)
        os.makedirs(home, exist_ok=True)
        for name, data in seeds():
            with open(os.path.join(home, name), "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()
