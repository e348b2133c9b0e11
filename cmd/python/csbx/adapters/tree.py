# SPDX-License-Identifier: Apache-2.0
"""Removes a directory of the host in which judged code has made files."""
from __future__ import annotations

import os
import secrets
from typing import Union

PathLike = Union[str, "os.PathLike[str]"]


def remove_tree(path: PathLike) -> None:
    """All of it, whatever its modes. No link is followed, and a path may be longer than the system takes and deeper than
    Python calls: what lies in a directory within is moved up before the directory goes."""
    top = _open(os.fspath(path))
    try:
        names = os.listdir(top)
        while names:
            for name in names:
                _remove(top, name)
            names = os.listdir(top)
    finally:
        os.close(top)
    os.rmdir(path)


def _remove(top: int, name: str) -> None:
    if _unlink(top, name):
        return
    inner = _open(name, top)
    try:
        for child in os.listdir(inner):
            if not _unlink(inner, child):
                os.close(_open(child, inner))  # a directory that is moved must be one that can be written
                os.rename(child, "." + secrets.token_hex(16), src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)


def _unlink(directory: int, name: str) -> bool:
    """False: it is a directory."""
    try:
        os.unlink(name, dir_fd=directory)
    except IsADirectoryError:
        return False
    return True


def _open(path: str, directory: int = -1) -> int:
    """A directory to read, with all rights of its owner from now on."""
    where = None if directory < 0 else directory
    held = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
    try:
        own = f"/proc/self/fd/{held}"  # the directory itself, whatever has its name by now
        os.chmod(own, 0o700)
        return os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        os.close(held)
