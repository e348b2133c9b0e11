# SPDX-License-Identifier: Apache-2.0
"""P17: the time that csbx test adds to pytest."""
import os
import shutil
import subprocess

import judgeimages
import repositories
from measure import Case
from world import Unavailable


def make_repository(world):
    """120 tests in twelve files, a git repository of the user's, and a patch."""
    if not shutil.which("git"):
        raise Unavailable("git is not installed")
    repo = world.work / "repo"
    repo.mkdir()
    (repo / "calc.py").write_text(repositories.FILES["calc.py"])
    for i in range(12):
        tests = "".join(f"def test_{k}():\n    assert mul({i}, {k}) == {i * k}\n\n\n" for k in range(10))
        (repo / f"test_{i}.py").write_text("from calc import mul\n\n\n" + tests)
    patch = world.work / "fix.diff"
    patch.write_text(repositories.diff("calc.py", repositories.FILES["calc.py"], repositories.FIX))
    subprocess.run(["git", "init", "-q", "."], cwd=repo, check=True)
    for path in (repo, *repo.rglob("*"), patch):
        if world.is_root:
            os.chown(path, world.owner.pw_uid, world.owner.pw_gid)
    return repo, patch


def p17(world, report):
    """The same tests by pytest in a container that has the same copy of the repository."""
    world.extra_layouts["suite"] = judgeimages.layout("pytest")
    image = world.image("suite")
    repo, patch = make_repository(world)
    test = [world.csbx, "test", "--image", image, "--repo", repo]
    end = ["--", "-q", "-p", "no:cacheprovider"]
    bare = Case("csbx run pytest", [world.csbx, "run", "--mount", f"type=copy,src={repo},dst=/testbed", "--workdir",
                                    "/testbed", image, "python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                expect=None)
    judged = Case("csbx test", [*test, *end], expect=None)
    patched = Case("csbx test --patch", [*test, "--patch", patch, *end], expect=None)
    samples = world.stopwatch([judged, patched, bare], 10 if world.quick else 30)
    report.samples("P17", samples, judged.name, only=[bare.name])
    report.samples("P17", {patched.name: samples[patched.name]}, patched.name)
    for case in (judged, patched):
        report.value("P17", f"{case.name}: more than pytest",
                     samples[case.name].median_ms - samples[bare.name].median_ms, "ms", 150)


BENCHES = {"P17": p17}
