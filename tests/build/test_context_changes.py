# SPDX-License-Identifier: Apache-2.0
"""A context that a program may write to while it is built from: no step is kept for files that it was not made of."""
import os
import subprocess
import threading

import pytest


def flip(path, stop):
    """Two contents of one size, one after the other."""
    fd = os.open(path, os.O_WRONLY)
    while not stop.is_set():
        for text in b"A\n", b"B\n":
            os.pwrite(fd, text, 0)
            stop.wait(0.003)
    os.close(fd)


def tar_of(path, text):
    path.with_name("one").write_text(text)
    subprocess.run(["tar", "-C", path.parent, "--mtime=@0", "-cf", path, "one"], check=True)


def build(box, body, **kw):
    (box.context.parent / "made").write_text("FROM box\n" + body)
    return box.run("docker", "build", "-t", "made", "-f", str(box.context.parent / "made"), str(box.context), **kw)


def test_a_step_has_the_files_that_it_is_kept_for(box):
    """A file that is another one when it is copied than when it was looked at: the build fails, or has the new one."""
    (box.context / "a").write_bytes(os.urandom(24 << 20))
    changing = box.context / "z"
    changing.write_bytes(b"A\n")
    stop = threading.Event()
    thread = threading.Thread(target=flip, args=(changing, stop))
    thread.start()
    for _ in range(8):
        p = build(box, "COPY . /d/\n")
        assert p.returncode == 0 or "/z: changed while it was read" in p.stderr, p.stderr
    stop.set()
    thread.join()
    for text in "A\n", "B\n":
        changing.write_text(text)
        p = build(box, "COPY . /d/\n")
        assert p.returncode == 0, p.stderr
        assert box.ok("docker", "run", "--rm", "made", "cat", "/d/z") == text


@pytest.mark.parametrize("packed", [False, True])
def test_an_archive_is_read_once(box, packed):
    """What ADD unpacks is what it has looked at; the big file before it gives a program the time to change it."""
    name = "z.tar.gz" if packed else "z.tar"
    contents = []
    for text in "A\n", "B\n":
        tar_of(box.context / "z.tar", text)
        data = (box.context / "z.tar").read_bytes()
        if packed:
            data = subprocess.run(["gzip", "-n"], input=data, stdout=subprocess.PIPE, check=True).stdout
        contents.append(data)
    os.unlink(box.context / "z.tar")
    os.unlink(box.context / "one")
    assert len({len(c) for c in contents}) == 1
    (box.context / "a").write_bytes(os.urandom(24 << 20))
    path = box.context / name
    path.write_bytes(contents[0])
    stop = threading.Event()

    def change():
        fd = os.open(path, os.O_WRONLY)
        while not stop.is_set():
            for data in contents:
                os.pwrite(fd, data, 0)
                stop.wait(0.003)
        os.close(fd)

    thread = threading.Thread(target=change)
    thread.start()
    body = f"ADD {name} a /d/\n"
    for _ in range(8):
        p = build(box, body)
        assert p.returncode == 0 or "changed while it was read" in p.stderr, p.stderr
    stop.set()
    thread.join()
    for text, data in zip("AB", contents):
        path.write_bytes(data)
        p = build(box, body)
        assert p.returncode == 0, p.stderr
        assert box.ok("docker", "run", "--rm", "made", "cat", "/d/one") == text + "\n"


def test_too_many_archives_are_refused(box):
    tar_of(box.context / "t0.tar", "x")
    for i in range(1, 66):
        os.link(box.context / "t0.tar", box.context / f"t{i}.tar")
    p = build(box, "ADD *.tar /d/\n")
    assert p.returncode == 1 and "ADD of more than 64 archives" in p.stderr, p.stderr
