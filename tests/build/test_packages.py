# SPDX-License-Identifier: Apache-2.0
"""apt and dpkg in a build, with id ranges and without: a repository of files that the test makes."""
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import debrepo  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402

PROGRAMS = ["apt-get", "dpkg", "dpkg-deb", "dpkg-split", "dpkg-query", "tar", "update-alternatives"]
METHODS = ["file", "copy", "store", "gpgv"]
DOCKERFILE = """FROM box AS debian
COPY root /
RUN echo '_apt:x:42:65534::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'nogroup:x:65534:' >>/etc/group
FROM debian
COPY repo /repo
RUN echo 'deb [trusted=yes] file:/repo ./' >/etc/apt/sources.list && apt-get update && apt-get install -y --no-install-recommends hello
RUN hello >/said
"""


def copy_in(path, root):
    target = root / images.usr_name(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy(os.path.realpath(path), target)


def make_root(root):
    """Copies the files of this machine that its apt and dpkg need."""
    for name in PROGRAMS:
        if not shutil.which(name):
            pytest.skip(f"{name} is not installed")
    elf = ["/usr/bin/" + n for n in PROGRAMS] + ["/usr/lib/apt/methods/" + n for n in METHODS]
    for path in [*elf, *images.shared_libraries(elf)]:
        copy_in(path, root)
    for name in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d", "var/lib/dpkg/info", "var/lib/dpkg/updates",
                 "var/lib/apt/lists", "var/cache/apt/archives", "var/log/apt", "usr/share/dpkg", "etc/dpkg/dpkg.cfg.d"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    for name in ("cputable", "ostable", "tupletable"):
        shutil.copy("/usr/share/dpkg/" + name, root / "usr/share/dpkg")
    for name in ("ldconfig", "start-stop-daemon"):
        tool = root / "usr/sbin" / name
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
        tool.chmod(0o755)


@pytest.mark.both_users
def test_apt_get_install(session_dir, tmp_path):
    box = harness.Sandbox(top=Path(session_dir))
    try:
        tar = tmp_path / "box.tar"
        images.busybox_image().write_docker_archive(tar, tags=("box:latest",))
        box.ok("docker", "load", "-q", "-i", str(tar))
        context = tmp_path / "ctx"
        make_root(context / "root")
        debrepo.make(context / "repo", tmp_path)
        (context / "Dockerfile").write_text(DOCKERFILE, encoding="ascii")
        p = box.run("docker", "build", "-t", "app", str(context), timeout=120)
        assert p.returncode == 0, p.stderr
        said = box.run("docker", "run", "--rm", "app", "sh", "-c",
                      "cat /said; dpkg-query -W hello; test -p /var/lib/hello/fifo && stat -c %a /var/lib/hello; env | grep APT; "
                      "find / -xdev -name '*csbx-apt*'")
        assert said.stdout == "hello\nhello\t1.0\n2750\n"
        again = box.run("docker", "build", "-t", "app", str(context))
        assert again.returncode == 0 and again.stderr.count("CACHED") == 5
        assert not box.leftovers()
    finally:
        box.run("docker", "builder", "prune", "-af")
        box.close()
