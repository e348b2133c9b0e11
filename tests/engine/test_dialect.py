# SPDX-License-Identifier: Apache-2.0
"""
The table of tests/docker through the socket: Docker's own program asks csbx engine, and gives what Docker gives.

A sample that changes every day; CSBX_DOCKER_ORACLE=all runs every row.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "docker"))
import answers  # noqa: E402
import apisocket  # noqa: E402
import engines  # noqa: E402
import harness  # noqa: E402
import normal  # noqa: E402
import sides  # noqa: E402
import table  # noqa: E402

LIVE_S = 45
CLIENT = engines.program("docker")
pytestmark = [pytest.mark.feature("userns"),
              pytest.mark.skipif(not CLIENT, reason="docker.io is not installed")]

OLD = "Debian's client is of 20.10, which has other words or flags here"
DIFFERS = {
    "cp: --quiet in": OLD, "cp: -q says nothing": OLD, "cp: no such container, in": OLD, "cp: no such container, out": OLD,
    "cp: no such directory above it": OLD, "cp: no parent inside": OLD, "cp: no such file inside": OLD, "cp: below a file": OLD,
    "cp: tar of what is not there": OLD, "cp: where nothing may be written, outside": OLD, "cp: a device node": OLD,
    "cp: into a directory of the host that is mounted":
        "a mount point that is made by the first start is not there for a look at the container before",
    "edges: more rights for an exec": "the socket has no place for a warning: it refuses what has no effect",
    "more: system: in length and by a template": OLD, "more: prune: no answer": OLD, "more: system: prune and no answer": OLD,
    "more: context: show it": OLD, "run: --pull of a wrong word": OLD, "show: ps: ids win over a format": OLD,
    "show: inspect: of no type": OLD, "show: system: api versions": OLD, "show: system: --version": OLD,
    "run: a port that becomes another": "the protocol is said where a client has it from",
    "show: ps: json": OLD, "show: inspect: json on one line": OLD, "show: system: version as json": OLD,
}
# Only the daemon's words are compared, and not the client's around them.
AROUND = [(re.compile(p), r) for p, r in (
    (r"\n*<HELP [^>]*>(?: on a command)?", ""), (r"docker: Error response from daemon: ", "docker: "),
    (r"repository name \(library/\w+\)", "repository name (library/X)"))]


class Socket(sides.Csbx):
    """An engine for each row, with a store of its own."""

    def answer(self, row):
        box = harness.Sandbox(top=self.top)
        try:
            shutil.rmtree(box.dirs["data"])
            subprocess.run(["cp", "-al", self.template.dirs["data"], box.dirs["data"]], check=True)
            with apisocket.listening(box) as engine:
                env = {**box.env, **engine.env, "PATH": f"{Path(CLIENT).parent}:/usr/bin:/bin", "SIDE": "csbx"}
                answered = sides.run_script(row, env, box.work, box.identity())
                self.clean(box)
            return answered, box.work, box.leftovers()
        finally:
            box.close()


def without_client(answer):
    code, *texts = answer
    for pattern, replacement in AROUND:
        texts = [re.sub(pattern, replacement, text) for text in texts]
    return f"exit code {code}\n-- stdout\n{texts[0]}\n-- stderr\n{texts[1]}\n"


def test_the_table_through_the_socket(session_dir):
    top = Path(tempfile.mkdtemp(prefix="dialect.", dir=session_dir))
    top.chmod(0o755)
    socket, kept, bad = Socket(top, sides.archives(top)), answers.Answers(), []
    rows = [r for r in table.load() if r.key not in DIFFERS]
    every = os.environ.get("CSBX_DOCKER_ORACLE") == "all"
    random.Random(int(time.time() // 86400)).shuffle(rows)
    begun, asked = time.monotonic(), 0
    for row in rows:
        if not every and time.monotonic() - begun > LIVE_S:
            break
        want = normal.answer(row, row.expect or kept.recorded(row))
        for attempt in range(2):  # a script that waits by sleeping may be late on a loaded machine
            answered, work, left = socket.answer(row)
            got = normal.answer(row, answered, [(work, "<WORK>")])
            if (is_same := without_client(got) == without_client(want) and not left):
                break
        if not is_same:
            bad.append(f"{row.key}:\n{row.script}\nwanted {without_client(want)}got {without_client(got)}left {left}")
        asked += 1
    socket.close()
    assert not bad, f"{len(bad)} of {asked}:\n" + "\n\n".join(bad)
    assert asked >= 10


def test_each_difference_is_one_of_a_row():
    assert set(DIFFERS) <= {r.key for r in table.load()}
