# SPDX-License-Identifier: Apache-2.0
"""The canary: things of the host that no image and no program inside may touch."""
import os
import stat
import tempfile
from pathlib import Path

import pytest

import squashfs

DEVICES = {"null": (1, 3), "zero": (1, 5), "tty": (5, 0)}


class Canary:
    """A directory of the caller's that hostile links point to, and the host's device nodes."""

    def __init__(self, top):
        self.path = Path(tempfile.mkdtemp(prefix="canary", dir=top))
        os.chmod(self.path, 0o755)
        for name in ("etc", "etc/deep", "dev", "empty"):
            (self.path / name).mkdir()
        for name in ("passwd", "etc/passwd", "etc/resolv.conf", "dev/ptmx", "file"):
            (self.path / name).write_text(f"canary {name}\n")
        self.before = self.look()

    def look(self):
        tree = {name: (n.kind, n.mode, n.uid, n.size, n.content, n.mtime, n.nlink)
                for name, n in squashfs.directory_listing(self.path).items()}
        for name, rdev in DEVICES.items():
            st = os.stat(f"/dev/{name}")
            assert stat.S_ISCHR(st.st_mode) and (os.major(st.st_rdev), os.minor(st.st_rdev)) == rdev, \
                f"/dev/{name} is no longer the device it was"
            tree[f"/dev/{name}"] = (st.st_mode, st.st_uid, st.st_rdev)
        passwd = os.stat("/etc/passwd")
        tree["/etc/passwd"] = (passwd.st_size, passwd.st_mode, passwd.st_uid)
        tree["fds"] = sorted(os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
                             if os.path.lexists(f"/proc/self/fd/{n}"))
        return tree

    def check(self):
        now = self.look()
        changed = [n for n in {**now, **self.before} if now.get(n) != self.before.get(n)]
        assert not changed, f"the host was touched: {changed}"


@pytest.fixture(autouse=True)
def canary(csbx):
    bird = Canary(csbx.top)
    yield bird
    bird.check()
