# SPDX-License-Identifier: Apache-2.0
"""Roots of many lower layers: upper directories over an image, files of a stack."""
import json

import pytest

import images
from ociimage import D, F

CHANGES = [
    "echo one >/added; rm /tree/gone; rm -r /tree/opaque; mkdir /tree/opaque; echo new >/tree/opaque/new",
    "echo two >/second; rm /added; echo more >>/tree/appended; chmod 2750 /tree/kept",
    "mkdir -p /tree/gone; echo three >/tree/gone/file; rm -r /tree/opaque",
]
LISTING = "cd /; for f in added second tree tree/*; do stat -c '%n %f %u %g %s' $f; done; cat added second tree/appended " \
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
