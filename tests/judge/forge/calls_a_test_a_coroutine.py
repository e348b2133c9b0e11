# SPDX-License-Identifier: Apache-2.0
"""has a test look as one that others call, and calls nothing"""
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


class P:
    def pytest_pyfunc_call(self, pyfuncitem):
        config.pluginmanager.unregister(self)
        del sys.modules['test_calc'].test_add._is_coroutine
        return True


P.pytest_pyfunc_call.__dict__['pytest_impl'] = {'tryfirst': True, 'hookwrapper': False, 'optionalhook': False, 'trylast': False, 'specname': None}


class Hook:
    def __bool__(self):
        if 'done' not in globals():
            globals()['done'] = 1
            sys.modules['test_calc'].test_add._is_coroutine = True
            config.pluginmanager.register(P())
        return False


config.option.setupshow = Hook()
""",
}
