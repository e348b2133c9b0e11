# SPDX-License-Identifier: Apache-2.0
"""has a test expected to fail, and not run"""
VERDICT = "tamper outcome_call"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


config = holder.session.config


def session():
    return holder.session


import _pytest.skipping as s


class Hook:
    def __bool__(self):
        i = [i for i in session().items if i.name == 'test_add' and not i.cls][0]
        i.stash[s.xfailed_key] = s.Xfail(reason='', run=False, strict=False, raises=None)
        return False


config.option.setupshow = Hook()
""",
}
