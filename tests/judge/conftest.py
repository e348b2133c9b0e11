# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the judge tier, on top of those of tests/conftest.py."""
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

import harness
import images
import judgeimages
import repositories

TOP = Path(__file__).resolve().parents[2]  # the checkout, or a copy of what tests need of it
sys.path.insert(0, str(TOP / "cmd/python"))


# Files with batches: all that they say holds with a container for each snippet, too.
BOTH_WAYS = ("test_eval_attacks", "test_eval_batch", "test_eval_honest", "test_eval_warm", "test_client_batch")


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__ in BOTH_WAYS and "csbx" in metafunc.fixturenames and "CSBX_LANES" not in os.environ:
        metafunc.fixturenames.insert(0, "lanes")
        metafunc.parametrize("lanes", ("yes", "no"), indirect=True, ids="lanes {}".format)


@pytest.fixture
def lanes(request, csbx):
    """What batches do that do not say."""
    csbx.env["CSBX_LANES"] = request.param


@pytest.fixture
def client(csbx, monkeypatch):
    """The Python package, told of the csbx under test and its private directories."""
    import csbx as package  # pylint: disable=import-outside-toplevel
    for key, value in csbx.env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("CSBX", str(harness.BIN / "csbx"))
    monkeypatch.setattr(tempfile, "tempdir", str(csbx.dirs["tmp"]))
    monkeypatch.chdir(csbx.work)
    return package


@pytest.fixture
def running(csbx):
    """running() -> instances that `csbx list` shows."""
    return lambda: json.loads(csbx.ok("list", "--json"))["instances"]


def judge_image(kind, session_dir):
    """A squashfs file of an image with pytest, imported once a session."""
    try:
        source = judgeimages.layout(kind)
    except images.MissingTool as e:
        return pytest.fail(str(e))
    return harness.import_once(session_dir, source, kind)


@pytest.fixture(scope="session")
def suite_image(session_dir):
    """Python with pytest, xdist, pytest-cov and git."""
    return judge_image("pytest", session_dir)


@pytest.fixture(scope="session")
def patch_image(session_dir):
    """The same with busybox's patch and no git."""
    return judge_image("pytest-patch", session_dir)


@pytest.fixture(scope="session")
def bare_image(session_dir):
    """The same with neither."""
    return judge_image("pytest-bare", session_dir)


@pytest.fixture
def judge(csbx, suite_image):
    """A repository to be judged: judge.write(name, text), judge(options...) -> the result object."""
    return repositories.Judge(csbx, suite_image)
