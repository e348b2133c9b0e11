# SPDX-License-Identifier: Apache-2.0
"""stores into the file that the tester's patch adds by a mapping, which leaves its times"""
import forge_parts

VERDICT = "tamper test_replaced"
REPO = {
    "conftest.py": r"""
import calc
""",
}
FILES = {
    "calc.py": forge_parts.OVERWRITES + r"""overwrite("tests/test_more.py", b"    assert ", b"    1 or   ")
""",
}
TEST_PATCH = """
diff --git a/tests/test_more.py b/tests/test_more.py
new file mode 100644
--- /dev/null
+++ b/tests/test_more.py
@@ -0,0 +1,9 @@
+from calc import add, mul
+
+
+def test_mul():
+    assert mul(2, 3) == 6
+
+
+def test_sum():
+    assert add(1, 2) == 3
"""
LISTS = ("tests/test_more.py::test_sum", "tests/test_more.py::test_mul")
