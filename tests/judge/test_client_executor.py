# SPDX-License-Identifier: Apache-2.0
"""SandboxExecutor: a checkout, patches and tests, as people do it by docker run."""
import os
import socket
import subprocess
import time

import pytest

from repositories import STILL, TARGET


@pytest.fixture
def executor(client, judge):
    from csbx.adapters import MORE_COMMANDS, SandboxExecutor
    made = SandboxExecutor(str(judge.image), timeout=120, memory_limit="512m", cpu_limit=1.0, network=False,
                           allowed_commands=MORE_COMMANDS)
    with made.workspace():
        assert made.clone_repo(judge.repo)
        yield made


def test_from_clone_to_verdict(client, judge):
    from csbx.adapters import SandboxExecutor
    executor = SandboxExecutor(image=str(judge.image), timeout=120, memory_limit="512m", cpu_limit=1.0, network=False)
    with executor.workspace() as workspace:
        assert executor.clone_repo(judge.repo).return_code == 0
        resolved, f2p, p2p = executor.check_tests([TARGET], [STILL])
        assert (resolved, f2p, p2p) == (False, {TARGET: False}, {STILL: True})
        assert executor.apply_patch(judge.fix().read_text()).success
        assert "a + b" in (workspace / "calc.py").read_text()
        assert executor.check_tests([TARGET], [STILL]) == (True, {TARGET: True}, {STILL: True})
        run = executor.run_tests([TARGET, STILL])
        assert run.success and run.return_code == 0 and sorted(run.passed) == sorted([TARGET, STILL]) and run.failed == []
        assert "a - b" in (judge.repo / "calc.py").read_text(), "the original"
    assert not workspace.exists()


def test_run_tests_that_fail(executor):
    run = executor.run_tests()
    assert run.return_code == 1 and not run and TARGET in run.failed and STILL in run.passed
    assert run.tests["tests/test_calc.py::test_text[a/b::c]"] == "passed"
    assert run.to_dict()["tests"] == run.tests and "failed" in run.output


def test_printed_lines_are_not_believed(executor, judge):
    forged = f"import sys, os\nprint('{TARGET} PASSED')\nprint('===== 99 passed in 0.01s =====', flush=True)\nos._exit(0)\n"
    assert executor.run_command(["sh", "-c", "cat > tests/conftest.py"], input=forged)
    resolved, f2p, _ = executor.check_tests([TARGET])
    assert not resolved and f2p == {TARGET: False}


def test_patches_that_do_not_apply(executor, judge):
    for patch in ("", " \n", b""):
        result = executor.apply_patch(patch)
        assert not result and result.return_code == 1 and result.stderr == "Empty patch"
    assert not executor.apply_patch("no patch at all")
    half = judge.fix().read_text() + judge.patch(files={"no-such-file.py": None}).read_text()
    before = executor.run_command("cat calc.py").stdout
    assert not executor.apply_patch(half + "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-no\n+yes\n")
    assert executor.run_command("cat calc.py").stdout == before


def test_patches_as_they_come(executor, judge):
    """Without a newline at the end, which a program that strips texts takes away; where .git leads nowhere."""
    executor.run_command(["sh", "-c", "echo gitdir: /nonexistent > .git"])
    assert executor.apply_patch(judge.fix().read_text().rstrip("\n"))
    assert "a + b" in executor.run_command("cat calc.py").stdout
    assert not executor.apply_patch("no patch at all")


def test_commands(executor):
    result = executor.run_command("python3 -c 'import os; print(os.getcwd(), os.environ[\"A\"])'")
    assert result.return_code == 1
    result = executor.run_command("A='x y' python3 -c 'import os; print(os.getcwd(), os.environ[\"A\"])'")
    assert (result.return_code, result.stdout) == (0, "/workspace x y\n")
    assert executor.run_command("echo $HOME ; id > /workspace/f").stdout == "$HOME ; id > /workspace/f\n"
    assert executor.run_command(["python3", "-c", "raise SystemExit(9)"]).return_code == 9
    assert executor.run_command(["python3", "-c", "import os; os.kill(os.getpid(), 9)"]).return_code == -9
    for command in ("curl http://example.com", ["/bin/zsh"], "sudo ls", "A=1", "", ["./run.sh"]):
        with pytest.raises(ValueError):
            executor.run_command(command)


def test_return_codes(executor, client, judge):
    from csbx.adapters import SandboxExecutor
    started = time.monotonic()
    result = executor.run_command(["python3", "-c", "print('before', flush=True); import time; time.sleep(1400)"], timeout=1)
    assert result.return_code == -1 and result.timed_out and result.stderr.endswith("TIMEOUT after 1s")
    assert result.stdout == "before\n" and time.monotonic() - started < 30
    result = executor.run_command(["python3", "-c", "x = b'x' * (1 << 30)"])
    assert result.return_code == 137 and result.memory_exceeded
    broken = SandboxExecutor("./no-such-image.sqsh")
    with broken.workspace():
        assert broken.run_command("echo hi").return_code == -2
        assert broken.run_tests().return_code == -2
        with pytest.raises(client.SandboxError):
            broken.check_tests([TARGET])
    assert executor.run_command("tox").return_code == 127


def test_workspaces(client, judge):
    from csbx.adapters import MORE_COMMANDS, SandboxExecutor
    executor = SandboxExecutor(str(judge.image), timeout=120, allowed_commands=MORE_COMMANDS)
    with pytest.raises(ValueError, match="no workspace"):
        executor.run_command("ls")
    for url in ("--upload-pack=touch /tmp/x", "ext::sh -c id", "no-such-directory"):
        with executor.workspace(), pytest.raises(ValueError):
            executor.clone_repo(url)
    with executor.workspace() as a, executor.workspace() as b:
        executor.run_command("touch inner")
        executor.run_command("touch outer", a)
        assert os.listdir(a) == ["outer"] and os.listdir(b) == ["inner"]
    with executor.workspace() as a:  # whatever a program leaves, it goes
        executor.run_command(["sh", "-c", "mkdir -p d/e; touch d/e/f; chmod 0 d/e d; ln -s /etc link"])
        assert sorted(os.listdir(a)) == ["d", "link"]
    assert not a.exists() and os.path.exists("/etc/passwd")


LEFT = {
    "deep": "import os\nfor n in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n",
    "longer than a path": "import os\nfor n in range(200):\n    os.mkdir('d' * 99)\n    os.chdir('d' * 99)\nos.makedirs('e/f')\nos.chmod('e', 0)\n",
    "closed itself": "import os\nos.makedirs('d/e')\nos.chmod('d', 0o500)\nos.chmod('.', 0)\n",
    "a link in a directory that cannot be written": "import os\nos.mkdir('d')\nos.symlink(%r, 'd/link')\nos.chmod('d', 0o500)\n",
    "names": "import os\nos.makedirs(b'\\xff\\n/-/~')\nos.mkfifo('f')\nos.chmod(b'\\xff\\n', 0)\n",
}


@pytest.mark.parametrize("what", LEFT)
def test_what_is_left_is_removed(executor, csbx, what):
    own = csbx.work / "own"
    own.write_text("x")
    own.chmod(0o400)
    code = LEFT[what] % str(own) if "%r" in LEFT[what] else LEFT[what]
    with executor.workspace() as where:
        done = executor.run_command(["python3", "-c", code])
        assert done.returncode == 0, done.stderr
    assert not where.exists() and own.stat().st_mode & 0o777 == 0o400


def test_without_git(client, patch_image, judge):
    from csbx.adapters import SandboxExecutor
    executor = SandboxExecutor(str(patch_image), timeout=120)
    with executor.workspace() as workspace:
        executor.clone_repo(judge.repo)
        assert not executor.apply_patch("--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-no such line\n+x\n")
        assert executor.apply_patch(judge.fix().read_text())
        assert "a + b" in (workspace / "calc.py").read_text()


def test_a_commit(executor, client, judge):
    from csbx.adapters import SandboxExecutor
    script = ("git init -q . && git config user.email a@b && git config user.name a && git add -A && git commit -qm one && "
              "git rev-parse HEAD && echo 'x = 1' >calc.py && git commit -qam two")
    made = executor.run_command(["sh", "-c", script])
    assert made, made
    other = SandboxExecutor(str(judge.image), timeout=120)
    with other.workspace() as workspace:
        assert other.clone_repo(executor._where(None), commit=made.stdout.strip())
        assert "a - b" in (workspace / "calc.py").read_text()
        assert not other.clone_repo(executor._where(None), commit="0" * 40)
        with pytest.raises(ValueError):
            other.clone_repo(executor._where(None), commit="--force")


def test_a_url(client, judge, csbx):
    """The clone has the host's network, whatever the tests have."""
    from csbx.adapters import SandboxExecutor
    bare = csbx.work / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(_with_a_commit(judge.repo)), str(bare)], check=True, timeout=60)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen(["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", "--export-all",
                          f"--base-path={csbx.work}", str(csbx.work)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        other = SandboxExecutor(str(judge.image), timeout=120, network=False)
        with other.workspace() as workspace:
            done = other.clone_repo(f"git://127.0.0.1:{port}/bare.git")
            assert done, done
            assert "a - b" in (workspace / "calc.py").read_text()
            assert other.check_tests([STILL]).resolved
        with other.workspace() as workspace:  # a user that this protocol does not know
            assert other.clone_repo(f"git://me:secret@127.0.0.1:{port}/bare.git")
            assert "secret" not in (workspace / ".git/config").read_text()
            done = other.clone_repo(f"git://me:secret@127.0.0.1:{port}/none.git")
            assert not done and "secret" not in str(done), done
    finally:
        p.terminate()
        p.wait(30)


def _with_a_commit(repo):
    for words in (["init", "-q", "."], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(repo), *words], check=True, timeout=60)
    return repo
