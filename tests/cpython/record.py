#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""record.py [MODULE...]: writes what CPython's tests give in Docker to answers.json. As root; half an hour for all."""
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import cpythonimage  # noqa: E402
import engines  # noqa: E402
import modules  # noqa: E402
import sides  # noqa: E402


def main():
    chosen = sys.argv[1:] or modules.WHOLE
    top = Path(tempfile.mkdtemp(prefix="csbx-py.", dir="/tmp"))
    answers = sides.Answers()
    try:
        with engines.docker(top, driver=None) as engine:
            engine("load", "-q", "-i", cpythonimage.directory() / "docker.tar")
            for module in chosen:
                found = {user: sides.by_docker(engine, user, module) for user in sides.USERS}
                print(module, {user: dict(Counter(f["outcomes"].values())) for user, f in found.items()}, flush=True)
                version = found["root"]["version"]
                if sys.argv[1:] and version != answers.version:
                    sys.exit(f"the suite is {version}, the answers are of {answers.version}: record all modules")
                answers.keep(version, module, **{user: f["outcomes"] for user, f in found.items()})
                answers.write(modules.WHOLE)
    finally:
        shutil.rmtree(top, ignore_errors=True)


if __name__ == "__main__":
    main()
