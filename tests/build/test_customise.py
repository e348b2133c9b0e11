# SPDX-License-Identifier: Apache-2.0
"""docs/customise.md, read by a newcomer: each block in order, in one directory. Fewer functions, and nothing else, differ."""
import pytest

import debpool
import harness
import images
import pages

FEWER = {2000: 40, 1800: 36, 200: 4}


def test_the_page(csbx):
    try:
        debpool.directory()
    except images.MissingTool as e:
        pytest.skip(str(e))
    env = {**csbx.env, "PATH": f"{harness.BIN}:{csbx.env['PATH']}"}
    with debpool.served() as port:
        tar = csbx.work / "debian.tar"
        debpool.image(port).write_docker_archive(tar, tags=("debian:12",))
        csbx.ok("docker", "load", "-q", "-i", tar, timeout=300)
        tar.unlink()
        assert pages.run_in_order("customise", csbx.work, env, FEWER) == 5
    csbx.run("docker", "builder", "prune", "-af")
    csbx.run("docker", "rmi", "-f", "numpy", "debian:12")
