# SPDX-License-Identifier: Apache-2.0
"""Builds on a disk that is full, at whatever step: one line says so, and nothing half-made is used by the next build."""
import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import harness  # noqa: E402
import images  # noqa: E402

DOCKERFILE = ("FROM box AS side\nRUN dd if=/dev/zero of=/side bs=90000 count=1\n"
              "FROM box\nRUN dd if=/dev/zero of=/ran bs=90000 count=1 && echo more >>/ran\nCOPY big many /copied/\nWORKDIR /made\nCOPY --from=side /side /\n"
              "ADD packed.tar /added/\nRUN find /ran /copied /side /added /made -type f | sort | xargs cat | md5sum >/sum\n")


@contextlib.contextmanager
def small_disk(box, place, kib, inodes=0):
    """Mounts a tmpfs of that size over the directory; its own files are there again afterwards."""
    options = f"size={kib}k,mode=0700,uid={box.owner.pw_uid},gid={box.owner.pw_gid}" + (f",nr_inodes={inodes}" if inodes else "")
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
    try:
        yield
    finally:
        box.run("gc", "--servers")
        subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def box(session_dir):
    made = harness.Sandbox(top=Path(session_dir))
    tar = made.work / "box.tar"
    images.busybox_image().write_docker_archive(tar, tags=("box:latest",))
    tar.chmod(0o644)
    made.tar = tar
    context = made.work / "ctx"
    (context / "many").mkdir(parents=True)
    (context / "big").write_bytes(b"b" * 200000)
    for i in range(20):
        (context / "many" / f"f{i}").write_bytes(b"m" * 100 * i)
    subprocess.run(["tar", "-C", context, "-cf", context / "packed.tar", "big", "many"], check=True)
    (context / "Dockerfile").write_text(DOCKERFILE)
    yield made
    assert not made.leftovers()
    made.close()


def build(box):
    return box.run("docker", "build", "-t", "made", str(box.work / "ctx"), timeout=120)


def check_refusal(p, what):
    """csbx says in the last line that it could not write; a step that could not write says so itself."""
    said = p.stdout + p.stderr
    assert p.returncode == 1, (what, said)
    last = p.stderr.rstrip("\n").splitlines()[-1]
    assert last.startswith("ERROR: failed to build: "), (what, said)
    assert "No space left on device" in last and "docker builder prune" in last or "did not complete successfully" in last and \
        "No space left on device" in said, (what, said)


@pytest.fixture
def answer(box):
    box.ok("docker", "load", "-q", "-i", str(box.tar))
    p = build(box)
    assert p.returncode == 0, p.stderr
    found = box.ok("docker", "run", "--rm", "made", "cat", "/sum")
    box.ok("docker", "rmi", "-f", "made")
    box.ok("docker", "builder", "prune", "-af")
    return found


def sweep(box, answer, place, sizes):
    failed = 0
    for kib, inodes in sizes:
        with small_disk(box, place, kib, inodes):
            if place == box.dirs["data"]:
                box.ok("docker", "load", "-q", "-i", str(box.tar))
            p = build(box)
            if p.returncode:
                failed += 1
                check_refusal(p, (kib, inodes))
                left = [x.name for x in (box.dirs["cache"] / "build").glob("new-*")]
                assert not left, (kib, inodes, left, p.stderr)
                assert box.run("docker", "image", "inspect", "made").returncode, (kib, inodes)
                subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=10000", place], check=True)
                p = build(box)
            assert p.returncode == 0, (kib, inodes, p.stderr)
            assert box.ok("docker", "run", "--rm", "made", "cat", "/sum") == answer, (kib, inodes)
            box.ok("docker", "rmi", "-f", "made")
            box.ok("docker", "builder", "prune", "-af")
    return failed


@pytest.mark.needs_root
def test_the_cache_is_full(box, answer):
    box.ok("docker", "builder", "prune", "-af")
    sizes = [(kib, 0) for kib in (4, 24, 100, 132, 260, 380, 440, 560, 640, 800, 1200, 65536)]
    failed = sweep(box, answer, box.dirs["cache"], sizes)
    assert 6 <= failed < len(sizes)


@pytest.mark.needs_root
def test_the_cache_has_no_inodes(box, answer):
    sizes = [(65536, n) for n in (2, 4, 6, 8, 12, 18, 23, 32, 44, 80, 10000)]
    failed = sweep(box, answer, box.dirs["cache"], sizes)
    assert 5 <= failed < len(sizes)


@pytest.mark.needs_root
def test_the_table_of_images_is_full(box, answer):
    size = sum(f.stat().st_blocks for f in box.dirs["data"].rglob("*")) // 2
    sizes = [(size + more, 0) for more in (64, 72, 80, 128, 4096)]
    failed = sweep(box, answer, box.dirs["data"], sizes)
    assert 1 <= failed < len(sizes)
