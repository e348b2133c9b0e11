# SPDX-License-Identifier: Apache-2.0
"""csbx inside a real Docker, with the options of docs/nested.md and without."""
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

import engines
import harness
import images

PAGE = (Path(__file__).resolve().parents[2] / "docs/nested.md").read_text(encoding="utf-8")
SECCOMP, PATHS = ("--security-opt", "seccomp=unconfined"), ("--security-opt", "systempaths=unconfined")
FUSE = ("--device", "/dev/fuse")


@pytest.fixture(scope="module")
def outer(python_image):
    """outer(options, user, command...) -> a run of csbx in a container that has this machine's /usr."""
    if os.geteuid() != 0 or not engines.program("dockerd"):
        pytest.skip("needs root to start dockerd")
    top = tempfile.mkdtemp(prefix="n", dir="/tmp")  # a short name: the path of a socket has 107 bytes at most
    with engines.docker(top) as docker:
        tar = Path(top) / "image.tar"
        images.plain_python_image().write_docker_archive(tar, tags=("outer:latest",))
        docker("load", "-q", "-i", tar)

        def run(options, user, *argv):
            return subprocess.run(
                [*docker.command, "run", "--rm", "--network", "host", "--user", user, "-e", "HOME=/tmp", "-e", "PATH=/csbx:/usr/bin:/bin",
                 "-v", "/usr:/usr:ro", "-v", f"{harness.BIN}:/csbx:ro", "-v", f"{python_image}:/image.sqsh:ro", *options, "outer:latest",
                 "csbx", *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        yield run


@pytest.mark.needs_root
def test_what_the_outer_container_has_to_allow(outer):
    def start(*options, user="1000"):
        return outer([word for option in options for word in option], user, "run", "/image.sqsh", "python3", "-c", "print(6 * 7)")

    for options, says in (((), "seccomp=unconfined"), ((SECCOMP,), "systempaths=unconfined")):
        p = start(*options)
        assert p.returncode == 125 and says in p.stderr, p.stderr
    for options in ((SECCOMP, PATHS), (SECCOMP, PATHS, FUSE)):
        p = start(*options)
        assert (p.returncode, p.stdout) == (0, "42\n"), p.stderr
    p = start(SECCOMP, PATHS, FUSE, user="0")
    assert p.returncode == 125 and "ordinary users" in p.stderr
    command = " ".join(["docker run --user 1000", *SECCOMP, *PATHS, *FUSE])
    assert command in PAGE


@pytest.mark.needs_root
def test_doctor_says_so(outer):
    assert outer([*SECCOMP, *PATHS, *FUSE], "1000", "doctor").returncode == 0
    p = outer([], "1000", "doctor")
    assert p.returncode != 0 and "seccomp=unconfined" in p.stdout + p.stderr
