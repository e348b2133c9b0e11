# SPDX-License-Identifier: Apache-2.0
"""docs/customise.md, read by a newcomer: each block in order, in one directory. Fewer functions, and nothing else, differ."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

import debpool
import harness
import images

PAGE = Path(__file__).resolve().parents[2] / "docs/customise.md"
BLOCK = re.compile(r"^```(python|sh)([^\n]*)\n(.*?)^```\n(?:\s*```output\n(.*?)^```\n)?", re.M | re.S)
MANY, FEW = 2000, 40


def scaled(text):
    """The same page for fewer functions: their number, and those of the right and the wrong ones."""
    for many, few in ((MANY, FEW), (MANY * 9 // 10, FEW * 9 // 10), (MANY // 10, FEW // 10)):
        text = re.sub(rf"\b{many}\b", str(few), text)
    return text


def test_the_page(csbx):
    try:
        debpool.directory()
    except images.MissingTool as e:
        pytest.skip(str(e))
    env = {**csbx.env, "PATH": f"{harness.BIN}:{csbx.env['PATH']}"}
    ran = 0
    with debpool.served() as port:
        tar = csbx.work / "debian.tar"
        debpool.image(port).write_docker_archive(tar, tags=("debian:12",))
        csbx.ok("docker", "load", "-q", "-i", tar, timeout=300)
        tar.unlink()
        for language, words, code, output in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            if "needs=" in words:
                assert subprocess.run(["sh", "-n"], input=code, text=True, check=False).returncode == 0
                continue
            argv = [sys.executable, "-c"] if language == "python" else ["sh", "-ec"]
            p = subprocess.run([*argv, scaled(code)], cwd=csbx.work, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, timeout=600, check=False)
            logs = "".join(f.read_text(errors="replace")[-2000:] for f in sorted(csbx.work.glob("*.log")))
            assert p.returncode == 0, p.stdout + p.stderr + logs
            assert p.stdout.rstrip() == scaled(output).rstrip()
            ran += 1
    assert ran == 5
    csbx.run("docker", "builder", "prune", "-af")
    csbx.run("docker", "rmi", "-f", "numpy", "debian:12")
