# SPDX-License-Identifier: Apache-2.0
"""an object in a list of hooks that puts the hook back when it is called"""
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
c = pm.hook.pytest_runtest_call
impl = [h for h in c.get_hookimpls() if h.plugin_name == 'runner'][0]


class L(list):
    def __add__(self, o): return list(self) + o


hid = getattr(c, '_nonwrappers', None) or c._hookimpls
i = hid.index(impl)


class Skip:
    n = 0
    hookwrapper = False; wrapper = False
    argnames = ('item',)
    plugin = impl.plugin
    plugin_name = 'runner'
    def function(item):
        hid[i] = impl


s = Skip(); s.function = Skip.__dict__['function']
hid[i] = s
""",
}
