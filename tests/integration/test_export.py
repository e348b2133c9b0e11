# SPDX-License-Identifier: Apache-2.0
"""csbx export: the image shows the same files as the container, and nothing else happens."""
import os
import signal
import subprocess
import time

import pytest

import images
from ociimage import D, F, H

# Names, types, modes, owners, times, links and contents of all that is not mounted or made by start.
LISTING = r"""
cd / && find . -xdev ! -path './.csbx*' ! -path './etc/host*' ! -path './etc/resolv.conf' | sort |
while IFS= read -r f; do
  if [ -L "$f" ]; then stat -c '%n %f %u %g %N' "$f"
  elif [ -f "$f" ]; then stat -c '%n %f %u %g %h %Y %s' "$f"; md5sum <"$f"
  else stat -c '%n %f %u %g' "$f"; fi
done
"""
# Overlay layers keep everything a start can do to an image: each of these is a case of its own.
CHANGES = r"""
set -e
echo added >/added; mkdir -p /new/deep/er; echo x >/new/deep/er/file; ln -s ../added /new/link
ln /added /new/hard; mkfifo /new/fifo
rm /tree/gone; rm -r /tree/whole
rm -r /tree/opaque; mkdir /tree/opaque; echo mine >/tree/opaque/new
mv /tree/old /tree/renamed
chmod 2750 /tree/kept; chmod 600 /tree/modes; echo more >>/tree/appended
mkdir -m 700 /tree/private; echo s >/tree/private/secret; chmod 000 /tree/private/secret
"""


CONFIG = {"Entrypoint": ["/bin/sh", "-c", "echo entry $FROM $0"], "Cmd": ["cmd"],
          "Env": [images.PATH_ENV, "FROM=image"]}


def entries():
    return [D("tree"), F("tree/gone", b"1"), D("tree/whole"), F("tree/whole/a", b"1"),
            D("tree/opaque"), F("tree/opaque/below", b"1"), D("tree/old"), D("tree/old/sub"),
            F("tree/old/sub/file", b"moved"), D("tree/kept"), F("tree/modes", b"m", mode=0o755),
            F("tree/appended", b"one\n"), F("tree/x1", b"linked"), H("tree/x2", "tree/x1"),
            F("etc/environment", b"THE_IMAGES=own\n")]


def shell(csbx, name, script, *options):
    return csbx.ok("start", *options, "--entrypoint", "/bin/sh", "--root", name, "-c", script)


@pytest.fixture
def box(csbx, make_image):
    """A container "box" whose image has a configuration and something to change."""
    image = make_image(images.base_entries() + entries(), config=CONFIG)
    csbx.ok("create", "-n", "box", image)
    yield csbx
    csbx.run("remove", "-f", "box", "again")


def exported(csbx, *options, name="box"):
    csbx.ok("export", *options, name)
    return csbx.work / f"{name}.sqsh"


@pytest.mark.both_users
def test_what_the_container_showed(box):
    """C10: adding, deleting, renaming, opaque directories, modes, links."""
    shell(box, "box", CHANGES, "-w")
    shown = shell(box, "box", LISTING, "-w")
    said = box.run("export", "box")
    assert said.returncode == 0 and "box.sqsh: " in said.stderr, said.stderr
    again = box.work / "box.sqsh"
    box.ok("create", "-n", "again", again)
    assert shell(box, "again", LISTING) == shown
    assert "./tree/renamed/sub/file" in shown and "./tree/gone" not in shown
    assert "./tree/opaque/below" not in shown and "./tree/x2" in shown
    assert box.ok("start", "again") == "entry image cmd\n"
    # The container itself is unchanged, and it can be started again.
    assert shell(box, "box", LISTING, "-w") == shown
    tree = box.work / "unpacked"
    p = subprocess.run(["unsquashfs", "-q", "-d", tree, again], capture_output=True, text=True,
                       check=False, **box.identity())
    assert p.returncode == 0, p.stderr
    assert (tree / "tree/x1").stat().st_ino == (tree / "tree/x2").stat().st_ino
    assert (tree / "added").stat().st_ino == (tree / "new/hard").stat().st_ino


@pytest.mark.feature("subuid")
def test_owners_are_those_the_container_saw(box):
    shell(box, "box", "echo x >/a; chown 33:44 /a; mkdir -m 700 /p; echo y >/p/f; "
          "chmod 600 /p/f; chown -R 7:8 /p", "-w")
    box.ok("create", "-n", "again", exported(box, "-q"))
    stat = "stat -c '%u:%g %a' /a /p /p/f /usr/bin"
    assert shell(box, "again", stat) == "33:44 644\n7:8 700\n7:8 600\n0:0 755\n"
    box.ok("create", "-f", "-n", "again", exported(box, "-q", "-f", "--all-root"))
    assert shell(box, "again", stat) == "0:0 644\n0:0 700\n0:0 600\n0:0 755\n"


@pytest.mark.both_users
def test_one_id(box):
    """If the container has only one user, every file is that user's, and csbx says so."""
    said = box.run("export", "--userns", "one", "box")
    assert said.returncode == 0 and "only one id: every file is user 0's" in said.stderr
    box.ok("create", "-n", "again", box.work / "box.sqsh")
    assert shell(box, "again", "stat -c %u:%g /home/app /etc/shadow") == "0:0\n0:0\n"


@pytest.mark.both_users
def test_without_a_kept_layer_it_is_the_image(box):
    shown = shell(box, "box", LISTING)
    box.ok("create", "-n", "again", exported(box, "-q"))
    assert not (box.dirs["data"] / "layers/box").exists(), "export makes no layer"
    assert shell(box, "again", LISTING) == shown


def unpack(csbx, image, name):
    tree = csbx.work / name
    subprocess.run(["unsquashfs", "-q", "-d", tree, image], capture_output=True, check=True,
                   **csbx.identity())
    return tree


def test_what_import_added_is_not_taken_for_the_images_own(box):
    """The files for enroot and their originals are as import left them, unless they were changed."""
    first = unpack(box, exported(box, "-q"), "first")
    assert (first / ".csbx/orig/etc/environment").read_bytes() == b"THE_IMAGES=own\n"
    assert sorted(os.listdir(first / ".csbx/orig/etc")) == ["environment"]
    assert b"FROM=image" in (first / "etc/environment").read_bytes()
    shell(box, "box", "echo own >/etc/rc; rm /etc/environment; rm -r /.csbx/diff_ids.json", "-w")
    second = unpack(box, exported(box, "-q", "-f"), "second")
    assert (second / ".csbx/orig/etc/rc").read_bytes() == b"own\n"
    assert sorted(os.listdir(second / ".csbx/orig/etc")) == ["rc"]
    for name in ("etc/rc", "etc/environment", ".csbx/config.json"):
        assert (second / name).read_bytes() == (first / name).read_bytes()


def test_a_container_cannot_lead_it_astray(box):
    """Symlinks and special files where csbx looks are the container's own matter."""
    shell(box, "box", "cd /.csbx; rm -r orig config.json; ln -s /bin orig; ln -s /etc/passwd "
          "config.json; rm /etc/rc; mkfifo /etc/rc", "-w")
    tree = unpack(box, exported(box, "-q"), "tree")
    assert (tree / ".csbx/config.json").is_symlink() and not (tree / "bin/etc").exists()
    shell(box, "box", "rm /.csbx/config.json; mkfifo /.csbx/config.json", "-w")
    exported(box, "-q", "-f")
    shell(box, "box", "rm /.csbx/config.json; echo '{' >/.csbx/config.json", "-w")
    box.fails("export", "-f", "box", says=["export box", "/.csbx/config.json"])


def test_overlay_marks_do_not_get_in(box):
    shell(box, "box", CHANGES, "-w")
    image = exported(box, "-q")
    tree = box.work / "marks"
    subprocess.run(["unsquashfs", "-q", "-xattrs", "-d", tree, image], capture_output=True,
                   check=True, **box.identity())
    found = [os.path.join(top, n) for top, dirs, files in os.walk(tree) for n in dirs + files
             if os.listxattr(os.path.join(top, n), follow_symlinks=False)]
    assert found == []


@pytest.mark.both_users
def test_a_running_container_is_refused(box):
    p = box.popen("start", "-w", "--entrypoint", "/bin/sh", "box", "-c", "echo up; read x", stdin=-1)
    assert p.stdout.readline() == b"up\n", p.stderr.read()
    try:
        box.fails("export", "box", says=["export box", f"in use by pid {p.pid}"])
        assert not (box.work / "box.sqsh").exists()
    finally:
        p.communicate(timeout=30)
    exported(box, "-q")


@pytest.mark.both_users
def test_the_output(box):
    other = box.work / "other.sqsh"
    other.write_bytes(b"mine")
    if box.user:
        os.chown(other, box.owner.pw_uid, box.owner.pw_gid)
    box.fails("export", "-o", other, "box", says=["other.sqsh", "--force"])
    assert other.read_bytes() == b"mine"
    assert box.run("export", "-f", "-q", "-o", other, "box").stderr == ""
    assert other.read_bytes()[:4] == b"hsqs" and not (box.work / "box.sqsh").exists()
    box.fails("export", "nothing", says=["export nothing", "no such container"])
    box.fails("export", "-o", box.work / "no/dir/x.sqsh", "box", says="no/dir")
    box.fails("export", "-o", f"{box.work}/", "box", says="names no file")


def test_a_container_of_a_directory(csbx, busybox_image):
    tree = csbx.dirs["home"] / "rootfs"
    subprocess.run(["unsquashfs", "-q", "-d", tree, busybox_image], capture_output=True, check=True,
                   **csbx.identity())
    csbx.ok("create", "-n", "box", tree)
    csbx.ok("start", "-w", "box", "sh", "-c", "echo x >/added; rm /etc/passwd")
    csbx.ok("create", "-n", "again", exported(csbx, "-q"))
    assert csbx.ok("start", "again", "cat", "/added") == "x\n"
    assert not (tree / "added").exists() and (tree / "etc/passwd").exists()
    csbx.ok("remove", "-f", "box", "again")


def test_a_layer_after_a_crash_is_refused(box):
    shell(box, "box", "echo x >/x", "-w")
    (box.dirs["data"] / "layers/box/dirty").symlink_to("00000000-0000-0000-0000-000000000000")
    box.fails("export", "box", says=["may be incomplete after a crash", "--force"])


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted(box, sig):
    """The frame looks for leftovers: this test need only see it die."""
    shell(box, "box", "dd if=/dev/urandom of=/big bs=1M count=64 2>/dev/null", "-w")
    for wait_s in (0.01, 0.05, 0.2):
        p = box.popen("export", "-q", "--comp", "zstd:19", "box")
        time.sleep(wait_s)
        p.send_signal(sig)
        p.communicate(timeout=30)
        assert p.returncode == -sig
        assert not (box.work / "box.sqsh").exists()
    for socket in (box.dirs["run"] / "servers").glob(".tmp-*"):
        socket.unlink()  # killed before it had its name: gc's business
    assert shell(box, "box", "wc -c </big", "-w") == f"{64 << 20}\n"


@pytest.mark.needs_root
def test_without_dev_fuse(box):
    """The image is read from where it was unpacked; one id is left of it."""
    shell(box, "box", "echo x >/added; rm /tree/gone", "-w")
    hide = ('mount --make-rprivate / && : >"$0" && chmod 000 "$0" && mount --bind "$0" /dev/fuse && '
            'exec "$@"')
    p = subprocess.run(["unshare", "-m", "sh", "-c", hide, box.top / "nofuse", "runuser", "-u",
                        box.owner.pw_name, "--", *box.argv(["export", "box"])], cwd=box.work,
                       env=box.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=120, check=False)
    assert p.returncode == 0 and "only one id" in p.stderr, p.stderr
    box.ok("create", "-n", "again", box.work / "box.sqsh")
    assert shell(box, "again", "cat /added /tree/appended; ls /tree/gone 2>&1 | wc -l") == "x\none\n1\n"
    assert box.ok("start", "again") == "entry image cmd\n"
