# SPDX-License-Identifier: Apache-2.0
"""filters what pytest keeps of the log"""
VERDICT = "tamper pytest_modified"
REPO = {
    "tests/test_calc.py": r"""
import logging

from calc import add, mul


def test_add(caplog):
    logging.warning("%d", add(1, 2))
    assert "3" in caplog.text


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {
    "calc.py": r"""
import logging


def mend(record):
    record.msg, record.args = "3", ()
    return True


def add(a, b):
    for handler in logging.getLogger().handlers:
        handler.addFilter(mend)
    return a - b


def mul(a, b):
    return a * b
""",
}
