# SPDX-License-Identifier: Apache-2.0
"""doctor says what a run will do, and an error names the setting that helps."""
import os
import re
import shutil
import subprocess

import pytest

import harness

MISSING = b"libsquashfs.so.1", b"libsquashfs.so.9"


@pytest.fixture
def helpers(csbx):
    """A directory with csbx and its helper programs, to be broken."""
    top = csbx.work / "helpers"
    top.mkdir()
    for name in ("csbx", "csbx-init", "csbx-squashd", "csbx-meta", "csbx-image", "csbx-tool", "csbx-engine"):
        shutil.copy(harness.BIN / name, top / name)
    return top


def feature(csbx, name, top=None):
    if not top:
        p = csbx.run("doctor", "--feature", name)
    else:
        p = subprocess.run([top / "csbx", "doctor", "--feature", name], env=csbx.env, capture_output=True, text=True,
                           check=False, **csbx.identity())
    return p.returncode, p.stdout


def test_helpers_are_run(csbx, helpers):
    assert feature(csbx, "helpers", helpers) == \
        (0, f"ok       helpers        in {helpers}; each has been run\n")


def test_a_helper_without_its_library(csbx, helpers):
    image = helpers / "csbx-image"
    data = image.read_bytes()
    assert MISSING[0] in data
    image.write_bytes(data.replace(*MISSING))
    code, said = feature(csbx, "helpers", helpers)
    assert code == 1 and f"{image} cannot be loaded" in said and MISSING[1].decode() in said and "remedy: " in said


@pytest.mark.parametrize("name", ["csbx-meta", "csbx-init"])
def test_a_helper_that_is_no_program(csbx, helpers, name):
    (helpers / name).write_bytes(b"\x7fELFnot")
    code, said = feature(csbx, "helpers", helpers)
    assert code == 1 and f"{helpers / name}: Exec format error" in said
    (helpers / name).unlink()
    code, said = feature(csbx, "helpers", helpers)
    assert code == 1 and f"{helpers / name}: No such file or directory" in said


@pytest.mark.both_users
def test_a_range_that_is_free(csbx):
    """The remedy for somebody without ranges overlaps none of the machine's."""
    code, said = feature(csbx, "subuid")
    found = re.search(r"--add-subuids (\d+)-(\d+) --add-subgids (\d+)-(\d+)", said)
    if code == 0:
        assert not found
        return
    first, last, *gids = map(int, found.groups())
    assert gids == [first, last] and last - first == 65535
    for path in ("/etc/subuid", "/etc/subgid"):
        with open(path, encoding="utf-8") as f:
            taken = [tuple(map(int, line.split(":")[1:])) for line in f if line.count(":") == 2]
        assert not [t for t in taken if t[0] <= last and t[0] + t[1] > first], said


def test_an_ordinary_user(csbx):
    assert feature(csbx, "user")[0] == 0


@pytest.mark.needs_root
def test_root_is_told(csbx, busybox_image):
    """doctor says what run does; both name the way."""
    def as_root(*args, **env):
        return subprocess.run([harness.BIN / "csbx", *args], env={**csbx.env, **env}, capture_output=True, text=True,
                              check=False, cwd="/")
    assert os.geteuid() == 0
    p = as_root("doctor", "--feature", "user")
    assert p.returncode == 1 and p.stdout.startswith("MISSING  user") and "CSBX_ALLOW_ROOT=yes" in p.stdout
    p = as_root("run", str(busybox_image), "true")
    assert p.returncode == 125 and "refused for root" in p.stderr and "runuser -u NAME" in p.stderr
    assert "CSBX_ALLOW_ROOT=yes" in p.stderr
    assert as_root("doctor", "--feature", "user", CSBX_ALLOW_ROOT="yes").returncode == 0
    assert as_root("doctor", "--feature", "user", CSBX_ALLOW_ROOT="no").returncode == 1


@pytest.mark.parametrize("key, args", [
    ("CSBX_LAYER_PATH", ["start", "--rw", "box", "true"]),
    ("CSBX_RUNTIME_PATH", ["start", "box", "true"]),
    ("CSBX_DATA_PATH", ["create", "-n", "x", "IMAGE"]),
])
def test_an_error_names_the_setting(csbx, busybox_image, key, args):
    csbx.ok("create", "-n", "box", busybox_image)
    args = [str(busybox_image) if a == "IMAGE" else a for a in args]
    for bad in ("/proc/none", "/usr/none", "/var"):
        p = csbx.run(*args, env={key: bad})
        assert p.returncode == 125 and f"({key} may name another directory of yours)" in p.stderr, p.stderr
    csbx.ok("remove", "-f", "box")


def test_directories_that_others_write_to(csbx, busybox_image):
    """The data path costs names and images, the runtime path every start; both remedies are said."""
    for key, name, fatal in (("data", "data-dir", False), ("cache", "data-dir", False), ("run", "runtime-dir", True)):
        csbx.dirs[key].mkdir(exist_ok=True)
        csbx.dirs[key].chmod(0o770)
        code, said = feature(csbx, name)
        assert code == 1 and f"{csbx.dirs[key]}: open to other users (mode 0770): chmod go-w it" in said, said
        assert said.startswith("MISSING" if fatal else "missing") and "_PATH to a directory of yours" in said
        p = csbx.run("doctor")
        assert p.returncode == fatal and ("cannot start here" in p.stdout) == fatal, p.stdout
        assert csbx.run("run", busybox_image, "true").returncode == (125 if fatal else 0)
        csbx.dirs[key].chmod(0o700)
        assert feature(csbx, name)[0] == 0 or key == "run"


@pytest.mark.needs_root
@pytest.mark.parametrize("key", ["DATA", "RUNTIME"])
def test_directories_of_another_user(csbx, key):
    p = csbx.run("doctor", "--feature", "data-dir" if key == "DATA" else "runtime-dir", env={f"CSBX_{key}_PATH": "/usr/lib"})
    code, said = p.returncode, p.stdout
    assert code == 1 and "/usr/lib: belongs to user 0, not to us" in said and f"set CSBX_{key}_PATH" in said
