# SPDX-License-Identifier: Apache-2.0
"""a pytest.ini that loads a plugin from the repository"""
VERDICT = "tamper pytest_config"
FILES = {
    "pytest.ini": r"""
[pytest]
addopts = -p goodnews
""",
    "goodnews.py": r"""
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
}
