# SPDX-License-Identifier: Apache-2.0
"""The user, the directories, the images and the other launchers that the benchmarks need.

As root, everything that is timed runs as the ordinary user csbx-test; root only copies programs,
drops caches and makes mounts. Without root the benchmarks that need that say so and are left out.
"""
import hashlib
import json
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import images
import measure

PROGRAMS = ["csbx", "csbx-tool", "csbx-image", "csbx-squashd", "csbx-meta", "csbx-init", "csbx-thaw"]
BENCH_PROGRAMS = ["stopwatch", "floor", "readall"]
OS_RELEASE = 'ID=csbx-test\nPRETTY_NAME="csbx test image"\n'
TIMEOUT_S = 600


class Unavailable(Exception):
    """A benchmark cannot be made here; the text says why."""


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


class World:
    def __init__(self, build, quick):
        self.build, self.quick = Path(build), quick
        self.is_root = os.geteuid() == 0
        self.owner = pwd.getpwnam("csbx-test" if self.is_root else pwd.getpwuid(os.geteuid()).pw_name)
        self.top = Path(tempfile.mkdtemp(prefix="csbx-bench.", dir=os.environ.get("CSBX_BENCH_DIR",
                                                                                   "/var/tmp")))
        os.chmod(self.top, 0o755)
        self.bin, self.work = self.top / "bin", self.top / "work"
        self.bin.mkdir(mode=0o755)
        for name in PROGRAMS:
            shutil.copy2(self.build / name, self.bin)
        for name in BENCH_PROGRAMS:
            shutil.copy2(self.build / "tests/bench" / name, self.bin)
        shutil.copytree(self.build / "harness", self.bin / "harness")
        self.own_dir(self.work, 0o755)
        for name in ("data", "cache", "home"):
            self.own_dir(self.work / name, 0o700)
        # $XDG_RUNTIME_DIR is a tmpfs wherever systemd makes it.
        self.runtime = Path(tempfile.mkdtemp(prefix="csbx-bench.", dir="/dev/shm"))
        if self.is_root:
            os.chown(self.runtime, self.owner.pw_uid, self.owner.pw_gid)
        self.csbx = str(self.bin / "csbx")
        self.trees, self.imported = {}, {}
        self.extra_layouts = {}  # kind -> layout, besides those of tests/fixtures/images.py
        self.notes = []

    def own_dir(self, path, mode):
        path.mkdir(mode=mode)
        if self.is_root:
            os.chown(path, self.owner.pw_uid, self.owner.pw_gid)

    @property
    def env(self):
        w = self.work
        return {"PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
                "HOME": str(w / "home"), "USER": self.owner.pw_name, "TMPDIR": str(w / "home"),
                "XDG_RUNTIME_DIR": str(self.runtime), "CSBX_DATA_PATH": str(w / "data"),
                "CSBX_CACHE_PATH": str(w / "cache"), "CSBX_RUNTIME_PATH": str(self.runtime / "csbx"),
                "CSBX_LINGER": "900", "PYTHONDONTWRITEBYTECODE": "1"}

    def identity(self):
        """Arguments of subprocess that make a child the ordinary user."""
        if not self.is_root:
            return {}
        return {"user": self.owner.pw_uid, "group": self.owner.pw_gid, "extra_groups": []}

    def become(self):
        """The same as words in front of a command."""
        if not self.is_root:
            return []
        return ["setpriv", "--reuid", str(self.owner.pw_uid), "--regid", str(self.owner.pw_gid),
                "--clear-groups"]

    def call(self, argv, env=None, **kwargs):
        """Runs a command as the user; returns the completed process without looking at it. env: more of the environment."""
        return subprocess.run([str(a) for a in argv], env={**self.env, **(env or {})}, cwd=self.work, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S,
                              check=False, **self.identity(), **kwargs)

    def run(self, *argv):
        """The same for one that must work; returns its stdout."""
        p = self.call(argv)
        if p.returncode:
            raise measure.Failed(f"{' '.join(map(str, argv))}: exit {p.returncode}: "
                                 f"{first_line(p.stderr or p.stdout)}")
        return p.stdout

    def stopwatch(self, cases, rounds, warmup=3, batch=None, prefix=None, env=None):
        """Times cases against each other. prefix: words before the stopwatch, run as we are. env: more of the environment."""
        argv = [*(prefix + self.become() if prefix else []), str(self.bin / "stopwatch")]
        p = subprocess.run(argv, input=measure.script(cases, rounds, warmup, batch), env={**self.env, **(env or {})},
                           cwd=self.work, text=True, capture_output=True, timeout=TIMEOUT_S,
                           check=False, **({} if prefix else self.identity()))
        if p.returncode:
            raise measure.Failed(p.stderr.strip() or f"stopwatch exited with {p.returncode}")
        return measure.parse(cases, p.stdout)

    # --- images -----------------------------------------------------------------------------------

    def layout(self, kind):
        """OCI layout of a fixture image, as oci:DIR wants it, and its tag."""
        path = self.extra_layouts.get(kind) or images.layout(kind)
        with open(path / "index.json", encoding="utf-8") as f:
            tag = json.load(f)["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        return str(path), tag

    def tree(self, kind):
        """The same image unpacked, by umoci."""
        if kind not in self.trees:
            if not shutil.which("umoci"):
                raise Unavailable("umoci is not installed")
            path, tag = self.layout(kind)
            bundle = self.work / f"{kind}-bundle"
            self.run("umoci", "unpack", "--rootless", "--image", f"{path}:{tag}", bundle)
            self.trees[kind] = bundle / "rootfs"
        return self.trees[kind]

    def image(self, kind):
        """The same image imported by csbx."""
        if kind not in self.imported:
            path = self.work / f"{kind}.sqsh"
            self.run(self.csbx, "import", "-q", "-o", path, f"oci:{self.layout(kind)[0]}")
            self.imported[kind] = path
        return self.imported[kind]

    def container(self, kind):
        """Name of a container of that image; its server is warm afterwards."""
        if not (self.work / "data/containers" / kind).exists():
            self.run(self.csbx, "create", "-n", kind, self.image(kind))
        self.run(self.csbx, "start", kind, "true")
        return kind

    def end_servers(self):
        self.call([self.csbx, "gc", "--servers"])

    # --- other launchers --------------------------------------------------------------------------

    def csbx_start(self, name, *argv, options=()):
        return [self.csbx, "start", *options, name, *map(str, argv)]

    def bwrap(self, kind, *argv, options=()):
        return ["bwrap", "--unshare-all", "--ro-bind", str(self.tree(kind)), "/", "--dev", "/dev",
                "--proc", "/proc", *options, *map(str, argv)]

    def ch_run(self, kind, *argv):
        return ["ch-run", "--unset-env=*", "--set-env=PATH=/usr/bin:/bin", str(self.tree(kind)), "--",
                *map(str, argv)]

    def unshare(self, kind, *argv):
        return ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--ipc", "--uts",
                "--net", "--cgroup", "--mount-proc", f"--root={self.tree(kind)}", *map(str, argv)]

    def crun(self, kind, *argv):
        """crun wants a directory with a config.json for each command."""
        name = "crun-" + hashlib.sha1(json.dumps(argv).encode()).hexdigest()[:8]
        bundle = self.work / name
        if not bundle.exists():
            self.own_dir(bundle, 0o755)
            self.run("sh", "-c", f"cd {bundle} && crun spec --rootless")
            config = json.loads((bundle / "config.json").read_text(encoding="utf-8"))
            config["process"].update(args=list(map(str, argv)), terminal=False)
            config["root"] = {"path": str(self.tree(kind)), "readonly": True}
            (bundle / "config.json").write_text(json.dumps(config), encoding="utf-8")
        return ["crun", "run", "--bundle", str(bundle), name]

    def peers(self, kind, *argv, only=None):
        """Name -> command line of every launcher that is installed and can print a file of the image.

        Why another is missing goes to the notes: a failing program looks fast.
        """
        makers = {"bwrap --unshare-all": ("bwrap", self.bwrap), "ch-run": ("ch-run", self.ch_run),
                  "unshare": ("unshare", self.unshare), "crun": ("crun", self.crun)}
        found = {}
        for name, (program, maker) in makers.items():
            if only and program not in only:
                continue
            if not shutil.which(program):
                self.note(f"{program}: not installed")
                continue
            p = self.call(maker(kind, "cat", "/etc/os-release"))
            if p.returncode or p.stdout != OS_RELEASE:
                self.note(f"{program}: left out, it fails here: exit {p.returncode}: "
                          f"{first_line(p.stderr or p.stdout)}")
                continue
            found[name] = maker(kind, *argv)
        return found

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def drop_caches(self):
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3\n", encoding="ascii")

    def close(self):
        self.end_servers()
        # As root: what the user's other ids own as well.
        shutil.rmtree(self.top, ignore_errors=True)
        shutil.rmtree(self.runtime, ignore_errors=True)
