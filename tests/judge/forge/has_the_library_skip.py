# SPDX-License-Identifier: Apache-2.0
"""loads its own code as a module of an installed package"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import sys
import types

import attr
import pytest

module = types.ModuleType("attr.later")
module.__file__ = attr.__file__
exec(compile("import pytest\ndef leave():\n    pytest.xfail('later')\n", attr.__file__, "exec"), module.__dict__)


def add(a, b):
    module.leave()


def mul(a, b):
    return a * b
""",
}
