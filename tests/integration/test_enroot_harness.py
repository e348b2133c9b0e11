# SPDX-License-Identifier: Apache-2.0
"""Programs that drive enroot, as people write them: they know its command line and nothing of csbx."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


@pytest.fixture
def path(csbx, monkeypatch):
    """The test's own process has enroot in its PATH, as a harness has."""
    csbx.ok("shims", "bin")
    for key, value in csbx.env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("PATH", f"{csbx.work}/bin:{csbx.env['PATH']}")
    monkeypatch.chdir(csbx.work)
    return csbx


class SandboxedCoder:
    """Runs generated Python in a fresh container: imports once, creates anew for each program."""

    def __init__(self, uri, image, name="sandbox"):
        self.uri, self.image, self.name = uri, image, name
        if not os.path.exists(self.image):
            p = subprocess.run(["enroot", "import", "-o", self.image, self.uri], capture_output=True, text=True, check=False)
            if p.returncode:
                raise RuntimeError(f"enroot import failed: {p.stderr}")
        self.recreate()

    def recreate(self):
        subprocess.run(["enroot", "remove", "-f", self.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        p = subprocess.run(["enroot", "create", "--name", self.name, self.image], capture_output=True, text=True, check=False)
        if p.returncode:
            raise RuntimeError(f"enroot create failed: {p.stderr}")

    def execute(self, code):
        with tempfile.TemporaryDirectory() as d:
            Path(d, "script.py").write_text(code)
            p = subprocess.run(["enroot", "start", "--mount", f"{d}:/work", self.name, "python3", "/work/script.py"],
                               capture_output=True, text=True, check=False)
            return p.stdout, p.stderr


def test_sandboxed_coder(path, python_layout):
    if os.geteuid() == 0:
        pytest.skip("the harness is the user here")
    coder = SandboxedCoder(f"oci:{python_layout}", str(path.work / "python.sqsh"))
    assert coder.execute('print("hello world")') == ("hello world\n", "")
    out, err = coder.execute("print(1 / 0)")
    assert out == "" and err.rstrip().endswith("ZeroDivisionError: division by zero")
    out, err = coder.execute("import sys\nfor i in range(3):\n    print(i)\nprint('e', file=sys.stderr)\nsys.exit(4)\n")
    assert (out, err) == ("0\n1\n2\n", "e\n")
    out, err = coder.execute("open('/work/made', 'w').write('x'); print(open('/work/made').read())")
    assert (out, err) == ("x\n", "")
    out, err = coder.execute("open('/usr/made', 'w')")  # the root is read-only, as enroot's is
    assert out == "" and "Read-only file system" in err
    coder.recreate()
    assert coder.execute('print("hello world")') == ("hello world\n", "")
    with pytest.raises(RuntimeError, match="enroot import failed: .*ERROR"):
        SandboxedCoder("oci:/no/such/layout", str(path.work / "other.sqsh"))


class Provider:
    """A sandbox that stays: one detached start that sleeps, commands by exec on the process list -f shows."""

    def __init__(self, image, name, *options):
        self.name = name
        self.run("create", "-n", name, image)
        self.keeper = subprocess.Popen(
            ["enroot", "start", *options, "--rc", "/dev/null", name, "sh", "-c", f"while true; do sleep 86400; done  # {name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.pid = self.find_pid()

    @staticmethod
    def run(*argv, check=True):
        p = subprocess.run(["enroot", *map(str, argv)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=120, check=False)
        if check and p.returncode:
            raise RuntimeError(p.stderr)
        return p

    def find_pid(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.keeper.poll() is not None:
                raise RuntimeError(f"start ended: {self.keeper.stderr.read()}")
            for line in self.run("list", "-f").stdout.splitlines()[1:]:
                words = line.split()
                if words[0] == self.name and len(words) > 1 and words[1].isdigit():
                    return int(words[1])
            time.sleep(0.1)
        raise RuntimeError("never running")

    def exec(self, command, *options):
        p = self.run("exec", *options, self.pid, "sh", "-c", command, check=False)
        if any(line.startswith("[ERROR]") for line in p.stderr.splitlines()):
            raise RuntimeError(p.stderr)
        return p.returncode, p.stdout

    def close(self):
        os.killpg(self.keeper.pid, signal.SIGKILL)
        self.keeper.communicate()
        self.run("remove", "-f", self.name)


@pytest.mark.parametrize("options", [("--rw",), ("--rw", "--root", "--pid"), ()])
def test_provider(path, busybox_image, options):
    if os.geteuid() == 0:
        pytest.skip("the harness is the user here")
    work = path.work / "sandbox"
    work.mkdir()
    box = Provider(busybox_image, "nemo-1", *options, "-m", f"{work}:/sandbox", "-e", "GIVEN=yes")
    try:
        assert box.exec("echo $GIVEN $MORE", "-e", "MORE=a b") == (0, "yes a b\n")
        assert box.exec("exit 5") == (5, "")
        assert box.exec("echo x >/sandbox/f; cat /sandbox/f") == (0, "x\n") and (work / "f").read_text() == "x\n"
        assert box.exec("id -u") == (0, f"{0 if '--root' in options else os.getuid()}\n")
        assert box.exec("grep -E 'NoNewPrivs|CapBnd' /proc/self/status | tr -d '\\t' | sort")[1].startswith("CapBnd:")
        if "--rw" in options:
            assert box.exec("echo kept >/made") == (0, "") and box.exec("cat /made") == (0, "kept\n")
        with pytest.raises(RuntimeError, match="No such process"):
            Provider.run("exec", 2 ** 22 + 1, "true")
    finally:
        box.close()
    path.ok("gc")  # what a killed start could not take away itself
    assert Provider.run("list").stdout == ""


def test_mini(path, busybox_image, monkeypatch):
    """A shell line a command, each a start of its own, in a container that keeps what they write."""
    monkeypatch.setenv("ENROOT_MOUNT_HOME", "n")
    Provider.run("create", "--name", "mini", busybox_image)

    def execute(line):
        return Provider.run("start", "--rw", "--env", "PAGER=cat", "mini", "sh", "-c", f"mkdir -p /testbed && cd /testbed && {line}",
                            check=False)
    assert execute("echo one >f").returncode == 0
    assert execute("cat f; echo $PAGER; exit 3").stdout == "one\ncat\n"
    assert execute("exit 3").returncode == 3
    assert Provider.run("remove", "-f", "mini").returncode == 0


def wait_stopped(pid, timeout_s=30):
    """Waits as pyxis does until its child stops itself."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    raise AssertionError("neither stopped nor ended")


def test_pyxis(path, busybox_image):
    """create, the image deleted, start with a script that stops itself, its namespaces looked at, CONT, remove."""
    image = path.work / "1.0.squashfs"
    shutil.copy(busybox_image, image)
    Provider.run("create", "--name", "pyxis_1.0", image)
    image.unlink()
    conf = path.work / "enroot_config"
    conf.write_text("mounts() {\n\techo '/etc/hostname /from-conf none x-create=auto,bind'\n}\nenviron() {\n\techo FROM_CONF=1\n}\n")
    child = subprocess.Popen(["enroot", "start", "--conf", str(conf), "pyxis_1.0", "sh", "-c", "kill -STOP $$ ; exit 0"],
                             stdin=subprocess.DEVNULL, **path.identity())
    status = wait_stopped(child.pid)
    try:
        assert os.WIFSTOPPED(status), status
        rows = [line.split() for line in Provider.run("list", "-f").stdout.splitlines()[1:]]
        [row] = [r for r in rows if r[0] == "pyxis_1.0"]
        pid = int(row[1])
        assert pid == child.pid  # the child of the caller is inside
        assert row[3].startswith("T")
        for ns in ("user", "mnt"):
            assert os.readlink(f"/proc/{pid}/ns/{ns}") != os.readlink(f"/proc/self/ns/{ns}")
        for ns in ("net", "ipc", "uts"):
            assert os.readlink(f"/proc/{pid}/ns/{ns}") == os.readlink(f"/proc/self/ns/{ns}")
        assert b"FROM_CONF=1" in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    finally:
        os.kill(child.pid, signal.SIGCONT)
        _, status = os.waitpid(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    Provider.run("remove", "-f", "pyxis_1.0")
    assert "pyxis" not in Provider.run("list", "-f").stdout
