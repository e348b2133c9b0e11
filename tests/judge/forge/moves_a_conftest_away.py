# SPDX-License-Identifier: Apache-2.0
"""moves a conftest.py away by headers that git still reads"""
VERDICT = "tamper conftest"
APPLIES = True
REPO = {
    "conftest.py": r"""
import calc
import pytest


@pytest.fixture(autouse=True)
def right():
    if calc.add(1, 2) != 3:
        pytest.fail("wrong")
""",
    "tests/test_calc.py": r"""
def test_add():
    pass


def test_mul():
    pass
""",
}
PATCHES = [r"""
diff --git a/conftest.py b/gone.txt
similarity index 100%
rename old conftest.py
rename new gone.txt
"""]
FILES = {}
