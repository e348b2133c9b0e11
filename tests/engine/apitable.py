# SPDX-License-Identifier: Apache-2.0
"""The rows of the Engine API's table: requests in their order, asked of csbx and of Docker.

A module rows_AREA.py has ROWS, a list of row(name, step, step, ...). Steps are made by get(), post(),
put(), delete(), head() and end(); apiwire.py says what may stand in them, and besides

    pick      a list of places in the answer's JSON ("State.Status", "0.Names"): these alone are compared
    shape     true: of the JSON it is compared which members there are, and of which type
    without   members that Docker 28 has no more, or that csbx leaves empty
    sort      the answer is a list in any order
    differs   why csbx answers otherwise; with
    want      [status, what of the message or the body is found in it] of csbx's own answer

Paths without a version get /v1.41: what Docker 20.10 speaks. A row need not clean up. A row's `todo` says why csbx is
not asked yet: the requests are recorded all the same.
"""
import hashlib
import importlib
import json
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SLEEP = {"Image": "box", "Cmd": ["sleep", "600"], "HostConfig": {"NetworkMode": "none"}}
COMPARED = ("pick", "shape", "sort", "differs", "want", "merge", "without")


@dataclass
class Row:
    name: str
    steps: tuple
    todo: str = ""
    needs_id_ranges: bool = False
    area: str = field(default="", compare=False)

    @property
    def key(self):
        return f"{self.area}: {self.name}"

    def sent(self):
        """The steps without what only the comparison wants."""
        return [{k: v for k, v in s.items() if k not in COMPARED} for s in self.steps]

    def stamp(self):
        return hashlib.sha256(json.dumps(self.sent(), sort_keys=True).encode()).hexdigest()[:16]


def row(name, *steps, todo="", needs_id_ranges=False):
    return Row(name, steps, todo, needs_id_ranges)


def step(method, path, body=None, **how):
    assert ("differs" in how) == ("want" in how), path
    if not path.startswith("/v") or path.startswith("/version") or path.startswith("/volumes"):
        path = "/v1.41" + path
    return {"method": method, "path": path, **({"body": body} if body is not None else {}), **how}


def get(path, **how):
    return step("GET", path, **how)


def head(path, **how):
    return step("HEAD", path, **how)


def post(path, body=None, **how):
    return step("POST", path, body, **how)


def put(path, body=None, **how):
    return step("PUT", path, body, **how)


def delete(path, **how):
    return step("DELETE", path, **how)


def end(name, **how):
    return {"end": name, **how}


UP = {"Connection": "Upgrade", "Upgrade": "tcp"}


def create(name, body=None, host=None, **more):
    """Makes a container that does nothing, or what the body says; $name is its id."""
    found = {**SLEEP, **(body or {})}
    found["HostConfig"] = {**SLEEP["HostConfig"], **(host or {})}
    return post(f"/containers/create?name={name}", found, save=[name, "Id"], **more)


def running(name, body=None, host=None):
    return create(name, body, host), post(f"/containers/{name}/start")


def ran(name, *cmd, body=None, host=None):
    """One that has ended."""
    return (create(name, {"Cmd": list(cmd), **(body or {})}, host), post(f"/containers/{name}/start"),
            post(f"/containers/{name}/wait"))


def load():
    """All rows, in the order of their files."""
    rows = []
    for path in sorted(HERE.glob("rows_*.py")):
        module = importlib.import_module(path.stem)
        for one in module.ROWS:
            one.area = path.stem.removeprefix("rows_")
            rows.append(one)
    return rows
