# SPDX-License-Identifier: Apache-2.0
"""A user without subordinate ids in job steps."""
import os

import pytest

import harness
import jobs as submitted

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]


@pytest.fixture
def sh(cluster, busybox_image):
    box = harness.Sandbox(top=os.environ.get("TMPDIR"), user="csbx-test2")
    try:
        box.ok("create", "-n", "sh", busybox_image)
        j = submitted.Jobs(box, cluster)
        yield j
        left = j.settle() + box.leftovers()
        assert not left, left
    finally:
        box.close()


def test_steps(sh):
    """Files that the container's root makes in a mount are the user's."""
    out = sh.srun("-N2", "-n2", "csbx", "start", "--mount", f"{sh.box.work}:/work", "sh", "sh", "-c",
                  "id -u; echo x >/work/$SLURM_PROCID")
    assert out == "0\n0\n"
    assert {os.stat(sh.box.work / n).st_uid for n in "01"} == {sh.box.owner.pw_uid}
