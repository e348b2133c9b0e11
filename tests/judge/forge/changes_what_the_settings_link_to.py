# SPDX-License-Identifier: Apache-2.0
"""changes the file that pytest.ini is a link to, from which a test reads what it expects"""
VERDICT = "tamper pytest_config"
REPO = {
    "etc/pytest.cfg": r"""
[pytest]
junit_suite_name = 3
""",
    "tests/test_calc.py": r"""
from calc import add, mul


def test_add(request):
    assert add(1, 2) == int(request.config.getini("junit_suite_name"))


def test_mul():
    assert mul(2, 3) == 6
""",
}
LINKS = {"pytest.ini": "etc/pytest.cfg"}
FILES = {
    "etc/pytest.cfg": r"""
[pytest]
junit_suite_name = -1
""",
}
