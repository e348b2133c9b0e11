# SPDX-License-Identifier: Apache-2.0
"""The directories that the end of a `docker run --rm` makes for the next one."""
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = [pytest.mark.feature("userns"), pytest.mark.both_users]

AHEAD = ".ahead"
RUNS = 4


def wait_for(condition, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def box(csbx, busybox_image):
    csbx.places = [csbx.dirs["data"] / "layers", csbx.dirs["data"] / "containers"]
    csbx.image = ("--network", "none", str(busybox_image))
    csbx.ahead = lambda: all((place / AHEAD).exists() for place in csbx.places)
    yield csbx
    left = csbx.ok("docker", "ps", "-aq").split()
    if left:
        csbx.ok("docker", "rm", "-f", *left)
    csbx.ok("gc")


def run_one(box, *words):
    out = box.ok("docker", "run", "--rm", *box.image, *words)
    wait_for(box.ahead)
    return out


def test_the_next_one_takes_them_and_finds_nothing_in_them(box):
    run_one(box, "sh", "-c", "echo x >/left; mkdir /d; chmod 700 /; rm -r /tmp")
    layer, container = (place / AHEAD for place in box.places)
    made = {name: os.stat(layer / name).st_ino for name in ("upper", "work", "lock")}
    run, record = os.stat(container / "run").st_ino, os.stat(container / "record").st_ino
    assert not os.listdir(layer / "upper") and not os.listdir(layer / "work") and not os.listdir(container / "run")
    id_ = box.ok("docker", "run", "-d", "--rm", "--name", "next", *box.image, "sleep", "300").strip()
    assert {name: os.stat(box.places[0] / id_ / name).st_ino for name in made} == made
    assert os.stat(box.places[1] / "next" / "run").st_ino == run
    assert os.stat(box.places[1] / "next" / "record").st_ino == record
    assert box.ok("docker", "exec", "next", "sh", "-c", "ls -d /left /d /tmp 2>/dev/null; stat -c %a /").split() == ["/tmp", "755"]
    assert box.ok("docker", "inspect", "-f", "{{.Name}} {{.State.Status}}", id_[:12]) == "/next running\n"


def test_gc_takes_them_away_without_a_word(box):
    run_one(box, "true")
    assert AHEAD not in box.ok("gc", "--dry-run") and box.ahead()

    def swept():
        assert AHEAD not in box.ok("gc")
        return not [place for place in box.places if (place / AHEAD).exists()]
    wait_for(swept)  # not while the end of the run before is still at work there
    assert run_one(box, "echo", "again") == "again\n"


def test_many_at_once_have_one_each(box):
    run_one(box, "true")
    words = ["docker", "run", "--rm", *box.image, "sh", "-c", "test ! -e /n && echo $1 >/n && sleep 0.2 && cat /n", "sh"]
    with ThreadPoolExecutor(RUNS) as pool:
        said = list(pool.map(lambda i: box.ok(*words, str(i)), range(RUNS)))
    assert said == [f"{i}\n" for i in range(RUNS)]
    wait_for(lambda: all(sorted(set(os.listdir(place)) - {".lock", ".ids"}) == [AHEAD] for place in box.places))


def test_one_that_stays_after_its_end_makes_none(box):
    box.ok("docker", "run", "--name", "stays", *box.image, "true")
    box.ok("docker", "rm", "stays")
    assert not [place for place in box.places if (place / AHEAD).exists()]
