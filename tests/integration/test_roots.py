# SPDX-License-Identifier: Apache-2.0
"""Roots that import did not make: a directory, an image of enroot's, and what --rc does to any."""
import os
import subprocess

import pytest

RC = """echo "rc: $# $1"
[ -s /etc/rc.local ] && . /etc/rc.local
if [ $# -gt 0 ]; then exec "$@"; else echo default; fi
"""


def unpack(csbx, image, name, rc=None):
    """The image's files as a directory of the user's, with a start script where one is given."""
    tree = csbx.work / name
    subprocess.run(["/usr/bin/unsquashfs", "-q", "-no-progress", "-d", tree, image], check=True,
                   capture_output=True, **csbx.identity())
    subprocess.run(["rm", "-r", tree / ".csbx", tree / "etc/rc"], check=True)
    if rc:
        (tree / "etc/rc").write_text(rc)
        (tree / "etc/rc.local").write_text("echo local\n")
        (tree / "etc/environment").write_text("MADE_BY=enroot\n")
    return tree


def listing(tree):
    return sorted(os.path.join(here, n) for here, dirs, files in os.walk(tree) for n in dirs + files)


@pytest.mark.both_users
def test_a_directory(csbx, busybox_image):
    """A name for it, throw-away starts, a kept layer, an image of both; the directory stays as it is."""
    tree = unpack(csbx, busybox_image, "root")
    before = listing(tree)
    assert csbx.ok("start", tree, "sh", "-c", "echo x >/new; rm /bin/ls; echo fine") == "fine\n"
    csbx.ok("create", "-n", "d", tree)
    csbx.ok("start", "d", "sh", "-c", "rm -r /etc; echo x >/new")
    change = "mv /home /moved 2>/dev/null || mkdir /moved; rm -r /etc; mkdir /etc; echo x >/etc/own; rm /bin/ls"
    csbx.ok("start", "-w", "d", "sh", "-c", change)
    assert csbx.ok("start", "-w", "d", "sh", "-c", "cat /etc/own; echo /moved; [ -e /bin/ls ] || echo gone") == \
        "x\n/moved\ngone\n"
    assert csbx.ok("start", "d", "sh", "-c", "cat /etc/own; [ -e /bin/ls ] || echo gone") == "x\ngone\n"
    csbx.ok("export", "-q", "d")
    assert csbx.ok("start", "./d.sqsh", "sh", "-c", "cat /etc/own; [ -e /bin/ls ] || echo gone") == "x\ngone\n"
    assert csbx.run("start", "--read-only", "d", "touch", "/x").returncode == 1
    assert listing(tree) == before
    (tree / "bin/busybox2").symlink_to("busybox")
    assert csbx.ok("start", "d", "sh", "-c", "[ -L /bin/busybox2 ] && echo seen") == "seen\n", "it may change between starts"
    tree.rename(csbx.work / "elsewhere")
    csbx.fails("start", "d", "true", says=str(tree))
    csbx.ok("remove", "-f", "d")


@pytest.mark.parametrize("kind", ["directory", "image"])
def test_a_root_of_enroots(csbx, busybox_image, kind):
    """Its /etc/environment and /etc/rc make it what it is."""
    root = unpack(csbx, busybox_image, "er", RC)
    if kind == "image":
        image = csbx.work / "er.sqsh"
        subprocess.run(["/usr/bin/mksquashfs", root, image, "-noappend", "-quiet", "-no-progress"],
                       check=True, capture_output=True)
        root = image
    assert csbx.ok("start", root) == "rc: 0 \nlocal\ndefault\n"
    assert csbx.ok("start", root, "sh", "-c", "echo $MADE_BY") == "rc: 3 sh\nlocal\nenroot\n"
    (csbx.work / "mine").write_text('echo "mine: $1"; [ -e /etc/rc ] && exec "$@"\n')
    assert csbx.ok("start", "--rc", csbx.work / "mine", root, "echo", "x") == "mine: echo\nx\n"


def test_rc_and_conf(csbx, busybox_image):
    """--rc in place of an entry point, and a configuration file for one start."""
    script, conf = csbx.work / "rc", csbx.work / "conf"
    script.write_text('echo "mine: $#"; exec "$@"\n')
    conf.write_text("CSBX_ENV GIVEN=conf\nCSBX_HOSTNAME named\n")
    csbx.ok("create", "-n", "b", busybox_image)
    args = ["b", "sh", "-c", "echo $GIVEN; hostname"]
    assert csbx.ok("start", "--rc", script, "-c", conf, *args) == "mine: 3\nconf\nnamed\n"
    assert csbx.ok("start", "-c", conf, "--hostname", "asked", *args) == "conf\nasked\n"
    csbx.fails("start", "--rc", csbx.work / "none", *args, says=["--rc", "none: No such file"])
    csbx.fails("start", "-c", csbx.work / "none", *args, says=["--conf", "none", "No such file"])
    conf.write_text("CSBX_FROB 1\n")
    csbx.fails("start", "-c", conf, *args, says=["conf:1", "CSBX_FROB"])
    csbx.ok("remove", "-f", "b")
