# SPDX-License-Identifier: Apache-2.0
"""The two sides of the comparison: csbx called as `docker`, and Docker's own program and daemon.

Both run a row's script as the same ordinary user in a fresh directory. csbx's side gets a store of
its own for every row, a copy by hard links of one into which the images were loaded. Docker's side is one daemon for
the session; the test removes what a row left in it after the row.
"""
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import engines
import harness
import images
from ociimage import Image, make_layer

ROW_TIMEOUT_S = 90
CONF = {"Entrypoint": ["/bin/echo", "entry"], "Cmd": ["cmd"], "Env": [images.PATH_ENV, "A=image"],
        "WorkingDir": "/work", "User": "app", "ExposedPorts": {"8000/tcp": {}},
        "Labels": {"org.example.kind": "conf"}, "StopSignal": "SIGINT", "Volumes": {"/data": {}}}


def archives(top):
    """Paths of the archives that `docker load` reads into both sides, small ones first."""
    top = Path(top)
    made = [("box:latest", images.busybox_image()),
            ("conf:1", Image([make_layer(images.base_entries())], CONF)),
            ("app:latest", images.python_image())]
    paths = []
    for tag, image in made:
        path = top / (tag.split(":", maxsplit=1)[0] + ".tar")
        image.write_docker_archive(path, tags=(tag,))
        path.chmod(0o644)
        paths.append(path)
    return paths


def run_script(row, env, cwd, identity, timeout=ROW_TIMEOUT_S):
    """(rc, out, err); a script that hangs has the code "timeout"."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with subprocess.Popen(["sh", "-c", row.script], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=out if row.merged else err, start_new_session=True, **identity) as p:
            try:
                rc = p.wait(timeout)
            except subprocess.TimeoutExpired:
                rc = "timeout"
                os.killpg(p.pid, 9)
                p.wait()
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read(1 << 20).decode(errors="backslashreplace"))
    return (rc, *texts)


class Csbx:
    """csbx as `docker`. Files made in a container's bind mount belong to the caller here."""

    def __init__(self, top, tars):
        self.top = Path(top)
        self.template = harness.Sandbox(top=self.top)
        self.bin = self.top / "docker-bin"
        self.bin.mkdir(mode=0o755)
        (self.bin / "docker").symlink_to(harness.BIN / "csbx")
        for tar in tars:
            p = self.template.run("docker", "load", "-q", "-i", tar, timeout=300)
            assert p.returncode == 0, f"csbx docker load {tar.name}: {p.stderr}"
        left = self.template.leftovers()
        assert not left, f"docker load left: {left}"

    def answer(self, row):
        """The answer of the row, and what it left behind although its containers are removed."""
        box = harness.Sandbox(top=self.top)
        try:
            shutil.rmtree(box.dirs["data"])
            subprocess.run(["cp", "-al", self.template.dirs["data"], box.dirs["data"]], check=True)
            env = {**box.env, "PATH": f"{self.bin}:{box.env['PATH']}", "SIDE": "csbx"}
            answered = run_script(row, env, box.work, box.identity())
            self.clean(box)
            return answered, box.work, box.leftovers()
        finally:
            box.close()

    @staticmethod
    def clean(box):
        p = box.run("docker", "ps", "-aq", "--no-trunc")
        if p.stdout.split():
            box.run("docker", "rm", "-f", "-v", *p.stdout.split())

    def close(self):
        self.template.close()


class Docker:
    """A daemon of our own. Root starts it; scripts run as the test user, by its socket."""

    def __init__(self, engine, top, tars):
        self.engine, self.top, self.tars = engine, Path(top), tars
        self.user = pwd.getpwnam("csbx-test")
        self.load()
        self.spent_s = 0
        self.base_images = self.images()

    def load(self):
        for tar in self.tars:
            self.engine("load", "-q", "-i", tar)

    def images(self):
        template = "{{.Repository}}:{{.Tag}} {{.ID}}"
        return sorted(self.engine("images", "-a", "--no-trunc", "--format", template).split("\n"))

    def answer(self, row):
        begun = time.monotonic()
        work = Path(tempfile.mkdtemp(prefix="w", dir=self.top))
        try:
            (work / "work").mkdir()
            (work / "home").mkdir()
            for d in (work, work / "work", work / "home"):
                os.chown(d, self.user.pw_uid, self.user.pw_gid)
            env = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(work / "home"), "USER": "csbx-test",
                   "LANG": "C.UTF-8", "SIDE": "docker", **self.engine.env()}
            answered = run_script(row, env, work / "work", {
                "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []})
            self.clean()
            return answered, work / "work"
        finally:
            shutil.rmtree(work, ignore_errors=True)
            self.spent_s += time.monotonic() - begun

    def clean(self):
        if found := self.engine("ps", "-aq", "--no-trunc").split():
            self.engine("rm", "-f", "-v", *found)
        if found := self.engine("volume", "ls", "-q").split():
            self.engine("volume", "rm", "-f", *found)
        if found := self.engine("network", "ls", "-q", "--filter", "type=custom").split():
            self.engine("network", "rm", *found)
        if self.images() != self.base_images:
            for tag in set(self.images()) - set(self.base_images):
                name, ident = tag.rsplit(" ", 1) if tag else ("", "")
                if ident:
                    self.engine("rmi", "-f", ident if name.startswith("<none>") else name)
            self.load()
            assert self.images() == self.base_images, "cannot bring Docker's images back"


def docker_program():
    """Why there is no daemon to ask here, or None."""
    if os.geteuid() != 0:
        return "not root: no dockerd can be started"
    for name in ("dockerd", "docker", "containerd"):
        if not engines.program(name):
            return f"{name} is not installed"
    return None
