# SPDX-License-Identifier: Apache-2.0
"""csbx eval: one snippet, run and looked at."""
import ast
import json
import os
import shutil
import sys
import time

import pytest

import harness
import snippets


def evaluate(csbx, image, code, *options, stdin=None):
    """The result object of a snippet, with csbx's exit code as "exit"."""
    path = csbx.work / "snippet"
    path.write_text(code, encoding="utf-8")
    p = csbx.run("eval", "--image", image, "--json", "--timeout", "20", *options, path, timeout=120, stdin=stdin)
    return snippets.parse(p)


def test_a_script_that_ends(csbx, python_image):
    r = evaluate(csbx, python_image, "import os\nprint(6 * 7, os.getcwd(), os.listdir('.'))\n")
    assert (r["exit"], r["status"], r["success"], r["completed"]) == (0, "exited", True, True)
    assert r["stdout"] == "42 /work []\n"
    assert r["error_summary"] is None and r["feedback"] == []


def test_arguments_input_and_environment(csbx, python_image):
    (csbx.work / "in").write_text("from a file", encoding="utf-8")
    (csbx.work / "snippet").write_text("import os, sys\nprint(sys.argv[1:], sys.stdin.read(), os.environ['A'], __name__)\n",
                                       encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "-e", "A=b", "--stdin", csbx.work / "in", csbx.work / "snippet", "x", "-y")
    assert (p.returncode, p.stdout) == (0, "['x', '-y'] from a file b __main__\n"), p.stderr


def test_an_option_behind_the_file(csbx, python_image):
    """It would be the program's, and the verdict would be without it in silence."""
    (csbx.work / "snippet").write_text("import sys\nprint(sys.argv[1:])\n", encoding="utf-8")
    for words in ["--json"], ["x", "--cases=c"], ["--timeout", "1"]:
        csbx.fails("eval", "--image", python_image, csbx.work / "snippet", *words, says="behind FILE")
    p = csbx.run("eval", "--image", python_image, "--", csbx.work / "snippet", "--json", "--other")
    assert (p.returncode, p.stdout) == (0, "['--json', '--other']\n"), p.stderr
    p = csbx.run("eval", "--image", python_image, csbx.work / "snippet", "--other", "-e")
    assert (p.returncode, p.stdout) == (0, "['--other', '-e']\n"), p.stderr


def test_code_from_a_pipe_reads_nothing(csbx, python_image):
    p = csbx.run("eval", "--image", python_image, stdin="import sys\nprint(repr(sys.stdin.read()))\n")
    assert (p.returncode, p.stdout) == (0, "''\n"), p.stderr


def test_an_exception(csbx, python_image):
    r = evaluate(csbx, python_image, "def f(x):\n    return 1 / x\n\nprint('partial')\nf(0)\n")
    assert (r["exit"], r["status"], r["exit_code"], r["completed"]) == (1, "exited", 1, False)
    assert r["stdout"] == "partial\n"
    assert r["error_summary"] == {"type": "ZeroDivisionError", "message": "division by zero", "line": 2}
    assert r["feedback"] == ["ZeroDivisionError in line 2: division by zero."]
    # As the interpreter alone would have shown it: the harness is not in it.
    assert r["stderr"].startswith('Traceback (most recent call last):\n  File "/csbx/snippet.py", line 5')
    assert "return 1 / x" in r["stderr"] and "/proc/" not in r["stderr"]


def test_a_syntax_error(csbx, python_image):
    r = evaluate(csbx, python_image, "x = 1\nprint(x\n")
    assert (r["exit"], r["completed"], r["error_summary"]["type"], r["error_summary"]["line"]) == (1, False, "SyntaxError", 2)


@pytest.mark.parametrize("code", ["import sys\nsys.exit(0)\nprint(1)", "import os\nos._exit(0)",
                                  "import atexit, os\natexit.register(os._exit, 0)\n1 / 0",
                                  "raise SystemExit"])
def test_leaving_early_is_not_done(csbx, python_image, code):
    r = evaluate(csbx, python_image, code)
    assert (r["exit"], r["success"], r["completed"]) == (1, False, False)
    assert r["feedback"]


@pytest.mark.parametrize("code, status, code_of_csbx", [
    ("while True: pass", "timeout", 124),
    ("x = [b'x' * 1000000 for _ in range(2000)]", "oom", 137),
    ("import ctypes\nctypes.string_at(0)", "signaled", 139)], ids=("endless", "memory", "segfault"))
def test_ends_from_outside(csbx, python_image, code, status, code_of_csbx):
    r = evaluate(csbx, python_image, code, "--timeout", "6", "--memory", "64m")
    assert (r["exit"], r["status"], r["success"]) == (code_of_csbx, status, False)
    assert len(r["feedback"]) == 1


def test_no_network(csbx, python_image):
    r = evaluate(csbx, python_image, "import socket\nsocket.create_connection(('192.0.2.1', 80), 3)\n")
    assert r["error_summary"]["type"] == "OSError" and r["exit"] == 1


def test_a_compiler_that_is_not_there(csbx, python_image):
    r = evaluate(csbx, python_image, "int main(void) { return 0; }", "--lang", "c")
    assert (r["exit"], r["status"], r["error"]["code"], r["files"]) == (127, "launch_error", "command_not_found", {})


# Programs of this machine in the place of the image's, which has none of these languages.
HOSTS = ("--mount", "/usr:/usr:ro", "--mount", "/etc/alternatives:/etc/alternatives:ro", "--memory", "1g")


def test_bash(csbx, python_image):
    (csbx.work / "in").write_text("abcd\n", encoding="utf-8")
    code = 'words=(one two)\nread -r x\necho "${words[1]} $x $PWD"\n[[ $x == abc* ]] && exit 3\n'
    r = evaluate(csbx, python_image, code, *HOSTS, "--lang", "bash", "--stdin", csbx.work / "in")
    assert (r["exit"], r["status"], r["stdout"], r["completed"]) == (3, "exited", "two abcd /work\n", None), r["stderr"]


def test_node(csbx, python_image):
    if not os.path.exists("/usr/bin/node"):
        pytest.skip("node is not installed in /usr/bin")
    code = "console.log([1, 2].map(x => x * 2), process.cwd());\nthrow new RangeError('too far');\n"
    r = evaluate(csbx, python_image, code, *HOSTS, "--lang", "node")
    assert (r["exit"], r["stdout"], r["completed"]) == (1, "[ 2, 4 ] /work\n", None), r["stderr"]
    assert "RangeError: too far" in r["stderr"]


def test_c(csbx, python_image):
    code = '#include <math.h>\n#include <stdio.h>\nint main(void)\n{\n\tdouble x;\n' \
        '\tif (scanf("%lf", &x) != 1)\n\t\treturn 2;\n\tprintf("%.0f\\n", pow(x, 2));\n\treturn 0;\n}\n'
    (csbx.work / "cases").write_text(json.dumps([{"stdin": "7", "expected": "49"}, {"stdin": "7", "expected": "48"},
                                                 {"stdin": "x", "expected": ""}]), encoding="utf-8")
    r = evaluate(csbx, python_image, code, *HOSTS, "--lang", "c", "--cases", csbx.work / "cases")
    assert [c["passed"] for c in r["cases"]] == [True, False, False], r["feedback"]
    assert r["cases"][2]["detail"] == "ended with exit code 2"


def test_c_that_does_not_compile(csbx, python_image):
    r = evaluate(csbx, python_image, "int main(void)\n{\n\tretrun 1;\n}\n", *HOSTS, "--lang", "c")
    assert (r["exit"], r["status"], r["exit_code"], r["completed"]) == (1, "compile_error", None, None)
    assert r["error_summary"]["line"] == 3 and "retrun" in r["error_summary"]["message"]
    assert r["feedback"] == [f"The program does not compile in line 3: {r['error_summary']['message']}."]


def test_the_channel_is_foreign(csbx, python_image):
    """Garbage on the channel neither hurts nor helps."""
    r = evaluate(csbx, python_image, "import os\nos.write(3, os.urandom(100000))\nos._exit(0)")
    assert (r["exit"], r["success"], r["status"]) == (1, False, "exited")
    r = evaluate(csbx, python_image, "import os\nwhile True: os.write(3, bytes(65536))", "--timeout", "2")
    assert (r["exit"], r["success"]) in ((124, False), (1, False))


def test_mistakes(csbx, python_image):
    csbx.fails("eval", python_image, says="--image is missing")
    csbx.fails("eval", "--image", python_image, csbx.work / "missing.py", says="missing.py")
    csbx.fails("eval", "--image", "nosuch", stdin="pass", says="nosuch: no such container")
    csbx.fails("eval", "--image", python_image, "--lang", "cobol", stdin="pass", says="--lang")
    csbx.fails("eval", "--image", python_image, "--tty", stdin="pass", says="--tty")


def test_result_matches_the_schema(csbx, python_image):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((snippets.HERE.parent.parent / "result.schema.json").read_text(encoding="utf-8"))
    r = evaluate(csbx, python_image, "1 / 0")
    r.pop("exit")
    jsonschema.validate(r, schema)


def test_the_harness_runs_on_old_interpreters():
    """Syntax of Python 3.6, and nothing but the standard library."""
    files = sorted((harness.BIN / "harness").glob("*.py"))
    assert len(files) >= 5
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 6))
        for node in ast.walk(tree):
            # Syntax that feature_version lets pass.
            assert not isinstance(node, (ast.NamedExpr, ast.Match)), (path, node.lineno)
            assert not getattr(getattr(node, "args", None), "posonlyargs", None), (path, node.lineno)
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else \
                [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in modules:
                assert name.partition(".")[0] in (*sys.stdlib_module_names, "pytest", "_pytest", *(p.stem for p in files)), (path, name)


def test_what_the_harness_imports(csbx, python_image):
    """A run pays for each module: a script has none more than the interpreter alone."""
    (csbx.work / "snippet").write_text("import sys\nprint(*sorted(sys.modules))\n", encoding="utf-8")
    alone = csbx.ok("run", "--mount", f"{csbx.work}:/w", python_image, "python3", "/w/snippet").split()
    here = csbx.ok("eval", "--image", python_image, csbx.work / "snippet").split()
    assert set(here) <= set(alone) and len(here) > 20


def test_a_limit_that_leaves_no_room_for_cases(csbx, python_image):
    """Each case is a process of its own: the program is not blamed for a limit that has no room for it."""
    (csbx.work / "f.py").write_text("def f(x): return x\n")
    (csbx.work / "cases").write_text('[{"args": [1], "expected": 1}]')
    args = ("--image", python_image, "--function", "f", "--cases", csbx.work / "cases", csbx.work / "f.py")
    csbx.fails("eval", "--pids-limit", "1", *args, says=["--pids-limit 1", "2 or more"])
    assert csbx.run("eval", "--pids-limit", "2", *args).returncode == 0
    line = {"id": "a", "code": "def f(x): return x", "function": "f", "cases": [{"args": [1], "expected": 1}]}
    p = csbx.run("eval", "--image", python_image, "--pids-limit", "1", "--batch", "-", stdin=json.dumps(line) + "\n")
    assert "2 or more" in json.loads(p.stdout)["error"]["message"], p.stdout


def test_a_fork_bomb_ends_in_time(csbx, python_image):
    """A thousand processes that fork and want the CPU keep nothing from ending them at the time limit."""
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
    begun = time.monotonic()
    result = evaluate(csbx, python_image, bomb, "--timeout", "3", "--pids-limit", "1000")
    assert result["status"] == "timeout", result
    assert time.monotonic() - begun < 9


def test_an_exit_code_of_its_own_has_a_reason(csbx, python_image):
    """1 where the program's own is 0, or where it did not run."""
    (csbx.work / "leaves.py").write_text("import sys\nsys.exit(0)\ndef f(): return 1\n", encoding="utf-8")
    (csbx.work / "cases").write_text('[{"args": [], "expected": 1}]', encoding="utf-8")
    cases = ["--function", "f", "--cases", "cases"]
    left = "csbx: eval: The program left by sys.exit() in line 2 before its last statement was done.\n"
    denied = "csbx: eval: Not allowed: line 1: imports sys, which is not allowed.\n"
    for options, err in (([], left), (["--deny-import", "os"], left), (["--deny-import", "sys"], denied), (["--deny-import", "sys", *cases], denied)):
        p = csbx.run("eval", "--image", python_image, *options, "leaves.py")
        assert (p.returncode, p.stderr) == (1, err), options
    p = csbx.run("eval", "--image", python_image, *cases, "leaves.py")
    assert p.returncode == 1 and "failed before it was loaded: SystemExit: 0" in p.stdout, p.stdout
    (csbx.work / "ends.py").write_text("print(1)\n", encoding="utf-8")
    assert csbx.run("eval", "--image", python_image, "ends.py").stderr == ""


def test_output_that_a_limit_cuts_off(csbx, python_image):
    """Python keeps lines back from a pipe; docs/judging.md says how each is written at once."""
    for options, code, out in (([], "print('a')", ""), ([], "print('a', flush=True)", "a\n"), (["-e", "PYTHONUNBUFFERED=1"], "print('a')", "a\n")):
        p = csbx.run("eval", "--image", python_image, "--timeout", "1", *options, stdin=code + "\nimport time\ntime.sleep(60)\n")
        assert (p.returncode, p.stdout) == (124, out)


CHANGES = ("truncate", "overwrite", "replace")


def change(image, how):
    """In place, and by another file, which leaves those alone who have the image open."""
    if how == "truncate":
        os.truncate(image, 100000)
    elif how == "overwrite":
        with open(image, "r+b") as f:
            f.seek(image.stat().st_size // 2)
            f.write(b"x")
    else:
        shutil.copy(image, beside(image))
        os.rename(beside(image), image)


def beside(image):
    return image.with_name("another.sqsh")


@pytest.mark.parametrize("how", CHANGES)
def test_an_image_that_is_changed_while_a_program_runs(csbx, python_image, how):
    """What the program says then, or how it falls, says nothing about it."""
    image = csbx.work / "image.sqsh"
    shutil.copy(python_image, image)
    os.chmod(image, 0o644)
    (csbx.work / "snippet").write_text("print('runs', flush=True)\nimport time\ntime.sleep(1)\nimport decimal, email.message\nprint('ends')\n",
                                       encoding="utf-8")
    with csbx.popen("eval", "--image", image, "--json=result", "--timeout", "20", csbx.work / "snippet", text=True) as p:
        assert p.stdout.readline() == "runs\n"
        change(image, how)
        p.communicate(timeout=60)
    r = json.loads((csbx.work / "result").read_text(encoding="utf-8"))
    if how == "replace":
        assert (r["status"], p.returncode) == ("exited", 0)
    else:
        assert (r["status"], r["exit_code"], r["error"]["code"], p.returncode) == ("sandbox_error", 125, "image_server", 125), r
        assert r["error"]["message"].endswith("changed while the program ran")
        assert r["signal"] is None and r["exit_code"] == 125, "as docs/result.md says"
