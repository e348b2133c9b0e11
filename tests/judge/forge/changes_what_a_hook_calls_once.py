# SPDX-License-Identifier: Apache-2.0
"""another function in a hook until it is called"""
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


pm = config.pluginmanager
impl = [h for h in pm.hook.pytest_pyfunc_call.get_hookimpls()][0]
own = impl.function


def once(pyfuncitem):
    impl.function = own
    return True


impl.function = once
""",
}
