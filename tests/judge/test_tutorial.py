# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md: each block in order, in one directory, with fewer programs."""
import harness
import pages

FEWER = {2000: 100, 1780: 89, 200: 10, 20: 1}


def test_the_page(csbx, python_image):
    (csbx.work / "python.sqsh").symlink_to(python_image)
    env = {**csbx.env, "PATH": f"{harness.BIN}:{csbx.env['PATH']}"}
    assert pages.run_in_order("tutorial", csbx.work, env, FEWER) == 7
