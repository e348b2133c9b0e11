# SPDX-License-Identifier: Apache-2.0
"""csbx test --batch: a line in, a record out."""
import json
from pathlib import Path

import jsonschema

from repositories import FIX, STILL, TARGET, diff
from resultschema import checked


def batch(judge, *objects, options=(), code=0):
    text = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in objects)
    judge.write(judge.csbx.work / "lines", text)
    p = judge.csbx.run("test", "--image", judge.image, "-j", "2", *options, "--batch", judge.csbx.work / "lines",
                       timeout=300)
    assert p.returncode == code, p.stderr
    return [checked(json.loads(line)) for line in p.stdout.splitlines()]


def test_lines_are_judged_alone(judge):
    repo, fix = str(judge.repo), judge.fix().read_text()
    exits = diff("calc.py", judge.files["calc.py"], "import os\nos._exit(0)\n")
    lists = {"repo": repo, "fail_to_pass": [TARGET], "pass_to_pass": [STILL]}
    records = batch(
        judge, {"id": "good", **lists, "patch": fix}, {"id": "none", **lists}, {"id": "exits", **lists, "patches": [exits]},
        {"id": "bad patch", **lists, "patch": "x"}, {"id": "slow", **lists, "timeout": 0.2},
        {"id": "all", "repo": repo, "patch": fix, "args": ["-k", "mul"], "strict": True, "env": {"X": "y"}, "memory": "300m"},
        {"id": "image", **lists, "image": "/nosuch.sqsh"}, {"id": "word", "colour": 1}, {"id": "no repository"}, "{", "", code=1)
    by_id = {r["id"]: r for r in records}
    assert len(records) == 10 and by_id["good"]["resolved"] is True and by_id["good"]["instance"]
    assert by_id["good"]["tests"] == {TARGET: "passed", STILL: "passed"}
    for name in ("none", "exits", "bad patch", "slow"):
        assert by_id[name]["resolved"] is False, name
    assert by_id["exits"]["completed"] is False and by_id["slow"]["status"] == "timeout"
    assert by_id["bad patch"]["patch_errors"] == [{"patch": "patch", "message": "the patch is empty"}]
    assert by_id["all"]["all_passed"] is True and by_id["all"]["memory_limit_bytes"] == 300 << 20
    for name, says in (("image", "nosuch.sqsh"), ("word", "colour"), ("no repository", "--repo"), (None, "")):
        assert by_id[name]["status"] == "bad_line" and says in by_id[name]["error"]["message"], name
    out = judge.csbx.work / "out"
    assert batch(judge, {"id": 1, **lists, "patch": fix}, options=["--output", out]) == []
    assert batch(judge, {"id": 1, **lists, "patch": "x"}, {"id": 2, **lists}, options=["--output", out]) == []
    kept = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(r["id"], r["resolved"]) for r in kept] == [(1, True), (2, False)]


def test_words_that_do_not_go_with_it(judge):
    for options in (["--patch", "x"], ["--fail-to-pass", "x"], ["--json"]):
        judge.csbx.fails("test", "--batch", "-", *options, says="--batch")
    judge.csbx.fails("test", "-j", "2", "--image", judge.image, "--repo", judge.repo, says="only with --batch")


def test_the_object_is_that_of_the_schema(judge):
    schema = json.loads((Path(__file__).parent.parent / "result.schema.json").read_text(encoding="utf-8"))
    r = judge.judged(judge.patch(files={"calc.py": FIX, "conftest.py": "", "pytest.ini": "[pytest]\n"}), code=0)
    del r["cli"], r["said"]
    jsonschema.validate(r, schema)
    judge.write(judge.repo / "tests/test_broken.py", "import nosuch\n")
    r = judge("--patch", judge.write(judge.csbx.work / "empty", ""), code=1)
    del r["cli"], r["said"]
    jsonschema.validate(r, schema)
    r = judge(code=1)
    del r["cli"], r["said"]
    jsonschema.validate(r, schema)


def test_lines_of_swe_bench(judge):
    """The file of the data set, with what was handed in or with its own patch; the repository is where the options say."""
    line = {"instance_id": "org__repo-1", "repo": "org/repo", "base_commit": "0" * 40, "patch": judge.fix().read_text(encoding="utf-8"), "test_patch": diff("tests/test_new.py", None, "def test_new(): pass\n"),
            "problem_statement": "It subtracts.", "hints_text": "", "created_at": "2020-01-01", "version": "1", "environment_setup_commit": "", "difficulty": "<15 min fix",
            "FAIL_TO_PASS": json.dumps([TARGET]), "PASS_TO_PASS": [STILL]}
    wrong = diff("calc.py", judge.files["calc.py"], judge.files["calc.py"] + "\n")
    records = {r["id"]: r for r in batch(judge, line, {**line, "instance_id": "handed in", "model_name_or_path": "m", "model_patch": wrong},
                                         options=["--repo", judge.repo])}
    assert (records["org__repo-1"]["resolved"], records["handed in"]["resolved"]) == (True, False), records
    assert records["handed in"]["fail_to_pass"] == {"success": [], "failure": [TARGET]}
    for none in (None, ""):  # no answer: the data set's own patch is not judged in its place
        r, = batch(judge, {**line, "instance_id": "none", "model_patch": none}, options=["--repo", judge.repo])
        assert r["resolved"] is False and "empty" in r["patch_errors"][0]["message"], r
    assert batch(judge, {**line, "FAIL_TO_PASS": "x"}, options=["--repo", judge.repo], code=1)[0]["error"]["message"].startswith("FAIL_TO_PASS: ")
