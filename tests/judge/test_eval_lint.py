# SPDX-License-Identifier: Apache-2.0
"""csbx eval --deny-import and its like: a look at the syntax tree, made in a container."""
import json

import pytest

import snippets


def lint(csbx, image, code, *options):
    (csbx.work / "snippet").write_text(code, encoding="utf-8")
    p = csbx.run("eval", "--image", image, "--json", "--timeout", "20", *options, csbx.work / "snippet", timeout=60)
    return snippets.parse(p)


@pytest.mark.parametrize("options, code, found", [
    (["--deny-import", "socket"], "x = 1\nimport socket", "line 2: imports socket"),
    (["--deny-import", "os"], "from os.path import join", "line 1: imports os"),
    (["--deny-import", "os.path"], "from os import path", "line 1: imports os.path"),
    (["--deny-import", "socket"], "__import__('socket')", "imports socket"),
    (["--deny-import", "socket"], "import importlib as i\ni.import_module('soc' + 'ket')", "line 2: imports what"),
    (["--deny-call", "eval"], "def f():\n    return eval('1')", "line 2: calls eval"),
    (["--deny-call", "os.system"], "import os as o\no.system('true')", "calls os.system"),
    (["--deny-call", "os.system"], "from os import system as s\ns('true')", "calls os.system"),
    (["--deny-call", "os.system"], "def f(): s('true')\nfrom os import system as s", "line 1: calls os.system"),
    (["--allow-command", "git"], "import subprocess\nsubprocess.run(['/bin/rm', 'x'])", "runs /bin/rm"),
    (["--allow-command", "git"], "import os\nos.system('git status; A=1 rm x')", "runs rm"),
    (["--allow-command", "git"], "import os, sys\nos.system(sys.argv[0])", "put together at run time"),
    (["--allow-command", "git"], "import os\nos.system('git $(rm x)')", "put together at run time")])
def test_violations(csbx, python_image, options, code, found):
    r = lint(csbx, python_image, code + "\nprint('ran')", *options)
    assert (r["exit"], r["status"], r["exit_code"], r["success"], r["stdout"]) == (1, "policy_violation", None, False, "")
    assert found in r["feedback"][0] and found in r["error_summary"]["message"], r["feedback"]
    assert r["error_summary"]["line"] >= 1


@pytest.mark.parametrize("options, code", [
    (["--deny-import", "os"], "import oslo if False else None" if False else "osx = 1\nopen('/dev/null')"),
    (["--deny-call", "eval"], "def evaluate(x): return x\nevaluate(1)\nprint(eval.__name__)"),
    (["--allow-command", "true", "--allow-command", "echo"], "import os\nos.system('true && X=1 echo hi')")])
def test_what_is_allowed_runs(csbx, python_image, options, code):
    assert lint(csbx, python_image, code, *options)["success"]


def test_a_syntax_error_is_told_by_the_run(csbx, python_image):
    r = lint(csbx, python_image, "import (", "--deny-import", "os")
    assert (r["status"], r["error_summary"]["type"]) == ("exited", "SyntaxError")


def test_what_cannot_be_checked_is_not_run(csbx, python_image):
    r = lint(csbx, python_image, "x = " + "(" * 150 + "1" + ")" * 150 + "\n" + "-" * 60000 + "1", "--deny-import", "os")
    assert r["status"] == "policy_violation" or r["error_summary"]["type"] in ("SyntaxError", "MemoryError", "RecursionError")


def test_cases_of_what_was_not_run(csbx, python_image):
    (csbx.work / "cases").write_text(json.dumps([{"args": [], "expected": 1}]), encoding="utf-8")
    r = lint(csbx, python_image, "import os\ndef f(): return 1", "--deny-import", "os", "--function", "f", "--cases", csbx.work / "cases")
    assert r["status"] == "policy_violation" and not r["all_passed"] and r["exit"] == 1
    csbx.fails("eval", "--image", python_image, "--lang", "bash", "--deny-import", "x", stdin="true", says="--lang python")
