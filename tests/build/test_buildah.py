# SPDX-License-Identifier: Apache-2.0
"""BuildKit's grammar, which the classic builder lacks: buildah's answers to the rows whose answer is written by hand.

buildah's answers are kept in buildah.json. Root's session asks it anew for a part of them, another part every day;
CSBX_BUILDAH_RECORD=DIR asks for all and writes the file there, CSBX_BUILDAH_RECORD_ONLY=new for those it
lacks.
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
import images  # noqa: E402
import sides  # noqa: E402
from table import ROWS  # noqa: E402

HERE = Path(__file__).parent / "buildah.json"
LIVE_ROWS = 3
# Rows where buildah 1.28, which Debian 12 has, answers otherwise, and why BuildKit's answer is kept.
FLAGS = "its COPY, ADD and RUN lack the flag"
HEREDOCS = "it knows no here-documents"
STUBS = "targets that it makes for mounts stay"
DIFFERS = {
    "add-unpack-not": FLAGS, "copy-exclude": FLAGS, "copy-exclude-stage": FLAGS, "copy-link": FLAGS, "copy-parents": FLAGS,
    "copy-parents-many": FLAGS, "network-none": FLAGS,
    "heredoc-and-file": HEREDOCS, "heredoc-cached": HEREDOCS, "heredoc-copy": HEREDOCS, "heredoc-dash": HEREDOCS,
    "heredoc-python": HEREDOCS, "heredoc-run": HEREDOCS, "heredoc-run-command": HEREDOCS, "heredoc-shebang": HEREDOCS, "heredoc-two-files": HEREDOCS,
    "prefix-pattern": "it lacks the operators # % and /",
    "copy-fifo": "it makes a directory of a fifo",
    "mount-secret-env": "its secrets have no env", "mount-secret-env-and-file": "its secrets have no env",
    "mount-rw": "what is written goes to the context", "mount-bind-stage-rw": "what is written goes to the stage",
    "mount-bind-file": STUBS, "mount-target-stays": STUBS,
    "mount-bind-ignored": "a bind shows what .dockerignore takes away",
    "ignore-of-dockerfile": "it does not read Dockerfile.dockerignore",
}


def rows():
    return [r for r in ROWS if r.expect is not None]


@pytest.fixture(scope="session")
def answers():
    return json.loads(HERE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", rows(), ids=[r.name for r in rows()])
def test_written_answer(row, answers):
    """The answer that csbx must give is the one that buildah gave, or there is a reason."""
    answer = answers[row.name]
    if row.name in DIFFERS:
        assert answer != {"rc": 0, "probe": row.expect}, f"no difference: {DIFFERS[row.name]}"
    else:
        assert answer == {"rc": 0, "probe": row.expect}


class Buildah:
    """A store of its own, without a daemon, a network or mounts that stay."""

    def __init__(self, top):
        self.top = top
        self.words = ["buildah", "--root", top / "root", "--runroot", top / "run", "--storage-driver", "vfs"]
        self.env = {"PATH": os.environ["PATH"], "HOME": str(top), "TMPDIR": str(top)}
        base = top / "box.tar"
        images.busybox_image().write_docker_archive(base, tags=("box:latest",))
        assert self("pull", f"docker-archive:{base}").returncode == 0

    def __call__(self, *words, stdin=None, cwd=None):
        return sides.run([str(w) for w in (*self.words, *words)], stdin, env=self.env, cwd=cwd or self.top)

    def answer(self, row):
        work = Path(tempfile.mkdtemp(dir=self.top))
        sides.make_context(row, work)
        p = self("bud", "--isolation", "chroot", "--pull-never", "--layers", "-t", "made", *row.args, "ctx", stdin=row.stdin, cwd=work)
        if p.returncode:
            return {"rc": 1}
        made = self("from", "--pull-never", "made")
        assert made.returncode == 0, made.stderr
        name = made.stdout.strip()
        ran = self("run", "--isolation", "chroot", name, "--", "/bin/sh", "-c", row.probe)
        self("rm", name)
        self("rmi", "-f", "made")
        return {"rc": 0, "probe": ran.stdout}


@pytest.mark.needs_root
def test_buildah_says_so(answers):
    """The answers that are kept are still buildah's."""
    record = os.environ.get("CSBX_BUILDAH_RECORD")
    if not shutil.which("buildah"):
        pytest.skip("buildah is not to be had")
    asked = rows()
    if record and os.environ.get("CSBX_BUILDAH_RECORD_ONLY") == "new":
        asked = [row for row in asked if row.name not in answers]
    elif not record:
        random.Random(int(time.time() // 86400)).shuffle(asked)
        asked = asked[:LIVE_ROWS]
    top = Path(tempfile.mkdtemp(prefix="csbx-bud.", dir="/tmp"))
    try:
        buildah = Buildah(top)
        new = {row.name: buildah.answer(row) for row in asked}
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if record:
        kept = {row.name: answers[row.name] for row in rows() if row.name in answers}
        lines = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted({**kept, **new}.items())]
        (Path(record) / "buildah.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return
    for name, answer in new.items():
        assert answer == answers[name], name
