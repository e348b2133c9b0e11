# SPDX-License-Identifier: Apache-2.0
"""The two sides of the table, and what Docker answered, which is kept in answers/AREA.json.

As a program, as root: apisides.py BUILD [AREA...] asks dockerd every row (of these areas) and
writes the files. A row whose steps are those that were recorded is asked again, too.
"""
import contextlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    os.environ["CSBX_TEST_BIN"] = str(Path(sys.argv[1]).resolve())
for place in (HERE.parent / "fixtures", HERE.parent / "docker"):
    sys.path.insert(0, str(place))
import apinormal  # noqa: E402
import apisocket  # noqa: E402
import apitable  # noqa: E402
import engines  # noqa: E402
import harness  # noqa: E402
import sides  # noqa: E402

KEPT = HERE / "answers"
IMAGES = ("box.tar", "conf.tar")
ROW_TIMEOUT_S = 120


def archives(top):
    return [p for p in sides.archives(top) if p.name in IMAGES]


def asked(row, socket, identity):
    """The answers to a row's steps, asked by an ordinary user."""
    program = (HERE / "apiwire.py").read_text(encoding="utf-8")  # the user may not look where it lies
    p = subprocess.run(["/usr/bin/python3", "-c", program, socket], input=json.dumps(row.sent()), capture_output=True,
                       text=True, cwd="/", timeout=ROW_TIMEOUT_S, check=False, **identity)
    assert p.returncode == 0, p.stderr
    return apinormal.answers(json.loads(p.stdout))


class Csbx:
    """A store of its own for each row: hard links to one into which the images were loaded."""

    def __init__(self, top, tars):
        self.top = Path(top)
        self.template = harness.Sandbox(top=self.top)
        for tar in tars:
            self.template.ok("docker", "load", "-q", "-i", tar, timeout=300)
        left = self.template.leftovers()
        assert not left, f"docker load left: {left}"

    def answers(self, row):
        """The answers, and what is left although the row's containers are removed."""
        box = harness.Sandbox(top=self.top)
        try:
            shutil.rmtree(box.dirs["data"])
            subprocess.run(["cp", "-al", self.template.dirs["data"], box.dirs["data"]], check=True)
            with apisocket.listening(box) as engine:
                found = asked(row, engine.path, box.identity())
                sides.Csbx.clean(box)
            return found, box.leftovers()
        finally:
            box.close()

    def close(self):
        self.template.close()


@contextlib.contextmanager
def docker():
    """A daemon of our own; see tests/docker/sides.py."""
    top = Path(tempfile.mkdtemp(prefix="csbx-dk.", dir="/tmp"))  # a socket's path must be short
    top.chmod(0o711)
    try:
        with tempfile.TemporaryDirectory(prefix="csbx-dk.") as d, engines.docker(top, driver=None) as engine:
            side = sides.Docker(engine, top, archives(d))
            yield lambda row: docker_answers(side, row)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def docker_answers(side, row):
    user = pwd.getpwnam("csbx-test")
    begun = time.monotonic()
    try:
        return asked(row, str(side.engine.socket), {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []})
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            for one in side.engine("ps", "-q", "--filter", "status=paused").split():
                side.engine("unpause", one)
        side.clean()
        side.spent_s += time.monotonic() - begun


# --- what was answered ------------------------------------------------------------------------

def recorded():
    """{key: [stamp, answers]}"""
    return {f"{path.stem}: {name}": found for path in KEPT.glob("*.json")
            for name, found in json.loads(path.read_text(encoding="utf-8")).items()}


def write(rows, found):
    KEPT.mkdir(exist_ok=True)
    old = recorded()
    for area in sorted({r.area for r in rows}):
        of_area = {r.name: found.get(r.key) or old.get(r.key) for r in rows if r.area == area}
        lines = [f"{json.dumps(n)}: {json.dumps(a, sort_keys=True)}" for n, a in sorted(of_area.items()) if a]
        (KEPT / f"{area}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def record(areas):
    rows = apitable.load()
    wanted = [r for r in rows if not areas or r.area in areas]
    found = {}
    with docker() as ask:
        for row in wanted:
            begun = time.monotonic()
            found[row.key] = [row.stamp(), ask(row)]
            print(f"{row.key}: {len(row.steps)} requests, {time.monotonic() - begun:.1f} s", flush=True)
    write(rows, found)


if __name__ == "__main__":
    record(sys.argv[2:])
