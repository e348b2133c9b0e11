# SPDX-License-Identifier: Apache-2.0
"""An engine of the test's own; it must leave nothing, and survive whatever a test does to it."""
import pytest

import apisocket
import images


@pytest.fixture
def engine(csbx):
    with apisocket.listening(csbx) as e:
        yield e


@pytest.fixture
def box(csbx, engine):
    path = csbx.work / "box.tar"
    images.busybox_image().write_docker_archive(path, tags=("box:latest",))
    path.chmod(0o644)
    csbx.ok("docker", "load", "-q", "-i", path)
    yield engine
    for one in engine.ask("GET", "/containers/json?all=1").json:
        assert engine.ask("DELETE", f"/containers/{one['Id']}?force=1&v=1").status == 204


@pytest.fixture
def api(box):
    docker = pytest.importorskip("docker", reason="python3-docker is not installed")
    client = docker.DockerClient(base_url=f"unix://{box.path}", timeout=30)
    yield client
    client.close()
