# SPDX-License-Identifier: Apache-2.0
"""Roots of many lower layers: upper directories over an image, files of a stack."""
import json
import subprocess

import pytest

import images
from ociimage import D, F, Image, make_layer

CHANGES = [
    "echo one >/added; rm /tree/gone; rm -r /tree/opaque; mkdir /tree/opaque; echo new >/tree/opaque/new",
    "echo two >/second; rm /added; echo more >>/tree/appended; chmod 2750 /tree/kept",
    "mkdir -p /tree/gone; echo three >/tree/gone/file; rm -r /tree/opaque",
]
LISTING = "cd /; for f in added second tree tree/*; do stat -c '%n %f %u %g' $f; done; cat added second tree/appended " \
          "tree/gone/file; ls -R tree; true"


@pytest.fixture
def box(csbx, make_image):
    entries = [D("tree"), F("tree/gone", b"1"), D("tree/opaque"), F("tree/opaque/below", b"1"), D("tree/kept"),
               F("tree/appended", b"one\n")]
    image = make_image(images.base_entries() + entries, config={"Env": [images.PATH_ENV]})
    csbx.ok("create", "-n", "box", image)
    yield csbx
    csbx.run("remove", "-f", "box")


def run_over(box, layers, script, **rootfs):
    """What a script says in a root of these upper directories, the lowest first, over the image."""
    spec = {"version": 1, "name": rootfs.pop("name", None) or "over",
            "rootfs": {"kind": "squashfs", "path": str(box.work / "made.sqsh"), "layers": layers, **rootfs},
            "process": {"argv": ["/bin/sh", "-c", script], "env": [images.PATH_ENV]}}
    return box.ok("run", "--spec", "-", stdin=json.dumps(spec))


@pytest.mark.both_users
def test_upper_directories_as_lower_layers(box):
    """What three runs make one over the other is what one run makes in one layer."""
    layers = []
    for i, script in enumerate(CHANGES):
        run_over(box, layers, script, upper="kept", name=f"step{i}")
        layers.append(str(box.dirs["data"] / "layers" / f"step{i}" / "upper"))
    box.ok("start", "-w", "box", "sh", "-c", "\n".join(CHANGES))
    shown = box.ok("start", "-w", "box", "sh", "-c", LISTING)
    assert run_over(box, layers, LISTING) == shown
    assert run_over(box, layers, LISTING, upper="readonly") == shown
    assert "three" in shown and "added" not in shown and "opaque" not in shown
    below = run_over(box, layers[:2], LISTING)
    assert "tree/opaque:\nnew\n" in below and "tree/gone" not in below


def test_forty_layers(box):
    layers = []
    for i in range(40):
        layer = box.work / f"layer{i}"
        layer.mkdir()
        (layer / f"file{i}").write_text(str(i))
        (layer / "last").write_text(str(i))
        layers.append(str(layer))
    assert run_over(box, layers, "cat /last; ls -d /file* | wc -l").split() == ["3940"]


def test_layers_that_are_none(box):
    spec = {"version": 1, "process": {"argv": ["true"]},
            "rootfs": {"kind": "squashfs", "path": str(box.work / "made.sqsh"), "layers": ["relative"]}}
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="layers: relative: must be an absolute path")
    spec["rootfs"]["layers"] = [str(box.work / "none")]
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="none: No such file or directory")
    spec["rootfs"]["layers"] = ["/tmp"] * 65
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="layers: more than 64")


# --- images that are stacks -----------------------------------------------------------------------------------------

CONTENT = LISTING + "; id -un; cat /.csbx/diff_ids.json >/dev/null"


def docker(csbx, *argv):
    p = csbx.run("docker", *argv)
    assert p.returncode == 0, f"{argv}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout


def inside(csbx, image, script):
    return docker(csbx, "run", "--rm", image, "sh", "-c", script)


def commit(csbx, image, script, name):
    """What a container of an image does, as an image."""
    docker(csbx, "run", "--name", "step", image, "sh", "-c", script)
    docker(csbx, "commit", "step", name)
    shown = docker(csbx, "diff", "step")
    docker(csbx, "rm", "step")
    return shown


@pytest.fixture
def table(csbx):
    """The directory of images, with app:0 in it, a file of its own."""
    entries = [D("tree"), F("tree/gone", b"1"), D("tree/opaque"), F("tree/opaque/below", b"1"), D("tree/kept"),
               F("tree/appended", b"one\n")]
    image = Image([make_layer(images.base_entries() + entries)], {"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV]})
    image.write_docker_archive(csbx.work / "app.tar", generation=1, tags=["app:0"])
    docker(csbx, "load", "-i", csbx.work / "app.tar")
    yield csbx.dirs["data"] / "images"
    csbx.run("docker", "rm", "-f", "step", "held")


def file_of(csbx, image):
    return docker(csbx, "image", "inspect", "-f", "{{.Id}}", image).strip().removeprefix("sha256:") + ".sqsh"


@pytest.mark.both_users
def test_commits_over_commits(csbx, table):
    """Three commits show what three runs in one layer show; the base is there once, and served once."""
    docker(csbx, "run", "--name", "held", "app:0", "sh", "-c", "\n".join(CHANGES))
    docker(csbx, "commit", "held", "whole:1")
    for i, script in enumerate(CHANGES):
        shown = commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    assert "C /tree" in shown and "D /tree/opaque" in shown and "A /tree/gone/file" in shown
    assert inside(csbx, "app:3", CONTENT) == inside(csbx, "whole:1", CONTENT)
    assert "tree/opaque:\nnew\n" in inside(csbx, "app:2", CONTENT)
    base, top = file_of(csbx, "app:0"), file_of(csbx, "app:3")
    assert sorted(p.name for p in table.glob(top + "*")) == [top, top + ".0", top + ".1", top + ".2"]
    assert (table / (top + ".0")).samefile(table / base)
    assert (table / top).stat().st_size < 65536 < (table / base).stat().st_size
    for image in ("app:0", "app:1", "app:3", "whole:1"):
        docker(csbx, "run", "-d", "--label", "here", image, "sleep", "60")
    assert len(json.loads(csbx.ok("list", "--servers", "--json"))) == 1
    docker(csbx, "rm", "-f", *docker(csbx, "ps", "-q", "--filter", "label=here").split())


def test_the_base_goes_first(csbx, table):
    """What a stack lies over stays as long as the stack, and goes with the last that has it."""
    commit(csbx, "app:0", CHANGES[0], "app:1")
    docker(csbx, "rmi", "app:0")
    csbx.ok("gc")
    assert inside(csbx, "app:1", "cat /added") == "one\n"
    docker(csbx, "create", "--name", "held", "app:1", "cat", "/added", "/tree/appended")
    docker(csbx, "rmi", "-f", "app:1")
    csbx.ok("gc")
    assert not list(table.glob("*.sqsh*"))
    assert docker(csbx, "start", "-a", "held") == "one\none\n"


def test_as_high_as_a_stack_may_be(csbx, table):
    """The ninth file makes them one again."""
    for i in range(9):
        commit(csbx, f"app:{i}", f"echo {i} >>/log; echo {i} >/file{i}", f"app:{i + 1}")
    assert len(list(table.glob(file_of(csbx, "app:7") + "*"))) == 8
    assert len(list(table.glob(file_of(csbx, "app:8") + "*"))) == 1
    assert inside(csbx, "app:9", "cat /log; ls -d /file* | wc -l").split() == [*map(str, range(9)), "9"]


def test_a_stack_as_container_of_csbx(csbx, table):
    commit(csbx, "app:0", CHANGES[0], "app:1")
    csbx.ok("create", "-n", "py", "app:1")
    docker(csbx, "rmi", "app:1", "app:0")
    assert csbx.ok("start", "-w", "py", "sh", "-c", "cat /added; echo mine >>/added") == "one\n"
    csbx.ok("export", "py")
    csbx.ok("cp", "py:/added", csbx.work / "copy")
    assert (csbx.work / "copy").read_text() == "one\nmine\n"
    assert csbx.ok("start", csbx.work / "py.sqsh", "sh", "-c", LISTING).startswith("added")
    csbx.ok("remove", "-f", "py")


def test_a_lower_file_that_is_gone(csbx, table):
    commit(csbx, "app:0", CHANGES[0], "app:1")
    (table / (file_of(csbx, "app:1") + ".0")).rename(table / "elsewhere")
    p = csbx.run("docker", "run", "--rm", "app:1", "true")
    assert p.returncode == 125 and ".sqsh.0, which " in p.stderr, p.stderr


def test_saved_and_loaded(csbx, table):
    """What docker save makes of a stack is an image of one layer that shows the same."""
    for i, script in enumerate(CHANGES[:2]):
        commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    shown = inside(csbx, "app:2", CONTENT)
    docker(csbx, "save", "-o", csbx.work / "saved.tar", "app:2")
    docker(csbx, "rmi", "app:0", "app:1", "app:2")
    docker(csbx, "load", "-i", csbx.work / "saved.tar")
    assert inside(csbx, "app:2", CONTENT) == shown


@pytest.mark.needs_root
def test_where_nothing_can_be_mounted(csbx, table):
    """The files of a stack are unpacked one by one, and what they hide stays hidden."""
    for i, script in enumerate(CHANGES[:2]):
        commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    shown = inside(csbx, "app:2", CONTENT)
    hide = ('mount --make-rprivate / && : >"$0" && chmod 000 "$0" && mount --bind "$0" /dev/fuse && '
            'exec "$@"')
    p = subprocess.run(["unshare", "-m", "sh", "-c", hide, csbx.top / "nofuse", "runuser", "-u", csbx.owner.pw_name, "--",
                        *csbx.argv(["docker", "run", "--rm", "app:2", "sh", "-c", CONTENT])], cwd=csbx.work,
                       env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    # What is unpacked has no set-group-ID bit .
    assert p.returncode == 0 and p.stdout == shown.replace("45e8", "41e8"), p.stderr
