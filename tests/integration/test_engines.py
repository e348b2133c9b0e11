# SPDX-License-Identifier: Apache-2.0
"""Images from real docker and podman: by their socket, and by their program where there is none."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import engines
import pytest
import squashfs
from ociimage import D, F, Image, W, make_layer

BOTH = pytest.mark.parametrize("engine", ["docker", "podman"], indirect=True)
SCHEME = {"docker": "dockerd", "podman": "podman"}


def app(word="two"):
    return Image([make_layer([D("etc"), F("etc/os", "one\n"), F("data", b"x" * 300000)]),
                  make_layer([F("etc/os", word + "\n"), W("data")])],
                 {"Cmd": ["/bin/x"], "Env": ["A=b"], "Labels": {"k": "v"}, "User": "7:8"})


@pytest.fixture(scope="module")
def app_tar(session_dir):
    path = session_dir / "app.tar"
    app().write_docker_archive(path, tags=("app:latest",))
    other = session_dir / "other.tar"
    app("three").write_docker_archive(other, tags=("app:other",))
    return path, other


@pytest.fixture(scope="module")
def engine(request, app_tar):
    """The engine of that name, with two tags of one repository in it."""
    name = request.param
    if os.geteuid() != 0:
        pytest.skip("needs root to start the engine")
    if not engines.program("dockerd" if name == "docker" else "podman"):
        pytest.skip(f"{name} is not installed")
    # A socket's path has room for 107 bytes.
    top = Path(tempfile.mkdtemp(prefix=f"csbx-{name}.", dir="/tmp"))
    top.chmod(0o711)
    try:
        with getattr(engines, name)(top) as running:
            running.name = name
            for path in app_tar:
                running("load", "-i", path)
            yield running
    finally:
        shutil.rmtree(top, ignore_errors=True)


def cat(image, path):
    return subprocess.run(["unsquashfs", "-cat", image, path], check=True, capture_output=True).stdout


@pytest.mark.needs_root
@BOTH
def test_socket(csbx, engine, app_tar):
    p = csbx.run("import", f"{SCHEME[engine.name]}://app:latest", env=engine.env())
    assert p.returncode == 0 and "kB from the engine" in p.stderr and "\033" not in p.stderr, p.stderr
    p = csbx.run("import", "-q", "-o", "q.sqsh", f"{SCHEME[engine.name]}://app:latest", env=engine.env())
    assert p.returncode == 0 and not p.stderr, p.stderr
    csbx.ok("import", f"{SCHEME[engine.name]}://app", env=engine.env())  # not all tags of it
    csbx.ok("import", f"{SCHEME[engine.name]}://app:other", env=engine.env())
    csbx.ok("import", "-o", "direct.sqsh", f"docker-archive:{app_tar[0]}")
    for name in ("app+latest.sqsh", "app.sqsh"):
        image = csbx.work / name
        assert squashfs.file_system_part(image) == squashfs.file_system_part(csbx.work / "direct.sqsh")
        config = json.loads(cat(image, ".csbx/config.json"))["config"]
        assert config["Cmd"] == ["/bin/x"] and config["User"] == "7:8"
        assert len(json.loads(cat(image, ".csbx/diff_ids.json"))) == 2
    assert cat(csbx.work / "app+other.sqsh", "etc/os") == b"three\n"


@pytest.mark.needs_root
@BOTH
def test_by_id(csbx, engine):
    image_id = engine("image", "inspect", "--format", "{{.Id}}", "app:other").strip()
    csbx.ok("import", "-o", "id.sqsh", f"{SCHEME[engine.name]}://{image_id}", env=engine.env())
    assert cat(csbx.work / "id.sqsh", "etc/os") == b"three\n"


@pytest.mark.needs_root
@BOTH
def test_load(csbx, engine):
    csbx.ok("load", "-n", "app", f"{SCHEME[engine.name]}://app", env=engine.env())
    assert csbx.ok("list", "-q").split() == ["app"]


@pytest.mark.needs_root
@BOTH
def test_unknown_image(csbx, engine):
    csbx.fails("import", f"{SCHEME[engine.name]}://nothing:1", env=engine.env(),
               says=(f"{engine.name} answered 404", "nothing"))
    assert not list(csbx.work.iterdir())


@pytest.mark.needs_root
@pytest.mark.parametrize("engine", ["docker"], indirect=True)
def test_docker_program(csbx, engine):
    engines.wrapper(csbx.top / "bin" / "docker", *engine.command)
    p = csbx.run("import", "dockerd://app:other", env={"PATH": f"{csbx.top}/bin:/usr/bin:/bin"})
    assert p.returncode == 0 and "kB from the engine" in p.stderr, p.stderr
    assert cat(csbx.work / "app+other.sqsh", "etc/os") == b"three\n"
    csbx.fails("import", "dockerd://nothing", env={"PATH": f"{csbx.top}/bin:/usr/bin:/bin"},
               says=("'docker image' failed", "nothing"))


def test_rootless_podman_program(csbx, app_tar):
    if os.geteuid() == 0:
        pytest.skip("podman of an ordinary user")
    if not engines.program("podman"):
        pytest.skip("podman is not installed")
    top = csbx.top / "p"
    top.mkdir()
    with engines.rootless_podman(top) as podman:
        for path in app_tar:
            podman("load", "-i", path)
        engines.wrapper(csbx.top / "bin" / "podman", engines.program("podman"), "--root", top / "root",
                        "--runroot", top / "run", *engines.PODMAN)
        env = {"PATH": f"{csbx.top}/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(top / "xdg"),
               "HOME": str(top)}
        csbx.ok("import", "podman://app:other", env=env)
        assert cat(csbx.work / "app+other.sqsh", "etc/os") == b"three\n"
        csbx.fails("import", "podman://nothing", env=env, says=("'podman image' failed", "nothing"))


# --- what needs no engine ---------------------------------------------------------------------------

@pytest.mark.parametrize("scheme,variable", [("dockerd", "DOCKER_HOST"), ("podman", "CONTAINER_HOST")])
@pytest.mark.parametrize("host", ["tcp://127.0.0.1:2375", "ssh://root@node", "unix:relative", "/run/s"])
def test_other_hosts_are_refused(csbx, scheme, variable, host):
    csbx.fails("import", f"{scheme}://app", env={variable: host}, says=(variable, host, "unix:///PATH"))


@pytest.mark.parametrize("scheme,variable", [("dockerd", "DOCKER_HOST"), ("podman", "CONTAINER_HOST")])
def test_nobody_listens(csbx, scheme, variable):
    csbx.fails("import", f"{scheme}://app", env={variable: f"unix://{csbx.top}/none"},
               says=(variable, "No such file"))


def test_no_podman_at_all(csbx):
    csbx.fails("import", "podman://app", env={"PATH": "/none", "XDG_RUNTIME_DIR": str(csbx.top)},
               says="podman is not here")


@pytest.mark.parametrize("name", ["", "-v", "a b", "../x", "a/../b", "a//b", "a?b=c", "a#b", "a\nb", "a/"])
def test_bad_names(csbx, name):
    csbx.fails("import", f"dockerd://{name}", says="import dockerd://")


@pytest.mark.parametrize("uri", ["dockerd://app", "podman://app"])
def test_answers_that_make_no_sense(csbx, uri):
    """A socket of anything else: no hang, one line."""
    variable = "DOCKER_HOST" if uri.startswith("docker") else "CONTAINER_HOST"
    for answer in (b"", b"\x00" * 100, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                   b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n" + b'{"Id":"../../etc/passwd"}     ',
                   b"HTTP/1.1 500 x\r\nContent-Length: 21\r\n\r\n" + b'{"message":"\\u001b[2J"}'):
        with fake_socket(csbx, answer) as path:
            said = csbx.fails("import", uri, env={variable: f"unix://{path}"})
            assert "\x1b" not in said


class fake_socket:  # pylint: disable=invalid-name
    """Answers every connection with the same bytes."""

    def __init__(self, csbx, answer):
        self.path, self.answer = csbx.top / "fake", answer

    def __enter__(self):
        import socket  # pylint: disable=import-outside-toplevel
        import threading  # pylint: disable=import-outside-toplevel
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(self.path))
        self.path.chmod(0o666)
        self.server.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return self.path

    def serve(self):
        while True:
            try:
                c, _ = self.server.accept()
            except OSError:
                return
            with c:
                c.settimeout(2)
                try:
                    if c.recv(4096):
                        c.sendall(self.answer)
                except OSError:
                    pass

    def __exit__(self, *_):
        import socket  # pylint: disable=import-outside-toplevel
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.thread.join()
        self.path.unlink()
