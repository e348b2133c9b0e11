# SPDX-License-Identifier: Apache-2.0
"""The main job: from an OCI image to a script running in a container."""
import json
import os

import pytest

SCRIPT = """
import json, os, sys
print(json.dumps({
    "answer": sum(range(10)), "argv": sys.argv, "uid": os.getuid(), "pid1": os.getpid() != 1,
    "root": sorted(os.listdir("/")), "work": sorted(os.listdir("/work")),
}))
open("/work/result.txt", "w").write("written inside\\n")
sys.exit(7)
"""


@pytest.mark.both_users
def test_import_create_start_mount_script(csbx, python_layout):
    work = csbx.work / "dir"
    work.mkdir()
    (work / "script.py").write_text(SCRIPT)

    csbx.ok("import", "-o", csbx.work / "python-image.sqsh", f"oci:{python_layout}", timeout=120)
    csbx.ok("create", "--name", "py", "python-image.sqsh")
    p = csbx.run("start", "--mount", f"{work}:/work", "py", "python3", "/work/script.py", "a b")

    assert p.returncode == 7, p.stderr
    assert p.stderr == ""
    said = json.loads(p.stdout)
    assert said["answer"] == 45
    assert said["argv"] == ["/work/script.py", "a b"]
    assert said["uid"] == 0
    assert said["pid1"]
    assert "work" in said["root"] and "etc" in said["root"]
    assert said["work"] == ["script.py"]

    made = work / "result.txt"
    assert made.read_text() == "written inside\n"
    assert made.stat().st_uid == os.getuid(), "files made in a bind belong to the caller"
    csbx.ok("remove", "-f", "py")


def test_second_create_of_a_name_is_refused(csbx, busybox_image):
    csbx.ok("create", "--name", "py", busybox_image)
    csbx.fails("create", "--name", "py", busybox_image, says=["py", "exists"])
    csbx.ok("create", "--force", "--name", "py", busybox_image)
