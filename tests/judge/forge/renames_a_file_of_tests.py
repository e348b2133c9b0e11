# SPDX-License-Identifier: Apache-2.0
"""gives a file of tests another name, where all tests are asked for"""
VERDICT = "tamper test_file"
LISTS = ()
REPO = {
    "tests/test_bad.py": r"""
from calc import add


def test_bad():
    assert add(1, 2) == 3
""",
}
PATCHES = [
    r"""
diff --git a/tests/test_bad.py b/tests/bad_checks.py
similarity index 100%
rename from tests/test_bad.py
rename to tests/bad_checks.py
""",
]
FILES = {}
APPLIES = True
