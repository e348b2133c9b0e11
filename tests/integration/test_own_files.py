# SPDX-License-Identifier: Apache-2.0
"""Containers see the files that the image itself has under the names of enroot's files."""
import json
import subprocess

import pytest

import ociimage
from ociimage import D, F, H, L

OURS = ["etc/environment", "etc/fstab", "etc/rc", "etc/rc.local"]
COMPARE = r"""
import json, os, sys
top, out = sys.argv[1], {}
for here, dirs, files in os.walk(top):
    for name in dirs + files:
        p = os.path.join(here, name)
        st = os.lstat(p)
        out[os.path.relpath(p, top)] = [
            oct(st.st_mode), st.st_nlink if not os.path.isdir(p) else 2 + sum(
                e.is_dir(follow_symlinks=False) for e in os.scandir(p)) - st.st_nlink,
            os.readlink(p) if os.path.islink(p) else open(p).read() if os.path.isfile(p) else ""]
    for name in dirs + files + ["rc", "environment", "fstab", "rc.local", "orig"]:
        assert os.path.lexists(os.path.join(here, name)) == (name in dirs + files), name
    listed = {e.name: e.inode() for e in os.scandir(here)}
    assert {n: os.lstat(os.path.join(here, n)).st_ino for n in listed} == listed, here
json.dump(out, sys.stdout)
"""
PROBE = "squashd_probe"


def entries():
    return [D("etc"), F("etc/passwd", "root:x:0:0::/:/bin/sh\n"),
            F("etc/environment", "OWN=1\n", mode=0o640),
            F("etc/fstab", "# own\n"),
            H("etc/fstab.bak", "etc/fstab"),
            L("etc/rc.local", "/opt/rc"), D("opt"),
            F("opt/environment", "elsewhere\n"), F("opt/rc", "own rc\n")]


def own_view(csbx, image, how):
    """The files to be seen below the root, without csbx's own directory, and that directory."""
    if how == "served":
        p = csbx.run("attach", image, "0:0", "one", "/usr/bin/python3", "-c", COMPARE, "image",
                     program=PROBE)
        assert p.returncode == 0, p.stderr
        seen = json.loads(p.stdout.partition("\n")[2])
    else:
        out = csbx.work / "out"
        out.mkdir(mode=0o700)
        csbx.ok("unpack", image, out, program=PROBE)
        seen = json.loads(subprocess.run(["/usr/bin/python3", "-c", COMPARE, out], text=True,
                                         capture_output=True, check=True).stdout)
    ours = {k for k in seen if k.split("/")[0] == ".csbx"}
    return {k: v for k, v in seen.items() if k not in ours}, ours


HOW = pytest.mark.parametrize("how", ["served", "unpacked"])


@HOW
@pytest.mark.both_users
def test_of_an_image(csbx, make_image, how):
    seen, ours = own_view(csbx, make_image(entries()), how)
    assert ours == {".csbx", ".csbx/config.json", ".csbx/diff_ids.json"}
    assert seen["etc/environment"] == ["0o100640", 1, "OWN=1\n"]
    assert seen["etc/fstab"] == ["0o100644", 2, "# own\n"] == seen["etc/fstab.bak"]
    assert seen["etc/rc.local"][1:] == [1, "/opt/rc"]
    assert seen["opt/environment"][2] == "elsewhere\n", "only in /etc"
    assert "etc/rc" not in seen
    assert set(seen) == {"etc", "opt", "etc/passwd", "etc/environment", "etc/fstab",
                         "etc/fstab.bak", "etc/rc.local", "opt/environment", "opt/rc"}
    assert seen["etc"][1] == seen["opt"][1] == 0, "links of a directory"


@HOW
def test_none_without_enroot_files(csbx, make_image, how):
    """The image's own are in their place then."""
    seen, ours = own_view(csbx, make_image(entries(), options=["--no-enroot-files"]), how)
    assert ours == {".csbx", ".csbx/config.json", ".csbx/diff_ids.json"}
    assert sorted(set(seen) & set(OURS)) == ["etc/environment", "etc/fstab", "etc/rc.local"]


@HOW
def test_of_a_root_without_a_configuration(csbx, how):
    tar, image = csbx.work / "root.tar", csbx.work / "root.sqsh"
    tar.write_bytes(ociimage.tar_bytes(entries()))
    csbx.ok("import", "-o", image, f"tar:{tar}")
    seen, ours = own_view(csbx, image, how)
    assert ours == {".csbx"}
    assert seen["etc/environment"] == ["0o100640", 1, "OWN=1\n"]
    assert seen["etc/fstab"] == ["0o100644", 2, "# own\n"]
    assert sorted(set(seen) & set(OURS)) == ["etc/environment", "etc/fstab", "etc/rc.local"]


@HOW
def test_etc_elsewhere(csbx, make_image, how):
    """/etc is a link, /etc/rc a directory: the files for enroot lie there, or nowhere."""
    image = make_image([D("usr/etc"), L("etc", "usr/etc"),
                        D("usr/etc/rc"), F("usr/etc/rc/S01", "x"),
                        F("usr/etc/fstab", "own\n")])
    seen, _ = own_view(csbx, image, how)
    assert set(seen) == {"etc", "usr", "usr/etc", "usr/etc/rc", "usr/etc/rc/S01", "usr/etc/fstab"}
    assert seen["usr/etc/fstab"] == ["0o100644", 1, "own\n"]


def test_enroot_finds_its_own(csbx, make_image):
    """Other readers of the file see all of it: enroot's four files and the originals."""
    out = csbx.work / "all"
    subprocess.run(["/usr/bin/unsquashfs", "-q", "-no-progress", "-d", out, make_image(entries())],
                   check=True, capture_output=True, **csbx.identity())
    assert "exec" in (out / "etc/rc").read_text()
    assert "OWN" not in (out / "etc/environment").read_text()
    assert (out / ".csbx/orig/etc/environment").read_text() == "OWN=1\n"
    assert not (out / ".csbx/orig/etc/rc").exists()


def test_a_container_may_make_them(csbx, busybox_layout):
    """A name that is not there can be made, one that is there changed and removed."""
    image = csbx.work / "b.sqsh"
    csbx.ok("import", "-o", image, f"oci:{busybox_layout}")
    script = ("test ! -e /etc/rc && echo mine >/etc/rc && cat /etc/rc && mv /etc/rc /etc/rc.local && "
              "ls /etc | grep -c '^rc' && rm /etc/rc.local && ! ls /etc | grep '^rc'")
    csbx.ok("create", "-n", "own", image)
    for flags in ([], ["-w"], ["-w"]):
        assert csbx.ok("start", *flags, "own", "/bin/sh", "-c", script) == "mine\n1\n"
