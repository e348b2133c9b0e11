# SPDX-License-Identifier: Apache-2.0
"""What the sandboxes of sandbox.py and sandbox_aio.py share: words of commands, and listings of directories."""
from __future__ import annotations

import posixpath
import stat
from dataclasses import dataclass
from typing import List, Sequence, Union

from .errors import Error, NoSuchFile
from .result import Result

SLEEP = ("sleep", "2147483647")  # the main process of a sandbox: there until it is killed
# stat(1) of coreutils and of busybox; names last, by NUL, as they may have any other character.
LIST = """cd -- "$1" || exit
set -- * .[!.]* ..?*
for name; do
	[ -e "$name" ] || [ -L "$name" ] && set -- "$@" "$name"
	shift
done
[ $# -eq 0 ] && exit
stat -c '%f %s %Y' -- "$@" && printf '%s\\0' "$@"
"""


@dataclass(frozen=True)
class Entry:
    """A name in a directory of a sandbox. mode and modified_s are those of stat(2); of a link they are its own."""

    name: str
    path: str
    size: int
    mode: int
    modified_s: int

    @property
    def is_dir(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


def words(command: Union[str, Sequence[str]]) -> List[str]:
    """A string is for the container's own shell; no shell of the host reads it."""
    return ["sh", "-c", command] if isinstance(command, str) else list(command)


def list_command(path: str) -> List[str]:
    return ["sh", "-c", LIST, "csbx", path]


def exists_command(path: str) -> List[str]:
    return ["sh", "-c", '[ -e "$1" ]', "csbx", path]


def file_error(error: Error, path: str, looked: Result) -> Error:
    """What to raise for an error about a path: looked is the end of exists_command()."""
    if looked.status == "exited" and looked.exit_code == 1:
        return NoSuchFile(f"{path}: no such file in the sandbox", path)
    return error


def entries(path: str, result: Result) -> List[Entry]:
    """From the output of list_command(), sorted by name."""
    if not result.success:
        raise FileNotFoundError((result.stderr.strip() or result.summary())[-500:])
    data = result.stdout_data
    count = data.count(b"\0")
    lines = data.split(b"\n", count)  # one a name; what is left are the names, which may hold line ends
    made = []
    for line, name in zip(lines, lines.pop().split(b"\0")):
        mode, size, modified = line.split()
        text = name.decode("utf-8", "surrogateescape")
        made.append(Entry(text, posixpath.join(path, text), int(size), int(mode, 16), int(modified)))
    return sorted(made, key=lambda e: e.name)
