#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""record.py [--twice] [SCRIPT...]: writes what the scripts say in Docker to answers.json. As root. --twice: each must say the same again."""
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import engines  # noqa: E402
import programsimage  # noqa: E402
import sides  # noqa: E402


def asked(engine, user, script, is_twice):
    first = sides.by_docker(engine, user, script)
    second = sides.by_docker(engine, user, script) if is_twice else first
    other = {step: (said, second["steps"][step]) for step, said in first["steps"].items() if said != second["steps"][step]}
    for step, (one, two) in other.items():
        print(f"{script}.{step} as {user} says this and that:\n{one[0]} {one[1]}\n--\n{two[0]} {two[1]}", flush=True)
    return first, not other


def main():
    top = Path(tempfile.mkdtemp(prefix="csbx-pr.", dir="/tmp"))
    is_twice = sys.argv[1:2] == ["--twice"]
    scripts = sys.argv[1 + is_twice:] or sides.SCRIPTS
    answers, all_same = sides.Answers(), True
    try:
        with engines.docker(top, driver=None) as engine:
            engine("load", "-q", "-i", programsimage.directory() / "docker.tar")
            for script in scripts:
                found = {user: asked(engine, user, script, is_twice) for user in sides.USERS}
                all_same = all_same and all(same for _, same in found.values())
                answers.keep(found["root"][0]["packages"], script, **{user: f["steps"] for user, (f, _) in found.items()})
                answers.write()
                print(script, {user: {s: a[0] for s, a in f["steps"].items() if a[0]} for user, (f, _) in found.items()}, flush=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    sys.exit(0 if all_same else 1)


if __name__ == "__main__":
    main()
