# SPDX-License-Identifier: Apache-2.0
"""One cluster for all tests of this directory; after each test it must be idle and whole again."""
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import cluster as clusters  # noqa: E402
import jobs as submitted  # noqa: E402
import plugin_steps  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--cgroups", action="store_true", help="let SLURM track and limit all jobs by control groups of version 1")


@pytest.fixture(scope="session")
def cluster(request):
    top = Path(os.environ["TMPDIR"]) / "cluster" if "TMPDIR" in os.environ else None
    with clusters.Cluster(top, cgroups=request.config.getoption("--cgroups")) as c:
        yield c


@pytest.fixture
def jobs(csbx, cluster):
    """Submits as the test user, with csbx in private directories."""
    j = submitted.Jobs(csbx, cluster)
    try:
        yield j
    finally:
        left = j.settle()
        if cluster.cgroups:
            csbx.ok("gc")  # SLURM kills a server that is about to leave: the next start would remove its socket
    assert not left, "left behind: " + "; ".join(left)


@pytest.fixture
def site(cluster):
    """For tests with words of their own in plugstack.conf."""
    assert plugin_steps.PLUGIN.exists(), "csbx_spank.so was not built: tests/tools/setup installs libslurm-dev"
    try:
        yield lambda *words: plugin_steps.plugstack(cluster, *words)
    finally:
        cluster.set_plugstack("")


@pytest.fixture
def steps(site, cluster, jobs, python_image):
    site()
    s = plugin_steps.Steps(jobs, python_image, cluster.top / "steps")
    yield s
    clusters.poll(lambda: not s.left(), f"the end of {s.left()}", 30)
