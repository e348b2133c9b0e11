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
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple, Union, overload

from .. import build, program, sync
from ..call import to_bytes
from ..errors import LaunchError, SandboxError
from ..result import Result
from ..result import TestResult as Judged
from .outcome import PASSED, TIMED_OUT, CheckedTests, ExecResult, TestResult
from .tree import remove_tree

# Names of programs; a path counts by its last part.
ALLOWED_COMMANDS = frozenset((
    "git", "pytest", "python", "python3", "pip", "pip3", "cat", "ls", "echo", "grep", "find", "head", "tail", "mkdir",
    "cp", "mv", "touch", "chmod"))
# The same with shells and other common tools, for allowed_commands=.
MORE_COMMANDS = ALLOWED_COMMANDS | frozenset((
    "bash", "diff", "env", "false", "make", "patch", "pwd", "rm", "sed", "sh", "sort", "test", "tox", "true", "wc"))
INSIDE = "/workspace"
BROKEN, NOT_FOUND, GIT_FATAL = -2, 127, 128
FORGE = "https://github.com"
CLONE_S = 300.0  # the time a clone may take, where commands have less
USER = "1000:1000"
TMP = "/tmp:size=256m"
VERBOSE = ("-v", "--tb=short")  # raw_output has a line a test
PathLike = Union[str, "os.PathLike[str]"]


class SandboxExecutor:
    """image: one with python3, pytest and git or patch; without it csbx.configure(image=...) and so on.

    memory_limit as "2g"; network: for commands and tests, "none", or "host" or True for the host's;
    clone_repo() of a URL has it in any case. use_docker is accepted and changes nothing: there is
    no way out of the container. Programs run as user 1000, in a root that cannot be written, with
    256 MiB of /tmp and the workspace at /workspace; what they write there belongs to the caller.
    allowed_commands: a command with another name is a ValueError. forge: where "owner/repo" is
    cloned from. max_output: how much of each stream is kept, "1m" without it; ExecResult.truncated.
    """

    def __init__(self, image: Optional[program.Path] = None, timeout: float = 60,
                 memory_limit: Union[int, str] = "2g", cpu_limit: Optional[float] = 2.0,
                 network: Union[bool, str] = "none", use_docker: bool = True, *,
                 allowed_commands: Sequence[str] = tuple(ALLOWED_COMMANDS), forge: str = FORGE,
                 max_output: Union[None, int, str] = None, csbx: Optional[program.Path] = None) -> None:
        self.image = program.default_image(image)
        self.timeout, self.memory_limit, self.cpu_limit = timeout, memory_limit, cpu_limit
        self.network, self.use_docker = network, use_docker
        self.allowed_commands: FrozenSet[str] = frozenset(allowed_commands)
        self.forge, self.max_output, self.csbx = forge.rstrip("/"), max_output, csbx
        self._open = threading.local()

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """A fresh directory, which is gone at the end; calls that name no directory use it."""
        path = Path(tempfile.mkdtemp(prefix="csbx-workspace-"))
        stack: List[Path] = self._open.__dict__.setdefault("stack", [])
        stack.append(path)
        try:
            yield path
        finally:
            stack.remove(path)
            remove_tree(path)

    def run_command(self, command: Union[str, Sequence[str]], workspace: Optional[PathLike] = None,
                    timeout: Optional[float] = None, *, workspace_dir: Optional[PathLike] = None,
                    input: Union[None, str, bytes] = None) -> ExecResult:
        """Runs one command in the workspace; a string is split into words, and no shell reads it."""
        env, words = self._allowed(command)
        where = _either("workspace", workspace, "workspace_dir", workspace_dir)
        return self._run(words, where, timeout, env=env, input=input)

    def clone_repo(self, repo: Optional[PathLike] = None, base_commit: Optional[str] = None,
                   workspace_dir: Optional[PathLike] = None, timeout: Optional[float] = None, *,
                   repo_url: Optional[PathLike] = None, commit: Optional[str] = None,
                   workspace: Optional[PathLike] = None) -> ExecResult:
        """Clones into the workspace by the image's git: "owner/repo" of the forge, or a URL. A
        directory of the host that is there is copied instead. The workspace is made where it is not
        there. base_commit: None, "" and "HEAD" are the tip.
        """
        source = _either("repo", repo, "repo_url", repo_url)
        if source is None:
            raise TypeError("clone_repo() needs repo")
        url = os.fspath(source)
        revision = (_either("base_commit", base_commit, "commit", commit) or "").strip()
        if revision.startswith("-"):
            raise ValueError(f"not a commit: {revision!r}")
        where = Path(self._where(_either("workspace_dir", workspace_dir, "workspace", workspace)))
        if not os.path.isdir(url):
            url = self._url(url)
        where.mkdir(parents=True, exist_ok=True)
        if os.path.isdir(url):
            done = self._run(["cp", "-a", "/source/.", INSIDE], where, timeout,
                             volumes=[f"{os.path.abspath(url)}:/source:ro"])
        else:
            done = self._clone(url, where, timeout)
        if done and revision and revision.upper() != "HEAD":
            done = self._run(["git", "checkout", "-q", "--detach", revision, "--"], where, timeout)
        return done

    def apply_patch(self, patch_text: Union[None, str, bytes] = None, workspace_dir: Optional[PathLike] = None,
                    timeout: Optional[float] = None, *, patch: Union[None, str, bytes] = None,
                    workspace: Optional[PathLike] = None) -> ExecResult:
        """Applies a patch in the workspace, all of it or nothing. An empty patch is a failure."""
        text = _either("patch_text", patch_text, "patch", patch)
        if text is None:
            raise TypeError("apply_patch() needs patch_text")
        where = _either("workspace_dir", workspace_dir, "workspace", workspace)
        if not text.strip():
            return ExecResult("git apply", 1, stderr="Empty patch")
        data = to_bytes(text)
        data = data if data.endswith(b"\n") else data + b"\n"
        command = ["git", "apply", "--whitespace=fix", "-"]
        done = self._run(command, where, timeout, input=data)
        if done.returncode == GIT_FATAL and done.stderr.startswith("fatal: "):
            # .git of a worktree or submodule lies elsewhere; git needs none for this
            done = self._run(command, where, timeout, input=data, env={"GIT_DIR": "/nonexistent"})
        if done.returncode != NOT_FOUND:
            return done
        done = self._run(["patch", "-p1", "--dry-run"], where, timeout, input=data)
        if done:  # patch(1) would leave half of it
            done = self._run(["patch", "-p1"], where, timeout, input=data)
        return done

    @overload
    def run_tests(self, tests: Union[None, str, Sequence[str]] = None, workspace: Optional[PathLike] = None,
                  timeout: Optional[float] = None, extra_args: Optional[Sequence[str]] = None) -> TestResult: ...

    @overload
    def run_tests(self, workspace_dir: PathLike, test_ids: Sequence[str],
                  extra_args: Optional[Sequence[str]] = None, *, timeout: Optional[float] = None) -> TestResult: ...

    @overload
    def run_tests(self, *, workspace_dir: Optional[PathLike] = None, test_ids: Sequence[str],
                  extra_args: Optional[Sequence[str]] = None, timeout: Optional[float] = None) -> TestResult: ...

    def run_tests(self, *given: Any, **named: Any) -> TestResult:
        """Runs pytest on these files and ids; the workspace is not changed.

        run_tests(tests, workspace, timeout, extra_args): no tests are all tests.
        run_tests(workspace_dir, test_ids, extra_args): no ids are none, and an empty TestResult.
        The second is meant where the first argument is a path object, the second a list, or one of
        its words is used. extra_args are pytest's.
        """
        if _names_the_workspace_first(given, named):
            return self._tests_by_id(*given, **named)
        return self._tests(*given, **named)

    def check_tests(self, fail_to_pass: Sequence[str], pass_to_pass: Sequence[str] = (),
                    workspace: Optional[PathLike] = None, timeout: Optional[float] = None, *,
                    workspace_dir: Optional[PathLike] = None) -> CheckedTests:
        """(resolved, fail_to_pass, pass_to_pass): whether each test is as it should be. Raises
        SandboxError where csbx failed: that is no verdict."""
        where = _either("workspace", workspace, "workspace_dir", workspace_dir)
        result = self._judge(where, timeout, fail_to_pass=fail_to_pass, pass_to_pass=pass_to_pass)
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
            raise ValueError("Empty command")
        name = os.path.basename(words[0])
        if name not in self.allowed_commands:
            raise ValueError(f"Command '{name}' is not in the allowed commands: {sorted(self.allowed_commands)}")
        return env, words

    def _where(self, workspace: Optional[PathLike]) -> str:
        stack: List[Path] = self._open.__dict__.get("stack", [])
        if workspace is None and not stack:
            raise ValueError("no workspace: pass one, or be in a `with executor.workspace()`")
        path = os.path.abspath(os.fspath(stack[-1] if workspace is None else workspace))
        if ":" in path:
            raise ValueError(f"a workspace's path cannot have a colon: {path!r}")
        return path

    def _url(self, source: str) -> str:
        if re.match(r"(https?|ssh|git)://[^\0\n]+$", source):
            return source
        if re.match(r"[A-Za-z0-9_][\w.-]*/[A-Za-z0-9_.][\w.-]*$", source, re.ASCII):
            return f"{self.forge}/{source}.git"
        raise ValueError(f"neither owner/repo, a directory nor a URL of https, http, ssh or git: {source!r}")

    def _clone(self, url: str, where: Path, timeout: Optional[float]) -> ExecResult:
        timeout = timeout or max(self.timeout, CLONE_S)
        bare = re.sub(r"^((?:https?|git)://)[^/?#]*@", r"\1", url)
        words = ["git", "clone", "-q", "--", bare if url.startswith("git:") else url, INSIDE]
        done = self._run(words, where, timeout, network=True)
        if bare != url:  # a password is for the server, not for readers of this or for the tests
            user = url[url.index("://") + 3:len(url) - (len(bare) - bare.index("://") - 3)]
            done = replace(done, command=done.command.replace(user, ""), stderr=done.stderr.replace(user, ""))
            if done:
                done = self._run(["git", "remote", "set-url", "origin", bare], where, timeout)
        return done

    def _limits(self, timeout: Optional[float]) -> Dict[str, Any]:
        return {"timeout": timeout or self.timeout, "memory": self.memory_limit, "cpus": self.cpu_limit,
                "network": self.network, "max_output": self.max_output, "userns": "one", "user": USER,
                "read_only": True, "tmpfs": [TMP]}

    def _run(self, words: Sequence[str], workspace: Optional[PathLike], timeout: Optional[float], *,
             input: Union[None, str, bytes] = None, volumes: Sequence[str] = (),
             **more: Any) -> ExecResult:
        where = self._where(workspace)
        given = {**self._limits(timeout), "workdir": INSIDE, "volumes": [f"{where}:{INSIDE}", *volumes], **more}
        said = " ".join(words)
        try:
            result = sync.perform(build.run(self.image, words, input=input, csbx=self.csbx, given=given))
        except LaunchError as e:
            return ExecResult(said, e.exit_code or NOT_FOUND, stderr=f"{e}\n")
        except SandboxError as e:
            return ExecResult(said, BROKEN, stderr=f"{e}\n")
        return self._translate(said, result, timeout)

    def _tests_by_id(self, workspace_dir: Optional[PathLike] = None, test_ids: Union[None, str, Sequence[str]] = None,
                     extra_args: Optional[Sequence[str]] = None, *, timeout: Optional[float] = None) -> TestResult:
        if not test_ids:
            return TestResult()
        return self._tests(test_ids, workspace_dir, timeout, [*VERBOSE, *(extra_args or [])])

    def _tests(self, tests: Union[None, str, Sequence[str]] = None, workspace: Optional[PathLike] = None,
               timeout: Optional[float] = None, extra_args: Optional[Sequence[str]] = None) -> TestResult:
        ids = [tests] if isinstance(tests, str) else list(tests or [])
        try:
            result = self._judge(workspace, timeout, args=[*(extra_args or []), *ids])
        except SandboxError as e:
            return TestResult(raw_output=f"{e}\n", returncode=BROKEN, stderr=f"{e}\n")
        ran = self._translate("pytest", result, timeout)
        by = {outcome: [t for t, o in result.tests.items() if o == outcome] for outcome in set(result.tests.values())}
        missing = [n.what for n in result.collection_errors]
        failed = ran.returncode == 0 and not result.all_passed
        return TestResult(
            passed=[t for t, o in result.tests.items() if o in PASSED],
            failed=[t for t, o in result.tests.items() if o in ("failed", "xpassed")],
            errors=by.get("error", []) + [m for m in missing if m not in result.tests],
            raw_output=ran.output, elapsed_seconds=ran.elapsed_seconds, timed_out=ran.timed_out,
            returncode=1 if failed else ran.returncode, stdout=ran.stdout, stderr=ran.stderr,
            memory_exceeded=ran.memory_exceeded, truncated=ran.truncated, tests=dict(result.tests),
            tamper=[f"{n.what}: {n.message}" for n in result.tamper])

    def _judge(self, workspace: Optional[PathLike], timeout: Optional[float], **what: Any) -> Judged:
        given = {**self._limits(timeout), "workdir": INSIDE}
        return sync.perform(build.test(self._where(workspace), image=self.image, csbx=self.csbx,
                                       given=given, **what))

    def _translate(self, command: str, result: Result, timeout: Optional[float]) -> ExecResult:
        made = ExecResult(command, 0, result.stdout, result.stderr, result.wall_s,
                          memory_exceeded=result.status == "oom",
                          truncated=result.truncated.stdout or result.truncated.stderr)
        if result.status == "timeout":
            made.returncode, made.timed_out = TIMED_OUT, True
            made.stderr += f"TIMEOUT after {timeout or self.timeout:g}s"
        elif result.status in ("exited", "signaled"):
            made.returncode = -(result.signal or 0) if result.exit_code is None else result.exit_code
        else:
            made.returncode = 137
            made.stderr += result.summary() + "\n"
        return made


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    """One argument with two names."""
    if value is not None and other is not None:
        raise TypeError(f"{name} and {other_name} are the same: give one")
    return other if value is None else value


def _names_the_workspace_first(given: Sequence[Any], named: Dict[str, Any]) -> bool:
    if "workspace_dir" in named or "test_ids" in named:
        return True
    if given and isinstance(given[0], os.PathLike):
        return True
    return len(given) > 1 and given[1] is not None and not isinstance(given[1], (str, os.PathLike))
