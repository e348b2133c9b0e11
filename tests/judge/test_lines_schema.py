# SPDX-License-Identifier: Apache-2.0
"""docs/lines.schema.json says of a line what csbx says: the same rows are given to both."""
import json
import re
from pathlib import Path

import jsonschema
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "lines.schema.json").read_text(encoding="utf-8"))
F = "def f(*args, **kw): return 1"
FUNCTION = {"code": F, "function": "f"}
PATCH = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"

GOOD_CASES = [
    {"name": "n", "args": [1], "kwargs": {"a": 1}, "expected": 1, "expected_type": "int", "weight": 2.5},
    {"name": 7, "input_args": [{"$tuple": [1]}], "input_kwargs": {"a": {"$float": "nan"}}, "expected_output": {"$set": [1]}},
    {"args": [], "output": None, "compare": "set"}, {"expected": 1, "compare": {"close": {"rel": 0.5, "abs": 1}}},
    {"expected_exception": "ValueError"}, {"expected_exception": {"type": "E", "message_re": "a+"}}, {"compare": "close"}, {},
    {"expected": "x", "compare": {"stdout": {"trim": False}}}, {"expected": "x", "compare": "stdout"}, {"weight": None, "name": None}]
BAD_CASES = [{"arg": []}, {"args": 1}, {"args": {}}, {"kwargs": []}, {"weight": "2"}, {"weight": -1}, {"compare": "same"}, {"compare": {}},
             {"compare": {"close": {"relative": 1}}}, {"compare": {"stdout": {"trim": 1}}}, {"expected_type": 1}, {"name": []},
             {"expected_exception": {"message_re": "x"}}, {"expected_exception": {"type": "E", "also": 1}}, 7, []]
GOOD_PROGRAM_CASES = [{"stdin": "a", "expected": "b"}, {"input": {"$bytes": "YQ=="}, "output": "b"}]
GOOD_LINES = [
    {"id": "x", **FUNCTION, "lang": "python", "setup": "x = 1", "cases": [{}], "timeout": 30, "total_timeout": "1m", "memory": "100m",
     "fail_fast": True, "markdown": False, "in_place": None},
    {"id": 3, "code": "print(1)", "stdin": "in", "args": ["a"], "env": {"A": "b=c"}, "files": {"d/f": "YQ=="}, "timeout": 20.5},
    {"code": "assert True", "check": "import solution", "in_place": True, "memory": 200 << 20}, {"file": "snippet.py"}, {"code": "1", "stdin": {"$bytes": "/w=="}},
    {"task_id": "HumanEval/0", "prompt": "def f():\n", "canonical_solution": "    return 1\n", "entry_point": "f", "test": "def check(c): c()\n"},
    {"task_id": 601, "text": "t", "completion": F, "test_list": ["assert f() == 1"], "test_imports": ["import math"], "test_setup_code": "",
     "source_file": "s", "challenge_test_list": []},
    {"id": None, "code": "1", "lang": None, "timeout": None, "cases": None, "env": None}]
BAD_LINES = [{"id": 1}, {"id": 1.5, "code": "1"}, {"code": "1", "cod": "1"}, {"code": {"$bytes": "MQ=="}}, {"code": 1}, {"code": "1", "lang": "cobol"}, {"code": "1", "timeout": 0},
             {"code": "1", "timeout": []}, {"code": "1", "timeout": -1}, {"code": "1", "memory": 1.5}, {"code": "1", "args": "a"},
             {"code": "1", "args": [1]}, {"code": "1", "env": {"A": 1}}, {"code": "1", "env": {"A=": "b"}}, {"code": "1", "files": []},
             {"code": "1", "files": {"f": 1}}, {**FUNCTION, "cases": []}, {**FUNCTION, "cases": {}}, {"code": "1", "fail_fast": 1}, {"code": "1", "markdown": "yes"}, {"code": "1", "in_place": 1},
             {"code": "1", "stdin": 1}, {"prompt": "def f(): pass"}, {"code": F, "function": 1}, []]
GOOD_TESTS = [
    {"id": "a", "repo": "{repo}", "patch": PATCH, "fail_to_pass": ["t.py::a"], "pass_to_pass": [], "args": ["-q"], "env": {"A": "b"},
     "timeout": 30, "memory": "300m", "strict": True, "isolate": False},
    {"id": 1, "repo": "{repo}", "patches": [PATCH], "test_patch": PATCH, "image": None}, {"id": 2, "repo_in_image": "/etc", "fail_to_pass": "[]"},
    {"instance_id": "o__n-1", "repo": "{repo}", "patch": "right", "model_patch": PATCH, "FAIL_TO_PASS": "[\"t.py::a\"]", "PASS_TO_PASS": ["b"],
     "problem_statement": "p", "hints_text": "", "created_at": "2020", "version": 1.5, "environment_setup_commit": "c", "difficulty": "15 min - 1 hour",
     "model_name_or_path": None}]
BAD_TESTS = [{"id": 1, "repo": "{repo}", "colour": 1}, {"repo": 7}, {"repo": "{repo}", "patches": PATCH}, {"repo": "{repo}", "strict": "yes"},
             {"repo": "{repo}", "fail_to_pass": "t.py::a"}, {"repo": "{repo}", "fail_to_pass": [1]}, {"repo": "{repo}", "args": {}},
             {"repo": "{repo}", "env": []}, {"repo": "{repo}", "timeout": "soon"}, {"repo": "{repo}", "memory": 0}, {"id": [], "repo": "{repo}"}]


def allows(kind, obj):
    schema = {"$ref": f"#/definitions/{kind}", "definitions": SCHEMA["definitions"]}
    return jsonschema.Draft7Validator(schema).is_valid(obj)


def answers(csbx, verb, image, lines):
    """Of each line: was it one that csbx reads?"""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    p = csbx.run(verb, "--image", image, "--ordered", "--timeout", "60", "--batch", "-", stdin=text, timeout=300)
    records = [json.loads(x) for x in p.stdout.splitlines()]
    assert len(records) == len(lines), p.stderr
    return [r["status"] != "bad_line" for r in records]


def check(lines, wanted, schema, csbx):
    for line, is_good, by_schema, by_csbx in zip(lines, wanted, schema, csbx):
        assert (by_schema, by_csbx) == (is_good, is_good), line


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema({**SCHEMA, "$schema": "http://json-schema.org/draft-07/schema#"})


@pytest.mark.parametrize("kind, rows", [("case", GOOD_CASES + GOOD_PROGRAM_CASES), ("eval_line", GOOD_LINES), ("test_line", GOOD_TESTS)])
def test_every_member_has_a_row_and_is_on_the_page(kind, rows):
    members = set(SCHEMA["definitions"][kind]["properties"])
    left_out = {"clone", "commit", "base_commit"} if kind == "test_line" else set()  # these fetch
    assert members - left_out == {key for row in rows for key in row}
    page = (DOCS / "lines.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in members)


@pytest.mark.parametrize("kind, source, table", [
    ("eval_line", "job_line.c", r"\} members\[\] = \{(.*?)\n\};"), ("test_line", "test/batch.c", r"\} members\[\] = \{(.*?)\n\};")])
def test_the_schema_has_the_members_that_csbx_has(kind, source, table):
    """A member that is new in csbx is new in the schema and on the page."""
    text = (DOCS.parent / "cmd/judge" / source).read_text(encoding="utf-8")
    found = re.findall(r'\{"(\w+)", \w+\}', re.search(table, text, re.S)[1])
    assert sorted(found) == sorted(SCHEMA["definitions"][kind]["properties"])


def test_cases(csbx, python_image):
    lines = [{**FUNCTION, "cases": [c]} for c in GOOD_CASES + BAD_CASES] + [{"code": "1", "cases": [c]} for c in GOOD_PROGRAM_CASES]
    wanted = [True] * len(GOOD_CASES) + [False] * len(BAD_CASES) + [True] * len(GOOD_PROGRAM_CASES)
    check(lines, wanted, [allows("eval_line", line) for line in lines], answers(csbx, "eval", python_image, lines))
    check(lines, wanted, [allows("case", line["cases"][0]) for line in lines], wanted)


def test_lines(csbx, python_image):
    (csbx.work / "snippet.py").write_text("print(1)", encoding="utf-8")
    lines, wanted = GOOD_LINES + BAD_LINES, [True] * len(GOOD_LINES) + [False] * len(BAD_LINES)
    check(lines, wanted, [allows("eval_line", line) for line in lines], answers(csbx, "eval", python_image, lines))


def test_lines_of_tests(judge):
    lines = [{k: str(judge.repo) if v == "{repo}" else v for k, v in line.items()} for line in GOOD_TESTS + BAD_TESTS]
    wanted = [True] * len(GOOD_TESTS) + [False] * len(BAD_TESTS)
    check(lines, wanted, [allows("test_line", line) for line in lines], answers(judge.csbx, "test", judge.image, lines))
