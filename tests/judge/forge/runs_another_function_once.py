# SPDX-License-Identifier: Apache-2.0
"""another function for one call, by an option that runs code when it is asked"""
VERDICT = "tamper test_replaced"
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
