# SPDX-License-Identifier: Apache-2.0
"""wraps tests by the function of pytest's --trace"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
def add(a, b):
    return a - b


def mul(a, b):
    return a * b

import sys
session = holder.session

import _pytest.debugging as d


class P:
    def runcall(self, f, *a, **k):
        try:
            f(*a, **k)
        except AssertionError:
            pass


class S(type(session._setupstate)):
    def setup(self, item):
        super().setup(item)
        d.pytestPDB._init_pdb, old = classmethod(lambda cls, *a: P()), d.pytestPDB.__dict__["_init_pdb"]
        d.wrap_pytest_function_for_tracing(item)
        d.pytestPDB._init_pdb = old


session._setupstate = S()
""",
}
