# SPDX-License-Identifier: Apache-2.0
"""--fetch: files of the container in the result, from trees that a hostile program has made."""
import base64
import json
import os
import signal

import pytest


def fetch(csbx, image, paths, script, *options, code=None):
    p = csbx.run("run", "--json", *[f"--fetch={x}" for x in paths], *options, image, "sh", "-c", script)
    if code is not None:
        assert p.returncode == code, p.stderr
    result = json.loads(p.stdout)
    files = {k: v if v is None else base64.b64decode(v) for k, v in result["files"].items()}
    return result, files


@pytest.mark.both_users
def test_files_from_everywhere(csbx, python_image):
    """The layer, the image below it, tmpfs mounts, /dev/shm and binds; every byte."""
    paths = ["/out/bytes", "/etc/os-release", "/scratch/t", "/dev/shm/s", "/w/bound", "/out/empty",
             '/out/a "name"\\x']
    result, files = fetch(csbx, python_image, paths,
                          "mkdir /out; python3 -c 'import os; os.write(1, bytes(range(256)))' >/out/bytes;"
                          "echo t >/scratch/t; echo s >/dev/shm/s; echo w >/w/bound; : >/out/empty;"
                          "echo q >'/out/a \"name\"\\x'; umask 077; chmod 600 /out/bytes",
                          "--tmpfs", "/scratch", "--mount", f"{csbx.work}:/w", code=0)
    assert list(files) == paths
    assert files["/out/bytes"] == bytes(range(256))
    assert b"csbx test image" in files["/etc/os-release"]
    assert [files[x] for x in paths[2:]] == [b"t\n", b"s\n", b"w\n", b"", b"q\n"]
    assert not [x for x in result["degraded"] if x.startswith("fetch")]


def test_files_of_a_kept_layer(csbx, python_image):
    csbx.ok("create", "-n", "box", python_image)
    p = csbx.run("start", "-w", "--json", "--fetch=/out", "box", "sh", "-c", "echo kept >/out")
    assert json.loads(p.stdout)["files"] == {"/out": base64.b64encode(b"kept\n").decode()}


@pytest.mark.both_users
def test_what_is_not_a_file_is_null_with_its_reason(csbx, python_image):
    script = ("mkfifo /fifo; ln -s loop /loop; mkdir /dir; truncate -s 1099511627776 /huge; ln -s /nowhere /dangling;"
              "echo x >/file; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/sock\")'")
    want = {"/fifo": "not a regular file", "/loop": "symbolic links", "/dir": "not a regular file",
            "/huge": "1099511627776 bytes", "/dangling": "No such file", "/missing": "No such file",
            "/file/x": "Not a directory", "/sock": "not a regular file", "/dev/zero": "not a regular file",
            "/proc/self/exe": "", "/proc/1/root/etc/passwd": "", "/dev/tty": ""}
    result, files = fetch(csbx, python_image, want, script, code=0)
    for path, why in want.items():
        assert files[path] is None
        line, = [x for x in result["degraded"] if x.startswith(f"fetch: {path}: ")]
        assert why in line


@pytest.mark.both_users
def test_links_stay_inside(csbx, python_image):
    (csbx.work / "secret").write_text("host\n")
    script = f"ln -s {csbx.work}/secret /a; ln -s ../../../../../../etc/os-release /b; ln -s /c/d /e; mkdir /c; echo in >/c/d"
    _, files = fetch(csbx, python_image, ["/a", "/b", "/e", "/../../../c/d"], script, code=0)
    assert files["/a"] is None
    assert b"csbx test image" in files["/b"]
    assert files["/e"] == files["/../../../c/d"] == b"in\n"


@pytest.mark.parametrize("options,script,code,status", [
    (["--timeout", "1"], "echo partial >/out; sleep 60", 124, "timeout"),
    (["--memory", "60m"], "echo partial >/out; exec python3 -c 'x = b\"x\" * (1 << 30)'", 137, "oom"),
    ([], "echo partial >/out; kill -9 $$", 137, "signaled")])
def test_files_of_a_program_that_was_ended(csbx, python_image, options, script, code, status):
    result, files = fetch(csbx, python_image, ["/out"], script, *options, code=code)
    assert (result["status"], files["/out"]) == (status, b"partial\n")


def test_all_files_together_are_bounded(csbx, python_image):
    script = "truncate -s 62914560 /a; truncate -s 62914560 /b; echo c >/c"
    result, files = fetch(csbx, python_image, ["/a", "/b", "/c"], script, code=0)
    assert (files["/a"], files["/b"], files["/c"]) == (bytes(60 << 20), None, b"c\n")
    assert any("/b: 62914560 bytes, more than" in x for x in result["degraded"])


def test_a_command_that_is_not_there(csbx, python_image):
    p = csbx.run("run", "--json", "--fetch=/etc/os-release", "--fetch=/x", python_image, "/no/such")
    result = json.loads(p.stdout)
    assert result["status"] == "launch_error"
    assert result["files"]["/etc/os-release"] and result["files"]["/x"] is None


def test_a_hung_server_does_not_hang_the_fetch(csbx, python_image):
    p = csbx.popen("run", f"--json={csbx.work}/r.json", "--timeout", "1", "--fetch=/usr/lib/os-release",
                   "--fetch=/etc/hostname", python_image, "sh", "-c", "echo up; sleep 60")
    assert p.stdout.readline() == b"up\n"
    server, = json.loads(csbx.ok("list", "--servers", "--json"))
    os.kill(server["pid"], signal.SIGSTOP)
    try:
        assert p.wait(10) == 124
    finally:
        os.kill(server["pid"], signal.SIGCONT)
    result = json.loads((csbx.work / "r.json").read_text())
    assert result["files"] == {"/usr/lib/os-release": None, "/etc/hostname": None}
    assert any("the image server does not answer" in x for x in result["degraded"])


def test_fetch_goes_into_a_result_only(csbx, python_image):
    csbx.fails("run", "--fetch=/x", python_image, "true", says=["--fetch", "--json"])
    csbx.fails("run", "--json=/dev/null", "--fetch=x", python_image, "true", says="--fetch x: must be an absolute path")
    csbx.fails("run", "--json=/dev/null", "--fetch=/x", "--fetch=/x", python_image, "true", says="given twice")
