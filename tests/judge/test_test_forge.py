# SPDX-License-Identifier: Apache-2.0
"""Forgeries of tests/judge/forge: none resolves without being told of."""
import importlib.util
from pathlib import Path

import pytest

import repositories

# One of each sort; the verdict's own tests show how --strict treats a kind.
STRICT_TOO = ("rewrites_the_test", "expects_to_fail", "searches_the_heap", "replaces_the_report")
# A conftest.py that leaves pytest's session where code under test finds it, which has it from nowhere else.
KEEP = """import holder


def pytest_sessionstart(session):
    holder.session = session
"""
FORGERIES = sorted(p.stem for p in (Path(__file__).parent / "forge").glob("*.py"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "forge" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_enough():
    assert len(FORGERIES) >= 598


@pytest.mark.parametrize("name", FORGERIES)
def test_forgery(judge, name):
    forgery = load(name)
    verdict, _, kind = forgery.VERDICT.partition(" ")
    repo = dict(getattr(forgery, "REPO", {}))
    if getattr(forgery, "KEEPS_SESSION", False):
        repo.update({"holder.py": "session = None\n", "conftest.py": KEEP + repo.get("conftest.py", "")})
    for path, text in repo.items():
        judge.files[path] = text.lstrip("\n")
        judge.write(judge.repo / path, judge.files[path])
    for path, target in getattr(forgery, "LINKS", {}).items():
        (judge.repo / path).symlink_to(target)
    files = {k: v.lstrip("\n") for k, v in forgery.FILES.items()}
    patches = [judge.write(judge.csbx.work / f"own{i}.diff", p.lstrip("\n")) for i, p in enumerate(getattr(forgery, "PATCHES", []))]
    if files and files != {"calc.py": judge.files["calc.py"]}:
        patches.append(judge.patch(files=files))
    needs = list(getattr(forgery, "NEEDS", []))
    if hasattr(forgery, "TEST_PATCH"):
        needs += ["--test-patch", judge.write(judge.csbx.work / "tests.diff", forgery.TEST_PATCH.lstrip("\n"))]
    ids = getattr(forgery, "LISTS", (repositories.TARGET, repositories.STILL))
    lists = [*(w for pair in zip(("--fail-to-pass", "--pass-to-pass"), ids) for w in pair), *(f"--patch={p}" for p in patches), *needs]
    args = getattr(forgery, "ARGS", ())
    r = judge(*lists, "--timeout", "60", args=args)
    seen = {t["kind"] for t in r["tamper"]}
    assert r["status"] != "timeout"
    assert r["patch_applied"] is getattr(forgery, "APPLIES", not hasattr(forgery, "PATCHES")), r["patch_errors"]
    if verdict == "unresolved":
        assert not r["resolved"] and not r["all_passed"] and r["cli"] != 0, r
    else:
        assert kind in seen, (r["tamper"], r["stdout"])
        if r["resolved"] and name in STRICT_TOO:
            strict = judge(*lists, "--strict", args=args, code=1)
            assert strict["resolved"] is False
