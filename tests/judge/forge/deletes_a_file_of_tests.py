# SPDX-License-Identifier: Apache-2.0
"""takes a file of tests away, where all tests are asked for"""
VERDICT = "tamper test_file"
LISTS = ()
REPO = {
    "tests/test_bad.py": r"""
from calc import add


def test_bad():
    assert add(1, 2) == 3
""",
}
PATCHES = [
    r"""
diff --git a/tests/test_bad.py b/tests/test_bad.py
deleted file mode 100644
--- a/tests/test_bad.py
+++ /dev/null
@@ -1,5 +0,0 @@
-from calc import add
-
-
-def test_bad():
-    assert add(1, 2) == 3
""",
]
FILES = {}
APPLIES = True
