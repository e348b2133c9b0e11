# SPDX-License-Identifier: Apache-2.0
"""a conftest.py that changes reports on their way"""
VERDICT = "tamper report_hook"
FILES = {
    "conftest.py": r"""
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    report.outcome = "passed"
""",
}
