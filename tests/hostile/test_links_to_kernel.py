# SPDX-License-Identifier: Apache-2.0
"""Mounts whose place is a link of the image: one to / , /proc, /sys or /dev is refused as these names themselves are."""
import pytest

import images
from ociimage import D, F, L

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

PLACES = ("/", "/proc", "/proc/1", "/proc/sys", "/sys", "/sys/fs", "/sys/fs/cgroup", "/dev", "/h/../dev/.")


@pytest.fixture
def linked(csbx, busybox_image):
    """A container that has links /g0, /g1, ... to these places."""
    csbx.ok("create", "--name", "linked", busybox_image)
    links = "; ".join(f"ln -s {place} /g{i}" for i, place in enumerate(PLACES))
    csbx.ok("start", "--rw", "linked", "sh", "-c", f"mkdir /h; {links}; ln -s /dev/shm /shm; ln -s /h /fine")
    (csbx.work / "d").mkdir()
    (csbx.work / "d/mark").write_text("x")
    return csbx


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mount", [["--volume", "{d}:{g}"], ["--tmpfs", "{g}"], ["--mount", "type=copy,src={d},dst={g}"]],
                         ids=["directory", "tmpfs", "copy"])
def test_it_is_refused(linked, mount, place):
    rw = [] if "copy" in mount[1] else ["--rw"]
    words = [w.format(d=linked.work / "d", g=f"/g{PLACES.index(place)}") for w in mount]
    p = linked.run("start", *rw, *words, "linked", "cat", "/proc/self/comm")
    assert (p.returncode, p.stdout) == (125, "") and p.stderr.endswith(" csbx's own\n"), p.stderr
    assert p.stderr.count("\n") == 1


def test_links_elsewhere_lead_there(linked):
    d = linked.work / "d"
    assert linked.ok("start", "--rw", "--volume", f"{d}:/fine", "--volume", f"{d}:/shm", "linked", "ls", "/h", "/dev/shm").split() == \
        ["/dev/shm:", "mark", "/h:", "mark"]


VOLUMES = ("/vp/1", "/vp/sys/kernel", "/vs/fs")


@pytest.fixture
def with_volumes(csbx, make_image):
    """with_volumes(place...): an image that has these as VOLUME, files at /a, and links to /proc, /sys and a mount."""
    def make(*places):
        entries = [L("vp", "/proc"), L("vs", "/sys"), L("vm", "/m"), D("a"), D("a/b"), F("a/b/image", "from the image\n")]
        return str(make_image([*images.base_entries(), *entries],
                              config={"Env": [images.PATH_ENV], "Volumes": {p: {} for p in places}}))
    return make


@pytest.mark.parametrize("place", VOLUMES)
def test_a_volume_of_the_image_is_refused_there(csbx, with_volumes, place):
    """And not filled first from what is there, which would be csbx's own process."""
    p = csbx.run("docker", "run", "--rm", with_volumes(place), "true")
    assert (p.returncode, p.stdout) == (125, "") and p.stderr.count("csbx's own") == 1, p.stderr
    assert "a link of the image leads to /proc" in p.stderr and "fill" not in p.stderr


def test_a_volume_is_filled_from_the_image_alone(csbx, with_volumes):
    """Not from another mount, whether a link leads there or it lies over the place."""
    host = csbx.work / "host"
    (host / "b").mkdir(parents=True)
    (host / "b/host").write_text("from the host")
    image = with_volumes("/vm/b", "/a/b")
    assert csbx.ok("docker", "run", "--rm", "-v", f"{host}:/m:ro", "-v", f"{host}:/a:ro", image, "ls", "/m/b", "/a/b").split() == \
        ["/a/b:", "image", "/m/b:"]


def test_a_volume_of_a_directory_as_image(csbx, with_volumes):
    """It is filled as well, and from no mount."""
    root = csbx.work / "root"
    csbx.ok("docker", "run", "--rm", "-v", f"{csbx.work}:/w", with_volumes(), "sh", "-c",
            "mkdir /w/root /w/b && cd /w/root && mkdir m dev proc sys && cp -a /a /bin /etc /usr /vm /vp . && touch /w/b/host")
    assert csbx.ok("start", "--volume", f"{csbx.work}:/m:ro", "--volume", "one:/a/b", "--volume", "two:/vm/b", root, "ls", "/a/b", "/m/b").split() == \
        ["/a/b:", "image", "/m/b:"]
    p = csbx.run("start", "--volume", "three:/vp/1", root, "true")
    assert p.returncode == 125 and p.stderr.endswith(" csbx's own\n"), p.stderr


def test_a_volume_below_a_volume_is_filled(csbx, with_volumes):
    image = with_volumes("/a", "/a/b")
    assert csbx.ok("docker", "run", "--rm", image, "cat", "/a/b/image") == "from the image\n"
    csbx.ok("docker", "run", "--rm", "-v", "outer:/a", image, "sh", "-c", "rm -r /a/b/* && touch /a/kept")
    assert csbx.ok("docker", "run", "--rm", "-v", "outer:/a", image, "ls", "/a", "/a/b").split() == \
        ["/a:", "b", "kept", "/a/b:", "image"]
