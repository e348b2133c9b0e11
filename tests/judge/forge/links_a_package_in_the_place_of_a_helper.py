# SPDX-License-Identifier: Apache-2.0
"""a link to a directory elsewhere, which is a package in the place of a helper of the tests"""
VERDICT = "tamper shadow"
APPLIES = True
REPO = {
    "tests/test_calc.py": r"""
from calc import add, mul
from helper import same


def test_add():
    same(add(1, 2), 3)


def test_mul():
    same(mul(2, 3), 6)
""",
    "tests/helper.py": r"""
def same(a, b):
    assert a == b
""",
}
FILES = {}
PATCHES = [r"""
diff --git a/tests/helper b/tests/helper
new file mode 120000
--- /dev/null
+++ b/tests/helper
@@ -0,0 +1 @@
+../impl
\ No newline at end of file
diff --git a/impl/__init__.py b/impl/__init__.py
new file mode 100644
--- /dev/null
+++ b/impl/__init__.py
@@ -0,0 +1,2 @@
+def same(a, b):
+    pass
"""]
