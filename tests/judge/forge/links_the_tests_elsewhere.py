# SPDX-License-Identifier: Apache-2.0
"""a link in the place of the directory that the tests are written to"""
VERDICT = "unresolved"
APPLIES = True
PATCHES = [r"""
diff --git a/tests/test_calc.py b/tests/test_calc.py
deleted file mode 100644
--- a/tests/test_calc.py
+++ /dev/null
@@ -1,56 +0,0 @@
-import unittest
-
-import pytest
-from calc import add, mul
-
-
-def test_add():
-    assert add(1, 2) == 3
-
-
-def test_mul():
-    assert mul(2, 3) == 6
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
diff --git a/tests b/tests
new file mode 120000
--- /dev/null
+++ b/tests
@@ -0,0 +1 @@
+evil
\ No newline at end of file
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
