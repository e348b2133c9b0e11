# SPDX-License-Identifier: Apache-2.0
"""The effects of the run options and of an image's configuration on a container."""
import os
import pty
import resource
import subprocess

import pytest

import harness
import images
from ociimage import D, F, L


@pytest.fixture
def box(csbx, busybox_image):
    """csbx with a container `box` of busybox."""
    csbx.ok("create", "--name", "box", busybox_image)
    yield csbx
    csbx.ok("remove", "-f", "box")


def sh(csbx, script, *options, **kw):
    return csbx.ok("start", *options, "box", "sh", "-c", script, **kw)


# --- environment ----------------------------------------------------------------------------------

def test_default_environment(box):
    env = dict(line.split("=", 1) for line in box.ok("start", "box", "env").splitlines())
    # The variables that busybox's env shows, without those that the shell of the image adds.
    assert env.pop("HOSTNAME") == "box"
    assert env == {"PATH": images.PATH_ENV[5:], "HOME": "/root"}


def test_nothing_of_the_host_comes_in(box):
    assert "SECRET" not in box.ok("start", "box", "env", env={"SECRET": "x", "LD_PRELOAD": "/x.so"})


@pytest.mark.both_users
def test_env_and_its_order(box):
    file = box.work / "vars"
    file.write_bytes(b"\xef\xbb\xbfA=file\r\nB=file\r\n# no\r\nHOSTVAR\r\n")
    out = sh(box, "echo $A-$B-$C-$HOSTVAR-$PATH", "--env", "A=first", "--env-file", file, "--env",
             "B=last", "-e", "C=a b", "-e", "PATH", env={"HOSTVAR": "host", "PATH": "/p:/bin"})
    assert out == "file-last-a b-host-/p:/bin\n"
    out = sh(box, "echo ${PATH-unset}", "-e", "NOT_SET_HERE", "-e", "PATH=/bin")
    assert out == "/bin\n"


@pytest.mark.parametrize("content, says", [
    (b"A=1\n=x\n", "line 2"), (b"A=\0\n", "NUL"), (b"A B=1\n", "line 1"),
    (b"x" * ((1 << 20) + 1), "large")], ids=["name", "nul", "blank", "large"])
def test_bad_env_files(box, content, says):
    """D7"""
    file = box.work / "vars"
    file.write_bytes(content)
    box.fails("start", "--env-file", file, "box", "true", says=["--env-file", says])


def test_env_file_that_is_no_file(box):
    fifo = box.work / "fifo"
    os.mkfifo(fifo)
    box.fails("start", "--env-file", fifo, "box", "true", says="not a regular file", timeout=10)
    box.fails("start", "--env-file", box.work / "none", "box", "true", says="No such file")
    box.fails("start", "--env", "=x", "box", "true", says="--env =x")


def test_job_environment(box):
    job = {"SLURM_JOB_ID": "7", "SLURM_PROCID": "1", "PMIX_RANK": "1", "MASTER_ADDR": "n1",
           "SECRET": "s", "RANKS": "2"}
    out = box.ok("start", "box", "env", env=job)
    assert "SLURM_PROCID=1\n" in out and "PMIX_RANK=1\n" in out and "MASTER_ADDR=n1\n" in out
    assert "SECRET" not in out and "RANKS" not in out
    assert "SLURM" not in box.ok("start", "--no-job-env", "box", "env", env=job)
    del job["SLURM_JOB_ID"]
    assert "PMIX" not in box.ok("start", "box", "env", env=job)


# --- user -----------------------------------------------------------------------------------------

@pytest.mark.both_users
@pytest.mark.parametrize("user, ids", [
    ("0", "0 0"), ("app", "1000 1000"), ("app:staff", "1000 50"), ("1000", "1000 1000"),
    ("1000:50", "1000 50"), ("4242", "4242 0"), ("4242:7", "4242 7"), ("app:", "1000 1000"),
    ("0:staff", "0 50")])
def test_user(box, user, ids):
    """D5"""
    assert sh(box, "echo $(id -u) $(id -g)", "--user", user) == ids + "\n"


@pytest.mark.parametrize("user", [
    "nosuch", "app:nosuch", "-1", "2147483648", "4294967295", "4294967296", "1 ", " 1", "0x1",
    "+1", "1:-1", "99999999999:0", "a:b:c"])
def test_bad_users(box, user):
    """D5: never falls to 0"""
    box.fails("start", f"--user={user}", "box", "id", says="--user")


@pytest.mark.both_users
def test_users_of_a_kept_layer(box):
    """A kept layer's own /etc/passwd counts, not the image's; and it cannot lead outside."""
    sh(box, "echo new:x:1234:50::/new:/bin/sh >>/etc/passwd", "--rw")
    show = "echo $(id -u) $(id -g) $HOME"
    assert sh(box, show, "--rw", "--user", "new", "--userns", "one") == "1234 50 /new\n"
    assert sh(box, show, "--user", "new", "--userns", "one") == "1234 50 /new\n"
    sh(box, "rm /etc/passwd; ln -s /proc/self/environ /etc/passwd", "--rw")
    sh(box, "rm /etc/group; mkfifo /etc/group", "--rw")
    assert sh(box, "id -u", "--rw", "--user", "app", "--userns", "one", timeout=10) == "1000\n"


def test_root_option_beats_the_image(csbx, make_image):
    image = make_image(images.base_entries(), config={"User": "app", "Cmd": ["id", "-u"]})
    csbx.ok("create", "--name", "box", image)
    assert csbx.ok("start", "--userns", "one", "box") == "1000\n"
    assert csbx.ok("start", "--root", "box") == "0\n"
    assert csbx.ok("start", "box", "sh", "-c", "echo $HOME") == "/home/app\n"
    csbx.ok("remove", "-f", "box")


# --- what is run ----------------------------------------------------------------------------------

ENTRY = {"Entrypoint": ["echo", "entry"], "Cmd": ["cmd"], "Env": ["PATH=/bin", "FROM=image"],
         "WorkingDir": "/some/where"}


@pytest.mark.both_users
def test_entrypoint_and_cmd(csbx, make_image):
    image = make_image(images.base_entries(), config=ENTRY)
    assert csbx.ok("run", image) == "entry cmd\n"
    assert csbx.ok("run", image, "mine", "x") == "entry mine x\n"
    assert csbx.ok("run", "--entrypoint", "echo", image, "mine") == "mine\n"
    assert csbx.ok("run", "--entrypoint", "pwd", image) == "/some/where\n"
    assert csbx.ok("run", "--entrypoint", "", image, "sh", "-c", "echo $FROM") == "image\n"
    csbx.fails("run", "--entrypoint", "", image, says="no command")


def test_an_image_without_a_command_runs_its_shell(csbx, make_image):
    image = make_image(images.base_entries(), config={"Env": [images.PATH_ENV]})
    assert csbx.ok("run", image, stdin="echo from the shell\n") == "from the shell\n"


def test_an_image_without_a_shell(csbx, make_image):
    busybox = images.busybox_program()
    with open(busybox, "rb") as f:
        program = F("true", f.read(), mode=0o755)
    image = make_image([D("."), program], config={"Labels": {"no": "command"}})
    csbx.fails("run", image, says=["no command", "no /bin/sh"])
    assert csbx.run("run", image, "/true").returncode == 0
    csbx.fails("run", image, "sh", code=127, says="no shell")


def test_an_image_made_by_enroot(csbx):
    """A tree with /etc/rc and no /.csbx: environment and command are enroot's."""
    tree = csbx.work / "tree"
    subprocess.run(["mkdir", "-p", *(str(tree / d) for d in ("bin", "etc", "proc", "sys", "dev"))],
                   check=True)
    subprocess.run(["cp", images.busybox_program(), str(tree / "bin/busybox")], check=True)
    for name in ("sh", "echo", "cat"):
        (tree / "bin" / name).symlink_to("busybox")
    (tree / "etc/environment").write_text('FROM="the file"\nHOST=${HOME}\n# no\n')
    (tree / "etc/rc").write_text('mkdir -p /x 2>/dev/null\nexec echo "rc $FROM $HOST" "$@"\n')
    assert csbx.ok("start", tree, "a", "b") == "rc the file ${HOME} a b\n"
    assert csbx.ok("start", "--entrypoint", "/bin/echo", tree, "a") == "a\n"
    other = csbx.work / "rc"
    other.write_text('echo "mine $FROM" "$@"\n')
    assert csbx.ok("start", "--rc", other, tree, "c") == "mine the file c\n"
    csbx.fails("start", "--rc", csbx.work / "none", tree, says="--rc")


def test_workdir(box):
    """D8"""
    assert sh(box, "pwd", "--workdir", "/new/dir") == "/new/dir\n"
    assert sh(box, "pwd", "--workdir", "/etc/") in ("/etc\n", "/etc/\n")
    for bad in ("relative", "../..", ""):
        box.fails("start", f"--workdir={bad}" if bad else "--workdir=x", "box", "true",
                  says="--workdir")
    p = box.run("start", "--workdir", "/proc/self/fd/5", "box", "pwd")
    assert p.returncode == 125 or p.stdout.startswith("/"), p
    p = box.run("start", "--workdir", "/../../../x", "box", "pwd")
    assert p.returncode == 125 or p.stdout == "/x\n"


def test_a_workdir_link_of_the_image_stays_inside(csbx, make_image):
    image = make_image([*images.base_entries(), L("out", "../../../../tmp/csbx-out")],
                       config={"WorkingDir": "/out/deep", "Cmd": ["pwd"]})
    p = csbx.run("run", image)
    assert p.returncode in (0, 125)
    assert not os.path.exists("/tmp/csbx-out")


# --- files ----------------------------------------------------------------------------------------

@pytest.mark.both_users
def test_mount_grammars(box):
    src = box.work / "src"
    src.mkdir()
    (src / "f").write_text("x\n")
    show = "cat /d/f; touch /d/new 2>/dev/null && echo writable || echo read-only"
    for option in (["--mount", f"{src}:/d"], ["--mount", "src:/d"], ["-m", f"{src}:/d:none:rbind"],
                   ["--mount", f"type=bind,src={src},dst=/d"], ["--volume", f"{src}:/d"],
                   ["--volume", "./src:/d"]):
        assert sh(box, show, *option) == "x\nwritable\n", option
    for option in (["--mount", f"{src}:/d:ro"], ["-m", f"{src}:/d:none:bind,ro,x-create=dir"],
                   ["--mount", f"type=bind,src={src},dst=/d,readonly"],
                   ["--volume", f"{src}:/d:ro"]):
        assert sh(box, show, *option) == "x\nread-only\n", option
    assert sh(box, f"cat {src}/f", "--mount", src) == "x\n"
    assert sh(box, "cat /file", "-m", f"{src}/f:/file:ro") == "x\n"
    assert sh(box, "ls /d", "-m", f"{box.work}/none:/d:nofail,ro") in ("", "ls: /d: No such file\n") \
        if box.run("start", "-m", f"{box.work}/none:/d:nofail", "box", "ls", "/d").returncode == 0 \
        else True


@pytest.mark.both_users
def test_a_copied_directory_is_not_changed(box):
    """Two at once, one below the other, and what is written counts for the layer's size."""
    for name in ("one", "two"):
        (box.work / name / "sub").mkdir(parents=True)
        (box.work / name / "f").write_text(name)
        (box.work / name / "gone").write_text("x")
    options = ["--mount", f"type=copy,src={box.work}/one,dst=/a/copy",
               "--mount", f"type=copy,src={box.work}/two,dst=/a/copy/sub"]
    script = ("cat f sub/f; rm gone sub/gone; echo new >f; mkdir -p sub/made/deep; mv sub/f sub/made;"
              "chmod 700 sub; echo; ls -R . | tr '\\n' ' '; cat f sub/made/f")
    before = harness.list_tree(box.work)
    assert sh(box, script, "--workdir", "/a/copy", *options) == \
        "onetwo\n.: f sub  ./sub: made sub  ./sub/made: deep f  ./sub/made/deep:  ./sub/sub: new\ntwo"
    assert harness.list_tree(box.work) == before
    assert (box.work / "one/f").read_text() == "one"
    assert sh(box, "cat f; echo x 2>/dev/null >f || echo no", "--workdir", "/c",
              "--mount", f"type=copy,src={box.work}/one,dst=/c,readonly") == "oneno\n"
    p = box.run("start", "--upper-size", "1m", "--mount", f"type=copy,src={box.work}/one,dst=/c", "box",
                "dd", "if=/dev/zero", "of=/c/big", "bs=1M", "count=3")
    assert p.returncode == 1 and "No space left" in p.stderr, p
    box.fails("start", "-w", "--mount", f"type=copy,src={box.work}/one,dst=/c", "box", "true", says="--rw")
    box.fails("start", "--mount", f"type=copy,src={box.work}/one/f,dst=/c", "box", "true", says="not a directory")


@pytest.mark.parametrize("option, value", [
    ("--mount", "/usr:relative"), ("--mount", "/usr:/a/../b"), ("--mount", "/usr:/"),
    ("--mount", "/usr:/proc"), ("--mount", "/usr:/dev"), ("--mount", "/usr:/x:frob"),
    ("--mount", "/usr:/x:suid"), ("--mount", "/usr:/x:shared"), ("--mount", ":"), ("--mount", ""),
    ("--mount", "C:\\x:/y"), ("--mount", "/nosuch:/x"), ("--mount", "type=volume,src=v,dst=/x"),
    ("--volume", "/usr"), ("--volume", "-named:/x"), ("--tmpfs", "relative"),
    ("--tmpfs", "/t:size=0"), ("--tmpfs", "/t:size=1e3"), ("--device", "null"),
    ("--device", "/dev/null:/dev/x:r"), ("--device", "/nosuch"), ("--device", "/etc/passwd"),
])
def test_bad_mounts(box, option, value):
    """D4: an error before anything happens"""
    box.fails("start", option, value, "box", "true")


@pytest.mark.both_users
def test_device(box):
    assert sh(box, "stat -c '%F %t:%T' /dev/mine; echo x >/dev/mine", "--device",
              "/dev/null:/dev/mine") == "character special file 1:3\n"
    assert sh(box, "ls /dev/null /dev/pts/ptmx", "--device", "/dev/full:/dev/a/b") == \
        "/dev/null\n/dev/pts/ptmx\n"


def test_the_root_of_the_host_as_a_mount(box):
    """The mounts that csbx itself has made over that root do not show through."""
    want = sorted(os.listdir("/"))
    assert sorted(sh(box, "ls -A /host", "-m", "/:/host:ro").split()) == want
    assert sorted(sh(box, "ls -A /b; echo /a/*", "-m", "/:/a", "-m", "/etc/..:/b:rbind").split()) == \
        sorted(want + [f"/a/{n}" for n in want if n[0] != "."])


@pytest.mark.parametrize("option", [["-m", "/:/b:bind"], ["-m", "/:/b:bind,ro"], ["-m", "/:/b:none:bind"],
                                    ["-m", "type=bind,src=/,dst=/b,bind-recursive=disabled"]],
                         ids=["alone", "read-only", "fstab", "docker"])
def test_a_mount_without_those_below(box, option):
    """The kernel gives an ordinary user no mount without those that lie on it."""
    p = box.run("start", *option, "box", "true")
    assert p.returncode == 125 and "mounts lie below it" in p.stderr and "(rbind)" in p.stderr


def test_sources_that_climb_to_the_root(box):
    """".." up to "/" and down again, in the source itself and in a link."""
    (box.work / "link").symlink_to("../" * 30 + "usr")
    want = sorted(os.listdir("/usr"))
    for source in ("../" * 30 + "usr", "./link", "/tmp/../usr"):
        assert sorted(sh(box, "ls -A /x", "-m", f"{source}:/x").split()) == want


def test_files_and_directories_do_not_mix(box):
    box.fails("start", "-m", "/etc/hosts:/etc", "box", "true", says="/etc: a file cannot")
    box.fails("start", "-m", "/usr:/etc/passwd", "box", "true", says="/etc/passwd: Not a directory")


def test_two_mounts_on_one_place(box):
    box.fails("start", "-m", "/usr:/x", "--tmpfs", "/x/", "box", "true", says="twice")


def test_tmpfs(box):
    out = sh(box, "stat -c %a /t; dd if=/dev/zero of=/t/f bs=64k count=32 2>/dev/null; "
             "stat -c %s /t/f", "--tmpfs", "/t:size=1m,mode=0700")
    assert out == "700\n1048576\n"
    assert sh(box, "echo x >/t/x && cat /t/x", "--read-only", "--tmpfs", "/t") == "x\n"


def test_read_only(box):
    p = box.run("start", "--read-only", "box", "touch", "/x")
    assert p.returncode == 1 and "Read-only" in p.stderr


@pytest.mark.both_users
def test_rw_keeps(box):
    sh(box, "echo kept >/kept", "--rw")
    assert sh(box, "cat /kept", "--rw") == "kept\n"
    box.fails("start", "--rw", str(box.work / "no.sqsh"), "true")
    sh(box, "cat /kept; echo changed >/kept; echo x >/new")
    assert sh(box, "cat /kept; ls /new 2>/dev/null; :") == "kept\n", "a start without --rw throws away what it writes"


def test_a_low_limit_of_descriptors(box):
    """The caller's own limit, 64 and less; kept layers are deleted all the same."""
    def limit(n):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))}
    for n in (64, 40):
        assert box.ok("start", "-m", "/usr:/x", "box", "echo", "x", **limit(n)) == "x\n"
        box.ok("start", "--rw", "box", "touch", "/kept", **limit(n))
    box.ok("remove", "-f", "box", **limit(40))


# --- isolation, limits ----------------------------------------------------------------------------

def test_network_and_hostname(box):
    assert sh(box, "ls /sys/class/net") == "lo\n"
    assert sh(box, "hostname", "--hostname", "other") == "other\n"
    hosts = sorted(os.listdir("/sys/class/net"))
    assert sorted(sh(box, "cat /proc/net/dev | sed 1,2d | sed 's/ *//;s/:.*//'", "--network",
                     "host").split()) == hosts
    for bad in ("", "a b", "x" * 65, "a/b"):
        box.fails("start", f"--hostname={bad}", "box", "true", says="hostname")


@pytest.mark.both_users
def test_a_hint_when_there_is_no_network(box):
    for script in ("wget -q -O - http://192.0.2.1/", "wget -q -O - http://example.com/"):
        p = box.run("start", "box", "sh", "-c", script)
        assert p.returncode == 1
        assert p.stderr.endswith("hint: the container has no network; --network host gives it the "
                                 "host's\n"), p.stderr
    assert box.run("start", "box", "sh", "-c", "exit 1").stderr == ""
    assert "hint" not in box.run("start", "box", "sh", "-c",
                                 "wget -q -O - http://192.0.2.1/; true").stderr


@pytest.mark.both_users
def test_capabilities(box):
    get = "sed -n 's/CapEff:.//p' /proc/self/status"
    def mask(*options):
        return int(sh(box, get, *options), 16)
    default = mask()
    assert bin(default).count("1") == 11
    assert mask("--cap-drop", "CHOWN") == default & ~1
    assert mask("--cap-drop", "cap_chown", "--cap-drop", "KILL") == default & ~(1 | 1 << 5)
    assert mask("--cap-add", "SYS_NICE") == default | 1 << 23
    assert mask("--cap-drop", "ALL") == 0
    assert mask("--cap-drop", "ALL", "--cap-add", "KILL") == 1 << 5
    box.fails("start", "--cap-add", "FROB", "box", "true", says="--cap-add FROB")


def test_security_options(box):
    get = "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status | tr -d '\\n\\t'"
    assert sh(box, get) == "NoNewPrivs:1Seccomp:2"
    assert "Seccomp:0" in sh(box, get, "--security-opt", "seccomp=unconfined")
    assert "NoNewPrivs:0" in sh(box, get, "--security-opt", "no-new-privileges=false")
    assert sh(box, get, "--security-opt", "no-new-privileges:true", "--security-opt",
              "label=disable") == "NoNewPrivs:1Seccomp:2"
    box.fails("start", "--security-opt", "seccomp=/profile.json", "box", "true", says="--security-opt")


def test_limits(box):
    assert sh(box, "ulimit -n; ulimit -Hn", "--ulimit", "nofile=100:200") == "100\n200\n"
    assert sh(box, "ulimit -c", "--ulimit", "core=0") == "0\n"
    assert sh(box, "df -k /dev/shm | tail -1 | awk '{print $2}'", "--shm-size", "1m") == "1024\n"
    for bad in ("nofile", "nofile=", "nofile=5:4", "nofile=-2", "nofile=1e3", "frob=1", "=1"):
        box.fails("start", "--ulimit", bad, "box", "true", says="--ulimit")


def test_timeout(box):
    p = box.run("start", "--timeout", "300ms", "box", "sh", "-c", "echo a; sleep 60; echo b")
    assert (p.returncode, p.stdout) == (124, "a\n")
    p = box.run("start", "--timeout", "200ms", "--kill-after", "0.2", "box", "sh", "-c",
                "trap '' TERM; while :; do sleep 60; done")
    assert p.returncode == 124
    assert box.run("start", "--timeout", "60", "box", "sh", "-c", "exit 124").returncode == 124
    for bad in ("0", "-1", "inf", "1x", ""):
        box.fails("start", f"--timeout={bad}", "box", "true", says="--timeout")


def test_unsupported_limits_are_refused(box):
    """An option that csbx does not have yet is an error, in the configuration as on the command line."""
    known = box.ok("start", "--help")
    for option, value in (("--fetch", "/x"), ("--max-output", "1m"), ("--json", "")):
        if option not in known:
            box.fails("start", f"{option}={value}", "box", "true", says="unknown option")
    if "--max-output" not in known:
        box.fails("start", "box", "true", env={"CSBX_MAX_OUTPUT": "1m"}, says="CSBX_MAX_OUTPUT")


# --- streams --------------------------------------------------------------------------------------

def test_standard_input(box):
    file = box.work / "input"
    file.write_text("from a file\n")
    assert box.ok("start", "box", "cat", stdin="piped\n") == "piped\n"
    assert box.ok("start", "--stdin", file, "box", "cat", stdin="piped\n") == "from a file\n"
    assert box.ok("start", "--interactive=no", "box", "cat", stdin="piped\n") == ""
    box.fails("start", "--stdin", box.work / "none", "box", "cat", says="--stdin")


def on_terminal(csbx, *args):
    """Exit code and output of csbx whose three streams are a terminal."""
    master, slave = pty.openpty()
    p = subprocess.Popen(csbx.argv(args), env={**csbx.env, "TERM": "vt220"}, stdin=slave,
                         stdout=slave, stderr=slave, start_new_session=True, **csbx.identity())
    os.close(slave)
    out = b""
    try:
        while chunk := os.read(master, 4096):
            out += chunk
    except OSError:
        pass
    os.close(master)
    return p.wait(timeout=60), out.decode().replace("\r\n", "\n")


@pytest.mark.both_users
def test_terminal(box):
    assert on_terminal(box, "start", "box", "sh", "-c", "tty; echo $TERM") == (0, "/dev/pts/0\nvt220\n")
    assert on_terminal(box, "start", "--tty=no", "box", "sh", "-c", "tty; exit 3")[0] == 3
    assert "pts" not in on_terminal(box, "start", "--tty=no", "box", "tty")[1]
    assert sh(box, "tty; true").strip() == "not a tty"
    assert sh(box, "tty", "--tty").strip() == "/dev/pts/0"
