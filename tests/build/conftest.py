# SPDX-License-Identifier: Apache-2.0
"""A store with the busybox image as `box`, and an empty directory for a build's context."""
import os
from pathlib import Path

import pytest

import harness
import images


@pytest.fixture
def box(session_dir):
    found = harness.Sandbox(top=Path(session_dir))
    images.busybox_image().write_docker_archive(found.dirs["work"] / "box.tar", tags=("box:latest",))
    found.ok("docker", "load", "-q", "-i", str(found.dirs["work"] / "box.tar"))
    found.context = found.dirs["work"] / "ctx"
    found.context.mkdir()
    yield found
    steps = found.dirs["cache"] / "build"
    assert not steps.exists() or not [n for n in os.listdir(steps) if n.startswith("new-")]
    assert not found.leftovers()
    found.close()
