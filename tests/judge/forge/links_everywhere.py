# SPDX-License-Identifier: Apache-2.0
"""links that give the files of a patch more names than are looked at"""
VERDICT = "tamper patch_size"
APPLIES = True
FILES = {}
PATCHES = ["".join(f"""diff --git a/l{n} b/l{n}
new file mode 120000
--- /dev/null
+++ b/l{n}
@@ -0,0 +1 @@
+.
\\ No newline at end of file
""" for n in range(9))]
