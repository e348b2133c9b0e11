# SPDX-License-Identifier: Apache-2.0
"""ADD of a file that a web server has: one on this machine, which notes what it is asked."""
import hashlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import sides  # noqa: E402


def build(box, dockerfile, *args):
    (box.context / "Dockerfile").write_text(dockerfile)
    p = box.run("docker", "build", "-t", "made", *args, str(box.context))
    return p.stdout + p.stderr, p.returncode


def sh(box, script):
    return box.ok("docker", "run", "--rm", "made", "sh", "-c", script)


@pytest.mark.both_users
def test_file(box, web):
    web.files["/a%20b?q=1"] = 200, {}, b"blank\n"
    web.files["/moved"] = 302, {"Location": "/d/f.txt"}, b""
    said, code = build(box, f"FROM box\nARG U={web.url}\nADD $U/d/f.txt /x\nADD --chmod=751 $U/d/f.txt /y/\nADD $U/a%20b?q=1 /z/\n"
                       "ADD $U/moved $U/d/f.txt Dockerfile /m/\n")
    assert code == 0, said
    assert sh(box, "cat /x /y/f.txt '/z/a b' /m/f.txt /m/moved; stat -c '%a %Y' /x /y/f.txt; ls /m") == \
        "one\none\nblank\none\none\n600 1445412480\n751 1445412480\nDockerfile\nf.txt\nmoved\n"


def test_cache(box, web):
    """Each build asks for it; its content decides."""
    dockerfile = f"FROM box\nADD {web.url}/d/f.txt /x\nRUN cat /x >/y\n"
    for text, cached in (b"one\n", 0), (b"one\n", 2), (b"two\n", 0):
        web.files["/d/f.txt"] = 200, {}, text
        said, code = build(box, dockerfile)
        assert code == 0 and said.count("CACHED") == cached, said
        assert sh(box, "cat /y") == text.decode()
    assert len(web.asked) == 3


def test_checksum(box, web):
    good = hashlib.sha256(b"one\n").hexdigest()
    said, code = build(box, f"FROM box\nADD --checksum=sha256:{good} {web.url}/d/f.txt /x\n")
    assert code == 0 and sh(box, "cat /x") == "one\n", said
    web.files["/d/f.txt"] = 200, {}, b"two\n"
    said, code = build(box, f"FROM box\nADD --checksum=sha256:{good} {web.url}/d/f.txt /x\n")
    assert code == 1 and f"digest mismatch sha256:{hashlib.sha256(b'two' + bytes([10])).hexdigest()}: sha256:{good}" in said, said
    said, code = build(box, f"FROM box\nADD --checksum=sha256:12 {web.url}/d/f.txt /x\n")
    assert code == 1 and "--checksum=sha256:12" in said, said
    said, code = build(box, f"FROM box\nADD --checksum=sha256:{good} {web.url}/d/f.txt Dockerfile /x/\n")
    assert code == 1 and "checksum can't be specified" in said, said


def test_network_none(box, web):
    said, code = build(box, f"FROM box\nADD {web.url}/d/f.txt /x\n", "--network", "none")
    assert code == 1 and "the build has no network" in said, said
    assert not web.asked


def test_archives(box, web):
    web.files["/t.tar"] = 200, {}, sides.make_tar({"m": "in\n"}, "w")
    web.files["/t.tgz"] = 200, {}, sides.make_tar({"n": "in\n"}, "w:gz")
    said, code = build(box, f"FROM box\nADD {web.url}/t.tar /x/\nADD --unpack=true {web.url}/t.tar /y/\nADD --unpack=true {web.url}/t.tgz /z\n"
                       f"ADD --unpack=true {web.url}/d/f.txt /w\n")
    assert code == 0, said
    assert sh(box, "ls /x /y /z; cat /w") == "/x:\nt.tar\n\n/y:\nm\n\n/z:\nn\none\n"


def test_what_goes_wrong(box, web):
    web.files["/short"] = 200, {"Content-Length": "100"}, b"few"
    web.files["/loop"] = 302, {"Location": "/loop"}, b""
    web.files["/file"] = 302, {"Location": "file:///etc/passwd"}, b""
    for path, dest, why in (("nope", "x", "the server answers 404"), ("short", "x", "short"), ("loop", "x", "redirects"), ("file", "x", "file"),
                            ("d/", "x/", "cannot determine filename"), ("..%2fx", "x/", "no name of a file"), ("%2e%2e", "x/", "no name of a file")):
        web.files["/d/"] = 200, {}, b"x"
        said, code = build(box, f"FROM box\nADD {web.url}/{path} /{dest}\n")
        assert code == 1 and why in said, said


def test_here_document_with_an_argument(box):
    """A value that a here-document holds makes its COPY another one."""
    for value in "1", "2":
        said, code = build(box, "FROM box\nARG V\nCOPY <<f /x\n$V\nf\n", "--build-arg", f"V={value}")
        assert code == 0 and sh(box, "cat /x") == value + "\n", said
