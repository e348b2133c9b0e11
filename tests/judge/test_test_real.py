# SPDX-License-Identifier: Apache-2.0
"""A real repository: a Debian package with the tests it ships, a mutation as the bug, its reverse as the patch.

What is true is found by running pytest by hand, in the same image, before and after.
"""
import re
import subprocess
from pathlib import Path

import pytest

import repositories

SOURCE = Path("/usr/lib/python3/dist-packages/toolz")
MUTATIONS = {
    "itertoolz.py": ("return itertools.islice(seq, n)", "return itertools.islice(seq, n + 1)"),
    "functoolz.py": ("cache[k] = result = func(*args, **kwargs)", "result = func(*args, **kwargs)"),
}
LINE = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) (.+?)(?: - .*)?$")


def git(repo, *words):
    p = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main",
                        "-c", "safe.directory=*", *words], cwd=repo, capture_output=True, text=True, check=False)
    assert p.returncode == 0, p.stderr
    return p.stdout


def by_hand(csbx, image, repo):
    """id -> status, as `python3 -m pytest -rA` prints them."""
    p = csbx.run("run", "--mount", f"type=copy,src={repo},dst=/testbed", "--workdir", "/testbed", image,
                 "python3", "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", timeout=300)
    assert p.returncode in (0, 1), p.stderr
    found = {m.group(2): m.group(1) for m in map(LINE.match, p.stdout.split("\n")) if m}
    assert len(found) > 100
    return found


def mutate(repo, name):
    """Makes a bug and returns the patch that repairs it."""
    file = repo / "toolz" / name
    text = file.read_text(encoding="utf-8")
    old, new = MUTATIONS[name]
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    git(repo, "commit", "-qam", "break it")
    return git(repo, "diff", "HEAD", "HEAD~1")


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_sets_are_those_of_pytest_itself(csbx, suite_image, name):
    if not SOURCE.is_dir():
        pytest.fail("python3-toolz is not installed")
    repo = csbx.work / "repo"
    subprocess.run(["cp", "-r", SOURCE, "toolz"], cwd=Path(csbx.work), check=True)
    repo.mkdir()
    (csbx.work / "toolz").rename(repo / "toolz")
    subprocess.run("find . -name __pycache__ -exec rm -rf {} +", shell=True, cwd=repo, check=True)
    git(repo, "init", "-q", ".")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "as it was")
    good = by_hand(csbx, suite_image, repo)
    patch = csbx.work / "fix.diff"
    patch.write_text(mutate(repo, name))
    bad = by_hand(csbx, suite_image, repo)

    to_pass = sorted(i for i in good if good[i] == "PASSED" and bad.get(i) != "PASSED")
    still = sorted(i for i in good if good[i] == "PASSED" and bad.get(i) == "PASSED")
    assert to_pass and still
    judge = repositories.Judge.__new__(repositories.Judge)
    judge.csbx, judge.image, judge.repo = csbx, suite_image, repo
    lists = []
    for option, ids in (("--fail-to-pass", to_pass), ("--pass-to-pass", still)):
        file = csbx.work / f"{option}.txt"
        file.write_text("\n".join(ids))
        lists += [option, f"@{file}"]

    r = judge("--patch", patch, *lists, code=0)
    assert sorted(r["fail_to_pass"]["success"]) == to_pass and r["fail_to_pass"]["failure"] == []
    assert sorted(r["pass_to_pass"]["success"]) == still and r["pass_to_pass"]["failure"] == []
    assert r["resolved"] is True and r["tamper"] == []

    r = judge(*lists, code=1)
    assert sorted(r["fail_to_pass"]["failure"]) == to_pass and sorted(r["pass_to_pass"]["success"]) == still
    words = {"PASSED": "passed", "FAILED": "failed", "ERROR": "error", "XFAIL": "xfailed", "XPASS": "xpassed"}
    whole = judge(code=1)["tests"]
    assert {k: v for k, v in whole.items() if v != "skipped"} == {k: words[v] for k, v in bad.items()}
    assert git(repo, "status", "--porcelain") == ""
