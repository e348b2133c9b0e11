# SPDX-License-Identifier: Apache-2.0
"""has a test look as one that others call, and calls nothing"""
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
