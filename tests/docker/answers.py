# SPDX-License-Identifier: Apache-2.0
"""Docker's answers, kept in answers/AREA.json so that a row need not ask it every time.

An answer counts only for the script it was given to. A session asks the daemon anew for rows that
have none and, in an order that changes every day, for as many of the others as LIVE_S allows:
an answer that is no longer true is found. CSBX_DOCKER_ORACLE=all asks for every row, =none for no
row; CSBX_DOCKER_RECORD=DIR asks for every row chosen and writes the files there.
"""
import hashlib
import json
import os
import random
import time
from pathlib import Path

HERE = Path(__file__).parent / "answers"
LIVE_S = 30


def stamp(row):
    return hashlib.sha256(json.dumps([row.script, row.merged]).encode()).hexdigest()[:16]


class Answers:
    def __init__(self):
        self.kept = {}
        for path in HERE.glob("*.json"):
            for name, answer in json.loads(path.read_text(encoding="utf-8")).items():
                self.kept[f"{path.stem}: {name}"] = answer
        self.new = {}

    def recorded(self, row):
        """(rc, out, err) or None."""
        found = self.kept.get(row.key)
        return tuple(found[1:]) if found and found[0] == stamp(row) else None

    def keep(self, row, answer):
        self.new.setdefault(row.area, {})[row.name] = [stamp(row), *answer]

    def write(self, rows):
        """Merges what is new into the files of CSBX_DOCKER_RECORD; rows that are gone go."""
        directory = os.environ.get("CSBX_DOCKER_RECORD")
        for area, new in self.new.items() if directory else ():
            path = Path(directory) / f"{area}.json"
            old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            names = {r.name for r in rows if r.area == area}
            merged = {n: a for n, a in sorted({**old, **new}.items()) if n in names}
            lines = [f"{json.dumps(n)}: {json.dumps(a)}" for n, a in merged.items()]
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def live_order(rows):
    """Keys of all rows in today's order."""
    keys = [r.key for r in rows if r.expect is None]
    random.Random(int(time.time() // 86400)).shuffle(keys)
    return keys


def mode():
    return "all" if os.environ.get("CSBX_DOCKER_RECORD") else os.environ.get("CSBX_DOCKER_ORACLE", "some")
