# SPDX-License-Identifier: Apache-2.0
"""has pluggy call it around each hook"""
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

pm = session.config.pluginmanager


def after(outcome, name, impls, kwargs):
    pass


def before(name, impls, kwargs):
    if name == "pytest_pyfunc_call":
        item = kwargs["pyfuncitem"]
        real = item.obj

        class Obj:
            __func__ = real

            def __call__(self, *a, **k):
                pass
        item.obj = Obj()


pm.add_hookcall_monitoring(before, after)
""",
}
