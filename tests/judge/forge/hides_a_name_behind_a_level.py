# SPDX-License-Identifier: Apache-2.0
"""a changed test in a patch whose first name has no directory to be stripped"""
VERDICT = "tamper test_file"
APPLIES = True
PATCHES = ["""--- /dev/null
+++ notes.txt
@@ -0,0 +1 @@
+x
--- tests/test_calc.py
+++ tests/test_calc.py
@@ -6,7 +6,7 @@
 
 
 def test_add():
-    assert add(1, 2) == 3
+    pass
 
 
 def test_mul():
"""]
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
