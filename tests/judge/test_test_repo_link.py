# SPDX-License-Identifier: Apache-2.0
"""A repository that lies in a writable mount of the same command: the code of one line puts a link in its place."""
import json
import os

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

SAID = "is a symbolic link in a directory that the program may write to, and is not followed"
PATCH = """diff --git a/test_p.py b/test_p.py
new file mode 100644
--- /dev/null
+++ b/test_p.py
@@ -0,0 +1,8 @@
+import os, shutil
+def test_p():
+    if os.path.exists("names"):
+        shutil.copy("names", "/w/leak")
+    for name in "one", "two":
+        if not os.path.islink("/w/" + name):
+            shutil.rmtree("/w/" + name)
+            os.symlink(PRIVATE, "/w/" + name)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_repository_of_another_line(csbx, suite_image, jobs):
    """The code of one line puts a link in the place of the other's."""
    for name in "ws", "private":
        (csbx.work / name).mkdir()
        if csbx.user:
            os.chown(csbx.work / name, csbx.owner.pw_uid, csbx.owner.pw_gid)
    (csbx.work / "private/names").write_text("the secret\n")
    for name in "one", "two":
        csbx.ok("start", "--volume", f"{csbx.work}/ws:/w", suite_image, "python3", "-ISc",
                f"import os; os.mkdir('/w/{name}'); open('/w/{name}/test_q.py', 'w').write('def test_q(): pass')")
    patch = PATCH.replace("PRIVATE", repr(str(csbx.work / "private")))
    lines = [{"id": name, "repo": f"{csbx.work}/ws/{name}", "patch": patch} for name in ("one", "two")]
    (csbx.work / "batch").write_text("".join(json.dumps(line) + "\n" for line in lines))
    p = csbx.run("test", "--image", suite_image, "--volume", f"{csbx.work}/ws:/w", "--batch", csbx.work / "batch", "-j", jobs, "--", "test_p.py")
    records = [json.loads(line) for line in p.stdout.splitlines()]
    assert len(records) == 2 and not (csbx.work / "ws/leak").exists(), p
    if jobs == "1":
        assert SAID in json.dumps(records[1]), records
