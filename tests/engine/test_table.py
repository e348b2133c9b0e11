# SPDX-License-Identifier: Apache-2.0
"""The Engine API by csbx against Docker 20.10, request by request. apitable.py says how rows are written."""
import os
import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import apinormal  # noqa: E402
import apisides  # noqa: E402
import apitable  # noqa: E402
import sides  # noqa: E402

ROWS = apitable.load()
KEPT = apisides.recorded()
LIVE_S = 30
every_row = pytest.mark.parametrize("row", ROWS, ids=[r.key for r in ROWS])


@pytest.fixture(scope="module")
def ours(session_dir):
    side = apisides.Csbx(session_dir, apisides.archives(session_dir))
    yield side
    side.close()


def told(row, step, lines):
    request = step.get("end") or f"{step['method']} {step['path']}"
    return [f"{row.key}: {request}: {line}" for line in lines]


@pytest.mark.feature("userns")
@pytest.mark.both_users
@every_row
def test_row(row, request):
    found = KEPT.get(row.key)
    assert found and found[0] == row.stamp(), "Docker was not asked this: tests/engine/apisides.py BUILD records it"
    if row.todo:
        pytest.skip(row.todo)
    if row.needs_id_ranges and os.environ.get("CSBX_TEST_SESSION") == "noids":
        pytest.skip("with one id there is no other user or group: csbx refuses it, with the remedy")
    got, left = request.getfixturevalue("ours").answers(row)
    bad = [line for step, theirs, answer in zip(row.steps, found[1], got)
           for line in told(row, step, apinormal.differences(step, theirs, answer))]
    assert not bad, "\n" + "\n".join(bad)
    assert not left, "left behind: " + "; ".join(left)


@pytest.mark.needs_root
def test_docker_answers_so_still():
    """A sample that changes every day: the kept answers are Docker's."""
    if os.geteuid() != 0 or sides.docker_program():
        may_skip = os.environ.get("CSBX_MUST_WORK") != "1"
        (pytest.skip if may_skip else pytest.fail)(sides.docker_program() or "not root: no dockerd can be started")
    rows = [r for r in ROWS if r.key in KEPT]
    random.Random(int(time.time() // 86400)).shuffle(rows)
    begun, bad = time.monotonic(), []
    with apisides.docker() as ask:
        for row in rows:
            if time.monotonic() - begun > LIVE_S:
                break
            for step, kept, answer in zip(row.steps, KEPT[row.key][1], ask(row)):
                # If csbx differs, a row names no part of the body that is the same on two machines.
                plain = {k: v for k, v in step.items() if k not in ("differs", "want")}
                if "differs" in step:
                    plain["pick"] = step.get("pick", [])
                bad += told(row, plain, apinormal.differences(plain, kept, answer))
    assert not bad, "\n" + "\n".join(bad)


def test_three_hundred_requests():
    assert sum(len(r.steps) for r in ROWS) >= 300
    keys = [r.key for r in ROWS]
    assert len(keys) == len(set(keys))
