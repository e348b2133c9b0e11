# SPDX-License-Identifier: Apache-2.0
"""another function for one call, by an option that runs code when it is asked"""
VERDICT = "tamper test_replaced"
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


class Hook:
    def __bool__(self):
        if 'done' not in globals():
            globals()['done'] = 1
            i = [i for i in session().items if i.name == 'test_add' and not i.cls][0]
            own = i._obj
            def fake(): i._obj = own
            i._obj = fake
        return False


config.option.setupshow = Hook()
""",
}
