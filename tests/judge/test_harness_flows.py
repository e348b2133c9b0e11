# SPDX-License-Identifier: Apache-2.0
"""Programs that judge code, from beginning to end, several times in a row: none of the rounds may go wrong.

HARNESS_ROUNDS says how many, 2 where it is not set. A flow that waits for a change looks without a pause: a harness
gives up on the first answer that it does not expect.
"""
import os
import signal
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import harness
import images
from repositories import STILL, TARGET

ROUNDS = int(os.environ.get("HARNESS_ROUNDS", "2"))
LOOKS = 3000


@pytest.fixture
def path(client, csbx, monkeypatch):
    """The test's own process has enroot and docker in its PATH, as a harness has."""
    csbx.ok("shims", "bin")
    monkeypatch.setenv("PATH", f"{csbx.work}/bin:{csbx.env['PATH']}")
    return csbx


def call(*argv, check=True, **kw):
    p = subprocess.run([str(a) for a in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **kw)
    assert not check or p.returncode == 0, (argv, p.returncode, p.stdout, p.stderr)
    return p


def find_pid(name, keeper):
    """The pid that `list -f` gives, asked over and over: only a process of the command is one to exec into."""
    for _ in range(LOOKS):
        assert keeper.poll() is None, keeper.stderr.read()
        for line in call("enroot", "list", "-f").stdout.splitlines()[1:]:
            words = line.split()
            if words[0] == name and len(words) > 1:
                return int(words[1])
    raise AssertionError("never listed")


def list_polling(image, n):
    """A detached start, found by polling the list, then execs on its process; killed at the end."""
    name = f"poll-{n}"
    call("enroot", "create", "-n", name, image)
    with subprocess.Popen(["enroot", "start", "--rw", name, "sh", "-c", f"while :; do sleep 1000; done # {name}"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as keeper:
        try:
            pid = find_pid(name, keeper)
            with open(f"/proc/{pid}/cmdline", encoding="ascii") as f:
                assert name in f.read(), "the first process that is listed is the command's"
            assert call("enroot", "exec", "-e", f"N={n}", pid, "sh", "-c", "echo $N >/kept; cat /kept").stdout == f"{n}\n"
            assert call("enroot", "exec", pid, "sh", "-c", "exit 5", check=False).returncode == 5
            assert call("enroot", "exec", pid, "cat", "/kept").stdout == f"{n}\n"
        finally:
            os.killpg(keeper.pid, signal.SIGKILL)
            keeper.communicate()
    call("enroot", "remove", "-f", name)


def docker_run(image, work):
    """run -d, execs with a time limit of the client's, cp, stop; then one of the kind that ends by itself."""
    name = f"minisweagent-{uuid.uuid4().hex[:8]}"
    ident = call("docker", "run", "-d", "--name", name, "-w", "/", "--rm", "--network", "none", image, "sleep", "2h").stdout.strip()
    assert len(ident) == 64
    assert call("docker", "exec", "-w", "/tmp", "-e", "A=1", ident, "sh", "-lc", "pwd; echo $A; echo x >/made").stdout == "/tmp\n1\n"
    assert call("docker", "exec", ident, "sh", "-c", "exit 3", check=False).returncode == 3
    assert call("docker", "exec", ident, "no-such", check=False).returncode == 127
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["docker", "exec", ident, "sleep", "100"], timeout=0.5, check=False, capture_output=True)
    call("docker", "cp", f"{ident}:/made", work / name)
    assert (work / name).read_text() == "x\n"
    assert call("docker", "inspect", "-f", "{{.State.Running}}", name).stdout == "true\n"
    call("docker", "stop", "-t", "5", ident)
    assert call("docker", "ps", "-aq", "--filter", f"name={name}").stdout == "", "--rm"
    p = call("docker", "run", "--rm", "--network=none", "--memory=256m", "-v", f"{work}:/workspace", "-w", "/workspace", image,
             "sh", "-c", f"cat {name}; echo err >&2; exit 7", check=False)
    assert (p.returncode, p.stdout, p.stderr) == (7, "x\n", "err\n")


def executor_flow(judge, where):
    from csbx.adapters import SandboxExecutor
    executor = SandboxExecutor(str(judge.image), 120, "512m", 1.0, "none", True)
    assert executor.clone_repo(repo=judge.repo, base_commit="", workspace_dir=where).success
    before = executor.run_tests(where, [TARGET, STILL])
    assert (before.passed, before.failed, before.errors) == ([STILL], [TARGET], [])
    assert executor.apply_patch("", where).returncode == 1
    assert executor.apply_patch(judge.fix().read_text(), where).returncode == 0
    after = executor.run_tests(workspace_dir=where, test_ids=[TARGET, STILL])
    assert after.all_passed and after.check_tests([TARGET], [STILL]) == (True, {TARGET: True}, {STILL: True})


def coder_flow(image, n):
    from csbx.adapters import SandboxedCoder
    coder = SandboxedCoder(str(image), f"sandbox-{n}")
    for _ in range(2):
        coder.reset()
        try:
            assert coder.execute("open('/tmp/mark', 'x'); print('hello world')") == "hello world\n"
            assert coder.execute("print(open('/tmp/mark', 'x').name)") == "/tmp/mark\n", "each has a fresh root"
            with pytest.raises(RuntimeError, match="^Execution failed:\n(?s:.*)ZeroDivisionError"):
                coder.execute("1 / 0")
        finally:
            coder.remove()


def lines_flow(image, work, n):
    """The two lines that a README begins with, in a directory of their own."""
    where = work / f"lines-{n}"
    (where / "dir").mkdir(parents=True)
    (where / "img.sqsh").symlink_to(image)
    (where / "dir/script.py").write_text(f"import os\nprint(os.getcwd(), {n})\nopen('made', 'w').write('x')\n", encoding="ascii")
    line = f"csbx create --name py-{n} img.sqsh; csbx start --mount dir:/work py-{n} python3 script.py; csbx remove -f py-{n}"
    p = call("sh", "-c", line, cwd=where)
    assert (p.stdout, p.stderr) == (f"/work {n}\n", "") and (where / "dir/made").read_text() == "x"


def judged_flow():
    """A snippet and a function with cases, good ones and others."""
    from csbx.adapters import CodeSandbox, TestCase, execute_code
    assert repr(execute_code("print('hi')", 30.0)) == "ExecutionResult(success=True, stdout='hi\\n')"
    assert execute_code("1 / 0", timeout=30.0).error == "ZeroDivisionError: division by zero"
    assert execute_code("while True: pass", 0.5).timeout
    assert execute_code("x = b'x' * (1 << 30)", 30.0, 64 << 20).memory_exceeded
    sandbox = CodeSandbox(30.0, 128)
    cases = [TestCase("small", (1, 2), {}, 3), TestCase("words", ("a",), {"b": "b"}, "ab", "str"), TestCase("none", (1, None), expected_exception="TypeError")]
    assert sandbox.run("def add(a, b): return a + b", "add", cases).all_passed
    assert [t["passed"] for t in sandbox.run("def add(a, b): return a - b", "add", cases).test_results] == [False, False, True]


@pytest.mark.both_users
def test_lines(path, session_dir, monkeypatch):
    """An image without a directory of its own, as python:3.12 is: the start begins in the mount."""
    image = harness.import_once(session_dir, images.layout("plain-python"), "plain-python")
    monkeypatch.setenv("PATH", f"{harness.BIN}:{os.environ['PATH']}")
    for n in range(ROUNDS):
        lines_flow(image, path.work, n)


@pytest.mark.both_users
def test_judged(path, python_image, monkeypatch):
    monkeypatch.setenv("PYCSBX_IMAGE", str(python_image))
    for _ in range(ROUNDS):
        judged_flow()


@pytest.mark.both_users
def test_enroot_list_polling(path, busybox_image):
    for n in range(ROUNDS):
        list_polling(busybox_image, n)
    path.ok("gc")


@pytest.mark.both_users
def test_enroot_list_polling_side_by_side(path, busybox_image):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: list_polling(busybox_image, n), range(2 * ROUNDS)))
    path.ok("gc")


@pytest.mark.both_users
def test_docker_run(path, busybox_image):
    for _ in range(ROUNDS):
        docker_run(busybox_image, path.work)


def test_sandbox_executor(client, judge, csbx):
    for n in range(ROUNDS):
        executor_flow(judge, csbx.work / f"made-{n}")


@pytest.mark.both_users
def test_sandboxed_coder(client, python_image):
    for n in range(ROUNDS):
        coder_flow(python_image, n)
