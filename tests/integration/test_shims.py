# SPDX-License-Identifier: Apache-2.0
"""csbx shims: programs that stand in for docker and enroot."""
import contextlib
import os
import signal
import subprocess

import harness

VERSION = "Docker version 28.0.0, build csbx\n"


def call(csbx, directory, *argv, **env):
    env = {**csbx.env, "PATH": f"{directory}:{csbx.env['PATH']}", **env}
    return subprocess.run(["docker", *argv], env=env, cwd=csbx.work, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False, **csbx.identity())


def test_link(csbx):
    d = csbx.work / "bin"
    assert csbx.ok("shims", "bin") == ""
    assert os.path.samefile(d / "docker", csbx.argv([])[0])
    assert call(csbx, d, "--version").stdout == VERSION
    csbx.ok("shims", d)
    assert sorted(os.listdir(d)) == ["docker", "enroot"]


def test_sandbox(csbx):
    d = csbx.work / "a dir's bin"
    csbx.ok("shims", "--profile", "sandbox", d)
    assert call(csbx, d, "--version").stdout == VERSION
    said = (d / "docker").read_text()
    assert said.startswith("#!/bin/sh\n") and "CSBX_NETWORK" in said
    csbx.ok("shims", d)
    assert (d / "docker").is_symlink()
    csbx.ok("shims", "--profile=sandbox", d)
    assert not (d / "docker").is_symlink()


def test_nothing_foreign_is_replaced(csbx):
    d = csbx.work / "bin"
    d.mkdir()
    (d / "docker").write_text("mine\n")
    csbx.fails("shims", d, says="docker: something else is there (--force replaces it)")
    (d / "docker").unlink()
    (d / "docker").symlink_to("/usr/bin/true")
    csbx.fails("shims", d, says="something else is there")
    assert csbx.ok("shims", "-f", d) == "" and call(csbx, d, "--version").stdout == VERSION
    (d / "docker").unlink()
    (d / "docker").mkdir()
    csbx.fails("shims", "-f", d, says="docker: a directory is there")


def test_refused(csbx):
    csbx.fails("shims")
    csbx.fails("shims", "--profile", "mpi", "bin", says="--profile")
    csbx.fails("shims", "no/where", says="No such file or directory")
    (csbx.work / "file").write_text("")
    csbx.fails("shims", "file", says="Not a directory")


def test_another_daemon_is_told_of(csbx):
    """A script that means containers of another daemon must not get csbx's in silence."""
    csbx.ok("shims", "bin")
    d = csbx.work / "bin"
    p = call(csbx, d, "ps", DOCKER_HOST="unix:///var/run/docker.sock")
    assert (p.returncode, p.stdout) == (1, "") and "DOCKER_HOST=unix:///var/run/docker.sock is no socket of csbx engine" in p.stderr
    for own in ("docker.sock", "engine/cmd.7"):
        assert call(csbx, d, "ps", "-q", DOCKER_HOST=f"unix://{csbx.dirs['run']}/{own}").returncode == 0
    assert call(csbx, d, "--version", DOCKER_HOST="tcp://elsewhere").stdout == VERSION


def test_environment(csbx):
    csbx.ok("shims", "--engine", "bin")
    p = subprocess.run(["sh", "-c", '. bin/csbx-env.sh; command -v docker; echo "$DOCKER_HOST"; docker ps -q'], env=csbx.env,
                       cwd=csbx.work, capture_output=True, text=True, timeout=60, check=False, **csbx.identity())
    for pid in harness.descendants():
        if pid not in csbx.known:
            with contextlib.suppress(ProcessLookupError):  # one ends with the other
                os.kill(pid, signal.SIGTERM)
    assert p.stdout == f"{csbx.work}/bin/docker\nunix://{csbx.dirs['run']}/docker.sock\n", p
