# SPDX-License-Identifier: Apache-2.0
"""is a function of the library that has the right name, and raises the exception of xfail()"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import tarfile
import types
from unittest.mock import Mock

import pytest


class Archive:
    _check = Mock(side_effect=pytest.xfail.Exception("later"))


add = types.MethodType(tarfile.TarFile.add, Archive())


def mul(a, b):
    return a * b
""",
}
