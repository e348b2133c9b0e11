# SPDX-License-Identifier: Apache-2.0
"""csbx test: a repository, patches, and which of its tests pass."""
import harness
from repositories import STILL, TARGET

CALC = "tests/test_calc.py::"


def outcomes(result):
    return {k.replace(CALC, ""): v for k, v in result["tests"].items()}


def test_a_patch_that_repairs(judge):
    before = harness.list_tree(judge.repo)
    r = judge.judged(judge.fix(), code=0)
    assert r["resolved"] is True and r["completed"] is True and r["status"] == "exited"
    assert r["fail_to_pass"] == {"success": [TARGET], "failure": []}
    assert r["pass_to_pass"] == {"success": [STILL], "failure": []}
    assert r["patch_applied"] is True and r["patch_errors"] == [] and r["patch_tool"] == "git"
    assert r["tamper"] == [] and r["error"] is None
    assert r["tests"] == {TARGET: "passed", STILL: "passed"}
    assert harness.list_tree(judge.repo) == before
    assert "a - b" in (judge.repo / "calc.py").read_text()


def test_without_a_patch_the_bug_is_there(judge):
    r = judge.judged(code=1)
    assert r["resolved"] is False and r["patch_applied"] is None
    assert r["fail_to_pass"] == {"success": [], "failure": [TARGET]}
    assert r["tests"][TARGET] == "failed"


def test_a_whole_suite(judge):
    judge.write(judge.repo / "tests/test_broken.py", "import nosuch\n")
    r = judge("--patch", judge.fix(), code=1)
    assert r["resolved"] is None and r["all_passed"] is False
    assert outcomes(r) == {
        "test_add": "passed", "test_mul": "passed", "test_text[x y]": "passed", "test_text[a/b::c]": "passed",
        "test_text[\\xfc]": "passed", "test_text[[1]]": "passed", "test_text[]": "passed", "test_text[x z]": "passed",
        "test_skip": "skipped", "test_xfail": "xfailed", "test_xpass": "xpassed", "test_error": "error",
        "test_late": "error", "TestClass::test_add": "passed"}
    assert [e["id"] for e in r["collection_errors"]] == ["tests/test_broken.py"]
    assert "nosuch" in r["collection_errors"][0]["message"]
    r = judge("--patch", judge.fix(), code=0, args=["-k", "add or mul", "--ignore=tests/test_broken.py"])
    assert r["all_passed"] is True and len(r["tests"]) == 3
