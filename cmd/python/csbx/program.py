# SPDX-License-Identifier: Apache-2.0
"""The places that name the csbx program: an argument, configure(), the variable CSBX, PATH; and the default image."""
from __future__ import annotations

import os
import shutil
from typing import Optional, Union

from .errors import NotInstalled

Path = Union[str, "os.PathLike[str]"]
DEFAULT_IMAGE = "python"  # as made by `csbx load --name python docker://python:3.12`


class _Settings:
    csbx: Optional[str] = None
    image: Optional[str] = None
    warm: bool = False


def configure(*, csbx: Optional[Path] = None, image: Optional[Path] = None, warm: Optional[bool] = None) -> None:
    """Sets, for this process, which csbx runs and which image calls use that name none.

    warm: calls of eval(), and of what is made of it, take a container that an earlier one has left.
    """
    if warm is not None:
        _Settings.warm = warm
    if csbx is not None:
        _Settings.csbx = os.fspath(csbx)
    if image is not None:
        _Settings.image = os.fspath(image)


def find(csbx: Optional[Path] = None) -> str:
    """The path of the program, or NotInstalled."""
    for name in (csbx, _Settings.csbx, os.environ.get("CSBX") or None, "csbx"):
        if name is None:
            continue
        found = shutil.which(os.fspath(name))
        if found is None:
            raise NotInstalled(f"no program {os.fspath(name)!r}; install csbx, or say where it is "
                               "by csbx.configure(csbx=...) or the variable CSBX")
        return found
    raise AssertionError("not reached")


def is_warm() -> bool:
    """What configure() says of calls that do not say it."""
    return _Settings.warm


def default_image(image: Optional[Path] = None) -> str:
    """The image of a call that names none: configure(), PYCSBX_IMAGE, the container `python`."""
    if image is not None:
        return os.fspath(image)
    return _Settings.image or os.environ.get("PYCSBX_IMAGE") or DEFAULT_IMAGE
