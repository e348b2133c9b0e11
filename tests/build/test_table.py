# SPDX-License-Identifier: Apache-2.0
"""Dockerfiles built by csbx, compared with what Docker's classic builder makes of them.

Docker's answers are kept in answers.json. Root's session asks the daemon anew for a part of them, another
part every day; CSBX_DOCKER_RECORD=DIR asks for all and writes the file there, CSBX_DOCKER_RECORD_ONLY="new" for those it
lacks, or for rows by name.
"""
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import engines  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402
import sides  # noqa: E402
from ociimage import Image, make_layer  # noqa: E402
from table import ROWS  # noqa: E402


HERE = Path(__file__).parent / "answers.json"
LIVE_ROWS = 8
CONF = {"Entrypoint": ["/bin/echo", "entry"], "Cmd": ["cmd"], "Env": [images.PATH_ENV, "A=image"],
        "WorkingDir": "/work", "User": "app", "ExposedPorts": {"8000/tcp": {}},
        "Labels": {"org.example.kind": "conf"}, "StopSignal": "SIGINT", "Volumes": {"/data": {}}}
BASES = [("box:latest", images.busybox_image),
         ("conf:1", lambda: Image([make_layer(images.base_entries())], CONF)),
         ("trigger:latest", lambda: images.busybox_image(config={
             "Env": [images.PATH_ENV], "OnBuild": ["RUN echo trig >/trig", "ENV T=1"]}))]


@pytest.fixture(scope="session")
def tars(session_dir):
    paths = []
    for tag, make in BASES:
        path = Path(session_dir) / ("base-" + tag.split(":", maxsplit=1)[0] + ".tar")
        make().write_docker_archive(path, tags=(tag,))
        path.chmod(0o644)
        paths.append(path)
    return paths


@pytest.fixture(scope="session")
def box(session_dir, tars):
    found = harness.Sandbox(top=Path(session_dir))
    for tar in tars:
        found.ok("docker", "load", "-q", "-i", str(tar))
    yield found
    found.close()


@pytest.fixture(scope="session")
def answers():
    return json.loads(HERE.read_text(encoding="utf-8")) if HERE.exists() else {}


@pytest.fixture
def top(session_dir):
    path = Path(tempfile.mkdtemp(prefix="row", dir=session_dir))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def csbx(box, top):
    def docker(*args, stdin=None):
        return box.run("docker", *args, stdin=stdin, cwd=top, timeout=120)
    return sides.Side(docker, sides.cached_by_csbx)


def has_ranges():
    return os.environ.get("CSBX_TEST_SESSION") != "noids"


@pytest.mark.both_users
@pytest.mark.parametrize("row", ROWS, ids=[r.name for r in ROWS])
def test_row(row, box, top, answers):
    if row.owners and not has_ranges():
        pytest.skip("takes id ranges")
    box.run("docker", "builder", "prune", "-af")
    answer, said = csbx(box, top).answer(row, top)
    if row.fails:
        assert answer["rc"] == 1 and row.fails in said, said
    else:
        assert answer["rc"] == 0, said
    if row.expect is not None:
        assert answer.get("probe") == row.expect
    elif not row.only_csbx:
        assert row.name in answers, "Docker's answer is not kept: CSBX_DOCKER_RECORD=tests/build"
        want = answers[row.name]
        if row.name == "add-url":
            want = {"rc": 1}
        assert show(answer) == show(want), said
    assert not box.leftovers()
    assert not [n for n in os.listdir(box.dirs["cache"] / "build") if n.startswith("new-")]


def show(answer):
    return json.dumps(answer, indent=1, sort_keys=True)


def docker_rows():
    return [r for r in ROWS if r.expect is None and not r.only_csbx]


@pytest.mark.needs_root
def test_docker_says_so(tars, answers):
    """The answers that are kept are still Docker's."""
    record = os.environ.get("CSBX_DOCKER_RECORD")
    if not engines.program("dockerd") or os.environ.get("CSBX_DOCKER_ORACLE") == "none":
        pytest.skip("dockerd is not to be had")
    rows = docker_rows()
    if record:
        only = os.environ.get("CSBX_DOCKER_RECORD_ONLY", "").split()  # the others stay as they are
        rows = [r for r in rows if not only or r.name in only or "new" in only and r.name not in answers]
        new = dict(answers) if only else {}
    else:
        random.Random(int(time.time() // 86400)).shuffle(rows)
        rows = rows[:LIVE_ROWS]
        new = {}
    daemon = Path(tempfile.mkdtemp(prefix="csbx-bk.", dir="/tmp"))
    try:
        with engines.docker(daemon, driver=None) as engine:
            for tar in tars:
                engine("load", "-q", "-i", tar)
            env = {"PATH": os.environ["PATH"], "HOME": str(daemon), "DOCKER_BUILDKIT": "0", **engine.env()}
            for row in rows:
                work = Path(tempfile.mkdtemp(prefix="w", dir=daemon))

                def docker(*args, stdin=None, work=work):
                    return sides.run(["docker", *args], stdin, env=env, cwd=work)
                docker("builder", "prune", "-af")
                docker("image", "prune", "-f")
                new[row.name] = sides.Side(docker, sides.cached_by_docker).answer(row, work)[0]
                docker("rmi", "-f", "made")
    finally:
        shutil.rmtree(daemon, ignore_errors=True)
    if record:
        lines = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(new.items())]
        (Path(record) / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return
    for name, answer in new.items():
        assert show(answer) == show(answers.get(name, {})), name
