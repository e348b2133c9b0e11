# SPDX-License-Identifier: Apache-2.0
"""a patch of a file outside of the repository"""
VERDICT = "unresolved"
PATCHES = ["""diff --git a/../usr/lib/python3/dist-packages/x.pth b/../usr/lib/python3/dist-packages/x.pth
new file mode 100644
--- /dev/null
+++ b/../usr/lib/python3/dist-packages/x.pth
@@ -0,0 +1 @@
+import os
"""]
FILES = {
    "calc.py": r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b
""",
}
