# SPDX-License-Identifier: Apache-2.0
"""The guest for tests/vm: started once a run, with csbx installed and the images beside it."""
import io
import os
import subprocess
import sys
import tarfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import guest as guests  # noqa: E402
import images  # noqa: E402
import world as worlds  # noqa: E402

import conftest  # noqa: E402

INSTALLED = Path(os.environ.get("CSBX_TEST_BIN", "build/release/bin")).parent / "tree"


def mkguest():
    """The script as a module: it has no suffix."""
    loader = SourceFileLoader("mkguest", str(HERE / "mkguest"))
    module = module_from_spec(spec_from_loader("mkguest", loader))
    loader.exec_module(module)
    return module


def bundle(trees):
    """A tar of {path in the guest: file or directory here}, everything root's."""
    def root(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mode |= 0o444 | (0o111 if member.mode & 0o100 or member.isdir() else 0)
        return member
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for where, path in trees.items():
            tar.add(path, where, filter=root)
    return out.getvalue()


@pytest.fixture(scope="session")
def machine(session_dir, python_image, busybox_image):
    """The running guest with csbx, the images in /srv/images and the tests in /srv/tests."""
    assert (INSTALLED / "usr").is_dir(), f"{INSTALLED}: run by `make check-vm`"
    try:
        directory = mkguest().directory()
    except (images.MissingTool, subprocess.SubprocessError) as e:
        conftest.skip_or_fail(f"no guest: {e}")
    machine = guests.Guest(directory, session_dir / "console.log")
    try:
        machine.ok("tar", "-C", "/", "-xf", "-", timeout_s=120, stdin=bundle({
            ".": INSTALLED, "srv/images/python.sqsh": python_image,
            "srv/images/busybox.sqsh": busybox_image, "srv/tests": HERE.parent}))
        yield machine
    finally:
        machine.close()


@pytest.fixture
def world(machine):
    """The guest as one test sees it: the fixture undoes what the test arranged, and fails if
    anything is left over."""
    with worlds.World(machine) as w:
        yield w
        w.undo()
        left = w.leftovers()
        assert not left, f"left behind:\n{left}"
