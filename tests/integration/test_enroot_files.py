# SPDX-License-Identifier: Apache-2.0
"""The files and options that decide an enroot start: the image's files, environ.d, mounts.d, hooks.d, --conf, -e, -m,
--rc."""
import hashlib
import json
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

import images
import pytest
from ociimage import D, F, L


class Enroot:
    """`csbx enroot` with configuration directories of its own."""

    def __init__(self, box):
        self.box = box
        self.work = box.work
        self.system, self.user = box.work / "etc-enroot", box.work / "config-enroot"
        for top in (self.system, self.user):
            for sub in ("environ.d", "mounts.d", "hooks.d"):
                (top / sub).mkdir(parents=True)
        # The server of an image stays for the starts of one test: close() ends it.
        self.env = {"ENROOT_SYSCONF_PATH": str(self.system), "ENROOT_CONFIG_PATH": str(self.user), "CSBX_LINGER": "60"}

    def close(self):
        """A server that has just lost its last container may not know yet: it is asked again."""
        deadline = time.monotonic() + 30
        while True:
            self.box.ok("gc", "--servers")
            if not list((self.box.dirs["run"] / "servers").glob("*.sock")) or time.monotonic() > deadline:
                return
            time.sleep(0.05)

    def run(self, *argv, env=None, **kw):
        return self.box.run("enroot", *argv, env={**self.env, **(env or {})}, **kw)

    def ok(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 0, (argv, p)
        return p.stdout

    def quiet(self, *argv, **kw):
        p = self.run(*argv, **kw)
        assert (p.returncode, p.stderr) == (0, ""), (argv, p)
        return p.stdout

    def fails(self, *argv, says=(), **kw):
        p = self.run(*argv, **kw)
        assert p.returncode == 1, (argv, p)
        assert p.stderr.startswith("[ERROR] "), (argv, p)
        for word in [says] if isinstance(says, str) else says:
            assert word in p.stderr, (argv, p)
        return p.stderr

    def script(self, path, text):
        path.write_text(text)
        path.chmod(0o755)
        return path

    def hook(self, where, name, text):
        return self.script(where / "hooks.d" / name, "#!/bin/bash\nset -eu\n" + text)


@pytest.fixture
def enroot(csbx):
    made = Enroot(csbx)
    yield made
    made.close()


@pytest.fixture
def shell(enroot, busybox_image):
    """A container with a shell: shell("echo hi") -> its output."""
    enroot.ok("create", "--name", "sh", busybox_image)

    def run(command, *options, **kw):
        return enroot.quiet("start", *options, "sh", "sh", "-c", command, **kw)
    return run


@pytest.fixture
def plain_image(csbx):
    """plain_image({path: text or bytes}) -> a squashfs file that csbx knows no configuration of, as enroot makes them."""
    def make(files, name="plain", modes=None):
        top = csbx.work / f"{name}.tree"
        program = images.busybox_program()
        for d in ("bin", "etc", "proc", "sys", "dev", "tmp", "run"):
            (top / d).mkdir(parents=True)
        shutil.copy(program, top / "bin/busybox")
        for applet in ("sh", "cat", "env", "echo", "id", "stat", "ls", "touch", "pwd", "mkdir"):
            os.symlink("busybox", top / "bin" / applet)
        for path, text in files.items():
            to = top / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(text if isinstance(text, bytes) else text.encode())
        for path, mode in (modes or {}).items():
            (top / path).chmod(mode)
        out = csbx.work / f"{name}.sqsh"
        subprocess.run(["chmod", "-R", "a+rX", str(top)], check=True)
        csbx.ok("import", "--no-enroot-files", "-o", out, f"dir:{top}")
        return out
    return make


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- environment ----------------------------------------------------------------------------------

def environment(text):
    return dict(x.split("=", 1) for x in text.split("\0") if x)


ENV_0 = "cat /proc/self/environ"


@pytest.mark.parametrize("value", ['"quoted"', "'single'", "a=b=c", "two\nlines", " blanks ", "", "${HOME}", "é\\x"])
def test_values_of_e_are_exact(shell, value):
    assert environment(shell(ENV_0, "-e", f"V={value}"))["V"] == value


def test_e_without_a_value_takes_the_callers(shell):
    said = environment(shell(ENV_0, "-e", "SOME_HOST_VALUE", "--env=OTHER", env={"SOME_HOST_VALUE": '"x"', "THIRD": "3"}))
    assert said["SOME_HOST_VALUE"] == '"x"'
    assert "OTHER" not in said and "THIRD" not in said, "nothing else of the host comes in"


def test_enroots_own_variables_stay_outside(enroot, shell):
    said = environment(shell(ENV_0, "-e", "ENROOT_SECRET=1", env={"ENROOT_LOGIN_SHELL": "yes"}))
    assert not [k for k in said if k.startswith("ENROOT_")]


@pytest.mark.parametrize("bad", ["1A=b", "=b", "A-B=c", "A B=c"])
def test_bad_name_of_e(enroot, shell, bad):
    enroot.fails("start", "-e", bad, "sh", "true", says=f"Invalid argument: {bad}")


def test_files_functions_and_options_in_order(enroot, shell):
    (enroot.system / "environ.d/10-a.env").write_text("A=system\nB=system\nC=system\nD=system\nHOST=<${FROM_HOST}$FROM_HOST>\n")
    (enroot.system / "environ.d/05-early.env").write_text("A=too early\n")
    (enroot.system / "environ.d/20-not.txt").write_text("A=not read\n")
    (enroot.user / "environ.d/10-b.env").write_text('B=user\nC=user\nD=user\n# comment\nQUOTED="a b"\nexport EX=1\n')
    conf = enroot.script(enroot.work / "c.conf", "environ() {\n    echo C=conf\n    echo D=conf\n    echo 'Q=\"kept\"'\n}\n")
    said = environment(shell(ENV_0, "--conf", conf, "-e", "D=option", env={"FROM_HOST": "h=1"}))
    assert (said["A"], said["B"], said["C"], said["D"]) == ("system", "user", "conf", "option")
    assert said["HOST"] == "<h=1h=1>" and said["QUOTED"] == "a b" and said["EX"] == "1"
    assert said["Q"] == '"kept"', "what a program prints is not unquoted"


def test_environ_of_conf_may_pass_any_value(enroot, shell):
    conf = enroot.script(enroot.work / "c.conf", "environ() { env -0; }\n")
    said = environment(shell(ENV_0, "-c", conf, env={"MANY": 'one\ntwo "3"\n'}))
    assert said["MANY"] == 'one\ntwo "3"\n'


def test_environ_of_conf_that_leaves_something_running(enroot, shell):
    """The start waits for the function, not for processes that still hold its output."""
    conf = enroot.script(enroot.work / "agent.conf", "environ() { sleep 1000 2>&- & echo AGENT=$!; }\n")
    agent = int(shell("echo $AGENT", "--conf", conf))
    os.kill(agent, signal.SIGKILL)  # an error if it were gone


def test_lines_of_environ_that_are_no_assignments(enroot, shell):
    conf = enroot.script(enroot.work / "odd.conf", "environ() { echo A=1; echo B = 2; echo C=3; }\n")
    p = enroot.run("start", "--conf", conf, "sh", "sh", "-c", "echo $A$B$C")
    assert p.stdout == "13\n" and p.stderr.startswith(f"[WARN] {conf}: environ(): line 2: not NAME=VALUE "), p


def test_host_value_with_a_line_break_adds_no_variable(enroot, shell):
    (enroot.system / "environ.d/10-a.env").write_text("A=${EVIL}\n")
    said = environment(shell(ENV_0, env={"EVIL": "x\nLD_PRELOAD=/evil.so"}))
    assert "LD_PRELOAD" not in said and said["A"] == "x\nLD_PRELOAD=/evil.so"


def test_image_does_not_read_the_hosts_environment(enroot, plain_image):
    image = plain_image({"etc/environment": 'STOLEN=${SECRET_OF_HOST}\nQ="with quotes"\nENROOT_ROOTFS=/x\nPATH=/bin\n'})
    said = environment(enroot.quiet("start", image, "cat", "/proc/self/environ", env={"SECRET_OF_HOST": "secret"}))
    assert said["STOLEN"] == "${SECRET_OF_HOST}" and said["Q"] == "with quotes"
    assert "ENROOT_ROOTFS" not in said


def test_login_variables(enroot, shell):
    said = environment(shell(ENV_0, env={"TERM": "vt100"}))
    assert said["TERM"] == "vt100"
    assert said["HOME"] == enroot.box.env["HOME"] and said["USER"] == said["LOGNAME"] == enroot.box.env["USER"]
    said = environment(shell(ENV_0, "--root"))
    assert said["HOME"] == "/root" and said["USER"] == "root"


def test_job_step_variables(enroot, shell):
    job = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": "3", "PMI_RANK": "3", "OTHER_JOB": "x",
           "SLURM_LOCALID": "1", "SLURM_NTASKS": "4", "SLURM_STEP_NODELIST": "n[03-05,9],m1"}
    said = environment(shell(ENV_0, env=job))
    assert said["SLURM_PROCID"] == "3" and said["PMI_RANK"] == "3"
    assert "OTHER_JOB" not in said and "RANK" not in said
    said = environment(shell(ENV_0, "-e", "PYTORCH_VERSION=2", "-e", "WORLD_SIZE=9", env=job))
    assert "MASTER_ADDR" not in said, "what is decided by -e comes last"
    (enroot.system / "environ.d/t.env").write_text("PYTORCH_VERSION=2\nWORLD_SIZE=9\n")
    said = environment(shell(ENV_0, env=job))
    assert (said["MASTER_ADDR"], said["MASTER_PORT"], said["RANK"], said["LOCAL_RANK"]) == ("n03", "61007", "3", "1")
    assert said["WORLD_SIZE"] == "9"


@pytest.fixture
def pmix(enroot):
    """A step of PMIx: its variables, and the directories that SLURM makes for it."""
    class Step:
        top = enroot.work / "node"
        env = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_JOB_UID": "1", "SLURM_MPI_TYPE": "pmix_v4", "PMIX_RANK": "0",
               "TMPDIR": str(top), "PMIX_SERVER_TMPDIR": str(top / "pmix.7.0")}
        names = ["spmix_appdir_1_7.0", "spmix_appdir_7.0", "pmix.7.0"]

        def make(self, name, uid, mode=0o700):
            (self.top / name).mkdir()
            (self.top / name).chmod(mode)
            os.chown(self.top / name, uid, -1)
    Step.top.mkdir()
    Step.top.chmod(0o1777)
    return Step()


def test_directories_of_pmix(enroot, shell, pmix):
    """Those that are there, writable, at their own names."""
    owner = enroot.box.owner.pw_uid if enroot.box.user else os.geteuid()
    for n, name in enumerate(pmix.names):
        pmix.make(name, owner)
        assert shell(f"ls {pmix.top}; echo out >{pmix.top}/{name}/out", env=pmix.env).split() == sorted(pmix.names[:n + 1])
        assert (pmix.top / name / "out").read_text() == "out\n"


@pytest.mark.needs_root
@pytest.mark.parametrize("kind", ["directory", "file", "fifo", "link", "link to a directory of the caller's"])
def test_what_another_user_has_in_the_place_of_pmix(enroot, shell, pmix, kind):
    """Numbers of jobs come one after the other: any user can be there first."""
    other, owner = pwd.getpwnam("csbx-test2" if enroot.box.user != "csbx-test2" else "csbx-test"), enroot.box.owner
    pmix.make("mine", owner.pw_uid)
    for name in pmix.names:
        place = pmix.top / name
        if kind == "directory":
            pmix.make(name, other.pw_uid, 0o777)
        elif kind == "file":
            place.touch()
        elif kind == "fifo":
            os.mkfifo(place)
        else:
            place.symlink_to("mine" if "caller" in kind else "/")
        os.lchown(place, other.pw_uid, other.pw_gid)
    p = enroot.run("start", "sh", "sh", "-c", "grep -c pmix /proc/self/mountinfo", env=pmix.env)
    assert (p.stdout, p.returncode) == ("0\n", 1), p
    assert [line for line in p.stderr.splitlines() if "pmix" in line] == [
        f"[WARN] the directory of the job's PMIx server: {pmix.top / name} is left out: it is no directory of yours or root's"
        for name in pmix.names], p


@pytest.mark.needs_root
def test_a_directory_of_pmix_that_is_roots(enroot, shell, pmix):
    pmix.make(pmix.names[0], 0, 0o755)
    assert shell(f"ls {pmix.top}", env=pmix.env).split() == pmix.names[:1]


# --- command --------------------------------------------------------------------------------------

RC = 'echo "rc:$0:$#:$1:$PROFILE"\nif [ -s /etc/rc.local ]; then . /etc/rc.local; fi\nexec "$@"\n'


def test_image_with_etc_rc(enroot, plain_image):
    image = plain_image({"etc/rc": RC, "etc/profile": "PROFILE=login\nexport PROFILE\n", "etc/rc.local": "echo local\n",
                         "etc/environment": "PATH=/bin\nFROM_IMAGE=1\n"})
    enroot.ok("create", "--name", "e", image)
    assert enroot.quiet("start", "e", "echo", "a b") == "rc:/etc/rc:2:echo:login\nlocal\na b\n"
    for no in ("no", "0", "false"):
        said = enroot.quiet("start", "e", "echo", "x", env={"ENROOT_LOGIN_SHELL": no})
        assert said == "rc:/etc/rc:2:echo:\nlocal\nx\n"
    assert "FROM_IMAGE=1" in enroot.quiet("start", "e", "env").split()


def test_rc_option(enroot, plain_image, shell):
    image = plain_image({"etc/rc": "echo the image\n"})
    enroot.ok("create", "--name", "e", image)
    rc = enroot.work / "my rc"
    rc.write_text('echo "mine:$0:$1"\necho "$FOO"\n')
    assert enroot.quiet("start", "--rc", rc, "-e", "FOO=f", "e", "one") == "mine:/etc/rc:one\nf\n"
    assert enroot.quiet("start", "--rc", rc, "-e", "FOO=f", "sh", "one") == "mine:/etc/rc:one\nf\n"
    enroot.fails("start", "--rc", enroot.work / "absent", "e", says="No such file or directory")


def test_rc_from_a_fifo(enroot, shell):
    fifo = enroot.work / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o644)
    writer = threading.Thread(target=lambda: fifo.write_text("echo from a fifo: $1\n"))
    writer.start()
    assert enroot.quiet("start", "--rc", fifo, "sh", "x") == "from a fifo: x\n"
    writer.join()


def test_rc_function_and_its_precedence(enroot, shell):
    conf = enroot.script(enroot.work / "c.conf", 'rc() {\n    echo "rc function: $1"\n    exec "$@"\n}\n')
    assert enroot.quiet("start", "-c", conf, "sh", "echo", "x") == "rc function: echo\nx\n"


def test_conf_is_not_run_unless_it_has_functions(enroot, shell):
    mark = enroot.work / "ran"
    conf = enroot.script(enroot.work / "c.conf", f"#ENROOT_ROOTFS_WRITABLE=y\n# environ is nothing here\ntouch {mark}\n")
    assert enroot.quiet("start", "-c", conf, "sh", "sh", "-c", "touch /x && echo written") == "written\n"
    assert not mark.exists()


def test_conf_that_fails(enroot, shell):
    conf = enroot.script(enroot.work / "c.conf", "environ() { echo A=1; false; echo B=2; }\n")
    enroot.fails("start", "-c", conf, "sh", "true", says=["environ()", "exited with return code 1"])
    conf.write_text("mounts() { echo /nowhere/at/all /mnt; }\n")
    enroot.fails("start", "-c", conf, "sh", "true", says=["mounts():1", "/nowhere/at/all"])
    enroot.fails("start", "-c", enroot.work / "absent", "sh", "true", says="No such file or directory")


def test_scratch_image_needs_no_shell(enroot, make_image):
    image = make_image([F("busybox", open(images.busybox_program(), "rb").read(), mode=0o755)],
                       config={"Entrypoint": ["/busybox", "echo"], "Cmd": ["from scratch"]})
    assert enroot.quiet("start", image) == "from scratch\n"
    assert enroot.quiet("start", image, "args") == "args\n"
    enroot.fails("start", "--rc", images.busybox_program(), image, says="rc")


def test_entrypoint_workdir_and_user(enroot, make_image):
    image = make_image(images.base_entries(), config={
        "Entrypoint": ["sh", "-c", 'echo "$PWD $(id -u) $*"', "x"], "Cmd": ["the", "default"],
        "WorkingDir": "/usr", "User": "12345", "Env": [images.PATH_ENV]})
    uid = enroot.box.owner.pw_uid
    assert enroot.quiet("start", image) == f"/usr {uid} the default\n"
    assert enroot.quiet("start", "--root", image, "a  b") == "/usr 0 a  b\n"


def test_rc_local_that_somebody_mounts(enroot, make_image):
    """pyxis skips an entry point by an rc.local of its own."""
    image = make_image(images.base_entries(), config={"Entrypoint": ["false"], "Env": [images.PATH_ENV]})
    local = enroot.work / "rc.local"
    local.write_text('exec "$@"\n')
    conf = enroot.script(enroot.work / "c.conf",
                         f'mounts() {{ echo "{local} /etc/rc.local none x-create=file,bind,ro,nosuid,nodev"; }}\n')
    assert enroot.quiet("start", "--conf", conf, image, "echo", "it's skipped") == "it's skipped\n"


def test_line_without_rc_is_the_shells(enroot, plain_image):
    image = plain_image({"etc/os-release": ""})
    assert enroot.quiet("start", "-e", "PATH=/bin", image, "echo one; echo two") == "one\ntwo\n"
    assert enroot.quiet("start", "-e", "PATH=/bin", image, "echo", "one; two") == "one; two\n"


# --- mounts ---------------------------------------------------------------------------------------

@pytest.fixture
def data(enroot):
    d = enroot.work / "data"
    d.mkdir()
    d.chmod(0o777)
    (d / "file").write_text("content\n")
    return d


@pytest.mark.parametrize("form, target, readonly", [
    ("{d}", "{d}", False),
    ("{d}:/mnt", "/mnt", False),
    ("data:/mnt", "/mnt", False),
    ("data:mnt/deep", "/mnt/deep", False),
    ("{d}:/mnt:ro", "/mnt", True),
    ("{d}:/mnt:x-create=dir,ro", "/mnt", True),
    ("{d}:/mnt:none:bind,ro,x-create=dir", "/mnt", True),
    ("{d}:/mnt:none:rbind,rw,nosuid,nodev,private,x-create=auto:0:0", "/mnt", False),
    ("type=bind,src={d},dst=/mnt,readonly", "/mnt", True),
])
def test_forms_of_m(shell, data, form, target, readonly):
    target = target.format(d=data)
    said = shell(f"cat {target}/file; touch {target}/new 2>/dev/null && echo written; true", "-m", form.format(d=data))
    assert said == "content\n" + ("" if readonly else "written\n")
    assert (data / "new").exists() != readonly


@pytest.mark.parametrize("bad", ["", ":/mnt", "/etc:/mnt:", "/etc::/mnt", "/a b:/mnt", "/etc:/mnt:ext4:ro", "/etc:/mnt:none:frobnicate",
                                 "/etc:/../mnt", "/etc:/mnt:none:shared", "tmpfs", "/etc:/", "none:/mnt", "/etc:/mnt:none:bind:0:0:0"])
def test_bad_m(enroot, shell, bad):
    enroot.fails("start", "-m", bad, "sh", "true")


def test_missing_source(enroot, shell):
    enroot.fails("start", "-m", "/nowhere:/mnt", "sh", "true", says=["/nowhere", "No such file or directory"])
    p = enroot.run("start", "-m", "/nowhere:/mnt:none:bind,nofail", "sh", "echo", "on")
    assert p.stdout == "on\n" and re.fullmatch(r"\[WARN\] .*: passed over: /nowhere: No such file or directory\n", p.stderr), p
    assert shell("echo on", "-m", "/nowhere:/mnt:none:bind,nofail,silent") == "on\n"


def test_strange_paths(enroot, shell):
    odd = enroot.work / "a b:c,d\te"
    odd.mkdir()
    (odd / "f").write_text("odd\n")
    escaped = str(odd).replace(" ", "\\040").replace(":", "\\072").replace("\t", "\\011")
    assert shell("cat '/x y/f'", "-m", f"{escaped}:/x\\040y") == "odd\n"
    (enroot.user / "mounts.d/odd.fstab").write_text(f"{escaped} /z none bind\n")
    assert shell("cat /z/f") == "odd\n"
    quoted = str(odd).replace('"', '""')
    assert shell("cat /m/f", "-m", f'type=bind,"src={quoted}",dst=/m') == "odd\n"


def test_files_of_mounts(enroot, shell, data):
    (enroot.system / "mounts.d/10-a.fstab").write_text(
        f"# comment\n\n  {data}  /one none x-create=dir,bind,ro 0 -1\n${{DATA_OF_TEST}} /two none bind\ntmpfs /three tmpfs size=1m,mode=700\n")
    (enroot.user / "mounts.d/10-b.fstab").write_text(f"{data} /one none bind,rw\n{data}/file /a-file none bind,x-create=file\n")
    said = shell("cat /one/file /two/file /a-file; stat -c %a /three; touch /one/w && echo written; "
                 "dd if=/dev/zero of=/three/big bs=1M count=4 2>/dev/null || echo full", env={"DATA_OF_TEST": str(data)})
    assert said == "content\n" * 3 + "700\nwritten\nfull\n"


SYSTEM = """\
/proc  /proc  none  x-create=dir,rbind,rw,nosuid,nodev,noexec  0 -1
/sys   /sys   none  x-create=dir,rbind,ro,nosuid,nodev,noexec,rslave  0 -1
/dev   /dev   none  x-create=dir,rbind,rw,nosuid,noexec  0 -1
tmpfs  /tmp   tmpfs x-create=dir,rw,nosuid,nodev,mode=755  0 -1
/dev/pts /dev/pts none bind 0 -1
mqueue /dev/mqueue mqueue x-create=dir,nofail 0 -1
"""


@pytest.mark.parametrize("options", [(), ("--pid",)])
def test_more_mounts_than_open_files(enroot, shell, data, options):
    """The soft limit of open files bounds no mounts; hooks and the command have it as the caller set it."""
    (enroot.user / "mounts.d/many.fstab").write_text("".join(f"{data} /many/{i} none bind,ro\n" for i in range(400)))
    enroot.hook(enroot.user, "limit.sh", "echo HOOK=$(ulimit -Sn) >>$ENROOT_ENVIRON\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
    try:
        said = shell("grep -c ' /many/' /proc/self/mounts; ulimit -Sn; echo $HOOK; cat /many/399/file", *options)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    limit = "300" if not options else said.split()[1]  # with a supervisor csbx's default
    assert said == f"400\n{limit}\n300\ncontent\n"


def test_a_sites_own_system_files(enroot, shell, make_image, data):
    (enroot.system / "mounts.d/10-system.fstab").write_text(SYSTEM)
    (enroot.system / "mounts.d/20-config.fstab").write_text(f"{data}/file /etc/machine-id none x-create=file,bind,ro,nofail,silent\n")
    assert shell("stat -c %a /tmp; cat /etc/machine-id; test -e /proc/self/status && test -c /dev/null && echo there") == \
        "755\ncontent\nthere\n"
    (enroot.system / "mounts.d/10-system.fstab").write_text("# all of it is taken out\n")
    image = make_image([*images.base_entries(), F("tmp/of-the-image", "x")], config={"Env": [images.PATH_ENV]}, name="t")
    assert enroot.quiet("start", image, "cat", "/tmp/of-the-image") == "x"
    (enroot.system / "mounts.d/30-lxcfs.fstab").write_text("/dev/null /proc/cpuinfo none bind,nofail,silent\n")
    assert shell("echo ok") == "ok\n"


def test_error_in_a_file_names_its_place(enroot, shell):
    bad = enroot.user / "mounts.d/10-b.fstab"
    bad.write_text("# one\n/etc /mnt none bind,frobnicate\n")
    enroot.fails("start", "sh", "true", says=[f"{bad}:2", "unknown mount option 'frobnicate'"])


def test_later_mounts_win_change_and_go(enroot, shell, data):
    other = enroot.work / "other"
    other.mkdir()
    (other / "file").write_text("other\n")
    both = ["-m", f"{data}:/mnt", "-m", f"{other}:/mnt"]
    assert shell("cat /mnt/file", *both) == "other\n"
    assert shell("touch /mnt/w 2>/dev/null || echo read-only", "-m", f"{data}:/mnt", "-m", "none:/mnt:none:remount,ro") == "read-only\n"
    assert shell("ls /mnt/file 2>/dev/null || echo gone", "-m", f"{data}:/mnt", "-m", "umount:/mnt:none:x-detach") == "gone\n"
    enroot.fails("start", "-m", "umount:/mnt:none:x-detach", "sh", "true", says="nothing is mounted at /mnt")
    assert shell("echo on", "-m", "umount:/mnt:none:x-detach,nofail,silent") == "on\n"


def test_targets_stay_inside(enroot, make_image):
    outside = enroot.work / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    image = make_image([*images.base_entries(), L("link", "/../../../../usr"), L("up", "../../../../../../usr/bin"), L("out", str(outside))])
    source = enroot.work / "src"
    source.mkdir()
    (source / "f").write_text("in\n")
    assert enroot.quiet("start", "-m", f"{source}:/link/lib/x", image, "cat", "/usr/lib/x/f") == "in\n"
    assert enroot.quiet("start", "-m", f"{source}:/up/x", image, "cat", "/usr/bin/x/f") == "in\n"
    # csbx makes the target of a dangling link inside, as the root is the link's only world.
    assert enroot.quiet("start", "-m", f"{source}:/out/x", image, "cat", f"{outside}/x/f") == "in\n"
    assert list(outside.iterdir()) == []


def test_targets_behind_links_to_nothing(enroot, make_image, data):
    """/var/lock -> /run/lock and /etc/resolv.conf -> ../run/... are in many images, and /run is empty."""
    image = make_image([*images.base_entries(), L("var/lock2", "/run2/lock"), L("etc/resolv2", "../run2/resolve/stub.conf")])
    said = enroot.quiet("start", "-m", "tmpfs:/run2", "-m", "tmpfs:/var/lock2:size=1m", "-m", f"{data / 'file'}:/etc/resolv2", image,
                        "sh", "-c", "touch /run2/lock/x && cat /etc/resolv2 /run2/resolve/stub.conf")
    assert said == "content\n" * 2


def test_image_chooses_no_mounts_of_the_host(enroot, plain_image):
    (enroot.work / "secret").write_text("secret of the host\n")
    secret = enroot.work / "secret"
    image = plain_image({"etc/fstab": f"{secret} /stolen none bind,x-create=file\n{enroot.work} /all none rbind\n"
                                      "${HOME} /home none bind\nUUID=1234 / ext4 defaults 0 1\nproc /proc2 proc defaults 0 0\n"
                                      "${ENROOT_ROOTFS}/../../../../etc /up none bind\n"
                                      "${ENROOT_ROOTFS}x /up none bind\n",
                         "stolen": "nothing\n"})
    p = enroot.run("start", "-e", "PATH=/bin", image, "sh", "-c", "cat /stolen; ls -d /all /home /proc2 /up 2>/dev/null; echo end")
    assert p.returncode == 0 and p.stdout == "nothing\nend\n", p
    assert p.stderr.count("[WARN] ") == 7 and "does not choose" in p.stderr, p


def test_an_image_shows_no_mount_without_what_lies_over_it(enroot, plain_image):
    """The masks of /proc, and what hides csbx's own directories in a mount of the home."""
    image = plain_image({"etc/fstab": "".join(f"${{ENROOT_ROOTFS}}/{source} /{place} none bind,x-create=dir 0 0\n" for source, place in
                                              (("proc", "p1"), ("sys", "p2"), ("to_proc", "p3"), ("h", "p4"), ("", "p5"))),
                         "to_proc/x": ""})
    own = enroot.work / "home" / ".config/csbx"
    own.mkdir(parents=True)
    (own / "csbx.conf").write_text("# secret\n")
    script = "cat /p1/keys /p3/keys 2>/dev/null; echo 3 2>/dev/null >/p1/sys/kernel/shmmax; cat /p4/.config/csbx/csbx.conf /p5/h/.config/csbx/csbx.conf; echo end"
    p = enroot.run("start", "-e", "PATH=/bin", "-m", f"{enroot.work / 'home'}:/h", image, "sh", "-c", script,
                   env={"CSBX_ENROOT_PROFILE": "sandbox", "HOME": str(enroot.work / "home")})
    assert p.returncode == 0 and p.stdout == "end\n", p


def test_image_brings_no_hooks_and_no_configuration(enroot, plain_image):
    mark = enroot.work / "ran"
    evil = f"#!/bin/sh\ntouch {mark}\n"
    image = plain_image({"etc/enroot/hooks.d/00-evil.sh": evil, "hooks.d/00-evil.sh": evil,
                         "etc/enroot/mounts.d/00.fstab": f"{enroot.work} /all none rbind\n",
                         "etc/enroot/environ.d/00.env": "EVIL=1\n", "etc/enroot/enroot.conf": "ENROOT_MOUNT_HOME y\n"},
                        modes={"etc/enroot/hooks.d/00-evil.sh": 0o755, "hooks.d/00-evil.sh": 0o755})
    assert enroot.quiet("start", "-e", "PATH=/bin", image, "sh", "-c", 'ls /all 2>/dev/null; echo "$EVIL"') == "\n"
    assert not mark.exists()


@pytest.mark.both_users
def test_volumes_are_writable(enroot, make_image):
    image = make_image([*images.base_entries(), D("data"), F("data/old", "from the image\n"), D("closed", 0o555)],
                       config={"Volumes": {"/data": {}, "/not/there": {}}, "Env": [images.PATH_ENV]})
    before = digest(image)
    enroot.ok("create", "-n", "v", image)
    said = enroot.quiet("start", "v", "sh", "-c", "cat /data/old; echo x >/data/new && cat /data/new; echo y >/not/there/z && echo made; "
                        "stat -c %a /not/there; touch /root-file 2>/dev/null || echo read-only")
    assert said == "from the image\nx\nmade\n755\nread-only\n"
    assert digest(image) == before
    assert enroot.quiet("start", "v", "ls", "/data") == "old\n", "thrown away"


def test_volumes_beyond_measure(enroot, make_image, plain_image):
    image = make_image(images.base_entries(), config={"Volumes": {f"/v{i}": {} for i in range(300)}, "Env": [images.PATH_ENV]})
    enroot.fails("start", image, "true", says="more than 256 volumes")
    noisy = plain_image({"etc/fstab": "/etc /mnt none bind\n" * 5000})
    p = enroot.run("start", "-e", "PATH=/bin", noisy, "echo", "ok")
    assert p.stdout == "ok\n" and p.stderr.count("\n") < 20, p


def test_volumes_of_enroots_fstab(enroot, plain_image):
    image = plain_image({"etc/fstab": "${ENROOT_ROOTFS}/data /data none x-create=dir,bind,rw,nosuid,nodev\n"
                                      "${ENROOT_ROOTFS}/src /dst none bind\ntmpfs /scratch tmpfs size=1m\n", "src/f": "moved\n"})
    said = enroot.quiet("start", "-e", "PATH=/bin", image, "sh", "-c", "echo x >/data/new && cat /data/new /dst/f; touch /scratch/y && echo ok")
    assert said == "x\nmoved\nok\n"


def test_home(enroot, shell):
    home = enroot.box.dirs["home"]
    (home / "mine").write_text("mine\n")
    os.chown(home / "mine", enroot.box.owner.pw_uid, enroot.box.owner.pw_gid)
    assert shell("cat ~/mine 2>/dev/null || echo none") == "none\n"
    assert shell("cat ~/mine", env={"ENROOT_MOUNT_HOME": "yes"}) == "mine\n"
    assert shell("cat /root/mine", "--root", env={"ENROOT_MOUNT_HOME": "yes"}) == "mine\n"
    for no in ("0", "no", "false", "F"):
        assert shell("cat ~/mine 2>/dev/null || echo none", env={"ENROOT_MOUNT_HOME": no}) == "none\n"


def test_devices_of_a_bind(enroot, shell):
    assert shell("dd if=/null-too of=/null-too count=0 2>/dev/null && echo works", "-m", "/dev/null:/null-too") == "works\n"


# --- hooks ----------------------------------------------------------------------------------------

def test_hooks_run_in_order_and_change_the_start(enroot, shell, data):
    log = enroot.work / "log"
    log.touch()
    log.chmod(0o666)
    say = 'echo "$(basename "$0") $(test -d "$ENROOT_ROOTFS/etc" && echo root) ${ENROOT_PID:+pid}" >>' + str(log) + "\n"
    enroot.hook(enroot.system, "20-second.sh", say + 'grep -q ^OLD=1 "$ENROOT_ENVIRON"\nprintf "ADDED=%s\\n" \'"x" y\' >>"$ENROOT_ENVIRON"\n')
    enroot.hook(enroot.system, "10-first.sh", say + f'echo "{data} /hooked none x-create=dir,bind,ro" >>"$ENROOT_MOUNTS"\necho not on stdout\n')
    enroot.hook(enroot.user, "05-users.sh", say + 'echo made by a hook >"$ENROOT_ROOTFS/etc/made"\necho seen >&2\n')
    (enroot.user / "hooks.d/30-not-executable.sh").write_text("#!/bin/sh\nexit 9\n")
    enroot.hook(enroot.system, "10-home.sh", "exit 9\n")
    conf = enroot.script(enroot.work / "c.conf", f'hooks() {{ echo "conf $1" >>{log}; echo OLD=2 >>"$ENROOT_ENVIRON"; }}\n')
    p = enroot.run("start", "-e", "OLD=1", "-c", conf, "sh", "sh", "-c", 'echo "$ADDED/$OLD"; cat /hooked/file /etc/made; touch /hooked/x || echo ro')
    assert p.stdout == '"x" y/2\ncontent\nmade by a hook\nro\n', p
    assert p.stderr.startswith("seen\n"), p
    assert log.read_text() == "10-first.sh root pid\n20-second.sh root pid\n05-users.sh root pid\nconf sh\n"


@pytest.mark.parametrize("options, env", [((), {}), (("--pid",), {}), ((), {"CSBX_TIMEOUT": "5m"}), (("--root", "--pid", "--ipc", "--net"), {})])
def test_hooks_of_every_kind_of_start(enroot, shell, data, options, env):
    """With a supervisor and an init, and without."""
    enroot.hook(enroot.user, "10-a.sh", f'echo "ADDED=$(test -d /proc/$ENROOT_PID && echo pid)" >>"$ENROOT_ENVIRON"\n'
                                        f'echo "{data} /hooked none bind" >>"$ENROOT_MOUNTS"\n')
    assert shell('echo "$ADDED"; cat /hooked/file', *options, env=env) == "pid\ncontent\n"


def test_hook_mounts_below_the_root(enroot, shell, data):
    call = ("import ctypes, os; to = os.environ['ENROOT_ROOTFS'] + '/hand'; os.mkdir(to); "
            f"assert not ctypes.CDLL(None).mount(b'{data}', to.encode(), None, 4096, None)")
    enroot.hook(enroot.user, "10-mount.sh", f'python3 -c "{call}"\ntest -r /proc/self/status\n')
    assert shell("cat /hand/file") == "content\n"
    assert shell("cat /hand/file; id -u", "--root") == "content\n0\n"


def test_failing_hook_ends_the_start(enroot, shell):
    hook = enroot.hook(enroot.user, "10-bad.sh", "echo why >&2\nexit 7\n")
    p = enroot.run("start", "sh", "echo", "never")
    assert p.returncode == 1 and p.stdout == "", p
    assert p.stderr.startswith("why\n") and f"{hook} exited with return code 7" in p.stderr, p
    assert "[ERROR] " in p.stderr
    enroot.hook(enroot.user, "10-bad.sh", "kill -9 $$\n")
    assert "ended by signal 9" in enroot.run("start", "sh", "true").stderr
    hook.write_text("#!/bin/sh\r\nexit 0\n")
    enroot.fails("start", "sh", "true", says=f"{hook} cannot be run: the program of its #! line: No such file or directory")


def test_hooks_find_enroots_settings(enroot, shell):
    out = enroot.work / "out"
    enroot.work.chmod(0o777)
    enroot.hook(enroot.user, "10-look.sh", 'echo "${ENROOT_REMAP_ROOT-unset} ${ENROOT_MOUNT_HOME-unset} ${ENROOT_ROOTFS_WRITABLE-unset}" >out\n')
    shell("true", "--root", env={"ENROOT_MOUNT_HOME": "no"})
    assert out.read_text() == "y unset unset\n"
    shell("true", "--rw", env={"ENROOT_MOUNT_HOME": "yes", "ENROOT_REMAP_ROOT": "0"})
    assert out.read_text() == "unset yes y\n"


def test_a_caller_that_ignores_sigchld(enroot, shell):
    enroot.hook(enroot.user, "10-ok.sh", "true\n")
    conf = enroot.script(enroot.work / "c.conf", "environ() { echo A=1; }\n")
    p = subprocess.run(["perl", "-e", '$SIG{CHLD} = "IGNORE"; exec @ARGV', *enroot.box.argv(
        ["enroot", "start", "-c", conf, "sh", "sh", "-c", "echo $A"])], env={**enroot.box.env, **enroot.env}, cwd=enroot.work,
        **enroot.box.identity(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert (p.returncode, p.stdout, p.stderr) == (0, "1\n", ""), p


def test_hooks_do_not_touch_the_image(enroot, busybox_image):
    copy = enroot.work / "copy.sqsh"
    shutil.copy(busybox_image, copy)
    copy.chmod(0o444)
    before = digest(copy)
    enroot.hook(enroot.user, "10-write.sh", 'echo x >>"$ENROOT_ROOTFS/etc/passwd"\necho y >"$ENROOT_ROOTFS/new"\n')
    enroot.ok("create", "-n", "c", copy)
    assert [enroot.quiet("start", "c", "cat", "/new") for _ in range(2)] == ["y\n"] * 2
    assert digest(copy) == before


def test_hook_sees_the_callers_directory_and_environment(enroot, shell):
    out = enroot.work / "out"
    enroot.hook(enroot.user, "10-look.sh", 'pwd >out\necho "$HOST_VAR $ENROOT_SYSCONF_PATH" >>out\ncat >>out\n')
    enroot.work.chmod(0o777)
    assert shell("cat", env={"HOST_VAR": "host"}, stdin="for the command\n") == "for the command\n"
    assert out.read_text() == f"{enroot.work}\nhost {enroot.system}\n", "standard input is the command's"


def test_sandbox_has_of_the_host_what_the_command_line_names(enroot, shell, data):
    mark = enroot.work / "ran"
    enroot.work.chmod(0o777)
    enroot.hook(enroot.user, "10-mark.sh", f"touch {mark}\n")
    (enroot.system / "mounts.d/10-a.fstab").write_text(f"{data} /from-file none bind\n")
    env = {"CSBX_ENROOT_PROFILE": "sandbox", "ENROOT_MOUNT_HOME": "y"}
    said = shell("ls -d /from-file 2>/dev/null; cat /mnt/file; ls -A ~ | wc -l", "-m", f"{data}:/mnt", env=env)
    assert said == "content\n0\n" and not mark.exists()
    assert shell("ls -d /from-file") == "/from-file\n" and mark.exists()


# --- users, time, what stays ----------------------------------------------------------------------

@pytest.mark.both_users
def test_passwd_has_the_caller_and_never_grows(enroot, busybox_image):
    copy = enroot.work / "copy.sqsh"
    shutil.copy(busybox_image, copy)
    before = digest(copy)
    enroot.ok("create", "-n", "c", copy)
    owner = enroot.box.owner
    said = {enroot.quiet("start", "c", "sh", "-c", "wc -l </etc/passwd; head -n1 /etc/passwd; id -un; id -u; wc -l </etc/group")
            for _ in range(3)}
    assert len(said) == 1, said
    lines = said.pop().splitlines()
    assert lines[1].split(":")[:4] == [owner.pw_name, "x", str(owner.pw_uid), str(owner.pw_gid)]
    assert lines[2:4] == [owner.pw_name, str(owner.pw_uid)]
    said = {enroot.quiet("start", "-w", "c", "sh", "-c", "wc -l </etc/passwd; id -un") for _ in range(3)}
    assert said == {f"{lines[0]}\n{owner.pw_name}\n"}
    assert enroot.quiet("start", "--root", "c", "id", "-un") == "root\n"
    assert digest(copy) == before


def test_root_without_a_home_starts(enroot, make_image):
    image = make_image([F("bin/sh", open(images.busybox_program(), "rb").read(), mode=0o755)], config={"Cmd": ["/bin/sh"]})
    assert enroot.quiet("start", "--root", image, "/bin/sh", "-c", "echo $HOME") == "/root\n"


def test_home_is_there(enroot, shell, make_image):
    """csbx makes the home if the image has no such directory; a directory of the image stays as it is."""
    assert shell('cd && pwd && stat -c %a .', "--rw", env={"HOME": "/home/nobody/knows"}) == "/home/nobody/knows\n700\n"
    image = make_image([*images.base_entries(), D("home/me", 0o755), F("home/me/f", "the image's\n")],
                       config={"Env": [images.PATH_ENV]}, name="home")
    assert enroot.quiet("start", image, "cat", "/home/me/f", env={"HOME": "/home/me"}) == "the image's\n"


@pytest.mark.parametrize("home", ["/tmp/users/me", "/run/user/me"])
def test_home_below_a_directory_in_memory(enroot, shell, home):
    """The mounts on /tmp and /run do not hide it; mounts there are seen, and no other user may look in."""
    look = 'cd && pwd && stat -c "%a %u" . && echo x >mine && cat mine'
    for options in ((), ("--rw",)):
        assert shell(look, *options, env={"HOME": home}) == f"{home}\n700 {enroot.box.owner.pw_uid}\nx\n"
    data = enroot.work / "mounted"
    data.mkdir()
    (data / "f").write_text("host's\n")
    assert shell("cat ~/deep/f", "-m", f"{data}:{home}/deep", env={"HOME": home}) == "host's\n"
    assert shell("cat ~/f", "-m", f"{data}:{home}", env={"HOME": home}) == "host's\n"


def test_localtime(enroot, shell):
    if not os.path.exists("/etc/localtime"):
        pytest.skip("this machine has no /etc/localtime")
    said = shell("sha256sum </etc/localtime").split()[0]
    assert said == hashlib.sha256(open("/etc/localtime", "rb").read()).hexdigest()


def test_mount_points_are_no_stubs(enroot, shell, data):
    """enroot leaves files and directories of mode 0000 in the root; those that csbx makes can be read, and are gone
    afterwards."""
    conf = ["-m", f"{data}:/made/deep", "-m", f"{data / 'file'}:/made-file"]
    assert shell("stat -c %a /made", *conf) == "755\n"
    assert shell("ls -d /made /made-file 2>/dev/null || echo none") == "none\n"


def test_nothing_on_readonly_places(enroot, busybox_image):
    """The image may lie where no user can write."""
    place = enroot.work / "ro"
    place.mkdir()
    shutil.copy(busybox_image, place / "i.sqsh")
    (place / "i.sqsh").chmod(0o444)
    place.chmod(0o555)
    assert enroot.quiet("start", place / "i.sqsh", "echo", "ok") == "ok\n"
    place.chmod(0o755)


def test_nvidia_is_asked_for(enroot, shell):
    """Without the program only a caller who names devices himself is told; an image that names them starts."""
    if shutil.which("nvidia-container-cli"):
        pytest.skip("nvidia-container-cli is installed")
    assert shell("echo ok", "-e", "NVIDIA_VISIBLE_DEVICES=all") == "ok\n"
    enroot.fails("start", "sh", "true", env={"NVIDIA_VISIBLE_DEVICES": "0"}, says="nvidia-container-cli")
    tools = enroot.work / "tools"
    tools.mkdir()
    enroot.script(tools / "nvidia-container-cli", '#!/bin/sh\nfor last; do :; done\necho "$@" >"$last/asked"\n')
    path = f"{tools}:{enroot.box.env['PATH']}"
    said = shell("cat /asked", "-e", "NVIDIA_REQUIRE_CUDA=cuda>=12", env={
        "NVIDIA_VISIBLE_DEVICES": "0,1", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility", "PATH": path})
    words = said.split()
    assert words[:3] == ["--user", "configure", "--no-cgroups"]
    assert {"--device=0,1", "--compute", "--utility", "--require=cuda>=12"} <= set(words)


def test_list_of_what_the_root_is(enroot, shell):
    """The dialect's root is read-only, --rw keeps what is written."""
    assert shell("touch /x 2>/dev/null || echo read-only") == "read-only\n"
    assert shell("echo kept >/x; cat /x", "--rw") == "kept\n"
    assert shell("cat /x", "--rw") == "kept\n"
    assert json.loads(enroot.box.ok("list", "--json"))
