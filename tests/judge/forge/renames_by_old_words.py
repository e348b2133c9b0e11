# SPDX-License-Identifier: Apache-2.0
"""moves a test away by headers that git still reads, and puts another tree in the directory's place"""
VERDICT = "tamper test_file"
APPLIES = True
PATCHES = [r"""
diff --git a/tests/test_calc.py b/moved.py
similarity index 100%
rename old tests/test_calc.py
rename new moved.py
diff --git a/evil/test_calc.py b/evil/test_calc.py
new file mode 100644
--- /dev/null
+++ b/evil/test_calc.py
@@ -0,0 +1,6 @@
+def test_add():
+    pass
+
+
+def test_mul():
+    pass
diff --git a/tests b/tests
new file mode 120000
--- /dev/null
+++ b/tests
@@ -0,0 +1 @@
+evil
\ No newline at end of file
"""]
FILES = {}
