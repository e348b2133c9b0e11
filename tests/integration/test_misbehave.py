# SPDX-License-Identifier: Apache-2.0
"""Every program of tests/limits gets its verdict, and nothing of it is left (the csbx fixture)."""
import subprocess

import misbehave
import pytest

import conftest
import harness


@pytest.mark.both_users
@pytest.mark.parametrize("case", misbehave.cases(), ids=repr)
def test_verdict(csbx, python_image, case):
    def run(argv):
        return subprocess.run(argv, env=csbx.env, cwd=csbx.work, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False, encoding="utf-8",
                              errors="surrogateescape", **csbx.identity())
    if case.needs == "subuid" and conftest.SESSION == "noids":
        pytest.skip("this user has no subordinate ids")
    if case.needs:
        conftest.require_feature(csbx, case.needs)
    wrong, result = misbehave.check(case, run, csbx=harness.BIN / "csbx", image=python_image,
                                    work=csbx.work)
    assert not wrong, f"{'; '.join(wrong)}\n{result and {k: v for k, v in result.items() if k not in ('stdout', 'stderr')}}"
