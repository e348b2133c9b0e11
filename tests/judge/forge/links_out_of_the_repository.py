# SPDX-License-Identifier: Apache-2.0
"""a link in the repository by which a second patch changes pytest"""
VERDICT = "unresolved"
PATCHES = ["""diff --git a/way b/way
new file mode 120000
--- /dev/null
+++ b/way
@@ -0,0 +1 @@
+/usr/lib/python3/dist-packages
\\ No newline at end of file
""", """diff --git a/way/evil.pth b/way/evil.pth
new file mode 100644
--- /dev/null
+++ b/way/evil.pth
@@ -0,0 +1 @@
+import os; os._exit(0)
"""]
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
