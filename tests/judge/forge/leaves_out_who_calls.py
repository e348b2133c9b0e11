# SPDX-License-Identifier: Apache-2.0
"""has pytest leave the plugin that calls tests out of its hooks"""
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
        config.pluginmanager._conftest_plugins.add(config.pluginmanager.get_plugin('python'))
        return False


config.option.setupshow = Hook()
""",
}
