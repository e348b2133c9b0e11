# SPDX-License-Identifier: Apache-2.0
"""Every verb and flag that harnesses depend on has its rows, and a third of all are errors."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import answers  # noqa: E402
import table  # noqa: E402

pytestmark = pytest.mark.needs_root
ROWS = table.load()
P0, P1 = 6, 2  # rows at least

# Verbs and flags that rows must cover, and how often. A script that uses something covers it as well as one that says
# so.
WANTED = {
    "run": P0, "run -d": P0, "run --rm": P0, "run --name": P0, "run -w": P0, "run -e": P0, "run -v": P0,
    "run --mount": P0, "run -p": P0, "run --entrypoint": P0, "run --network": P0, "run --memory": P0,
    "run -i": P0, "run --init": P0, "run --platform": P0, "run --ulimit": P0, "run --label": P0,
    "exec": P0, "exec -w": P0, "exec -e": P0, "exec -u": P0, "exec -i": P0,
    "cp": P0, "stop": P0, "kill": P0, "rm": P0, "inspect": P0, "inspect -f": P0, "image inspect": P0,
    "ps": P0, "ps -a": P0, "ps -q": P0, "ps --filter": P0, "ps --format": P0, "logs": P0, "pull": P0,
    "rmi": P0, "load": P0, "import": P0, "info": P0, "version": P0,
    "run -t": P1, "run --user": P1, "run --cpus": P1, "run --pids-limit": P1, "run --cap-drop": P1,
    "run --cap-add": P1, "run --security-opt": P1, "run --read-only": P1, "run --tmpfs": P1,
    "run --shm-size": P1, "run --add-host": P1, "run --hostname": P1, "run --dns": P1, "run --pull": P1,
    "exec -t": P1, "exec -d": P1, "images": P1, "images -q": P1, "images --filter": P1, "images --format": P1,
    "tag": P1, "save": P1, "port": P1, "create": P1, "start": P1, "wait": P1, "restart": P1, "attach": P1,
    "pause": P1, "ps --no-trunc": P1, "inspect --type": P1, "image prune": P1,
    "top": P1, "stats": P1, "export": P1, "system df": P1, "system prune": P1, "container prune": P1,
    "volume create": P1, "volume ls": P1, "volume rm": P1, "volume prune": P1, "context": P1, "commit": P1,
}
# Not covered yet: their rows are still to be written. A verb or flag that has its rows must not stand here.
WAITING = set()


def counts():
    found = dict.fromkeys(WANTED, 0)
    for row in ROWS:
        verbs = {x.split()[0] for x in row.covers} | set(row.covers) | table.used(row.script)
        for name in WANTED:
            found[name] += name in verbs
    return found


def test_enough_rows():
    found = counts()
    short = {n: f"{found[n]} of {want}" for n, want in WANTED.items() if found[n] < want and n not in WAITING}
    assert not short, f"too few rows: {short}"


def test_nothing_waits_in_vain():
    found = counts()
    done = sorted(n for n in WAITING if found[n] >= WANTED[n])
    assert not done, f"have their rows, and need wait no longer: {done}"


def test_a_third_are_errors():
    kept = answers.Answers()
    errors = known = 0
    for row in ROWS:
        answer = row.expect or kept.recorded(row)
        known += answer is not None
        errors += answer is not None and (answer[0] != 0 or answer[2].strip() != "")
    print(f"{errors} of {known} rows are errors")
    assert errors * 3 >= known or os.environ.get("CSBX_DOCKER_RECORD"), f"{errors} of {known} rows are errors"


def test_answers_are_kept():
    kept = answers.Answers()
    new = [row.key for row in ROWS if row.expect is None and kept.recorded(row) is None]
    assert not new or os.environ.get("CSBX_DOCKER_RECORD"), f"`make docker-answers` is due for {new}"
