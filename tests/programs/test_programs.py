# SPDX-License-Identifier: Apache-2.0
"""Programs that people run every day say in csbx what they say in Docker, but for the differences in differences.py."""
import difflib
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))
import differences  # noqa: E402
import engines  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402
import inside  # noqa: E402
import programsimage  # noqa: E402
import sides  # noqa: E402
from conftest import skip_or_fail  # noqa: E402

IDS = "one" if os.environ.get("CSBX_TEST_SESSION") == "noids" else "ranges"


@pytest.fixture(scope="session")
def programs_directory():
    try:
        return programsimage.directory()
    except images.MissingTool as e:
        return skip_or_fail(str(e))


@pytest.fixture(scope="session")
def programs_image(session_dir, programs_directory):
    return harness.import_once(session_dir, programs_directory / "oci", "programs")


@pytest.fixture(scope="session")
def answers():
    return sides.Answers()


def between(want, got):
    return {step: (want[step], got[step]) for step in want if want[step] != got[step]}


def show(found):
    texts = []
    for step, ((want_code, want), (code, got)) in found.items():
        diff = difflib.unified_diff(want.splitlines(), got.splitlines(), "Docker", "here", lineterm="", n=1)
        texts += [f"{step}: exit code {want_code} in Docker, {code} here", *diff]
    return "\n".join(texts)


every_user = pytest.mark.parametrize("user", list(sides.USERS))


def check(csbx, image, answers, script, user):
    want = answers.steps(user, script)
    assert want is not None, "`make programs-answers` is due"
    report = sides.by_csbx(csbx, image, user, script)
    assert list(report["steps"]) == list(answers.kept["root"][script]), "`make programs-answers` is due"
    found = {f"{script}.{step}": pair for step, pair in between(want, report["steps"]).items()}
    rows = differences.rows_of(script, user, IDS)
    unknown = {step: pair for step, pair in found.items() if not any(r.explains(step, pair) for r in rows)}
    assert not unknown, f"a difference without a row ({report['packages']}):\n{show(unknown)}"
    idle = [r.steps for r in rows if not any(r.explains(step, pair) for step, pair in found.items())]
    assert not idle, f"rows without a difference: {idle}"


@pytest.mark.both_users
@every_user
@pytest.mark.parametrize("script", sides.SCRIPTS, ids=[f"{s}-whole" for s in sides.SCRIPTS])
def test_script(csbx, programs_image, answers, script, user):
    check(csbx, programs_image, answers, script, user)


@pytest.mark.both_users
@every_user
@pytest.mark.parametrize("script", sides.SAMPLE)
def test_sample(csbx, debian_image, answers, script, user):
    check(csbx, debian_image, answers, script, user)


@pytest.mark.needs_root
def test_every_user_has_the_whole_image(programs_directory):
    """Root's session comes first and makes the image for all."""
    for path in [programs_directory, *programs_directory.rglob("*")]:
        assert path.stat().st_mode & 0o444 == 0o444, path


def test_rows_are_of_steps(answers):
    steps = [f"{script}.{step}" for script in sides.SCRIPTS for step in answers.steps("root", script)]
    for row in differences.ROWS:
        assert any(differences.fnmatch.fnmatchcase(step, row.steps) for step in steps), row.steps


def test_answers_are_kept(answers):
    for script in sides.SCRIPTS:
        _, steps = inside.steps_of(sides.HERE / "scripts" / f"{script}.sh")
        assert [name for name, _ in steps] == list(answers.steps("app", script) or ()), "`make programs-answers` is due"
        assert sum(not code for code, _ in answers.steps("app", script).values()) > len(steps) / 2


@pytest.fixture(scope="module")
def docker(programs_directory):
    if os.environ.get("CSBX_DOCKER_ORACLE") == "none" or not engines.program("dockerd"):
        skip_or_fail("dockerd is not to be had")
    top = Path(tempfile.mkdtemp(prefix="csbx-pr.", dir="/tmp"))
    try:
        with engines.docker(top, driver=None) as engine:
            engine("load", "-q", "-i", programs_directory / "docker.tar")
            yield engine
    finally:
        shutil.rmtree(top, ignore_errors=True)


@pytest.mark.needs_root
@every_user
@pytest.mark.parametrize("number", [0], ids=["live"])
def test_docker_says_so(docker, answers, number, user):
    """The answers that are kept are still Docker's."""
    script = random.Random(int(time.time() // 86400) + number).choice(sides.SCRIPTS)
    found = between(answers.steps(user, script), sides.by_docker(docker, user, script)["steps"])
    assert not found, show(found)
