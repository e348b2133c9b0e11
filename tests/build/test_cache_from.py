# SPDX-License-Identifier: Apache-2.0
"""--cache-from: the steps that an image tells, where the build cache has lost them."""
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import harness  # noqa: E402
import images  # noqa: E402
from registries import DebianRegistry  # noqa: E402

INLINE = ("--build-arg", "BUILDKIT_INLINE_CACHE=1")
# Files that come, go, change their kind, have links, modes and owners; a step without a file.
STEPS = """FROM box
ARG WORD=a
RUN echo 1 >/one; rm /bin/wc; mkdir -p /d/e; echo x >/d/f; chmod 600 /d/f; chown 7:8 /d/f; mkdir -m 1777 /t; mkfifo /p
ENV A=1
WORKDIR /app
COPY f /app/
RUN rm -r /d; mkdir /d; echo new >/d/g; ln -s g /d/l; ln /d/g /d/h; rm /one; mkdir /one; touch -d @1000000000 /d/g
RUN true
RUN rm /app/f; mkdir /app/f; echo $WORD >/word; head -c 8 /dev/urandom | od -An -tx1 >/random
CMD ["cat", "/random"]
"""
LIST = "cd /; find app bin/wc d one p t word random | sort | while read f; do stat -c '%n %f %u %g' $f; done; stat -c %h d/g; stat -c %Y d/g; " \
       "cat d/g d/h d/l word random; find / -xdev -name '.wh.*'"


@pytest.fixture
def box(session_dir, tmp_path):
    made = harness.Sandbox(top=Path(session_dir))
    tar = tmp_path / "box.tar"
    images.busybox_image().write_docker_archive(tar, tags=("box:latest",))
    made.ok("docker", "load", "-q", "-i", str(tar))
    made.context = tmp_path / "ctx"
    made.context.mkdir()
    (made.context / "f").write_text("f\n")
    yield made
    assert not made.leftovers()
    made.close()


def build(box, dockerfile, *args, tag="app"):
    """The numbers of steps that came from the cache, and what was said."""
    p = box.run("docker", "build", "-t", tag, *args, "-f", "-", str(box.context), stdin=dockerfile, timeout=120)
    assert p.returncode == 0, p.stderr
    return p.stderr.count("CACHED"), p.stderr


def prune(box):
    box.ok("docker", "builder", "prune", "-af")
    assert not [n for n in os.listdir(box.dirs["cache"] / "build") if len(n) >= 64]


def listing(box, image):
    return box.ok("docker", "run", "--rm", image, "sh", "-c", LIST)


def identity(box, image):
    return box.ok("docker", "images", "-q", "--no-trunc", image).strip()


@pytest.mark.both_users
@pytest.mark.parametrize("told", [INLINE, ("--cache-to", "type=inline")], ids=["argument", "option"])
def test_after_a_prune(box, told):
    """The line of a harness, before there is the image and after the cache is gone."""
    line = ("--cache-from", "app:latest", *told)
    cached, said = build(box, STEPS, *line)
    assert cached == 0 and "docker pull app:latest" in said, said
    first, files = identity(box, "app"), listing(box, "app")
    layers = json.loads(box.ok("docker", "image", "inspect", "-f", "{{json .RootFS.Layers}}", "app"))
    history = box.ok("docker", "history", "--format", "{{.CreatedBy}}", "app").splitlines()
    assert len(layers) == 6 and len(history) == 9
    prune(box)
    cached, said = build(box, STEPS, *line, tag="again")
    assert cached == 6 and identity(box, "again") == first, said
    prune(box)
    # A step that is another one: those before it are found, those behind it are made.
    cached, said = build(box, STEPS.replace("RUN true", "RUN false || true"), *line, tag="other")
    assert cached == 4 and identity(box, "other") != first, said
    same = files.splitlines()[:-1]
    assert listing(box, "other").splitlines()[:-1] == same
    # The steps that were found are in the cache as if they had been made: csbx's own builds find them.
    assert build(box, STEPS.replace("RUN true", "RUN false || true"), tag="plain")[0] == 6
    # Without --cache-from nothing of it counts, and with --no-cache neither.
    prune(box)
    assert build(box, STEPS, *INLINE)[0] == 0
    prune(box)
    assert build(box, STEPS, *line, "--no-cache", tag="anew")[0] == 0


@pytest.mark.both_users
def test_files_of_a_layer(box):
    """What is read back of the layers is what the steps had made, to the owner and the kind of each file."""
    build(box, STEPS, *INLINE)
    want = listing(box, "app")
    prune(box)
    # One more step at the end: the image is made of files that came from the layers.
    cached, said = build(box, STEPS + "RUN : more >/more\n", "--cache-from", "app", tag="more")
    assert cached == 6, said
    assert listing(box, "more") == want


def test_more_steps_than_files(box):
    """An image of eight files has room for six of ten steps behind the base; the last four share a file and are made anew."""
    steps = "FROM box\n" + "".join(f"RUN echo {i} >/s{i}; echo {i} >>/all\n" for i in range(10))
    build(box, steps, *INLINE)
    count = json.loads(box.ok("docker", "image", "inspect", "-f", "{{json .RootFS.Layers}}", "app"))
    assert len(count) == 8
    prune(box)
    cached, said = build(box, steps, "--cache-from", "type=registry,ref=app", tag="again")
    assert cached == 6, said
    want = "".join(f"{i}\n" for i in range(10))
    assert [box.ok("docker", "run", "--rm", n, "cat", "/all") for n in ("app", "again")] == [want] * 2
    # As high as a stack may be: one file again.
    build(box, "FROM app\nRUN echo 10 >>/all\nRUN echo 11 >>/all\n", tag="high")
    assert box.ok("docker", "run", "--rm", "high", "cat", "/all") == want + "10\n11\n"


def test_the_base_has_more_files(box):
    """A base that is a stack leaves less room; a base stage's steps are told with those of the target."""
    build(box, "FROM box\nRUN echo 1 >/a\nRUN echo 2 >/b\n", *INLINE, tag="base")
    text = "FROM base AS one\nRUN echo 3 >/c\nFROM one\nRUN echo 4 >/d\n"
    build(box, text, *INLINE)
    prune(box)
    cached, said = build(box, text, "--cache-from", "other,app", tag="again")
    assert cached == 2 and "other gives no steps" in said, said
    assert box.ok("docker", "run", "--rm", "again", "cat", "/a", "/b", "/c", "/d") == "1\n2\n3\n4\n"


@pytest.mark.both_users
def test_through_a_registry(box, tmp_path):
    """Pushed, removed, pulled: the layers of the registry give the steps."""
    for tool in ("docker-registry",):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    registry = DebianRegistry(tmp_path / "registry")
    try:
        name = f"{registry.host}/app:1"
        build(box, STEPS, *INLINE, tag=name)
        want = listing(box, name)
        box.ok("docker", "push", "-q", name)
        box.ok("docker", "rmi", "-f", name)
        prune(box)
        box.ok("cache", "prune", "--max", "1")
        box.ok("docker", "pull", "-q", name)
        cached, said = build(box, STEPS + "RUN : more >/more\n", "--cache-from", f"type=registry,ref={name}", tag="more")
        assert cached == 6, said
        assert listing(box, "more") == want
    finally:
        registry.close()


def test_what_is_said(box):
    """An image that tells no steps, one there is none of; -q prints the id alone; a word that is not done is an error."""
    build(box, "FROM box\nRUN echo 1 >/o\n", tag="silent")
    _, said = build(box, "FROM box\nRUN echo 1 >/o\n", "--cache-from", "silent", "--cache-from", "box:1")
    assert "silent gives no steps: it does not tell its steps: build it with --cache-to type=inline" in said
    assert "box:1 gives no steps: no image of that name is here" in said
    p = box.run("docker", "build", "-q", "--cache-from", "box:1", "-", stdin="FROM box\n")
    assert p.returncode == 0 and not p.stderr and p.stdout.startswith("sha256:")
    for word in (("--cache-from", "type=local,src=/x"), ("--cache-to", "type=registry,ref=x"), ("--cache-from", "type=registry")):
        p = box.run("docker", "build", *word, "-", stdin="FROM box\n")
        assert p.returncode == 1 and " ".join(word) in p.stderr and len(p.stderr.splitlines()) == 1, p.stderr
    # An image that could not tell its steps says so.
    _, said = build(box, "FROM scratch\nCOPY f /\n", *INLINE, tag="whole")
    assert "tells no steps" in said, said
