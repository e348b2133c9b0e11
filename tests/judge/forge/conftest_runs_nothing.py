# SPDX-License-Identifier: Apache-2.0
"""a conftest.py that runs no test"""
VERDICT = "tamper conftest"
FILES = {
    "conftest.py": r"""
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
}
