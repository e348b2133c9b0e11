# SPDX-License-Identifier: Apache-2.0
"""The enroot dialect: command lines, texts and exit codes as scripts written for enroot know them."""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from images import busybox_program
from ociimage import GOARCH, D, F, Image, make_layer
from tinyregistry import Registry


class Enroot:
    """`enroot ...` as a script calls it: by that name, through a link."""

    def __init__(self, box):
        self.box = box
        box.ok("shims", "bin")
        self.env = {**box.env, "PATH": f"{box.work}/bin:{box.env['PATH']}"}

    def run(self, *argv, env=None, timeout=120, **kw):
        kw = {"stdin": subprocess.DEVNULL, **kw} if "input" not in kw else kw
        return subprocess.run(["enroot", *map(str, argv)], env={**self.env, **(env or {})}, encoding="utf-8",
                              **{"cwd": self.box.work, **self.box.identity(), **kw},
                              timeout=timeout, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, (argv, p)
        return p.stdout

    def fails(self, *argv, code=1, says=(), **kw):
        """enroot's own failures: one code, and a line that begins with [ERROR]."""
        p = self.run(*argv, **kw)
        assert p.returncode == code, (argv, p)
        assert p.stderr.startswith("[ERROR] "), (argv, p)
        for word in [says] if isinstance(says, str) else says:
            assert word in p.stderr, (argv, p)
        return p


@pytest.fixture
def enroot(csbx):
    return Enroot(csbx)


def test_sandboxed_coder(enroot, python_image):
    """remove -f, create --name, start --mount: the sequence of a harness that runs generated code."""
    work = enroot.box.work / "script"
    work.mkdir()
    (work / "script.py").write_text("print('hello world')\n")
    assert enroot.run("remove", "-f", "coder").returncode == 1  # not there yet: enroot says so, harnesses pass it over
    enroot.ok("create", "--name", "coder", python_image)
    assert enroot.ok("start", "--mount", f"{work}:/work", "coder", "python3", "/work/script.py") == "hello world\n"
    assert enroot.ok("remove", "-f", "coder") == ""
    enroot.fails("start", "coder", "true", says="No such file or directory")


# --- words ----------------------------------------------------------------------------------------

COMMANDS = "create digest export import info list load remove start version".split()


def test_usage(enroot):
    """Usage on stdout; 0 where it was asked for, else 1 and the reason on stderr."""
    for word in ("help", "--help", "-h"):
        assert enroot.ok(word).startswith("Usage: enroot COMMAND [ARG...]\n")
    for argv in ((), ("frobnicate",), ("--frob",)):
        assert enroot.fails(*argv).stdout.startswith("Usage: enroot COMMAND")
    for command in COMMANDS:
        assert enroot.ok(command, "--help").startswith(f"Usage: enroot {command}")
        p = enroot.fails(command, "--no-such-option", says="unknown option --no-such-option")
        assert p.stdout.startswith(f"Usage: enroot {command}")
    assert enroot.ok("version") == enroot.ok("--version") == "4.1.2\n"
    assert enroot.box.run("enroot", "version").stdout == "4.1.2\n"


@pytest.mark.parametrize("argv", [
    ("create",), ("create", "a", "b"), ("create", "--name"), ("create", "--name=", "x"), ("create", "-n", "", "x"),
    ("create", "-nf", "x"), ("create", "--force=yes", "x"), ("remove",), ("remove", "-f"), ("start",), ("start", "-rw", "x"),
    ("import",), ("import", "-o"), ("list", "x"), ("export",), ("start", "-e"), ("version", "x"), ("info", "x")])
def test_bad_command_lines(enroot, argv):
    assert enroot.fails(*argv).stdout.startswith(f"Usage: enroot {argv[0]} ".rstrip())


def test_words_end_options(enroot, busybox_image):
    enroot.ok("create", "-n", "box", "--", busybox_image)
    assert enroot.ok("start", "box", "echo", "-w", "--root", "--").split() == ["-w", "--root", "--"]
    assert enroot.ok("start", "--", "box", "echo", "--help") == "--help\n"


# --- create, list, remove -------------------------------------------------------------------------

def test_create(enroot, busybox_image):
    image = enroot.box.work / "some+image+1.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    enroot.ok("create", image.name)
    assert enroot.ok("list") == "some+image+1\n"
    enroot.fails("create", image.name, says="File already exists: ")
    enroot.ok("create", "-f", image)
    enroot.ok("create", "--name=b", image)
    enroot.ok("create", "-n", "c", image, env={"ENROOT_FORCE_OVERRIDE": "y"})
    enroot.ok("create", "-n", "c", image, env={"ENROOT_FORCE_OVERRIDE": "y"})
    enroot.fails("create", "-n", "c", image, env={"ENROOT_FORCE_OVERRIDE": "0"}, says="File already exists")
    assert enroot.ok("list").split() == ["b", "c", "some+image+1"]
    enroot.fails("create", "-n", "a/b", image, says="Invalid argument: a/b")
    enroot.fails("create", "-n", "../b", image, says="Invalid argument: ../b")
    enroot.fails("create", "nowhere.sqsh", says="No such file or directory: nowhere.sqsh")
    (enroot.box.work / "text.sqsh").write_text("no image\n")
    enroot.fails("create", "text.sqsh", says="Invalid image format: text.sqsh")
    image.unlink()  # as pyxis does
    assert enroot.ok("start", "b", "echo", "still here") == "still here\n"


@pytest.mark.needs_root
def test_create_copies_where_it_cannot_link(enroot, busybox_image):
    """On another file system, and not ours: the file may go all the same."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as d:
        image = Path(d) / "i.sqsh"
        image.write_bytes(busybox_image.read_bytes())
        os.chmod(d, 0o755)
        os.chmod(image, 0o444)
        p = enroot.run("create", "-n", "copied", image)
        assert p.returncode == 0 and p.stderr.startswith("[INFO] Copying the image"), p
    assert enroot.ok("start", "copied", "echo", "yes") == "yes\n"


@pytest.mark.needs_root
def test_a_full_file_system_is_named(enroot, busybox_image):
    small = enroot.box.work / "small"
    small.mkdir()
    enroot.ok("create", "-n", "box", busybox_image)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=300k,mode=0700,uid={enroot.box.owner.pw_uid}", "none", small], check=True)
    try:
        p = enroot.run("create", "-n", "copied", busybox_image, env={"CSBX_DATA_PATH": f"{small}/data"})
        assert p.returncode == 1 and f"copy the image in {small}/data/" in p.stderr and "No space left on device" in p.stderr, p
        assert enroot.ok("list", env={"CSBX_DATA_PATH": f"{small}/data"}) == ""
        enroot.fails("export", "-o", small / "x.sqsh", "box", says=f"write the image in {small}: No space left on device")
        enroot.fails("bundle", "-o", small / "x.run", busybox_image, says=f"in {small}: No space left on device")
        assert not list(small.glob("x*"))
    finally:
        subprocess.run(["umount", "-l", small], check=True)


@pytest.mark.needs_root
def test_no_layer_on_a_network_file_system(enroot, busybox_image):
    """FUSE stands for NFS and Lustre: records may lie there, a layer that is written to may not."""
    enroot.ok("create", "-n", "box", busybox_image)
    remote, owner = enroot.box.work / "remote", enroot.box.owner
    remote.mkdir()
    subprocess.run(["squashfuse", "-o", f"allow_other,uid={owner.pw_uid},gid={owner.pw_gid}", busybox_image, remote], check=True)
    try:
        env = {"CSBX_LAYER_PATH": f"{remote}/root"}  # a directory of mode 0700
        enroot.fails("start", "-w", "box", "true", env=env,
                     says=["a writable layer cannot lie on FUSE", "set CSBX_LAYER_PATH or CSBX_SCRATCH_PATH to a local directory"])
        assert enroot.ok("start", "box", "echo", "read", env=env) == "read\n"
    finally:
        subprocess.run(["umount", remote], check=True)


def test_remove(enroot, busybox_image):
    for name in "abcd":
        enroot.ok("create", "-n", name, busybox_image)
    p = enroot.run("remove", "a", input="y\n")
    assert p.returncode == 0 and p.stderr.startswith("Do you really want to delete ") and p.stderr.endswith("[y/N] ")
    for answer in ("n\n", "\n", "yes and more\n"):
        assert enroot.run("remove", "b", input=answer).returncode == 0
    assert enroot.ok("list").split() == ["c", "d"]  # "yes and more" begins with y
    assert enroot.run("remove", "c").returncode == 1
    assert enroot.ok("list").split() == ["c", "d"]
    # The first that is missing ends it, with or without --force.
    enroot.fails("remove", "-f", "c", "missing", "d", says="No such file or directory: ")
    assert enroot.ok("list") == "d\n"
    enroot.fails("remove", "-f", "../x", says="Invalid argument: ../x")
    enroot.ok("remove", "--force", "d")
    assert enroot.ok("list") == ""


def test_containers_of_others(enroot, busybox_image, busybox_layout):
    """A container that stays, with a command of its own, is docker's or csbx's: enroot leaves it alone."""
    enroot.box.ok("create", "--keep", "--name", "kept", busybox_image, "/bin/true")
    assert enroot.ok("list") == enroot.ok("list", "-f").split("\n", 1)[1] == ""
    enroot.fails("start", "kept", "true", says="it has its own command")
    enroot.fails("remove", "-f", "kept", says="No such file or directory")
    enroot.fails("create", "-f", "-n", "kept", busybox_image, says="File already exists")
    enroot.fails("load", "-f", "-n", "kept", f"oci:{busybox_layout}", says="File already exists")
    assert json.loads(enroot.box.ok("inspect", "kept"))
    enroot.box.ok("remove", "-f", "kept")


def test_files_whose_names_are_none(enroot, busybox_image):
    odd = enroot.box.work / "a b.sqsh"
    odd.write_bytes(busybox_image.read_bytes())
    enroot.fails("create", odd.name, says=["Invalid argument: a b.sqsh", "use --name"])
    enroot.fails("bundle", odd.name, says=["Invalid argument: a b.sqsh", "rename it"])
    enroot.ok("create", "-n", "odd", odd.name)
    assert enroot.ok("start", "odd", "echo", "named") == enroot.ok("start", odd.name, "echo", "named") == "named\n"


def test_damaged_container(enroot, busybox_image):
    """It is there, and that is not what is said of one that is not."""
    enroot.ok("create", "-n", "box", busybox_image)
    container = enroot.box.dirs["data"] / "containers/box"
    (container / "image").unlink()
    assert "No such file or directory: " not in enroot.fails("start", "box", "true", says="box: ").stderr
    (container / "record").write_text("garbage\n")
    enroot.fails("start", "box", "true", says="box: not a record")
    enroot.ok("create", "-f", "-n", "box", busybox_image)
    enroot.ok("start", "box", "true")


def test_images_of_a_site(enroot, busybox_image):
    """CSBX_IMAGE_PATH: create, start and start -w take a name for the file that the site offers."""
    site = enroot.box.work / "site"
    site.mkdir()
    (site / "busybox.sqsh").write_bytes(busybox_image.read_bytes())
    enroot.env["CSBX_IMAGE_PATH"] = str(site)
    assert enroot.ok("start", "busybox", "echo", "read") == "read\n"
    assert enroot.ok("start", "-w", "busybox", "sh", "-c", "echo written >/x; cat /x") == "written\n"
    assert enroot.ok("list") == ""
    enroot.ok("create", "busybox")
    enroot.ok("create", "-n", "mine", "busybox.sqsh")
    assert enroot.ok("list") == "busybox\nmine\n"
    enroot.ok("start", "-w", "busybox", "touch", "/kept")
    assert enroot.ok("start", "busybox", "ls", "/kept") == "/kept\n"
    enroot.fails("create", "nothing", says="No such file or directory: nothing")


def test_create_replaces_what_runs(enroot, busybox_image, busybox_layout):
    """create -f and load -f do as remove -f and create would: a running container goes on."""
    enroot.ok("create", "-n", "box", busybox_image)
    running = start(enroot, "box", "cat")
    wait_running(enroot, "  cat")
    enroot.ok("create", "-f", "-n", "box", busybox_image)
    enroot.ok("load", "-f", "-n", "box", f"oci:{busybox_layout}")
    assert enroot.ok("start", "box", "echo", "new") == "new\n"
    assert running.communicate("old\n", timeout=60) == ("old\n", "")
    writing = start(enroot, "-w", "box", "sh", "-c", "echo up; cat")
    assert writing.stdout.readline() == "up\n"
    enroot.fails("create", "-f", "-n", "box", busybox_image, says=f"create box: layer box: in use by pid {writing.pid}")
    writing.communicate("", timeout=60)


HEADING = "NAME PID COMM STATE STARTED TIME MNTNS USERNS COMMAND".split()


def wait_running(enroot, *pattern):
    """Lines of list -f once the words are in one of them."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        lines = enroot.ok("list", "-f").splitlines()
        if any(all(word in line for word in pattern) for line in lines):
            return lines
        time.sleep(0.05)
    raise AssertionError(f"never ran: {pattern}: {lines}")


def test_list_fancy(enroot, busybox_image):
    enroot.ok("create", "-n", "idle", busybox_image)
    enroot.ok("create", "-n", "box", busybox_image)
    assert enroot.ok("list", "-f").splitlines()[1:] == ["box", "idle"]
    first = start(enroot, "box", "sh", "-c", "cat; true # first")
    second = start(enroot, "box", "sh", "-c", "cat; true # second")
    wait_running(enroot, "  sh -c", "first")  # the command itself, no longer csbx with it
    lines = wait_running(enroot, "  sh -c", "second")
    assert lines[0].split() == HEADING
    rows = [line.split() for line in lines[1:]]
    assert rows[0][0] == "box" and rows[2] == ["idle"], lines
    assert lines[2].startswith(" ") and rows[1][0].isdigit(), lines  # another one of the name above
    for cells in (rows[0][1:], rows[1]):
        pid, comm, state, started, cpu, mntns, userns, *command = cells
        assert Path(f"/proc/{pid}/comm").read_text().strip() == comm == "sh"
        assert state[0] in "SRD" and re.fullmatch(r"\d\d:\d\d:\d\d|\w{3}\d\d|\d{4}", started)
        assert re.fullmatch(r"\d\d:\d\d:\d\d", cpu) and mntns.isdigit() and userns.isdigit()
        assert " ".join(command).startswith("sh -c cat; true # ")
    # A running one may be removed: it goes on, and is listed still.
    enroot.ok("remove", "-f", "box")
    assert enroot.ok("list") == "idle\n"
    assert len(wait_running(enroot, "first")) == 4
    for p in (first, second):
        assert p.communicate("x", timeout=60)[0] == "x" and p.returncode == 0
    assert enroot.ok("list", "-f").splitlines()[1:] == ["idle"]


def start(enroot, *argv, **kw):
    """A start that runs on its own, with a pipe to it."""
    return subprocess.Popen(["enroot", "start", *map(str, argv)], encoding="utf-8", cwd=enroot.box.work,
                            **{"env": enroot.env, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE,
                               "stderr": subprocess.PIPE, **enroot.box.identity(), **kw})


# --- import, load, digest, export -----------------------------------------------------------------

def test_import(enroot, busybox_layout):
    box = enroot.box
    enroot.ok("import", "-o", "b.sqsh", f"oci:{busybox_layout}")
    enroot.fails("import", "--output=b.sqsh", f"oci:{busybox_layout}", says="File already exists: b.sqsh")
    enroot.ok("create", "b.sqsh")
    assert enroot.ok("start", "b", "echo", "hi") == "hi\n"
    for uri in ("ubuntu", "docker://", "http://x/y.sqsh", "b.sqsh", ""):
        enroot.fails("import", "-o", "c.sqsh", uri, says="Invalid argument: " + uri)
    enroot.fails("import", "-a", "vax", "-o", "c.sqsh", f"oci:{busybox_layout}")
    assert not (box.work / "c.sqsh").exists()
    assert re.fullmatch(r"sha256:[0-9a-f]{64}\n", enroot.ok("digest", f"oci:{busybox_layout}"))
    enroot.ok("load", "-n", "loaded", f"oci:{busybox_layout}")
    enroot.fails("load", "--name", "loaded", f"oci:{busybox_layout}", says="File already exists: ")
    enroot.ok("load", "-f", "--name", "loaded", f"oci:{busybox_layout}")
    assert enroot.ok("start", "loaded", "echo", "hi") == "hi\n"


def test_a_file_that_exists_needs_no_registry(enroot):
    """Scripts import what may be there already; csbx asks no registry for it, neither by -o nor by the default name."""
    work = enroot.box.work
    for name in ("mine.sqsh", "team+app+1.sqsh"):
        (work / name).write_text("kept")
    for words, path in ((["-o", work / "mine.sqsh"], work / "mine.sqsh"), ([], "team+app+1.sqsh")):
        p = enroot.fails("import", *words, "docker://127.0.0.1:1/team/app:1")
        assert p.stderr == f"[ERROR] File already exists: {path}\n"
    p = enroot.run("import", "docker://127.0.0.1:1/team/app:1", env={"ENROOT_FORCE_OVERRIDE": "y"})
    assert p.returncode == 1 and "exists" not in p.stderr, p.stderr
    assert (work / "mine.sqsh").read_text() == (work / "team+app+1.sqsh").read_text() == "kept"


@pytest.mark.parametrize("scheme", ["docker://{host}/team/app:1", "docker://{host}#team/app:1"])
def test_registry(enroot, scheme):
    image = Image([make_layer([D("etc"), F("etc/os", "one\n")])], {"Cmd": ["/bin/x"]}, arch=GOARCH)
    with Registry() as registry:
        pinned = registry.put("1", image)
        uri = scheme.format(host=registry.host)
        assert enroot.ok("digest", uri) == pinned + "\n"
        enroot.ok("import", uri, env={"ENROOT_ALLOW_HTTP": "y", "ENROOT_MAX_CONNECTIONS": "100", "ENROOT_CONNECT_TIMEOUT": "5",
                                      "ENROOT_SQUASH_OPTIONS": "-comp zstd -Xcompression-level 1"})
        assert (enroot.box.work / "team+app+1.sqsh").exists()
        enroot.fails("import", uri, says="File already exists: ")
        enroot.ok("import", uri, env={"ENROOT_FORCE_OVERRIDE": "y"})
        p = enroot.run("import", "-o", "lzo.sqsh", uri, env={"ENROOT_SQUASH_OPTIONS": "-comp lzo -noD"})
        assert p.returncode == 0 and "[WARN] ENROOT_SQUASH_OPTIONS: lzo is not a compressor" in p.stderr
        enroot.fails("import", "-o", "x.sqsh", uri, env={"ENROOT_MAX_PROCESSORS": "many"}, says="ENROOT_MAX_PROCESSORS=many: not a number")
        enroot.ok("load", uri)
        assert enroot.ok("list") == "team+app+1\n"


def test_export(enroot, busybox_image):
    enroot.ok("create", "-n", "box", busybox_image)
    enroot.ok("start", "--rw", "box", "sh", "-c", "echo kept >/kept")
    enroot.ok("export", "box")
    enroot.fails("export", "box", says="File already exists: ")
    enroot.ok("export", "--force", "-o", "box.sqsh", "box")
    assert enroot.ok("start", "./box.sqsh", "cat", "/kept") == "kept\n"
    assert enroot.ok("start", "box.sqsh", "cat", "/kept") == "kept\n"  # a regular file, without a slash too
    enroot.fails("export", "missing", says="No such file or directory: ")


# --- settings -------------------------------------------------------------------------------------

def test_conf(enroot, busybox_image):
    """enroot.conf without a shell; the environment wins; csbx's own paths win over both."""
    conf = enroot.box.work / "conf"
    conf.mkdir()
    env = {**enroot.env, "ENROOT_SYSCONF_PATH": str(conf)}
    del env["CSBX_DATA_PATH"]
    work = enroot.box.dirs["home"]
    (conf / "enroot.conf").write_text(f"ENROOT_DATA_PATH {work}/user-$(id -u)/data\nENROOT_REMAP_ROOT yes\n"
                                      "ENROOT_FROBNICATE yes\n")
    enroot.env = env
    p = enroot.run("create", "-n", "box", busybox_image)
    assert p.returncode == 0 and p.stderr == \
        f"[WARN] {conf}/enroot.conf:3: unknown key 'ENROOT_FROBNICATE' is passed over\n"
    assert (Path(work) / f"user-{enroot.box.owner.pw_uid}" / "data" / "containers" / "box").is_dir()
    assert enroot.ok("start", "box", "id", "-u") == "0\n"
    assert enroot.ok("start", "box", "id", "-u", env={"ENROOT_REMAP_ROOT": "0"}) == f"{enroot.box.owner.pw_uid}\n"
    assert f"ENROOT_DATA_PATH             {work}/user-" in enroot.ok("info")
    assert enroot.ok("list", env={"ENROOT_DATA_PATH": f"{work}/other"}) == ""
    (conf / "enroot.conf").write_text("# no\nENROOT_DATA_PATH /raid/$(whoami)\n")
    enroot.fails("list", says=f"[ERROR] {conf}/enroot.conf:2: only $(id -u) and $(id -un) are understood")
    (conf / "enroot.conf").write_text("ENROOT_DATA_PATH relative\n")
    enroot.fails("list", says="must be an absolute path")
    (conf / "enroot.conf").write_text("")
    (conf / "enroot.conf.d").mkdir()
    (conf / "enroot.conf.d" / "10-x.conf").write_text(f"ENROOT_DATA_PATH={work}/ten\n")
    (conf / "enroot.conf.d" / "20-x.conf").write_text(f"ENROOT_DATA_PATH={work}/twenty\n")
    assert f" {work}/twenty\n" in enroot.ok("info")
    assert f" {work}/mine\n" in enroot.ok("info", env={"CSBX_DATA_PATH": f"{work}/mine"})


@pytest.mark.parametrize("text,says", [
    (b"A" * 3000000, "larger than"), (b"ENROOT_DATA_PATH /a\0b\n", ":1: a NUL byte"), (b"\xff\xfe = x\n", ":1: not a line of KEY VALUE"),
    (b"ENROOT_TEMP_PATH x\n" + b"ENROOT_TEMP_PATH $ENROOT_TEMP_PATH$ENROOT_TEMP_PATH\n" * 40, "the value is too long"),
    (b"ENROOT_TEMP_PATH " + b"${A:-" * 1000 + b"\n", "too many ${"), (b"ENROOT_TEMP_PATH `reboot`\n", "nothing is run"),
    (b"ENROOT_RUNTIME_PATH relative\n", "must be an absolute path")])
def test_hostile_conf(enroot, text, says):
    conf = enroot.box.work / "conf"
    conf.mkdir()
    (conf / "enroot.conf").write_bytes(text)
    env = {k: v for k, v in enroot.env.items() if k != "CSBX_RUNTIME_PATH"}
    enroot.env = {**env, "XDG_RUNTIME_DIR": env["HOME"], "ENROOT_SYSCONF_PATH": str(conf)}
    enroot.fails("list", says=says)


def test_strange_conf_files(enroot):
    conf = enroot.box.work / "conf"
    conf.mkdir()
    enroot.env["ENROOT_SYSCONF_PATH"] = str(conf)
    f = conf / "enroot.conf"
    f.write_text("TYPO x\n" * 1000)
    p = enroot.run("list")
    assert p.returncode == 0 and len(p.stderr.splitlines()) == 21 and "more unknown keys" in p.stderr
    f.chmod(0o666)
    enroot.fails("list", says="anyone may write to it")
    f.unlink()
    os.mkfifo(f)
    enroot.fails("list", says="not a regular file")
    f.unlink()
    f.symlink_to("/dev/zero")
    enroot.fails("list", says="not a regular file")


@pytest.mark.parametrize("name", ["a\nb", "..", "-x", "x" * 129, "a/b", "\x1b[31m", "ü"])
def test_hostile_names(enroot, busybox_image, name):
    for argv in (("create", "-n", name, busybox_image), ("remove", "-f", name), ("start", "--", name, "true")):
        p = enroot.fails(*argv)
        assert "\x1b" not in p.stderr and len(p.stderr.splitlines()) == 1, p
    assert enroot.ok("list") == ""


# --- start ----------------------------------------------------------------------------------------

@pytest.fixture
def box(enroot, busybox_image):
    enroot.ok("create", "-n", "box", busybox_image)
    return enroot


def test_exit_codes(box):
    assert box.run("start", "box", "sh", "-c", "exit 7").returncode == 7
    assert box.run("start", "box", "no-such-program").returncode == 127
    assert box.run("start", "box", "/etc/passwd").returncode == 126
    box.fails("start", "nothing", "true", says="No such file or directory: ")
    box.fails("start", "./nothing.sqsh", "true", says="No such file or directory: ./nothing.sqsh")
    box.fails("start", "no/thing", "true", says="No such file or directory: no/thing")
    box.fails("start", "a b", "true", says="Invalid argument: a b")
    (box.box.work / "text").write_text("no image\n")
    box.fails("start", "./text", "true", says="Invalid image format: ./text (./text: not a squashfs image")
    (box.box.work / "text").chmod(0)
    box.fails("start", "./text", "true", says="./text: Permission denied")


@pytest.mark.both_users
def test_root_is_read_only(box):
    assert box.run("start", "box", "touch", "/x").returncode == 1
    box.ok("start", "box", "touch", "/tmp/x")
    assert box.run("start", "box", "ls", "/tmp/x").returncode == 1
    box.ok("start", "-w", "box", "touch", "/x")
    box.ok("start", "--rw", "box", "ls", "/x")


def test_what_was_written_is_read(box):
    """--rw, then without it: as one root, with its deletions, as any user; set-up and programs change nothing in it."""
    box.ok("start", "-w", "--root", "box", "sh", "-c", "echo new >/etc/new; rm /etc/os-release; mkdir /opt/d; rm -r /home; mkdir /home; "
           "chmod 711 /etc; echo made:x:77:77::/:/bin/sh >>/etc/passwd; ln -s /root /var/lib")
    look = ("cat /etc/new; ls /etc/os-release 2>&1 | grep -c 'No such'; stat -c %a /etc; grep -o ^made /etc/passwd; ls -A /home; id -un; "
            "touch /opt/d/y 2>/dev/null || echo read-only; test -e /opt/x && echo there")
    name = box.box.owner.pw_name
    env = {"HOME": "/home/someone"}
    want = ["new", "1", "711", "made", "someone", name, "read-only"]
    for options in [], ["--pid"], ["--net"]:
        assert box.run("start", *options, "box", "sh", "-c", look, env=env).stdout.split() == want
    box.run("start", "-w", "box", "touch", "/opt/x", env=env)
    assert box.run("start", "box", "sh", "-c", look, env=env).stdout.split() == [*want, "there"]
    # The caller's line and home are made for each user who starts it, and stand there once.
    script = f"id -un; grep -c ^{name}: /etc/passwd; grep -c . /etc/passwd; cd; touch mine; ls"
    first = box.ok("start", "-w", "box", "sh", "-c", script, env=env)
    assert first.split()[:2] == [name, "1"] and first.split()[3:] == ["mine"]
    box.ok("start", "-w", "--root", "box", "true")
    assert box.ok("start", "-w", "box", "sh", "-c", script, env=env) == first
    assert box.ok("start", "box", "ls", "/home/someone", env=env) == "mine\n"
    box.ok("export", "-o", "e.sqsh", "box")
    assert box.ok("start", "e.sqsh", "cat", "/etc/new") == "new\n"


@pytest.mark.parametrize("damage", ["rm /etc/passwd; mkfifo /etc/passwd", "rm /etc/passwd; ln -s /dev/zero /etc/passwd",
                                    "rm /etc/passwd; mkdir /etc/passwd", "rm /etc/passwd /etc/group", "chmod 0 /etc/passwd",
                                    "rm -r /root; ln -s /etc /root"])
def test_layer_with_odd_files(box, damage):
    """Files that a program leaves where the set-up reads and writes hinder no later start."""
    box.ok("start", "-w", "box", "sh", "-c", damage)
    for options in [], ["-w"], ["-w", "--root"], ["--root"]:
        assert box.ok("start", *options, "box", "echo", "yes", timeout=60) == "yes\n"


def test_readers_and_writers(box):
    """Many read a layer, or one writes to it: the others are told, and go once it is free."""
    def background(*options):
        p = subprocess.Popen(["enroot", "start", *options, "box", "sh", "-c", "echo up; read x"], env=box.env, encoding="utf-8",
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=box.box.work, **box.box.identity())
        assert p.stdout.readline() == "up\n"
        return p

    box.ok("start", "-w", "box", "touch", "/x")
    for kinds in ([], []), ([], ["--pid"]):
        readers = [background(*k) for k in kinds]
        box.fails("start", "-w", "box", "true", says="layer box: in use by a start that reads it")
        begin = time.monotonic()
        box.fails("remove", "-f", "box", says="in use by a start that reads it")
        assert 5 <= time.monotonic() - begin < 60, "five seconds, not so many tries"
        box.ok("export", "-f", "-o", "while-read.sqsh", "box")
        for p in readers:
            p.communicate("\n", timeout=60)
        for _ in range(200):  # the keeper lets go of it when the root is unmounted
            if box.run("start", "-w", "box", "true").returncode == 0:
                break
        else:
            pytest.fail("the layer is held on")
    with background("-w") as writer:
        p = box.fails("start", "box", "true", says="layer box: in use by pid ")
        assert str(writer.pid) in p.stderr
        writer.communicate("\n", timeout=60)


@pytest.mark.both_users
def test_user(box):
    me = box.box.owner
    assert box.ok("start", "box", "id", "-u") == f"{me.pw_uid}\n"
    assert box.ok("start", "--root", "box", "id", "-u") == "0\n"
    assert box.ok("start", "-r", "box", "sh", "-c", "echo $HOME $USER") == "/root root\n"


def test_host_name(box):
    """--uts: the container's name, or CSBX_HOSTNAME; without it the host's."""
    assert box.ok("start", "box", "hostname").strip() == os.uname().nodename
    assert box.ok("start", "--uts", "box", "hostname") == "box\n"
    assert box.ok("start", "--uts", "--pid", "-r", "box", "hostname", env={"CSBX_HOSTNAME": "mine"}) == "mine\n"


def test_environment(box):
    env = {"HOST_ONLY": "secret", "GIVEN": "a=b \"c'\nd"}
    out = box.ok("start", "-e", "A=1", "--env=A=2", "--env", "GIVEN", "-e", "NOT_THERE", "box", "env", env=env)
    assert "\nA=2\n" in f"\n{out}" and "GIVEN=a=b \"c'\nd\n" in out and "secret" not in out and "NOT_THERE" not in out
    box.fails("start", "-e", "1A=x", "box", "env")


def test_mounts(box):
    d = box.box.work / "d"
    d.mkdir()
    (d / "f").write_text("here\n")
    for spec in (f"{d}:/work", f"{d}:/work:none:rbind,x-create=dir", f"{d}:/work:none:bind,ro,x-create=auto", "d:/work"):
        assert box.ok("start", "-m", spec, "box", "cat", "/work/f") == "here\n", spec
    assert box.run("start", "-m", f"{d}:/work:none:bind,ro,x-create=dir", "box", "touch", "/work/g").returncode == 1
    assert box.ok("start", "-m", f"{d}", "box", "cat", f"{d}/f") == "here\n"
    box.fails("start", "-m", "/no/such:/x", "box", "true", says="/no/such")
    box.ok("start", "-m", "/no/such:/x:none:bind,nofail", "box", "true")


def test_batch(box):
    """A file that says which image it is for, run as a program."""
    script = box.box.work / "job.batch"
    script.write_text(f"#! {box.box.work}/bin/enroot batch\n\n#ENROOT_ROOTFS=\"box\"\n#ENROOT_REMAP_ROOT=y\n"
                      "environ() {\n\techo WHO=batch\n}\nrc() {\n\techo \"$WHO $(id -u) $*\"\n}\n")
    script.chmod(0o755)
    assert box.ok("batch", script, "a", "b") == "batch 0 a b\n"
    p = subprocess.run([str(script), "x y"], env=box.env, capture_output=True, text=True, timeout=60, check=False,
                       **box.box.identity())
    assert (p.returncode, p.stdout) == (0, "batch 0 x y\n"), p
    script.write_text("#!/bin/sh\necho no directive\n")
    box.fails("batch", script, says=f"Missing directive ENROOT_ROOTFS: {script}",
              env={"ENROOT_ROOTFS": "box"})  # a variable is no directive
    box.fails("batch", "nowhere", says="No such file or directory: nowhere")
    script.write_text("#ENROOT_ROOTFS=$(whoami)\n")
    box.fails("batch", script, says="are understood")


def test_sandbox_profile(enroot, busybox_image):
    """The shim with a profile isolates as csbx does; the caller gets what it asks for all the same."""
    enroot.box.ok("shims", "-f", "--profile", "sandbox", "bin")
    enroot.ok("create", "-n", "box", busybox_image)
    work = enroot.box.work / "d"
    work.mkdir()
    out = enroot.ok("start", "-m", f"{work}:/d", "box", "sh", "-c", "ls /sys/class/net; ls -d /d; ls /proc | grep -c '^[0-9]'")
    net, d, processes = out.split()
    assert (net, d) == ("lo", "/d") and int(processes) < 8
    enroot.fails("start", "box", "true", env={"CSBX_ENROOT_PROFILE": "frob"}, says="CSBX_ENROOT_PROFILE must be")


@pytest.mark.parametrize("key,value,code", [("CSBX_TIMEOUT", "1", 124), ("CSBX_MEMORY", "frob", 1)])
def test_limits_by_variables(box, key, value, code):
    assert box.run("start", "box", "sleep", "60", env={key: value}).returncode == code


# --- bundles --------------------------------------------------------------------------------------

@pytest.fixture
def bundle(enroot, busybox_image):
    """A bundle, alone: no program of csbx is where it is run."""
    image = enroot.box.work / "box.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    enroot.ok("bundle", "-c", "-d", "what it is", "box.sqsh")
    image.unlink()
    return Bundle(enroot, enroot.box.work / "box.run")


class Bundle:
    def __init__(self, enroot, path):
        self.enroot, self.path = enroot, path

    def run(self, *argv, **kw):
        return subprocess.run([str(self.path), *map(str, argv)], stdin=subprocess.DEVNULL, encoding="utf-8", timeout=120,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              **{"env": self.enroot.box.env, "cwd": self.enroot.box.work, **self.enroot.box.identity(), **kw})

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, (argv, p)
        return p.stdout


@pytest.mark.both_users
def test_bundle(bundle):
    before = bundle.path.read_bytes()
    assert bundle.ok("echo", "-k", "--root") == "-k --root\n"
    assert bundle.ok("--root", "-e", "A=b c", "--", "sh", "-c", "echo $(id -u) $A") == "0 b c\n"
    assert bundle.run("sh", "-c", "exit 9").returncode == 9
    assert bundle.run("no-such-program").returncode == 127
    assert bundle.run("touch", "/x").returncode == 1
    assert bundle.ok("-w", "sh", "-c", "echo x >/x; cat /x") == "x\n"
    assert bundle.run("ls", "/x").returncode == 1
    bundle.ok("-k", "-w", "touch", "/kept")
    bundle.ok("--keep", "--rw", "ls", "/kept")
    bundle.ok("-k", "ls", "/kept")
    kept = re.search(r"^Keeps in: +(bundle\+\S+)$", bundle.ok("-i"), re.M)[1]
    bundle.enroot.ok("remove", "-f", kept)
    bundle.enroot.fails("remove", "-f", kept, says="No such file or directory")
    assert bundle.run("-k", "-w", "ls", "/kept").returncode == 1
    assert bundle.enroot.run("remove", kept, input="y\n").stderr.endswith(f"layers/{kept}? [y/N] ")
    d = bundle.enroot.box.work / "d"
    d.mkdir()
    (d / "f").write_text("f\n")
    assert bundle.ok("-q", "-m", f"{d}:/d", "cat", "/d/f") == "f\n"
    assert bundle.path.read_bytes() == before


def test_only_files_are_replaced(box, busybox_image):
    """As root, -f -o /dev/null would take the machine's /dev/null away."""
    pipe = box.box.work / "pipe"
    os.mkfifo(pipe)
    for words in ("export", "-f", "-o", pipe, "box"), ("bundle", "-f", "-o", pipe, busybox_image):
        p = box.run(*words)
        assert p.returncode == 1 and p.stderr.endswith("pipe: not a regular file\n"), p
        assert pipe.is_fifo()


def test_bundle_tells(bundle):
    info = bundle.ok("--info")
    assert "what it is" in info and "crc32" in info and "Image:       box\n" in info
    assert bundle.ok("-v") == ""
    assert bundle.ok("-h").startswith("Usage: BUNDLE ")
    p = bundle.run("--frob")
    assert p.returncode == 1 and p.stderr.startswith("[ERROR] unknown option --frob") and p.stdout.startswith("Usage: ")
    assert bundle.ok("--extract") == ""
    assert (bundle.enroot.box.work / "box/bin/sh").exists()
    p = bundle.run("-x")
    assert p.returncode == 1 and p.stderr == "[ERROR] File already exists: box\n"
    data = bytearray(bundle.path.read_bytes())
    data[-5000] ^= 1
    bundle.path.write_bytes(data)
    p = bundle.run("--verify")
    assert p.returncode == 1 and "Checksum mismatch" in p.stderr


def test_bundle_without_its_end(bundle):
    """Cut short or changed, it is no csbx that takes "list" or "remove" for its own."""
    whole = bundle.path.read_bytes()
    for data in whole[:-1], whole[:-100], whole[:-100000], whole + b"\n":
        bundle.path.write_bytes(data)
        for word in "echo", "list", "-v":
            p = bundle.run(word)
            assert (p.returncode, p.stdout) == (1, "") and p.stderr.startswith("[ERROR] the bundle is damaged"), p
    box = bundle.enroot.box
    (box.work / "mine").write_bytes(Path(box.argv([])[0]).read_bytes())
    (box.work / "mine").chmod(0o755)
    assert subprocess.run([box.work / "mine", "--version"], capture_output=True, check=True, env=box.env).stdout


def test_bundle_command(bundle, busybox_image):
    """The verb itself; a bundle is an image file, too."""
    enroot = bundle.enroot
    assert os.access(bundle.path, os.X_OK)
    enroot.fails("bundle", "-o", bundle.path, busybox_image, says=f"File already exists: {bundle.path}")
    enroot.ok("bundle", "-f", "-t", "elsewhere", "-o", bundle.path, busybox_image)
    p = bundle.run("-v")
    assert p.returncode == 1 and "no checksum" in p.stderr
    assert "elsewhere" in bundle.ok("-i")
    enroot.ok("bundle", "-o", "again.run", bundle.path)
    assert Bundle(enroot, enroot.box.work / "again.run").ok("echo", "again") == "again\n"
    assert enroot.ok("start", bundle.path, "echo", "hi") == "hi\n"
    enroot.ok("create", "-n", "box", bundle.path)
    assert enroot.ok("start", "box", "echo", "hi") == "hi\n"
    enroot.fails("bundle", "nowhere.sqsh", says="No such file or directory: nowhere.sqsh")
    enroot.fails("bundle", "-o", "enroot", busybox_image, says="Invalid argument: enroot")
    (enroot.box.work / "text").write_text("no image\n")
    enroot.fails("bundle", "text")
    assert not (enroot.box.work / "text.run").exists()


def test_bundle_with_files(enroot, busybox_image):
    conf = enroot.box.work / "conf"
    (conf / "environ.d").mkdir(parents=True)
    (conf / "environ.d" / "10-a.env").write_text("FROM_FILE=yes\n")
    (conf / "environ.d" / "readme").write_text("no\n")
    enroot.ok("bundle", "--all", "-o", "all.run", busybox_image, env={"ENROOT_SYSCONF_PATH": str(conf)})
    enroot.ok("bundle", "-o", "none.run", busybox_image, env={"ENROOT_SYSCONF_PATH": str(conf)})
    for _ in range(2):
        assert "FROM_FILE=yes\n" in Bundle(enroot, enroot.box.work / "all.run").ok("env")
    none = Bundle(enroot, enroot.box.work / "none.run")
    assert "FROM_FILE" not in none.ok("env", env={**enroot.box.env, "ENROOT_SYSCONF_PATH": str(conf)})


@pytest.mark.parametrize("cut", [1, 128, 4096, 200000])
def test_damaged_bundle(bundle, cut):
    """Cut short it is csbx itself, or says what is wrong; never a crash."""
    bundle.path.write_bytes(bundle.path.read_bytes()[:-cut])
    p = bundle.run("true")
    assert p.returncode in (1, 125) and p.stderr, p
    enroot = bundle.enroot
    enroot.fails("start", bundle.path, "true")


def test_hostile_bundle(bundle):
    """A trailer that points elsewhere, and a configuration with names of files that lie elsewhere."""
    data = bytearray(bundle.path.read_bytes())
    for at in range(16, 80, 8):
        for value in (b"\xff" * 8, b"\0" * 8, len(data).to_bytes(8, "little")):
            bad = bytearray(data)
            bad[len(data) - 128 + at:len(data) - 128 + at + 8] = value
            bundle.path.write_bytes(bad)
            p = bundle.run("true")
            # SIGSEGV: the file in the place of csbx-init is no program, and the kernel finds out too late.
            assert p.returncode in (0, 1, 125, 126, -signal.SIGSEGV) and "Traceback" not in p.stderr, (at, value, p)


# --- what enroot's users ask for ------------------------------------------------------------------

def test_containers_share_their_image(enroot, busybox_image):
    """A hundred containers of one image take no room for it, and none is copied to start."""
    image = enroot.box.work / "big.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    for i in range(100):
        enroot.ok("create", "-n", f"c{i}", image)
    data = enroot.box.dirs["data"]
    seen = {}
    for top, _, names in os.walk(data):
        for st in (os.lstat(os.path.join(top, n)) for n in names):
            seen[st.st_ino] = st.st_blocks * 512
    assert sum(seen.values()) - image.stat().st_blocks * 512 < 10 << 20
    assert enroot.ok("start", "c99", "echo", "yes") == "yes\n"


def test_starts_side_by_side(box):
    """Starts of one container do not wait for each other: all of them run at the same time."""
    running = [start(box, "box", "sh", "-c", "echo up; cat") for _ in range(16)]
    for p in running:
        assert p.stdout.readline() == "up\n"
    assert len(box.ok("list", "-f").splitlines()) == 17
    for p in running:
        assert p.communicate("", timeout=120) == ("", "") and p.returncode == 0


def test_image_is_not_written_to(box, busybox_image):
    before = busybox_image.stat(), busybox_image.read_bytes()
    box.ok("start", "-w", "box", "sh", "-c", "rm -r /bin/ls; echo x >/etc/passwd")
    box.ok("start", "--root", "box", "true")
    assert busybox_image.read_bytes() == before[1] and busybox_image.stat().st_mtime_ns == before[0].st_mtime_ns
    box.ok("remove", "-f", "box")
    box.ok("create", "-n", "box", busybox_image)
    box.ok("start", "box", "ls", "/")  # the layer has gone with its container


def test_size_of_what_is_written(box, busybox_image):
    image = box.box.work / "i.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    p = box.run("start", "-w", "i.sqsh", "sh", "-c", "dd if=/dev/zero of=/big bs=1M count=64", env={"CSBX_UPPER_SIZE": "8m"})
    assert p.returncode == 1 and "No space left on device" in p.stderr, p


def test_size_of_directories_in_memory(box):
    """Row 31: the system's have a cap; without a setting it is a quarter of the memory."""
    script = "for d in /tmp /run /var/lock; do dd if=/dev/zero of=$d/big bs=1M count=16 2>&1 | grep -c 'No space'; done"
    assert box.run("start", "box", "sh", "-c", script, env={"CSBX_UPPER_SIZE": "8m"}).stdout.split() == ["1"] * 3
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    sizes = box.ok("start", "box", "stat", "-f", "-c", "%b %S", "/tmp", "/run", "/var/lock").split("\n")[:3]
    for blocks, size in (line.split() for line in sizes):
        assert 0 < int(blocks) * int(size) <= total // 4 + 4096


def test_files_are_read_whole(enroot):
    """Row 26: by many at once, every byte as it was imported, around the sizes of pages and blocks."""
    tree = enroot.box.work / "tree"
    (tree / "bin").mkdir(parents=True)
    (tree / "d").mkdir()
    shutil.copy(busybox_program(), tree / "bin/busybox")
    rng = random.Random(26)
    for n in (0, 1, 4095, 4096, 4097, 131071, 131072, 131073, 1 << 20, (3 << 20) + 17):
        (tree / f"d/{n}").write_bytes(rng.randbytes(n // 2) + bytes(n - n // 2))
    subprocess.run(["chmod", "-R", "a+rX", tree], check=True)
    want = sorted(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}" for f in (tree / "d").iterdir())
    enroot.ok("import", "-o", "t.sqsh", f"dir:{tree}")
    enroot.ok("create", "-n", "t", "t.sqsh")
    script = "cd /d && for f in *; do busybox sha256sum $f & done; wait"
    argv = ["enroot", "start", "t", "/bin/busybox", "sh", "-c", script]
    many = [subprocess.Popen(argv, env=enroot.env, encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             cwd=enroot.box.work, **enroot.box.identity()) for _ in range(4)]
    for p in many:
        assert sorted(p.communicate(timeout=120)[0].splitlines()) == want and p.returncode == 0


def test_a_start_makes_no_processes(box):
    """Row 28: beside one that has the image, a start is three programs one after the other in one process: csbx, its init,
    the command."""
    with subprocess.Popen(["enroot", "start", "box", "sh", "-c", "echo up; read x"], env=box.env, encoding="utf-8",
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=box.box.work, **box.box.identity()) as first:
        assert first.stdout.readline() == "up\n"
        p = subprocess.run(["strace", "-f", "-qq", "-o", "trace", "-e", "trace=execve,execveat,fork,vfork,clone,clone3",
                            "enroot", "start", "box", "true"], env=box.env, cwd=box.box.work, stdin=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=120, check=False, **box.box.identity())
        first.communicate("\n", timeout=60)
    trace = (box.box.work / "trace").read_text(encoding="utf-8")
    assert p.returncode == 0, (p, trace)
    calls = [line.split(None, 1)[1].split("(")[0] for line in trace.splitlines() if line.rstrip().endswith("= 0")]
    assert calls == ["execve", "execveat", "execve"] and "clone" not in trace and "fork" not in trace, trace


def test_descriptors(box):
    """None of the caller's but 0, 1 and 2."""
    with open("/etc/passwd", encoding="ascii") as f:
        fds = box.ok("start", "box", "ls", "/proc/self/fd", pass_fds=[f.fileno()]).split()
        assert set(fds) <= {"0", "1", "2", "3"}, fds  # 3 is ls's own
        os.dup2(f.fileno(), 50)
        assert "50" not in box.ok("start", "--pid", "box", "ls", "/proc/self/fd", pass_fds=[50]).split()
        os.close(50)


@pytest.mark.parametrize("options", [(), ("--pid",)])
@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_death_by_a_signal(box, options, sig):
    """The caller sees the command's own death, not a number that stands for it."""
    assert box.run("start", *options, "box", "sh", "-c", f"kill -{sig.value} $$").returncode == -sig


@pytest.mark.parametrize("options", [(), ("--pid",)], ids=["in place", "supervised"])
def test_list_shows_nothing_before_the_command(box, options):
    """A harness that polls takes the first process it sees for the command."""
    seen = 0
    for _ in range(15):
        p = start(box, *options, "box", "sleep", "1000")
        rows = []
        while not rows:
            assert p.poll() is None, p.communicate()
            rows = [line.split() for line in box.ok("list", "-f").splitlines()[1:] if " " in line.strip()]
            seen += 1
        assert [row[2] for row in rows] == ["sleep"], rows
        p.kill()
        p.communicate(timeout=60)
    assert seen > 15, "it was never looked at before the command ran"
    box.box.ok("gc")


def test_exec_as_soon_as_it_is_listed(box):
    """A start is listed before it has become the command: exec waits for that."""
    for _ in range(20):
        p = start(box, "box", "sleep", "1000")
        while f" {p.pid} " not in box.ok("list", "-f"):
            assert p.poll() is None, p.communicate()
        assert box.ok("exec", p.pid, "echo", "in") == "in\n"
        p.kill()
        p.communicate(timeout=60)


def test_own_processes(box):
    """--pid: no process of it is left, whatever it has started; the frame looks for leftovers."""
    assert box.ok("start", "--pid", "box", "sh", "-c", "sleep 1000 & echo $$") in ("1\n", "2\n")
    assert box.ok("start", "box", "sh", "-c", "ls -d /proc/[0-9]* | wc -l", env={"ENROOT_UNSHARE_PID": "y"}).strip() in "2345"
    assert box.run("start", "--pid", "box", "sh", "-c", "kill -9 $$").returncode == -9


def test_killed_start(box):
    """SIGKILL for a start with --pid: its processes go with it."""
    p = start(box, "--pid", "box", "sh", "-c", "sleep 1000 & echo up; sleep 1000")
    assert p.stdout.readline() == "up\n"
    p.kill()
    p.communicate(timeout=60)
    box.box.ok("gc")


@pytest.mark.parametrize("options", [(), ("--pid",)])
def test_signals(box, options):
    """Signals that a batch system sends arrive."""
    for sig in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT):
        name = sig.name[3:]
        p = start(box, *options, "box", "sh", "-c", f"trap 'echo got {name}; exit 3' {name}; echo up; while :; do sleep 0.05; done")
        assert p.stdout.readline() == "up\n"
        p.send_signal(sig)
        assert p.communicate(timeout=60)[0] == f"got {name}\n" and p.returncode == 3


def test_streams(box):
    assert box.run("start", "box", "cat", input="a\nb").stdout == "a\nb"
    p = box.run("start", "box", "sh", "-c", "echo out; echo err >&2")
    assert (p.stdout, p.stderr) == ("out\n", "err\n")


@pytest.mark.parametrize("options", [(), ("--pid",)])
def test_security(box, options):
    """no_new_privs, an empty bounding set, a filter; of the host only what enroot gives."""
    status = dict(line.split(":\t", 1) for line in
                  box.ok("start", *options, "box", "cat", "/proc/self/status").splitlines() if ":\t" in line)
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == int(status["CapPrm"], 16) == 0
    for namespace, shared in (("user", False), ("mnt", False), ("net", True), ("ipc", True)):
        inside = box.ok("start", "box", "readlink", f"/proc/self/ns/{namespace}").strip()
        assert (inside == os.readlink(f"/proc/self/ns/{namespace}")) == shared, namespace
    assert box.ok("start", "--net", "box", "ls", "/sys/class/net") in ("lo\n", box.ok("start", "box", "ls", "/sys/class/net"))
    net = box.ok("start", "--net", "box", "readlink", "/proc/self/ns/net").strip()
    ipc = box.ok("start", "--ipc", "box", "readlink", "/proc/self/ns/ipc").strip()
    assert net != os.readlink("/proc/self/ns/net") and ipc != os.readlink("/proc/self/ns/ipc")


@pytest.mark.parametrize("options", [(), ("--pid",)])
def test_exec(box, options):
    running = start(box, *options, "-e", "FROM=start", "box", "sh", "-c", "cd /tmp; echo up; exec cat")
    assert running.stdout.readline() == "up\n"
    pid = box.ok("list", "-f").splitlines()[1].split()[1]
    assert box.ok("exec", pid, "sh", "-c", "echo $FROM").split() == ["start"]
    assert box.ok("exec", "-e", "FROM=exec", "--env=MORE=a b", pid, "sh", "-c", "echo $FROM $MORE") == "exec a b\n"
    assert box.run("exec", pid, "sh", "-c", "exit 6").returncode == 6
    assert box.run("exec", pid, "no-such-program").returncode == 127
    assert box.run("exec", pid, "cat", input="in\n").stdout == "in\n"
    assert box.ok("exec", pid, "id", "-u") == f"{box.box.owner.pw_uid}\n"
    status = box.ok("exec", pid, "cat", "/proc/self/status")  # as start, which enroot's is not
    assert "NoNewPrivs:\t1" in status and "CapBnd:\t0000000000000000" in status and "Seccomp:\t2" in status
    box.fails("exec", "-e", "1X=1", pid, "true")
    for bad in ("0", "-1", "box", "1x", "99999999999"):
        box.fails("exec", "--", bad, "true", says=f"Invalid argument: {bad}")
    box.fails("exec", 2 ** 22 + 1, "true", says="No such process: ")
    box.fails("exec", os.getpid(), "true", says="in no container")
    assert box.fails("exec", pid).stdout.startswith("Usage: enroot exec")
    running.communicate("", timeout=60)
    box.fails("exec", pid, "true", says="No such process: ")


def test_exec_into_what_may_not_be_looked_at(box):
    """A program without read permission is not dumpable: that is said at once, and not waited for."""
    work = box.box.work / "programs"
    work.mkdir()
    shutil.copy(busybox_program(), work / "cat")
    (work / "cat").chmod(0o111)
    running = start(box, "-m", f"{work}:/programs", "box", "/programs/cat")
    running.stdin.write("up\n")
    running.stdin.flush()
    assert running.stdout.readline() == "up\n"
    begin = time.monotonic()
    box.fails("exec", running.pid, "true", says=f"process {running.pid}: its environment may not be read: it is not dumpable")
    assert time.monotonic() - begin < 8  # not the ten seconds that a start may take
    assert running.communicate("", timeout=60) == ("", "")


def test_runtime_path_that_is_none(enroot):
    """A site's path that is not on this node, or not ours, ends nothing; one that is ours is used."""
    run = enroot.box.dirs["run"]
    enroot.env = {k: v for k, v in enroot.env.items() if k != "CSBX_RUNTIME_PATH"} | {"XDG_RUNTIME_DIR": str(run)}
    for path in ("/proc/nowhere", "/etc/passwd", "/"):
        assert f" {run}/csbx\n" in enroot.ok("info", env={"ENROOT_RUNTIME_PATH": path})
    mine = enroot.box.dirs["home"] / "run"
    assert f" {mine}\n" in enroot.ok("info", env={"ENROOT_RUNTIME_PATH": str(mine)})
