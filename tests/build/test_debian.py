# SPDX-License-Identifier: Apache-2.0
"""Builds as people write them, on a real Debian: apt-get, compilers, pip, and steps that ask for other users."""
import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import debpool  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402

WARM_MAX_S = 0.5
TOOLS_SCRIPT = """set -eux
useradd -m -u 1234 -s /bin/bash anna
groupadd -r helpers
usermod -a -G helpers anna
echo anna:secret | chpasswd
touch /f /g; ln -s /f /l
chown anna:helpers /f
chown -h anna /l
chown -R anna:helpers /home/anna
chgrp helpers /g
chmod 6755 /g
install -o anna -g helpers -m 640 /f /installed
install -d -o anna /made
mkdir /tree; touch /tree/a; chown anna /tree/a
tar -C / -cf /t.tar --owner=anna --group=helpers tree
rm -r /tree
tar -C / --same-owner -xpf /t.tar
cp -a /tree /copy
mknod /null c 1 3
mknod /fifo p
mkfifo -m 600 /fifo2
dpkg-statoverride --update --add anna helpers 2755 /installed
su anna -c true
runuser -u anna -- true
setpriv --reuid=anna --regid=helpers --init-groups true
sudo -u anna true
python3 -c 'import os; os.setgroups([7]); os.setresgid(7, 7, 7); os.setresuid(7, 7, 7)'
rpmbuild -bb --quiet --define '_rpmdir /rpms' /hello.spec
rpm -i --nodeps /rpms/*/hello-1-1.*.rpm
test -e /usr/share/hello
rpm -e hello
"""
SPEC = """Name: hello
Version: 1
Release: 1
Summary: says so
License: none
%description
%prep
%build
%install
mkdir -p %{buildroot}/usr/share
echo hello >%{buildroot}/usr/share/hello
%post
getent passwd hello || useradd -r hello
chown hello /usr/share/hello
%files
%attr(640, nobody, nogroup) /usr/share/hello
"""
TOOLS = """FROM python
RUN apt-get update && apt-get install -y --no-install-recommends rpm sudo openssh-server man-db
COPY tools.sh hello.spec /
RUN sh /tools.sh
"""
APT_INSTALL = "RUN apt-get update && apt-get install -y"
APP = """FROM python

RUN apt-get update && apt-get install -y git
COPY . /app
WORKDIR /app
CMD ["git", "--version"]
"""
SETUP = """from setuptools import Extension, setup
setup(name="answer", version="1.0", ext_modules=[Extension("answer", ["answer.c"])])
"""
MODULE = """#include <Python.h>
static PyObject *get(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"get", get, METH_NOARGS, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answer", 0, -1, methods};
PyMODINIT_FUNC PyInit_answer(void) { return PyModule_Create(&module); }
"""
COMPILERS = f"""FROM python AS builder
{APT_INSTALL} --no-install-recommends gcc libc6-dev python3-dev python3-pip python3-setuptools python3-wheel
COPY setup.py answer.c /src/
RUN pip install --no-index --no-build-isolation --break-system-packages /src
FROM python
COPY --from=builder /usr/local/lib /usr/local/lib
CMD ["python3", "-c", "import answer; print(answer.get())"]
"""


@pytest.fixture(scope="session")
def box(session_dir):
    """csbx with an image python:latest, and its packages on loopback."""
    made = harness.Sandbox(top=Path(session_dir))
    try:
        try:
            debpool.directory()
        except images.MissingTool as e:
            pytest.skip(str(e))
        with debpool.served() as port:
            tar = Path(session_dir) / "python.tar"
            debpool.image(port).write_docker_archive(tar, tags=("python:latest",))
            tar.chmod(0o644)
            made.ok("docker", "load", "-q", "-i", str(tar), timeout=300)
            tar.unlink()
            yield made
    finally:
        made.run("docker", "builder", "prune", "-af")
        made.close()


def has_ranges():
    return os.environ.get("CSBX_TEST_SESSION") != "noids"


def write(top, files):
    top.mkdir(exist_ok=True)
    top.chmod(0o755)
    for name, text in files.items():
        (top / name).write_text(text, encoding="utf-8")
        (top / name).chmod(0o644)
    return top


def build(box, context, *args, tag="app"):
    p = box.run("docker", "build", "-t", tag, *args, ".", cwd=context, timeout=600)
    assert p.returncode == 0, (p.stdout + p.stderr)[-4000:]
    return p.stderr


def run(box, *argv, image="app"):
    p = box.run("docker", "run", "--rm", image, *argv, timeout=120)
    assert p.returncode == 0, p.stderr
    return p.stdout


@pytest.mark.needs_root
def test_packages_are_there():
    """Root's session comes first and has them fetched for those that follow."""
    try:
        have = (debpool.directory() / "pool/Packages").read_text(encoding="utf-8")
    except images.MissingTool as e:
        pytest.skip(str(e))
    for name in (debpool.WHOLE, *debpool.BARE):
        assert f"Package: {name}\n" in have


@pytest.mark.both_users
def test_git_twice(box, tmp_path):
    context = write(tmp_path / "app", {"Dockerfile": APP, "main.py": "print(1)\n"})
    assert "CACHED" not in build(box, context)
    assert run(box).startswith("git version 2")
    assert run(box, "sh", "-c", "ls; pwd; dpkg --audit") == "Dockerfile\nmain.py\n/app\n"
    best_s = 60
    for _ in range(3):  # a loaded machine
        began_s = time.monotonic()
        assert build(box, context).count("CACHED") == 3
        best_s = min(best_s, time.monotonic() - began_s)
    assert best_s < WARM_MAX_S
    assert not box.leftovers()


@pytest.mark.both_users
def test_tools_that_want_other_users(box, tmp_path):
    build(box, write(tmp_path / "t", {"Dockerfile": TOOLS, "tools.sh": TOOLS_SCRIPT, "hello.spec": SPEC}), tag="tools")
    said = run(box, "sh", "-c", "stat -c '%a %F' /f /l /installed /made /tree/a /fifo /fifo2; getent group helpers", image="tools")
    assert said == ("644 regular empty file\n777 symbolic link\n2755 regular empty file\n755 directory\n644 regular empty file\n"
                    "644 fifo\n600 fifo\nhelpers:x:" + said.split("helpers:x:")[1])
    assert said.endswith(":anna\n")
    owners = run(box, "stat", "-c", "%U:%G", "/f", "/installed", "/tree/a", image="tools")
    assert owners == ("anna:helpers\nanna:helpers\nanna:helpers\n" if has_ranges() else "root:root\n" * 3)
    assert not box.leftovers()


@pytest.mark.both_users
def test_recipe_without_a_dockerfile(box):
    """As docs/install.md has it."""
    box.ok("create", "--name", "py", "python:latest")
    try:
        box.ok("start", "--rw", "--network", "host", "--fake-root", "py", "sh", "-c",
               "apt-get update && apt-get install -y --no-install-recommends sudo", timeout=300)
        again = box.ok("start", "--rw", "--fake-root", "py", "sh", "-c", "touch /f; chown 7 /f; cat ${APT_CONFIG:-/dev/null}")
        assert again == ("" if has_ranges() else 'APT::Sandbox::User "root";\n')
        box.ok("export", "-q", "-f", "-o", "py-sudo.sqsh", "py", timeout=300)
        said = box.ok("run", "py-sudo.sqsh", "sh", "-c", "sudo --version | head -1; find / -xdev -name '*csbx-apt*'; env | grep APT || :")
        assert said.startswith("Sudo version 1") and said.count("\n") == 1
        plain = box.run("start", "py", "chown", "7", "/etc/passwd")
        assert (plain.returncode == 0) == has_ranges()
    finally:
        box.run("remove", "-f", "py")
        (box.work / "py-sudo.sqsh").unlink(missing_ok=True)
    assert not box.leftovers()


@pytest.mark.both_users
def test_compilers_and_pip(box, tmp_path):
    build(box, write(tmp_path / "c", {"Dockerfile": COMPILERS, "setup.py": SETUP, "answer.c": MODULE}), tag="module")
    assert run(box, image="module") == "42\n"
    assert not box.leftovers()
