# SPDX-License-Identifier: Apache-2.0
"""apt in `enroot start --root --rw`: with one id it cannot become _apt."""
import os
import subprocess

import pytest

import debrepo

INSTALL = """set -e
echo 'deb [trusted=yes] file:/repo ./' >/etc/apt/sources.list
rm -f /etc/apt/sources.list.d/*
apt-get update
apt-get install -y --no-install-recommends hello
"""


@pytest.fixture
def enroot(csbx, debian_image):
    def call(*argv, **kw):
        return csbx.ok("enroot", *argv, timeout=180, **kw)

    call("create", "-n", "deb", debian_image)
    yield call
    call("remove", "-f", "deb")


@pytest.mark.both_users
def test_apt_installs(csbx, enroot, tmp_path):
    debrepo.make(csbx.work / "repo", tmp_path)
    start = ("start", "--root", "--rw", "-m", f"{csbx.work}/repo:/repo", "deb")
    enroot(*start, "sh", "-c", INSTALL)
    assert enroot("start", "deb", "hello") == "hello\n"
    seen = enroot(*start, "sh", "-c", "cat $APT_CONFIG; grep -c ^_apt: /etc/passwd; find /etc/apt -newer /repo -type f")
    assert seen.splitlines() == ['APT::Sandbox::User "root";', "1", "/etc/apt/sources.list"], "nothing else was written"
    enroot("export", "-o", csbx.work / "out.sqsh", "deb")
    names = subprocess.run(["unsquashfs", "-l", csbx.work / "out.sqsh"], capture_output=True, text=True, check=True).stdout
    assert "usr/bin/hello" in names and "csbx-apt" not in names
    kept = [n for _, _, files in os.walk(csbx.dirs["data"] / "layers") for n in files]
    assert "hello" in kept and not [n for n in kept if "csbx-apt" in n]


def test_apt_is_told_nothing_without_root(enroot):
    assert enroot("start", "deb", "sh", "-c", "echo [$APT_CONFIG]; ls -A /etc | grep -c csbx || :") == "[]\n0\n"
    assert enroot("start", "--root", "-e", "APT_CONFIG=/mine", "deb", "sh", "-c", "echo $APT_CONFIG; ls -A /etc | grep -c csbx || :") \
        == "/mine\n0\n"
