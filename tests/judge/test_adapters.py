# SPDX-License-Identifier: Apache-2.0
"""Code that was written against one of the four interfaces, with nothing but its import line changed.

Signatures, fields and words here are those of the interfaces; other names of the adapters for these things are tested
next to them, in both spellings.
"""
import asyncio
import dataclasses
import inspect
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from repositories import STILL, TARGET

FIRST_PARAMETERS = {
    "execute_code": [("code", None), ("timeout", 5.0), ("maximum_memory_bytes", 256 << 20)],
    "ExecutionResult": [("success", None), ("stdout", None), ("stderr", None), ("error", None), ("timeout", False),
                        ("memory_exceeded", False)],
    "TestCase": [("name", None), ("input_args", ()), ("input_kwargs", None), ("expected_output", None), ("expected_type", ""),
                 ("expected_exception", ""), ("weight", 1.0)],
    "SandboxResult": [("success", None), ("exit_code", -1), ("stdout", ""), ("stderr", ""), ("exception", ""), ("duration", 0.0),
                      ("max_memory_mb", 0.0), ("test_results", None), ("all_passed", False)],
    "SandboxExecutor": [("image", None), ("timeout", 60), ("memory_limit", "2g"), ("cpu_limit", 2.0), ("network", "none"),
                        ("use_docker", True)],
    "SandboxExecutor.clone_repo": [("self", None), ("repo", None), ("base_commit", None), ("workspace_dir", None)],
    "SandboxExecutor.apply_patch": [("self", None), ("patch_text", None), ("workspace_dir", None)],
    "ExecResult": [("command", None), ("returncode", None), ("stdout", ""), ("stderr", ""), ("elapsed_seconds", 0.0), ("timed_out", False)],
    "TestResult": [("passed", None), ("failed", None), ("errors", None), ("raw_output", ""), ("elapsed_seconds", 0.0), ("timed_out", False)],
    "TestResult.check_tests": [("self", None), ("fail_to_pass", None), ("pass_to_pass", ())],
    "SandboxedCoder": [("image", None), ("container_name", "sandbox")],
    "_SandboxedPythonCoder": [("docker_image", None), ("sqsh_image_path", None), ("container_name", None)],
}


@pytest.mark.parametrize("name", FIRST_PARAMETERS)
def test_parameters_come_in_the_order_they_had(client, name):
    from csbx import adapters
    thing = adapters
    for part in name.split("."):
        thing = getattr(thing, part)
    found = list(inspect.signature(thing).parameters.values())
    wanted = FIRST_PARAMETERS[name]
    assert [p.name for p in found[:len(wanted)]] == [n for n, _ in wanted]
    for parameter, (_, default) in zip(found, wanted):
        assert default is None or parameter.default == default
    assert all(p.kind is p.KEYWORD_ONLY or p.default is not p.empty for p in found[len(wanted):]), "one more that is needed"


# --- execute_code --------------------------------------------------------------------------------

@pytest.fixture
def execute_code(client, python_image, monkeypatch):
    from csbx.adapters import execute_code as function
    monkeypatch.setenv("PYCSBX_IMAGE", str(python_image))
    return function


def test_repr_leaves_out_what_says_nothing(execute_code):
    assert repr(execute_code("pass")) == "ExecutionResult(success=True)"
    assert repr(execute_code("print(1)")) == "ExecutionResult(success=True, stdout='1\\n')"
    said = repr(execute_code("print(1)\nraise ValueError('no')", timeout=30))
    assert said.startswith("ExecutionResult(success=False, error='ValueError: no', stdout='1\\n', stderr='Traceback")
    assert repr(execute_code("while True: pass", timeout=1)).startswith("ExecutionResult(success=False, timeout=True, error=")


def test_a_cut_is_told(execute_code):
    result = execute_code("print('x' * (3 << 20))", timeout=30)
    assert result.success and result.truncated and len(result.stdout) < 2 << 20 and "truncated=True" in repr(result)
    result = execute_code("print('x' * (3 << 20))", timeout=30, maximum_output_bytes=4 << 20)
    assert result.success and not result.truncated and len(result.stdout) == (3 << 20) + 1
    assert execute_code("import sys; sys.stderr.write('x' * 99)", timeout=30, maximum_output_bytes=50).truncated


@pytest.mark.parametrize("head", ["# coding: latin-1\n", "\n# -*- coding: utf-16 -*-\n", "#!python\n# vim: fileencoding=ascii :\n",
                                  "# coding: ascii coding: latin-1\n# coding: utf-16\n", ""], ids=repr)
def test_text_has_no_encoding(execute_code, client, python_image, head):
    code = head + "print('\u00e9', len('\u00e9'), __import__('sys')._getframe().f_lineno)"
    said = f"\u00e9 1 {head.count(chr(10)) + 1}\n"
    assert execute_code(code, timeout=30).stdout == said
    assert client.eval(code, image=python_image).stdout == said
    assert next(client.eval_batch([code], image=python_image)).result.stdout == said
    assert client.eval("# coding: latin-1\nprint(len('\u00e9'))".encode(), image=python_image).stdout == "2\n", "bytes have one"


# --- CodeSandbox ---------------------------------------------------------------------------------

def test_a_case_is_a_dataclass(client):
    from csbx.adapters import TestCase
    made = TestCase("n", (1,), {"k": 2}, 3, "int", "", 2.0)
    members = {"name": "n", "input_args": (1,), "input_kwargs": {"k": 2}, "expected_output": 3, "expected_type": "int", "expected_exception": "",
               "weight": 2.0}
    assert dataclasses.asdict(made) == members and [f.name for f in dataclasses.fields(TestCase)] == list(members)
    assert made == TestCase(**members) and made != TestCase("n") and dataclasses.replace(made, name="m").name == "m"
    made.expected_output, made.input_args = 4, (5,)
    assert (made.expected, made.args) == (4, (5,)) and made.to_case().expected == 4
    made.expected, made.args, made.kwargs = 6, (7,), {}
    assert repr(made) == ("TestCase(name='n', input_args=(7,), input_kwargs={}, expected_output=6, expected_type='int', expected_exception='', "
                          "weight=2.0)")
    none = dataclasses.replace(TestCase(expected=None), name="none")
    assert none.expected is None and none.to_case().expected_type == "NoneType", "a copy still expects None"


def test_what_a_result_says(client, python_image):
    from csbx.adapters import CodeSandbox, TestCase
    sandbox = CodeSandbox(30, image=python_image)
    result = sandbox.run("x = (", "f", [TestCase("a")])
    assert (result.exception, result.exit_code, result.success) == ("Syntax error: Line 1: '(' was never closed", -1, False)
    code = "import sys\nfor n in range(7): print(n, file=sys.stderr)\ndef f(): return 1"
    for expected, said in ((2, "2\n3\n4\n5\n6"), (1, "")):
        assert sandbox.run(code, "f", [TestCase("a", (), {}, expected)]).exception == said


# --- SandboxedCoder ------------------------------------------------------------------------------

def test_coder(client, python_image):
    from csbx.adapters import SandboxedCoder
    coder = SandboxedCoder(str(python_image), "sandbox")
    with pytest.raises(RuntimeError, match=r"^Container not initialized\. Call reset\(\) first\.$"):
        coder.execute("print(1)")
    coder.reset()
    try:
        assert coder.execute("import sys; print('out'); print('err', file=sys.stderr)") == "out\n"
        for code, said in (("print('out')\n1 / 0", "ZeroDivisionError"), ("raise SystemExit('words')", "words"), ("x = [", "SyntaxError")):
            with pytest.raises(RuntimeError, match=r"^Execution failed:\n") as e:
                coder.execute(code)
            assert said in str(e.value) and "out\n" not in str(e.value)
        assert coder.outputs("print('out')\nraise SystemExit('words')") == ("out\n", "words\n")
        assert coder.execute("# coding: utf-16\nprint('\u00e9')") == "\u00e9\n"
        with pytest.raises(RuntimeError, match="stdout is cut: 3000000 bytes"):
            coder.execute("import sys; sys.stdout.write('x' * 3000000)")
        coder.max_output = "4m"
        assert len(coder.execute("import sys; sys.stdout.write('x' * 3000000)")) == 3000000
    finally:
        coder.remove()
    with pytest.raises(RuntimeError, match="^Failed to reset container: "):
        SandboxedCoder("./no-such-image.sqsh", "sandbox").reset()


def test_an_image_file_that_is_there_is_used(client, python_image, csbx):
    """Whatever docker_image says: it was only read where the file was not there."""
    from csbx.adapters import _SandboxedPythonCoder

    async def output(*words):
        coder = _SandboxedPythonCoder(*words, "sandbox")
        await coder.setup()
        try:
            return await coder.execute("print(1)")
        finally:
            await coder.remove()
    shutil.copy(python_image, csbx.work / "python-image.sqsh")
    for words in (("docker://127.0.0.1:1/none:1", "python-image.sqsh"), ("python:3.10", "python-image.sqsh"), (str(python_image), "none.sqsh"),
                  ("./python-image.sqsh", "none.sqsh")):
        assert asyncio.run(output(*words)) == ("1\n", ""), words


def test_the_coder_that_is_awaited(client, python_image):
    from csbx.adapters import _SandboxedPythonCoder

    async def main():
        coder = _SandboxedPythonCoder(docker_image=str(python_image), sqsh_image_path="image.sqsh", container_name="sandbox")
        await coder.setup()
        assert await coder.execute("print('out')") == ("out\n", "")
        out, err = await coder.execute("print('out')\n1 / 0")
        assert out == "out\n" and err.splitlines()[-1] == "ZeroDivisionError: division by zero"
        await coder.recreate()
        coder.max_output = 1000
        out, err = await coder.execute("import sys; sys.stdout.write('x' * 30000)")
        assert len(out) < 3000 and err.startswith("stdout is cut: 30000 bytes")
        await coder.remove()
    asyncio.run(main())


# --- SandboxExecutor -----------------------------------------------------------------------------

@pytest.fixture
def executor(client, judge):
    from csbx.adapters import SandboxExecutor
    return SandboxExecutor(str(judge.image), 120, "512m", 1.0, "none", True)


@pytest.fixture
def workspace(executor, judge, csbx):
    where = csbx.work / "made" / "here"
    done = executor.clone_repo(repo=judge.repo, base_commit="", workspace_dir=where)
    assert done.success and done.returncode == 0 and done.elapsed_seconds > 0 and not done.timed_out, done
    return where


def test_executor_from_patch_to_verdict(executor, workspace, judge):
    result = executor.run_tests(workspace, [TARGET, STILL])
    assert (result.passed, result.failed, result.errors, result.all_passed, result.timed_out) == ([STILL], [TARGET], [], False, False)
    assert "test session starts" in result.raw_output and result.elapsed_seconds > 0
    assert re.findall(r"^(.+?::[\w\[\]-]+)\s+(PASSED|FAILED)", result.raw_output, re.M) == [(TARGET, "FAILED"), (STILL, "PASSED")], "a line a test"
    assert result.check_tests([TARGET], [STILL]) == (False, {TARGET: False}, {STILL: True})
    done = executor.apply_patch(judge.fix().read_text(), workspace)
    assert done.success and done.command.startswith("git apply")
    result = executor.run_tests(workspace_dir=workspace, test_ids=[TARGET, STILL], extra_args=["--durations=1"])
    assert result.all_passed and sorted(result.passed) == sorted([TARGET, STILL]) and "slowest" in result.raw_output
    assert result.check_tests([TARGET], [STILL]) == (True, {TARGET: True}, {STILL: True})
    assert not result.check_tests([TARGET, "tests/test_calc.py::gone"], [])[0]


def test_executor_both_orders(executor, workspace):
    for result in (executor.run_tests(workspace, [STILL]), executor.run_tests(str(workspace), [STILL], ["-q"]),
                   executor.run_tests([STILL], workspace), executor.run_tests(STILL, str(workspace), 100),
                   executor.run_tests(tests=[STILL], workspace=workspace), executor.run_tests(test_ids=[STILL], workspace_dir=workspace)):
        assert result.passed == [STILL] and result.all_passed, result
    assert TARGET in executor.run_tests(workspace=workspace).failed, "all of them"
    for nothing in (executor.run_tests(workspace, []), executor.run_tests(workspace_dir=workspace, test_ids=[])):
        assert (nothing.passed, nothing.failed, nothing.errors, nothing.raw_output, nothing.tests) == ([], [], [], "", {})


def test_executor_errors_are_not_failures(executor, workspace):
    (workspace / "tests/test_more.py").write_text("import pytest\n@pytest.fixture\ndef f(): raise ValueError\ndef test_setup(f): pass\n")
    (workspace / "tests/test_none.py").write_text("import no_such_module\n")
    result = executor.run_tests(workspace, ["tests/test_more.py", "tests/test_none.py"])
    assert result.failed == [] and "tests/test_more.py::test_setup" in result.errors and "tests/test_none.py" in result.errors
    assert not result.all_passed and not result


def test_executor_words(executor, workspace, client):
    from csbx.adapters import CommandResult, ExecResult, MORE_COMMANDS, SandboxExecutor, TestResult, TestRun
    assert CommandResult is ExecResult and TestRun is TestResult
    done = executor.apply_patch(patch_text="", workspace_dir=workspace)
    assert (done.returncode, done.stderr, done.success) == (1, "Empty patch", False)
    done = executor.run_command(["python3", "-c", "print('x' * 3000000)"], workspace)
    assert done.success and done.truncated and len(done.stdout) < 3000000
    assert (done.returncode, done.elapsed_seconds) == (done.return_code, done.duration) == (done.to_dict()["return_code"], done.to_dict()["duration"])
    executor.max_output = "4m"
    done = executor.run_command(["/usr/bin/python3", "-c", "print('x' * 3000000)"], workspace)
    assert (len(done.stdout), done.truncated, done.command) == (3000001, False, "/usr/bin/python3 -c print('x' * 3000000)")
    made = ExecResult("git apply", 0, "out", "err", 1.5)
    assert made.success and not ExecResult("x", 0, timed_out=True).success and TestResult(["a"], [], [], "", 1.0).all_passed
    for command in (["rm", "-rf", "x"], ["sh", "-c", "id"], "/bin/bash", ["curl"]):
        with pytest.raises(ValueError, match="^Command '.*' is not in the allowed command"):
            executor.run_command(command, workspace)
    with pytest.raises(ValueError, match="^Empty command"):
        executor.run_command([], workspace)
    for twice in (lambda: executor.apply_patch("x", workspace, workspace=workspace), lambda: executor.clone_repo("a/b", "", workspace, commit="x"),
                  lambda: executor.apply_patch(workspace_dir=workspace), lambda: executor.clone_repo(workspace_dir=workspace)):
        with pytest.raises(TypeError):
            twice()
    wide = SandboxExecutor(executor.image, allowed_commands=MORE_COMMANDS, timeout=100)
    assert wide.run_command(["sh", "-c", "echo $0"], workspace).stdout == "sh\n"


@pytest.mark.parametrize("use_docker", [True, False])
def test_executor_place(executor, workspace, use_docker):
    """User 1000, a root that cannot be written, a /tmp of 256 MiB: with either word a container."""
    from csbx.adapters import SandboxExecutor
    executor = SandboxExecutor(executor.image, timeout=100, use_docker=use_docker)
    look = ("import os, shutil\nprint(os.getuid(), os.getgid(), os.getcwd(), shutil.disk_usage('/tmp').total >> 20)\n"
            "open('mine', 'w'); open('/tmp/x', 'w')\n"
            "try: open('/etc/x', 'w')\nexcept OSError as e: print(e.strerror)\n")
    done = executor.run_command(["python3", "-c", look], workspace)
    assert done.stdout == "1000 1000 /workspace 256\nRead-only file system\n", done
    assert (workspace / "mine").stat().st_uid == os.getuid()
    (workspace / "test_place.py").write_text("import os, pathlib\ndef test_it():\n    assert os.getuid() == 1000 and os.getcwd() == '/workspace'\n"
                                             "    try: open('/etc/x', 'w')\n    except OSError: return\n    assert False\n")
    result = executor.run_tests(workspace, ["test_place.py::test_it"])
    assert result.all_passed and result.passed == ["test_place.py::test_it"], result.raw_output


def test_executor_timeout(executor, workspace):
    executor.timeout = 1
    done = executor.run_command(["python3", "-c", "import time; time.sleep(900)"], workspace)
    assert (done.returncode, done.timed_out, done.success, done.stderr) == (-1, True, False, "TIMEOUT after 1s")
    (workspace / "test_slow.py").write_text("import time\ndef test_it(): time.sleep(900)\n")
    result = executor.run_tests(workspace, ["test_slow.py"])
    assert result.timed_out and not result.all_passed and result.passed == []


@pytest.fixture
def forge(csbx, judge):
    """A git server that knows owner/repo, with two commits. -> (its URL, the hash of the first)"""
    def git(*words):
        said = subprocess.run(["git", "-C", str(judge.repo), "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, timeout=60,
                              capture_output=True, text=True)
        return said.stdout.strip()
    git("init", "-q", ".")
    git("add", "-A")
    git("commit", "-qm", "one")
    first = git("rev-parse", "HEAD")
    git("commit", "-qm", "two", "--allow-empty")
    (csbx.work / "forge/owner").mkdir(parents=True)
    git("clone", "-q", "--bare", ".", str(csbx.work / "forge/owner/repo.git"))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen(["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", "--export-all",
                          f"--base-path={csbx.work}/forge", str(csbx.work / "forge")], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield f"git://127.0.0.1:{port}", first
    finally:
        p.terminate()
        p.wait(30)


def test_executor_clones_owner_and_repo(executor, forge, csbx):
    from csbx.adapters import SandboxExecutor
    url, first = forge
    assert executor.forge == "https://github.com"
    executor = SandboxExecutor(executor.image, timeout=100, forge=url)
    heads = {}
    for n, commit in enumerate(("", "HEAD", "head", None, first)):
        where = csbx.work / "clones" / str(n)
        done = executor.clone_repo("owner/repo", commit, Path(where))
        assert done.success, done
        heads[commit] = subprocess.run(["git", "-C", str(where), "rev-parse", "HEAD"], check=True, timeout=60, capture_output=True,
                                       text=True).stdout.strip()
    assert heads[first] == first and len({heads[c] for c in ("", "HEAD", "head", None)}) == 1 and heads[""] != first
    done = executor.clone_repo("owner/none", "", csbx.work / "none")
    assert not done.success and done.returncode != 0 and done.stderr
    for wrong in ("-x/y", "owner/repo/more", "../up", "owner/", "/no/such/directory", "owner/re po"):
        with pytest.raises(ValueError):
            executor.clone_repo(wrong, "", csbx.work / "wrong")
