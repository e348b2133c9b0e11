# SPDX-License-Identifier: Apache-2.0
"""docs/troubleshooting.md: csbx says what the page says it says."""
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/troubleshooting.md").read_text(encoding="utf-8")
NETWORK = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"

# The words, the command, its exit code. IMAGE: a file; named: a container of it.
SAID = [
    ("no such container", "start nope true", 125),
    ("a file or directory is named with a slash", "run here true", 125),
    ("there is no such image here", "eval --image python:3.12 code.py", 125),
    ("options stand before the container or image", "run IMAGE --memory 1g true", 127),
    ("command not found in the image", "run IMAGE nosuch", 127),
    ("the file, or the interpreter it names, is not in the container", "run IMAGE /nosuch", 127),
    ("Permission denied", "run IMAGE /etc/passwd", 126),
    ("unknown option", "run --momory 1g IMAGE true", 125),
    ("unknown command", "strat IMAGE", 125),
    ("must be a size above 0", "run --memory 30x IMAGE true", 125),
    ("not running", "exec named true", 125),
    ("a container of that name exists", "create --name named IMAGE", 125),
    ("File exists (--force replaces it)", "import -o code.py dir:tree", 125),
    ("an operand is missing: 'a.sqsh' is the value of --name", "create --name a.sqsh", 125),
    ("damaged record", "start damaged true", 125),
    ("HOME is not set", "list", 125),
    ("CSBX_DATA_PATH may name another directory", "list", 125),
    ("not an OCI layout", "import -o x.sqsh oci:tree", 125),
    ("the container has no network", ["run", "IMAGE", "python3", "-c", NETWORK], 1),
    ("mount /PATH: No such file or directory", "run --mount /PATH:/x IMAGE true", 125),
    ("exit code 124", "run --timeout 1 IMAGE sleep 60", 124),
    ("exit code 137", ["run", "--memory", "40m", "IMAGE", "python3", "-c", "x = b'x' * (1 << 30)"], 137),
    ("Read-only file system", "run --read-only IMAGE touch /x", 1),
    ("CSBX_RUNTIME_PATH may name another directory", "run IMAGE true", 125),
]


def rows():
    """The first cells of the first two tables."""
    for line in PAGE.split("## The machine")[0].splitlines():
        if line.startswith("| ") and not line.startswith("| csbx says"):
            yield line.split("|")[1].strip()


def test_every_row_is_provoked_here():
    ours = {words for words, _, _ in SAID} | {"files are gone after a start"}  # shown by tests of life
    for cell in rows():
        said = re.findall(r"`([^`]+)`", cell) or [cell]
        assert set(said) <= ours, cell
    assert len(list(rows())) >= 19 and all(words in PAGE for words in ours)


@pytest.mark.parametrize("words, command, code", SAID, ids=[words for words, _, _ in SAID])
def test_csbx_says_so(csbx, python_image, words, command, code):
    (csbx.work / "here").symlink_to(python_image)
    (csbx.work / "code.py").write_text("print(1)")
    (csbx.work / "tree/etc").mkdir(parents=True)
    csbx.ok("create", "--name", "named", python_image)
    (csbx.dirs["data"] / "containers/damaged").mkdir()
    argv = command.split() if isinstance(command, str) else command
    env = {"CSBX_RUNTIME_PATH": "/nosuch/x"} if "RUNTIME" in words else \
        {"HOME": "", "CSBX_DATA_PATH": "", "XDG_DATA_HOME": ""} if "HOME" in words else \
        {"HOME": "/nosuch", "CSBX_DATA_PATH": "", "XDG_DATA_HOME": ""} if "DATA" in words else {}
    p = csbx.run(*(python_image if a == "IMAGE" else a for a in argv), env=env)
    assert p.returncode == code, p.stderr
    if not words.startswith("exit code"):
        assert words in p.stderr


# What the row of CSBX_DATA_PATH says of each verb: works where HOME is not writable.
WITHOUT_HOME = [
    ("run IMAGE true", True), ("start IMAGE true", True), ("eval --image IMAGE code.py", True), ("import -o x.sqsh dir:tree", True),
    ("info", True), ("doctor", True), ("gc", True), ("create --name new IMAGE", False), ("list", False), ("ps", False), ("df", False),
    ("docker images", False),
]


@pytest.mark.parametrize("home", ["read-only", "missing", "unset"])
def test_verbs_without_a_home(csbx, python_image, home):
    (csbx.work / "code.py").write_text("print(1)")
    (csbx.work / "tree/etc").mkdir(parents=True)
    at = csbx.work / "home"
    if home == "read-only":
        at.mkdir(mode=0o555)
    bare = {"HOME": "" if home == "unset" else str(at if home == "read-only" else "/nosuch"),
            **{name: "" for name in ("CSBX_DATA_PATH", "CSBX_CACHE_PATH", "XDG_DATA_HOME", "XDG_CACHE_HOME")}}
    paths = {"CSBX_DATA_PATH": str(csbx.dirs["data"]), "CSBX_CACHE_PATH": str(csbx.dirs["cache"])}
    for command, works in WITHOUT_HOME:
        argv = [python_image if a == "IMAGE" else a for a in command.split()]
        p = csbx.run(*argv, env=bare)
        assert (p.returncode == 0) == (works and home != "unset"), (command, p.stderr)
        (csbx.work / "x.sqsh").unlink(missing_ok=True)
        p = csbx.run(*argv, env={**bare, **paths})
        assert p.returncode == 0, (command, p.stderr)
        (csbx.work / "x.sqsh").unlink(missing_ok=True)
