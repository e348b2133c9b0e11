# SPDX-License-Identifier: Apache-2.0
"""attributes that have git write the tests in another encoding"""
VERDICT = "unresolved"
APPLIES = True
PATCHES = [r"""
diff --git a/.gitattributes b/.gitattributes
new file mode 100644
--- /dev/null
+++ b/.gitattributes
@@ -0,0 +1 @@
+tests/*.py text working-tree-encoding=UTF-7
"""]
TEST_PATCH = r"""
diff --git a/tests/test_calc.py b/tests/test_calc.py
--- a/tests/test_calc.py
+++ b/tests/test_calc.py
@@ -1,56 +1,9 @@
-import unittest
-
-import pytest
 from calc import add, mul
 
 
 def test_add():
-    assert add(1, 2) == 3
+    assert add(1, 2) == 1 + 2
 
 
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
