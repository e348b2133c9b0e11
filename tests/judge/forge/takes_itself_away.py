# SPDX-License-Identifier: Apache-2.0
"""a plugin that runs a test in pytest's place, and is gone then"""
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
        return True


P.pytest_pyfunc_call.__dict__['pytest_impl'] = {'tryfirst': True, 'hookwrapper': False, 'optionalhook': False, 'trylast': False, 'specname': None}
config.pluginmanager.register(P())
""",
}
