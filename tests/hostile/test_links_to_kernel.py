# SPDX-License-Identifier: Apache-2.0
"""Mounts whose place is a link of the image: one to / , /proc, /sys or /dev is refused as these names themselves are."""
import pytest

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
