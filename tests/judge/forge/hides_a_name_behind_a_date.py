# SPDX-License-Identifier: Apache-2.0
"""a changed test whose file name is followed by a time, as some diff(1) write it"""
VERDICT = "tamper test_file"
APPLIES = True
PATCHES = ["""--- a/tests/test_calc.py 2020-01-01 00:00:00.000000000 +0000
+++ b/tests/test_calc.py 2020-01-01 00:00:00.000000000 +0000
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
