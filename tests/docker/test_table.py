# SPDX-License-Identifier: Apache-2.0
"""csbx's `docker` against Docker, row by row. table.py says how a row is written."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import answers  # noqa: E402
import engines  # noqa: E402
import normal  # noqa: E402
import sides  # noqa: E402
import table  # noqa: E402
from conftest import skip_or_fail  # noqa: E402

ROWS = table.load()
pytestmark = pytest.mark.needs_root
every_row = pytest.mark.parametrize("row", ROWS, ids=[r.key for r in ROWS])


@pytest.fixture(scope="session")
def tars(session_dir):
    return sides.archives(session_dir)


@pytest.fixture(scope="session")
def csbx_side(session_dir, tars):
    side = sides.Csbx(session_dir, tars)
    yield side
    side.close()


@pytest.fixture(scope="session")
def docker_side(tars):
    """None where no daemon can run."""
    if answers.mode() == "none" or sides.docker_program():
        yield None
        return
    top = Path(tempfile.mkdtemp(prefix="csbx-dk.", dir="/tmp"))  # a socket's path must be short
    top.chmod(0o711)
    try:
        with engines.docker(top, driver=None) as engine:
            yield sides.Docker(engine, top, tars)
    finally:
        shutil.rmtree(top, ignore_errors=True)


@pytest.fixture(scope="session")
def kept():
    found = answers.Answers()
    yield found
    found.write(ROWS)


@pytest.fixture(scope="session")
def due(kept):
    """Rows to be asked for even though an answer is kept, most wanted first."""
    return answers.live_order(ROWS)


def expected(row, kept, due, docker_side):
    if row.expect:
        return normal.answer(row, row.expect)
    recorded = kept.recorded(row)
    recorded = recorded and normal.answer(row, recorded)  # by the rules of today
    mode = answers.mode()
    wanted = mode == "all" or recorded is None or (
        mode == "some" and docker_side and docker_side.spent_s < answers.LIVE_S
        and due.index(row.key) < len(due) // 4)
    if not wanted:
        return recorded
    if docker_side is None:
        return recorded or skip_or_fail(f"no answer kept, and none to be had: {sides.docker_program()}")
    answered, work = docker_side.answer(row)
    fresh = normal.answer(row, answered, [(work, "<WORK>")])
    kept.keep(row, fresh)
    if recorded and mode != "all":
        assert show(fresh) == show(recorded), "Docker's answer is not the one that is kept"
    return fresh


def show(answer):
    return f"exit code {answer[0]}\n-- stdout\n{answer[1]}\n-- stderr\n{answer[2]}\n"


@every_row
def test_row(row, docker_side, kept, due, request):
    want = expected(row, kept, due, docker_side)
    if os.environ.get("CSBX_DOCKER_RECORD"):
        return
    answered, work, left = request.getfixturevalue("csbx_side").answer(row)
    got = normal.answer(row, answered, [(work, "<WORK>")])
    assert show(got) == show(want), f"{row.script}\n{row.why}"
    assert not left, "left behind: " + "; ".join(left)


def test_no_two_alike():
    seen = {}
    for row in ROWS:
        assert seen.setdefault(table.shape(row.script), row) is row, \
            f"{row.key} does the same as {seen[table.shape(row.script)].key}"


def test_names_are_unique():
    keys = [r.key for r in ROWS]
    assert len(keys) == len(set(keys)), sorted(k for k in keys if keys.count(k) > 1)
