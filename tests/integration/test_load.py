# SPDX-License-Identifier: Apache-2.0
"""csbx load: import and create in one step, leaving no file but the container's."""
import signal
import time

from ociimage import D, F, Image, make_layer


def files(csbx):
    return sorted(str(p.relative_to(csbx.dirs["data"])) for p in csbx.dirs["data"].rglob("*")
                  if p.is_file() and p.name != ".lock")


def small(csbx, name="img", size=0):
    Image([make_layer([D("etc"), F("etc/os", "x"), F("big", bytes(size))])],
          {"Cmd": ["/bin/sh"]}).write_oci(csbx.work / name)
    return f"oci:{csbx.work / name}"


def test_load(csbx, busybox_layout):
    csbx.ok("load", "-n", "py", f"oci:{busybox_layout}")
    assert csbx.ok("start", "py", "echo", "hello") == "hello\n"
    assert files(csbx) == ["containers/py/image", "containers/py/record"]


def test_default_name(csbx):
    csbx.ok("load", "-q", small(csbx))
    assert csbx.ok("list", "-q").split() == ["img"]


def test_name_taken(csbx):
    uri = small(csbx)
    csbx.ok("load", "-n", "a", uri)
    csbx.fails("load", "-n", "a", uri, says=("load oci:", "exists", "--force", "--name"))
    csbx.fails("load", "-n", "a", "oci:/nowhere", says="exists")  # said before anything is read
    assert csbx.run("load", "-q", "-f", "-n", "a", uri).stderr == ""
    assert files(csbx) == ["containers/a/image", "containers/a/record"]


def test_bad_name(csbx):
    csbx.fails("load", "-n", "a/b", small(csbx), says="a/b")
    csbx.fails("load", "-n", "x", "oci:/nowhere", says="/nowhere")
    assert files(csbx) == []


def test_debris_of_a_killed_load(csbx):
    uri = small(csbx)
    csbx.ok("load", "-n", "a", uri)
    loading = csbx.dirs["data"] / "loading"
    (loading / "0123456789ab.sqsh").write_bytes(b"x")
    csbx.ok("load", "-n", "b", uri)
    assert not list(loading.iterdir())


def test_interrupted(csbx):
    uri = small(csbx, size=300 << 20)
    p = csbx.popen("load", "-n", "a", "--comp", "zstd:19", uri)
    time.sleep(0.3)
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=30)
    assert p.returncode == -signal.SIGTERM
    assert files(csbx) == []
