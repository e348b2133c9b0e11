# SPDX-License-Identifier: Apache-2.0
"""takes the __init__.py of a directory of tests away, which unittest does not enter then"""
VERDICT = "tamper test_replaced"
LISTS = ()
NEEDS = ["--runner", "unittest"]
REPO = {
    "test_other.py": r"""
import unittest


class T(unittest.TestCase):
    def test_other(self):
        pass
""",
    "sums/__init__.py": "# tests\n",
    "sums/test_sums.py": r"""
import unittest
from calc import add


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
""",
}
PATCHES = [
    r"""
diff --git a/sums/__init__.py b/sums/__init__.py
deleted file mode 100644
--- a/sums/__init__.py
+++ /dev/null
@@ -1 +0,0 @@
-# tests
""",
]
FILES = {}
APPLIES = True
