# SPDX-License-Identifier: Apache-2.0
"""has a test expected to fail, and not run"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import sys


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


hook = [f for f in sys.meta_path if type(f).__name__ == "AssertionRewritingHook"]
config = hook[0].config if hook else None


def session():
    return hook[0].session


import _pytest.skipping as s


class Hook:
    def __bool__(self):
        i = [i for i in session().items if i.name == 'test_add' and not i.cls][0]
        i.stash[s.xfailed_key] = s.Xfail(reason='', run=False, strict=False, raises=None)
        return False


config.option.setupshow = Hook()
""",
}
