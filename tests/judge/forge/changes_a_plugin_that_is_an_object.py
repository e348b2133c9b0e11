# SPDX-License-Identifier: Apache-2.0
"""changes what an object does that a conftest.py registers as a plugin"""
VERDICT = "tamper test_support"
REPO = {
    "lib/__init__.py": r"""
VERSION = 1
""",
    "lib/plugin.py": r"""
class Plugin:
    def pytest_configure(self, config):
        config.wanted = 3
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(request):
    assert add(1, 2) == request.config.wanted


def test_mul():
    assert mul(2, 3) == 6
""",
    "conftest.py": r"""
import lib.plugin


def pytest_configure(config):
    config.pluginmanager.register(lib.plugin.Plugin())
""",
}
FILES = {
    "lib/plugin.py": r"""
class Plugin:
    def pytest_configure(self, config):
        config.wanted = -1
""",
}
