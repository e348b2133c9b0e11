# SPDX-License-Identifier: Apache-2.0
"""has pytest leave the plugin that calls tests out of its hooks"""
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


class Hook:
    def __bool__(self):
        config.pluginmanager._conftest_plugins.add(config.pluginmanager.get_plugin('python'))
        return False


config.option.setupshow = Hook()
""",
}
