# SPDX-License-Identifier: Apache-2.0
"""another way to run an item, which takes itself away when it is used"""
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
        i = [i for i in session().items if i.name == 'test_add' and not i.cls][0]
        if 'done' not in globals():
            globals()['done'] = 1
            i.runtest = lambda: i.__dict__.pop('runtest') and None
        return False


config.option.setupshow = Hook()
""",
}
