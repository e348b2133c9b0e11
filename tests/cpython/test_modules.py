# SPDX-License-Identifier: Apache-2.0
"""CPython's own tests in csbx give what they give in Docker, but for the differences in differences.py."""
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))
import cpythonimage  # noqa: E402
import differences  # noqa: E402
import engines  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402
import modules  # noqa: E402
import sides  # noqa: E402
from conftest import skip_or_fail  # noqa: E402

LIVE_MODULES = 2
IDS = "one" if os.environ.get("CSBX_TEST_SESSION") == "noids" else "ranges"


@pytest.fixture(scope="session")
def suite_directory():
    try:
        return cpythonimage.directory()
    except images.MissingTool as e:
        return skip_or_fail(str(e))


@pytest.fixture(scope="session")
def suite_image(session_dir, suite_directory):
    return harness.import_once(session_dir, suite_directory / "oci", "cpython")


@pytest.fixture(scope="session")
def answers():
    return sides.Answers()


def show(report, found):
    """Lines for tests and how they ended in Docker and here, and what was said here."""
    said = report["said"]
    lines = [f"{test}: {docker} in Docker, {here} here: {said.get(test, '')}" for test, (docker, here) in sorted(found.items())]
    return "\n".join([*lines, report["log"]])


every_user = pytest.mark.parametrize("user", list(sides.USERS))


@pytest.mark.both_users
@every_user
@pytest.mark.parametrize("module", modules.WHOLE, ids=[m if m in modules.SAMPLE else f"{m}-whole" for m in modules.WHOLE])
def test_module(csbx, suite_image, answers, module, user):
    report = sides.by_csbx(csbx, suite_image, user, module)
    want = answers.outcomes(user, module)
    assert want is not None, "`make cpython-answers` is due"
    found = differences.between(want, report["outcomes"], same_version=report["version"] == answers.version)
    rows = differences.rows_of(module, user, IDS)
    unknown = {test: pair for test, pair in found.items() if not any(r.explains(test, pair) for r in rows)}
    assert not unknown, "a difference without a row:\n" + show(report, unknown)
    idle = [r.tests for r in rows if not r.at_times and not any(r.explains(t, p) for t, p in found.items())]
    assert not idle, f"rows without a difference: {idle}"


@pytest.mark.needs_root
def test_every_user_has_the_suite(suite_directory):
    """Root's session comes first and makes the image for all."""
    for path in [suite_directory, *suite_directory.rglob("*")]:
        assert path.stat().st_mode & 0o444 == 0o444, path


def test_rows_are_of_modules_that_run():
    assert not [r.tests for r in differences.ROWS if r.module not in modules.WHOLE]


def test_what_is_left_out_is_not_run():
    assert not modules.LEFT_OUT.keys() & set(modules.WHOLE)


def test_answers_are_kept(answers):
    assert sorted(answers.kept["root"]) == modules.WHOLE, "`make cpython-answers` is due"
    for user in sides.USERS:
        assert sum(o == "ok" for o in answers.outcomes(user, "test_os").values()) > 200


def test_answers_survive_being_kept(tmp_path, answers):
    """Answers that are written and read again are the same for both users, whatever a test is called."""
    outcomes = {"root": {"test_x.A.a": "ok", "test_x.A.b": "skip", "setUpClass (test_x.B)": "error", "_other.C.c": "ok"},
                "app": {"test_x.A.a": "ok", "test_x.A.b": "ok", "_other.C.c": "ok", "test_x": "died"}}
    kept = sides.Answers(tmp_path / "answers.json")
    kept.keep("1", "test_x", **outcomes)
    kept.write(["test_x"])
    again = sides.Answers(tmp_path / "answers.json")
    assert {user: again.outcomes(user, "test_x") for user in sides.USERS} == outcomes
    assert again.outcomes("root", "test_y") is None and again.version == "1"


@pytest.fixture(scope="module")
def docker(suite_directory):
    if os.environ.get("CSBX_DOCKER_ORACLE") == "none" or not engines.program("dockerd"):
        skip_or_fail("dockerd is not to be had")
    top = Path(tempfile.mkdtemp(prefix="csbx-py.", dir="/tmp"))
    try:
        with engines.docker(top, driver=None) as engine:
            engine("load", "-q", "-i", suite_directory / "docker.tar")
            yield engine
    finally:
        shutil.rmtree(top, ignore_errors=True)


def modules_of_today():
    return random.Random(int(time.time() // 86400)).sample(modules.SAMPLE, LIVE_MODULES)


@pytest.mark.needs_root
@every_user
@pytest.mark.parametrize("number", range(LIVE_MODULES), ids=["live"] * LIVE_MODULES)
def test_docker_says_so(docker, answers, number, user):
    """The answers that are kept are still Docker's."""
    live_module = modules_of_today()[number]
    report = sides.by_docker(docker, user, live_module)
    found = differences.between(answers.outcomes(user, live_module), report["outcomes"],
                                same_version=report["version"] == answers.version)
    assert not found, show(report, found)
