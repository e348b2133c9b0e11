# SPDX-License-Identifier: Apache-2.0
"""a package, and by another patch links that lead to it in the place of a conftest.py"""
VERDICT = "tamper conftest"
APPLIES = True
REPO = {
    "tests/conftest.py": r"""
WANT = 3
""",
    "tests/test_calc.py": r"""
from calc import add, mul
from conftest import WANT


def test_add():
    assert add(1, 2) == WANT


def test_mul():
    assert mul(2, 3) == 6
""",
}
FILES = {}
PATCHES = [r"""
diff --git a/impl/__init__.py b/impl/__init__.py
new file mode 100644
--- /dev/null
+++ b/impl/__init__.py
@@ -0,0 +1,3 @@
+import os
+__file__ = os.path.abspath("tests/conftest.py")
+WANT = -1
""", r"""
diff --git a/tests/conftest b/tests/conftest
new file mode 120000
--- /dev/null
+++ b/tests/conftest
@@ -0,0 +1 @@
+../way
\ No newline at end of file
diff --git a/way b/way
new file mode 120000
--- /dev/null
+++ b/way
@@ -0,0 +1 @@
+impl
\ No newline at end of file
"""]
