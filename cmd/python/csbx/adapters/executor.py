# SPDX-License-Identifier: Apache-2.0
"""SandboxExecutor: in the place of `docker run` and a regular expression over `pytest -v`.

A workspace is a directory of the host that holds a checkout. The host only keeps its files: git,
patch and pytest run in containers that see the workspace as /workspace. Verdicts are those of
`csbx test`, which believes nothing that a test prints.
"""
from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
import threading
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from .. import build, program, sync
from ..call import to_bytes
from ..errors import LaunchError, SandboxError
from ..result import Result, TestResult

ALLOWED_COMMANDS = frozenset((
    "bash", "cat", "cp", "diff", "echo", "env", "false", "find", "git", "grep", "head", "ls", "make", "mkdir", "mv",
    "patch", "pip", "pip3", "pwd", "pytest", "python", "python3", "rm", "sed", "sh", "sort", "tail", "test", "touch",
    "tox", "true", "wc"))
INSIDE = "/workspace"
TIMED_OUT, BROKEN, NOT_FOUND, GIT_FATAL = -1, -2, 127, 128
PASSED = ("passed", "xfailed")
PathLike = Union[str, "os.PathLike[str]"]


@dataclass
class CommandResult:
    """return_code: the command's own; minus the number of a signal; -1: not done in time; -2: csbx failed."""

    return_code: int
    stdout: str = ""
    stderr: str = ""
    duration: float = 0.0
    memory_exceeded: bool = False

    @property
    def success(self) -> bool:
        return self.return_code == 0

    @property
    def timed_out(self) -> bool:
        return self.return_code == TIMED_OUT

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    def __bool__(self) -> bool:
        return self.success

    def to_dict(self) -> Dict[str, Any]:
        return asdict(self)


@dataclass
class TestRun(CommandResult):
    """tests: outcome by id, none of it read from what was printed."""

    __test__ = False  # no test class, whatever pytest makes of its name

    tests: Dict[str, str] = field(default_factory=dict)
    tamper: List[str] = field(default_factory=list)

    @property
    def passed(self) -> List[str]:
        return [t for t, outcome in self.tests.items() if outcome in PASSED]

    @property
    def failed(self) -> List[str]:
        return [t for t, outcome in self.tests.items() if outcome in ("failed", "error", "xpassed")]


class CheckedTests(NamedTuple):
    """resolved: all of the first pass now and all of the second still."""

    resolved: bool
    fail_to_pass: Dict[str, bool]
    pass_to_pass: Dict[str, bool]


class SandboxExecutor:
    """image: one with python3, pytest and git or patch. memory_limit as "2g"; network: for commands
    and tests, True for the host's; clone_repo() of a URL has it in any case. A command whose first
    word is not in allowed_commands is a ValueError.
    """

    def __init__(self, image: Optional[program.Path] = None, timeout: float = 300,
                 memory_limit: Union[int, str] = "2g", cpu_limit: Optional[float] = 2.0,
                 network: Union[bool, str] = False, *, allowed_commands: Sequence[str] = tuple(ALLOWED_COMMANDS),
                 csbx: Optional[program.Path] = None) -> None:
        self.image = program.default_image(image)
        self.timeout, self.memory_limit, self.cpu_limit = timeout, memory_limit, cpu_limit
        self.network = network
        self.allowed_commands: FrozenSet[str] = frozenset(allowed_commands)
        self.csbx = csbx
        self._open = threading.local()

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """A fresh directory, which is gone at the end; where calls name none, they use it."""
        path = Path(tempfile.mkdtemp(prefix="csbx-workspace-"))
        stack: List[Path] = self._open.__dict__.setdefault("stack", [])
        stack.append(path)
        try:
            yield path
        finally:
            stack.remove(path)
            _remove_tree(path)

    def run_command(self, command: Union[str, Sequence[str]], workspace: Optional[PathLike] = None,
                    timeout: Optional[float] = None, *,
                    input: Union[None, str, bytes] = None) -> CommandResult:
        """Runs one command in the workspace; a string is split into words, and no shell reads it."""
        env, words = self._allowed(command)
        return self._run(words, workspace, timeout, env=env, input=input)

    def clone_repo(self, repo_url: PathLike, commit: Optional[str] = None,
                   workspace: Optional[PathLike] = None,
                   timeout: Optional[float] = None) -> CommandResult:
        """Clones a URL, or copies a directory of the host, into the workspace, by the image's git."""
        url = os.fspath(repo_url)
        if commit is not None and (not commit or commit.startswith("-")):
            raise ValueError(f"not a commit: {commit!r}")
        if os.path.isdir(url):
            done = self._run(["cp", "-a", "/source/.", INSIDE], workspace, timeout,
                             volumes=[f"{os.path.abspath(url)}:/source:ro"])
        elif re.match(r"(https?|ssh|git)://[^\0\n]+$", url):
            bare = re.sub(r"^((?:https?|git)://)[^/?#]*@", r"\1", url)
            words = ["git", "clone", "-q", "--", bare if url.startswith("git:") else url, INSIDE]
            done = self._run(words, workspace, timeout, network=True)
            if bare != url:  # a password is for the server, not for who reads this or for the tests
                user = url[url.index("://") + 3:len(url) - (len(bare) - bare.index("://") - 3)]
                done = replace(done, stderr=done.stderr.replace(user, ""))
                if done:
                    done = self._run(["git", "remote", "set-url", "origin", bare], workspace, timeout)
        else:
            raise ValueError(f"neither a directory nor a URL of https, http, ssh or git: {url!r}")
        if done and commit is not None:
            done = self._run(["git", "checkout", "-q", "--detach", commit, "--"], workspace, timeout)
        return done

    def apply_patch(self, patch: Union[str, bytes], workspace: Optional[PathLike] = None,
                    timeout: Optional[float] = None) -> CommandResult:
        """Applies a patch in the workspace, all of it or nothing. An empty patch is a failure."""
        if not patch.strip():
            return CommandResult(1, stderr="empty patch\n")
        patch = to_bytes(patch)
        patch = patch if patch.endswith(b"\n") else patch + b"\n"
        command = ["git", "apply", "--whitespace=fix", "-"]
        done = self._run(command, workspace, timeout, input=patch)
        if done.return_code == GIT_FATAL and done.stderr.startswith("fatal: "):
            # .git of a worktree or submodule lies elsewhere; git needs none for this
            done = self._run(command, workspace, timeout, input=patch, env={"GIT_DIR": "/nonexistent"})
        if done.return_code != NOT_FOUND:
            return done
        done = self._run(["patch", "-p1", "--dry-run"], workspace, timeout, input=patch)
        if done:  # patch(1) would leave half of it
            done = self._run(["patch", "-p1"], workspace, timeout, input=patch)
        return done

    def run_tests(self, tests: Union[None, str, Sequence[str]] = None,
                  workspace: Optional[PathLike] = None, timeout: Optional[float] = None) -> TestRun:
        """Runs pytest, on all tests or on these files and ids; the workspace is not changed."""
        args = [tests] if isinstance(tests, str) else list(tests or [])
        result = self._test(workspace, timeout, args=args)
        if isinstance(result, CommandResult):
            return TestRun(**asdict(result))
        made = TestRun(**asdict(self._translate(result, timeout)))
        made.tests = dict(result.tests)
        made.tamper = [f"{n.what}: {n.message}" for n in result.tamper]
        if made.return_code == 0 and not result.all_passed:
            made.return_code = 1
        return made

    def check_tests(self, fail_to_pass: Sequence[str], pass_to_pass: Sequence[str] = (),
                    workspace: Optional[PathLike] = None, timeout: Optional[float] = None) -> CheckedTests:
        """(resolved, fail_to_pass, pass_to_pass): whether each test is as it should be. Raises
        SandboxError where csbx failed: that is no verdict."""
        result = self._test(workspace, timeout, raising=True, fail_to_pass=fail_to_pass,
                            pass_to_pass=pass_to_pass)
        assert isinstance(result, TestResult)
        return CheckedTests(bool(result.resolved),
                            {t: t in result.fail_to_pass.success for t in fail_to_pass},
                            {t: t in result.pass_to_pass.success for t in pass_to_pass})

    # --- how ------------------------------------------------------------------------------------

    def _allowed(self, command: Union[str, Sequence[str]]) -> Tuple[Dict[str, Optional[str]], List[str]]:
        """Leading NAME=VALUE words are variables, as in a shell."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        env: Dict[str, Optional[str]] = {}
        while words and re.match(r"[A-Za-z_]\w*=", words[0]):
            name, _, value = words.pop(0).partition("=")
            env[name] = value
        if not words:
            raise ValueError("empty command")
        if words[0] not in self.allowed_commands:
            raise ValueError(f"Command not allowed: {words[0]}")
        return env, words

    def _where(self, workspace: Optional[PathLike]) -> str:
        stack: List[Path] = self._open.__dict__.get("stack", [])
        if workspace is None and not stack:
            raise ValueError("no workspace: pass one, or be in a `with executor.workspace()`")
        path = os.path.abspath(os.fspath(stack[-1] if workspace is None else workspace))
        if ":" in path:
            raise ValueError(f"a workspace's path cannot have a colon: {path!r}")
        return path

    def _given(self, timeout: Optional[float]) -> Dict[str, Any]:
        return {"timeout": timeout or self.timeout, "memory": self.memory_limit,
                "cpus": self.cpu_limit, "network": self.network, "userns": "one", "user": "0"}

    def _run(self, words: Sequence[str], workspace: Optional[PathLike], timeout: Optional[float], *,
             input: Union[None, str, bytes] = None, volumes: Sequence[str] = (),
             **more: Any) -> CommandResult:
        where = self._where(workspace)
        given = {**self._given(timeout), "workdir": INSIDE, "volumes": [f"{where}:{INSIDE}", *volumes], **more}
        try:
            result = sync.perform(build.run(self.image, words, input=input, csbx=self.csbx, given=given))
        except LaunchError as e:
            return CommandResult(e.exit_code or NOT_FOUND, stderr=f"{e}\n")
        except SandboxError as e:
            return CommandResult(BROKEN, stderr=f"{e}\n")
        return self._translate(result, timeout)

    def _test(self, workspace: Optional[PathLike], timeout: Optional[float], raising: bool = False,
              **what: Any) -> Union[TestResult, CommandResult]:
        call = build.test(self._where(workspace), image=self.image, csbx=self.csbx,
                          given=self._given(timeout), **what)
        try:
            return sync.perform(call)
        except SandboxError as e:
            if raising:
                raise
            return CommandResult(BROKEN, stderr=f"{e}\n")

    def _translate(self, result: Result, timeout: Optional[float]) -> CommandResult:
        made = CommandResult(0, result.stdout, result.stderr, result.wall_s, result.status == "oom")
        if result.status == "timeout":
            made.return_code = TIMED_OUT
            made.stderr += f"TIMEOUT after {timeout or self.timeout:g}s"
        elif result.status in ("exited", "signaled"):
            made.return_code = -(result.signal or 0) if result.exit_code is None else result.exit_code
        else:
            made.return_code = 137
            made.stderr += result.summary() + "\n"
        return made


def _remove_tree(path: Path) -> None:
    """All of it, what lies in directories without permissions too; links are not followed."""
    for here, names, _ in os.walk(path):  # from the top: a directory is opened before it is read
        for name in names:
            inner = os.path.join(here, name)
            if not os.path.islink(inner):
                os.chmod(inner, 0o700)
    shutil.rmtree(path)
