# SPDX-License-Identifier: Apache-2.0
"""another function in a hook until it is called"""
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


pm = config.pluginmanager
impl = [h for h in pm.hook.pytest_pyfunc_call.get_hookimpls()][0]
own = impl.function


def once(pyfuncitem):
    impl.function = own
    return True


impl.function = once
""",
}
