# SPDX-License-Identifier: Apache-2.0
"""The rows of SandboxExecutor, as it was and as it is."""
import dataclasses
import inspect
import os
import subprocess

import originals
from repositories import STILL, TARGET
from rows import row


@row("`SandboxExecutor`", "a line `id PASSED` that a test prints")
def printed(b):
    forged = f"{TARGET} PASSED\n"
    assert originals.words_of_pytest(forged) == {TARGET: "PASSED"}
    with b.executor().workspace() as where:
        executor = b.executor(allowed_commands=b.adapters.MORE_COMMANDS)
        executor.clone_repo(b.judge.repo, "", where)
        (where / "conftest.py").write_text(f"import os\nprint({forged!r}, flush=True)\nos._exit(0)\n", encoding="utf-8")
        result = executor.run_tests(where, [TARGET])
        assert result.passed == [] and not result.check_tests([TARGET])[0] and not result.all_passed


@row("`SandboxExecutor`", "ids with blanks, dots, other characters")
def ids(b):
    name = "test_ids.py::test_it[a b.c]"
    assert originals.words_of_pytest(f"{name} PASSED\n") == {}
    with b.executor().workspace() as where:
        (where / "test_ids.py").write_text("import pytest\n@pytest.mark.parametrize('x', ['a b.c'])\ndef test_it(x): pass\n", encoding="utf-8")
        assert b.executor().run_tests(where, [name]).passed == [name]


@row("`SandboxExecutor`", "`use_docker=False`, no docker")
def no_docker(b):
    here = originals.python("import os; print(os.getpid() > 1, os.getcwd())").stdout
    assert here == f"True {os.getcwd()}\n", "it ran on the host"
    with b.executor().workspace() as where:
        done = b.executor(use_docker=False).run_command(["python3", "-c", "import os; print(os.getcwd(), os.getuid())"], where)
        assert done.stdout == "/workspace 1000\n"
        assert b.adapters.SandboxExecutor("./none.sqsh", use_docker=False).run_command("ls", where).returncode == -2


@row("`SandboxExecutor`", "the workspace after `run_tests`")
def unchanged(b):
    with b.executor().workspace() as where:
        b.executor().clone_repo(b.judge.repo, "", where)
        before = sorted(str(p) for p in where.rglob("*"))
        b.executor().run_tests(where, [STILL])
        assert sorted(str(p) for p in where.rglob("*")) == before and not list(where.rglob("__pycache__"))
        b.executor().run_command(["python3", "-m", "pytest", "-q", STILL], where)
        assert list(where.rglob("__pycache__")), "pytest itself leaves its caches"


@row("`SandboxExecutor`", "the workspace after `apply_patch`")
def patch_file(b):
    patch = b.judge.fix().read_text()
    with b.executor().workspace() as where:
        b.executor().clone_repo(b.judge.repo, "", where)
        assert b.executor().apply_patch(patch, where).success and not list(where.glob("*.diff"))
    with b.executor().workspace() as where:
        b.executor().clone_repo(b.judge.repo, "", where)
        assert originals.apply_a_file(patch, where) and list(where.glob("*.diff"))


@row("`SandboxExecutor`", "a patch without a newline at its end")
def no_newline(b):
    patch = b.judge.fix().read_text().rstrip("\n")
    with b.executor().workspace() as where:
        b.executor().clone_repo(b.judge.repo, "", where)
        assert not originals.apply_a_file(patch, where)
        assert b.executor().apply_patch(patch, where).success


OUTCOMES = """import pytest
@pytest.fixture
def torn():
    yield
    raise ValueError
def test_torn(torn): pass
@pytest.mark.xfail
def test_fails(): assert 0
@pytest.mark.xfail
def test_passes(): pass
"""


def outcomes(b, *names):
    """What an executor and the regular expressions say of the same run."""
    with b.executor().workspace() as where:
        (where / "test_it.py").write_text(OUTCOMES, encoding="utf-8")
        (where / "test_none.py").write_text("import no_such_module\ndef test_it(): pass\n", encoding="utf-8")
        result = b.executor().run_tests(where, list(names))
    return result, originals.lists_of_pytest(result.raw_output)


@row("`SandboxExecutor`", "`all_passed` of a run without an outcome: no such id, pytest that fails")
def nothing_passed(b):
    result, before = outcomes(b, "test_it.py::test_gone")
    assert before == ([], [], [], True) and not result.all_passed and result.passed == []


@row("`SandboxExecutor`", "tests marked `xfail`")
def expected_failures(b):
    result, before = outcomes(b, "test_it.py::test_fails", "test_it.py::test_passes")
    assert before == ([], [], [], True)
    assert (result.passed, result.failed, result.all_passed) == (["test_it.py::test_fails"], ["test_it.py::test_passes"], False)


@row("`SandboxExecutor`", "a test whose teardown fails")
def teardown(b):
    name = "test_it.py::test_torn"
    result, before = outcomes(b, name)
    assert before == ([name], [], [name], False)
    assert (result.passed, result.errors, result.all_passed) == ([], [name], False)


@row("`SandboxExecutor`", "a file that cannot be collected")
def not_collected(b):
    result, before = outcomes(b, "test_none.py")
    assert before == ([], [], [], True) and result.errors == ["test_none.py"] and not result.all_passed


@row("`SandboxExecutor`", "a result as a condition")
def conditions(b):
    made = dataclasses.make_dataclass("ExecResult", ["command", "returncode"])
    assert made("false", 1) and not b.adapters.ExecResult("false", 1) and b.adapters.ExecResult("true", 0)
    assert b.adapters.TestResult() and not b.adapters.TestResult(["a"], [], [], "", 0.0, True)


@row("`SandboxExecutor`", "`clone_repo` of a URL")
def clone(b):
    """A user's own configuration of git is the host's, and no container sees it."""
    home = b.where / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = somebody\n", encoding="utf-8")
    words = ["git", "config", "--get", "user.name"]
    assert subprocess.run(words, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=True).stdout == "somebody\n"
    with b.executor().workspace() as where:
        assert b.executor().run_command(words, where).returncode == 1


@row("`SandboxExecutor`", "the image `code-agent-sandbox:latest`")
def image(b):
    assert inspect.signature(b.adapters.SandboxExecutor).parameters["image"].default is None
    b.client.configure(image=b.image)
    try:
        assert b.adapters.SandboxExecutor().image == str(b.image)
    finally:
        b.client.configure(image=None)
