# SPDX-License-Identifier: Apache-2.0
"""raises an exception that says of its class something else each time"""
VERDICT = "tamper outcome_call"
FILES = {
    "calc.py": r"""
import _pytest.outcomes


class Unsupported(Exception):
    msg = "not yet"
    asked = 0
    _use_item_location = False

    @property
    def __class__(self):
        self.asked += 1
        return Unsupported if self.asked < 8 else _pytest.outcomes.Skipped


def add(a, b):
    return a + b


def mul(a, b):
    raise Unsupported("not yet")
""",
}
