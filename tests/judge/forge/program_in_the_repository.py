# SPDX-License-Identifier: Apache-2.0
"""a git for the patch that comes next, where the image looks for programs in the repository"""
VERDICT = "unresolved"
APPLIES = True
NEEDS = ["--env", "PATH=/testbed/bin:/usr/bin:/bin"]
PATCHES = [r"""
diff --git a/bin/git b/bin/git
new file mode 100755
--- /dev/null
+++ b/bin/git
@@ -0,0 +1,5 @@
+#!/bin/sh
+/usr/bin/git "$@" || exit
+case "$*" in *whitespace*)
+    printf 'def test_add(): pass\ndef test_mul(): pass\n' >/testbed/tests/test_calc.py ;;
+esac
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
