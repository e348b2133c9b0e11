# SPDX-License-Identifier: Apache-2.0
"""makes the root a git repository whose configuration has a filter, for the next patch"""
VERDICT = "unresolved"
APPLIES = True
PATCHES = [r"""
diff --git a/HEAD b/HEAD
new file mode 100644
--- /dev/null
+++ b/HEAD
@@ -0,0 +1 @@
+ref: refs/heads/main
diff --git a/refs/heads/x b/refs/heads/x
new file mode 100644
--- /dev/null
+++ b/refs/heads/x
@@ -0,0 +1 @@
+x
diff --git a/objects/info/x b/objects/info/x
new file mode 100644
--- /dev/null
+++ b/objects/info/x
@@ -0,0 +1 @@
+x
diff --git a/config b/config
new file mode 100644
--- /dev/null
+++ b/config
@@ -0,0 +1,7 @@
+[core]
+	repositoryformatversion = 0
+	bare = false
+	worktree = /testbed
+[filter "x"]
+	smudge = sed 's/^    assert .*/    pass/'
+	clean = cat
diff --git a/.gitattributes b/.gitattributes
new file mode 100644
--- /dev/null
+++ b/.gitattributes
@@ -0,0 +1 @@
+tests/*.py filter=x
"""]
TEST_PATCH = r"""
diff --git a/tests/test_calc.py b/tests/test_calc.py
--- a/tests/test_calc.py
+++ b/tests/test_calc.py
@@ -1,56 +1,10 @@
-import unittest
-
-import pytest
 from calc import add, mul
 
 
 def test_add():
-    assert add(1, 2) == 3
+    assert add(1, 2) == 1 + 2
+    assert 2 == 1+1
 
 
 def test_mul():
     assert mul(2, 3) == 6
-
-
-@pytest.mark.parametrize("text", ["x y", "a/b::c", "ü", "[1]", "", "x z"])
-def test_text(text):
-    assert isinstance(text, str)
-
-
-@pytest.mark.skip
-def test_skip():
-    pass
-
-
-@pytest.mark.xfail
-def test_xfail():
-    assert 0
-
-
-@pytest.mark.xfail
-def test_xpass():
-    pass
-
-
-@pytest.fixture
-def bad():
-    raise ValueError
-
-
-def test_error(bad):
-    pass
-
-
-@pytest.fixture
-def late():
-    yield
-    raise ValueError
-
-
-def test_late(late):
-    pass
-
-
-class TestClass(unittest.TestCase):
-    def test_add(self):
-        self.assertEqual(add(2, 2), 4)
"""
FILES = {}
