# SPDX-License-Identifier: Apache-2.0
"""A file that csbx is told to write, in a directory that the run mounts writable: a link that a program has left there
for the same command, given again, does not lead to what csbx writes."""
import json
import os
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

PLANT = """
import os, shutil
def plant(name, target):
    if os.path.isdir("/w/" + name) and not os.path.islink("/w/" + name):
        shutil.rmtree("/w/" + name)
    elif os.path.lexists("/w/" + name):
        os.unlink("/w/" + name)
    os.symlink(target, "/w/" + name)
"""
SAID = "is a symbolic link in a directory that the program may write to, and is not followed"


@pytest.fixture
def place(csbx):
    for name in ("ws", "ws/dir", "private"):
        (csbx.work / name).mkdir()
    (csbx.work / "private/file").write_text("the caller's\n")
    if csbx.user:
        for path in (csbx.work / "ws", *(csbx.work / "ws").rglob("*"), csbx.work / "private", csbx.work / "private/file"):
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    return csbx.work


def refused(p, place):
    assert p.returncode == 125 and SAID in p.stderr, (p.returncode, p.stderr)
    assert {f.name: f.read_text() for f in (place / "private").iterdir()} == {"file": "the caller's\n"}


COMMANDS = {
    "a file": ("ws/out.json", "out.json", "private/file"),
    "a file that is not there": ("ws/out.json", "out.json", "private/new"),
    "a directory on the way": ("ws/dir/file", "dir", "private"),
}


@pytest.mark.parametrize("way", COMMANDS)
@pytest.mark.parametrize("verb", ["start", "eval"])
def test_the_same_command_again(csbx, python_image, place, verb, way):
    path, name, target = COMMANDS[way]
    code = place / "code.py"
    code.write_text(PLANT + f"plant({name!r}, {str(place / target)!r})\n")
    words = [f"--json={place}/{path}", "--volume", f"{place}/ws:/w"]
    words = (["eval", "--image", python_image, *words, code] if verb == "eval" else
             ["start", *words, python_image, "python3", "-ISc", code.read_text()])
    csbx.ok(*words)
    refused(csbx.run(*words), place)


@pytest.mark.parametrize("verb", ["run", "create"])
def test_the_id_of_a_container(csbx, python_image, place, verb):
    code = PLANT + f"plant('dir', {str(place / 'private')!r})\n"
    words = ["--cidfile", place / "ws/dir/id", "-v", f"{place}/ws:/w", python_image, "python3", "-ISc", code]
    csbx.ok("docker", "run", "--rm", *words)
    refused(csbx.run("docker", verb, *words), place)


@pytest.mark.parametrize("way", COMMANDS)
def test_records_of_a_batch(csbx, python_image, place, way):
    path, name, target = COMMANDS[way]
    snippet = PLANT + f"plant({name!r}, {str(place / target)!r})\n"
    (place / "batch").write_text(json.dumps({"id": "a", "code": snippet}) + "\n")
    words = ["eval", "--image", python_image, "--volume", f"{place}/ws:/w", "--batch", place / "batch", "-o", f"{place}/{path}"]
    csbx.ok(*words)
    refused(csbx.run(*words), place)


def test_a_report(csbx, python_image, place):
    (place / "code.py").write_text(PLANT + f"plant('dir', {str(place / 'private')!r})\n")
    words = ["eval", "--image", python_image, "--volume", f"{place}/ws:/w", "--report", f"{place}/ws/dir/r.html", place / "code.py"]
    csbx.run(*words)
    refused(csbx.run(*words), place)


@pytest.mark.parametrize("verb", ["start", "eval --batch"])
def test_a_fifo(csbx, python_image, place, verb):
    """To open one waits for a reader, and what is written to it is nowhere."""
    code = "import os\nos.path.lexists('/w/out') and os.unlink('/w/out')\nos.mkfifo('/w/out')\n"
    (place / "batch").write_text(json.dumps({"id": "a", "code": code}) + "\n")
    words = ["--volume", f"{place}/ws:/w", python_image]
    words = (["start", f"--json={place}/ws/out", *words, "python3", "-c", code] if verb == "start" else
             ["eval", "--batch", place / "batch", "-o", f"{place}/ws/out", *words[:2], "--image", python_image])
    csbx.ok(*words)
    p = csbx.run(*words, timeout=20)
    assert p.returncode == 125 and "is no regular file, in a directory that the program may write to" in p.stderr, p


@pytest.mark.parametrize("mounts", [[], ["--volume", "ws:/w:ro"], ["--volume", "ws/dir:/w"]], ids=["none", "read-only", "beside it"])
def test_a_link_that_no_program_can_have_made_is_followed(csbx, python_image, place, mounts):
    (place / "ws/out.json").symlink_to(place / "private/file")
    words = [w.replace("ws", f"{place}/ws") for w in mounts]
    csbx.ok("start", f"--json={place}/ws/out.json", *words, python_image, "python3", "-c", "")
    assert json.loads((place / "private/file").read_text())["exit_code"] == 0


def test_a_link_on_the_way_to_the_mount_is_followed(csbx, python_image, place):
    (place / "link").symlink_to("ws")
    csbx.ok("start", f"--json={place}/link/out.json", "--volume", f"{place}/link:/w", python_image, "python3", "-c", "")
    assert json.loads((place / "ws/out.json").read_text())["exit_code"] == 0


@pytest.mark.parametrize("words", [["--json=link"], ["--env-file", "link"]], ids=["written", "read"])
def test_a_directory_above_that_is_closed(csbx, python_image, place, words):
    """By the program: what cannot be reached from the link's directory upwards lies in the mount all the same."""
    deep = place / "ws/closed/deep"
    deep.mkdir(parents=True)
    (deep / "link").symlink_to(place / "private/file")
    if csbx.user:
        for path in (deep.parent, deep, deep / "link"):
            os.lchown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    here = os.open(deep, os.O_PATH)
    deep.parent.chmod(0)
    try:
        p = subprocess.run(csbx.argv(["start", *words, "--mount", f"{place}/ws:/w", python_image, "true"]), env=csbx.env,
                           capture_output=True, text=True, timeout=60, preexec_fn=lambda: os.fchdir(here),
                           **csbx.identity())
        refused(p, place)
    finally:
        os.close(here)
        deep.parent.chmod(0o755)
