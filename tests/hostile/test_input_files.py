# SPDX-License-Identifier: Apache-2.0
"""A file that csbx is told to read, in a directory that a run mounts writable: a link that a program has left there in
its place is not followed by the same command, given again, and the program is not shown what it leads to."""
import json
import os
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

SAID = "is a symbolic link in a directory that the program may write to, and is not followed"
SECRET = "print('the caller\\'s secret')  # the_secret=1\n"


@pytest.fixture
def place(csbx):
    for name in ("ws", "ws/dir", "private"):
        (csbx.work / name).mkdir()
    (csbx.work / "private/file").write_text(SECRET)
    (csbx.work / "private/names").write_text("THE_SECRET=1\n")
    for name in ("ws/file", "ws/dir/file", "ws/code.py"):
        (csbx.work / name).write_text("print('first')\n")
    if csbx.user:
        for path in (csbx.work / "ws", *(csbx.work / "ws").rglob("*")):
            os.chown(path, csbx.owner.pw_uid, csbx.owner.pw_gid)
    return csbx.work


def plant(csbx, python_image, place, name, target):
    """As a program does it, in a run of its own."""
    code = f"import os, shutil; p = '/w/{name}'\nshutil.rmtree(p) if os.path.isdir(p) else os.path.lexists(p) and os.unlink(p)\n" \
           f"os.symlink({str(place / target)!r}, p)"
    csbx.ok("start", "--volume", f"{place}/ws:/w", python_image, "python3", "-ISc", code)


WAYS = {
    "a file": ("ws/file", "file", "private/file"),
    "a directory on the way": ("ws/dir/file", "dir", "private"),
}
READERS = {
    "a snippet": ["eval", "FILE"],
    "a setup": ["eval", "--setup=FILE", "CODE"],
    "cases": ["eval", "--function=f", "--cases=FILE", "CODE"],
    "asserting code": ["eval", "--check=FILE", "CODE"],
    "files of a snippet": ["eval", "--files=FILE", "CODE"],
    "standard input": ["eval", "--stdin=FILE", "CODE"],
    "a batch": ["eval", "--batch=FILE"],
    "a patch": ["test", "--repo=REPO", "--patch=FILE"],
    "a patch of tests": ["test", "--repo=REPO", "--test-patch=FILE"],
    "ids of tests": ["test", "--repo=REPO", "--fail-to-pass=@FILE"],
    "standard input of a start": ["start", "--stdin=FILE"],
    "standard input of a run": ["run", "--stdin=FILE"],
}


@pytest.mark.parametrize("order", ["", "reversed"])
@pytest.mark.parametrize("way", [("ws/names", "names", "private/names"), ("ws/dir/names", "dir", "private")], ids=["a file", "a way"])
def test_a_file_of_variables(csbx, python_image, place, way, order):
    """Wherever it stands on the command line; in the configuration too."""
    path, name, target = way
    plant(csbx, python_image, place, name, target)
    words = [["--env-file", f"{place}/{path}"], ["--volume", f"{place}/ws:/w"]]
    words = sum(reversed(words) if order else words, [])
    for verb in (["start", *words, python_image, "env"], ["docker", "run", "--rm", *words, python_image, "env"],
                 ["eval", "--image", python_image, *words, f"{place}/ws/code.py"]):
        p = csbx.run(*verb)
        assert p.returncode == 125 and SAID in p.stderr and "SECRET" not in p.stdout + p.stderr, (p.returncode, p.stdout, p.stderr)
    p = csbx.run("start", *words[2 * (not order):][:2], python_image, "env", env={"CSBX_ENV_FILE": f"{place}/{path}"})
    assert p.returncode == 125 and SAID in p.stderr, (p.returncode, p.stderr)


@pytest.mark.parametrize("way", [("ws/names", "names", "private/names"), ("ws/dir/names", "dir", "private")], ids=["a file", "a way"])
def test_a_file_of_labels(csbx, python_image, place, way):
    path, name, target = way
    plant(csbx, python_image, place, name, target)
    for verb, code in ("run", 125), ("create", 1):
        p = csbx.run("docker", verb, "--label-file", f"{place}/{path}", "-v", f"{place}/ws:/w", python_image, "env")
        assert p.returncode == code and SAID in p.stderr and "SECRET" not in p.stdout + p.stderr, (p.returncode, p.stderr)
    assert csbx.ok("docker", "ps", "-aq") == ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reader", READERS)
def test_what_a_run_reads(csbx, python_image, place, reader, way):
    path, name, target = WAYS[way]
    plant(csbx, python_image, place, name, target)
    verb, *words = READERS[reader]
    words = [w.replace("FILE", f"{place}/{path}").replace("CODE", f"{place}/ws/code.py").replace("REPO", f"{place}/ws") for w in words]
    options = ["--volume", f"{place}/ws:/w"]
    words = [verb, *options, *words, python_image, "cat"] if verb in ("start", "run") else [verb, "--image", python_image, *options, *words]
    p = csbx.run(*words)
    assert p.returncode == 125 and SAID in p.stderr and "secret" not in p.stdout + p.stderr, (p.returncode, p.stdout, p.stderr)


VOLUME_READERS = {
    **READERS,
    "a file of variables": ["run", "--env-file=FILE"],
    "variables of one that stays": ["create", "--keep", "--name=kept", "--env-file=FILE"],
    "a script": ["start", "--rc=FILE"],
    "a repository": ["test", "--repo=WAY"],
    "a label file": ["docker", "run", "--rm", "--label-file=FILE"],
}


@pytest.fixture
def volume(csbx, python_image, place):
    """Where a volume lies in which a program has left links."""
    csbx.ok("run", "--volume", "vol:/w", python_image, "python3", "-ISc",
            f"import os; os.symlink({str(place / 'private/file')!r}, '/w/file'); os.symlink({str(place / 'private')!r}, '/w/way')")
    return csbx.ok("docker", "volume", "inspect", "-f", "{{.Mountpoint}}", "vol").strip()


def reads(reader, where, place, options, image):
    """The command line of a reader of VOLUME_READERS."""
    verb, *words = VOLUME_READERS[reader]
    words = [w.replace("FILE", f"{where}/file").replace("WAY", f"{where}/way").replace("CODE", f"{place}/ws/code.py").replace("REPO", f"{place}/ws")
             for w in words]
    if verb == "docker":
        return [verb, words[0], *options, *words[1:], image, "cat"]
    return [verb, *options, *words, image, "cat"] if verb in ("start", "run", "create") else [verb, "--image", image, *options, *words]


@pytest.mark.parametrize("reader", VOLUME_READERS)
def test_a_volume(csbx, python_image, place, volume, reader):
    """It is known by its name, and where it lies is csbx's own knowledge."""
    p = csbx.run(*reads(reader, volume, place, ["--volume", "vol:/w"], python_image))
    assert p.returncode == 125 and SAID in p.stderr and "secret" not in p.stdout + p.stderr, (p.returncode, p.stdout, p.stderr)


def test_a_volume_of_the_settings(csbx, python_image, place, volume):
    p = csbx.run("run", "--stdin", f"{volume}/file", python_image, "cat", env={"CSBX_VOLUME": "vol:/w"})
    assert p.returncode == 125 and SAID in p.stderr, (p.returncode, p.stdout, p.stderr)
    assert csbx.ok("run", "--volume", "vol:/w:ro", "--stdin", f"{volume}/file", python_image, "cat") == SECRET
    p = csbx.run("run", "--volume", "other:/w", "--stdin", f"{place}/none", python_image, "cat")
    assert p.returncode == 125 and csbx.ok("docker", "volume", "ls", "-q") == "vol\n", p


def test_a_volume_and_a_line(csbx, python_image, place, volume):
    """A line of a batch makes the volume that the next one has, too."""
    (place / "batch").write_text(json.dumps({"id": "one", "repo": f"{volume}/way"}) + "\n")
    p = csbx.run("test", "--image", python_image, "--volume", "vol:/w", "--batch", place / "batch")
    assert p.returncode == 1 and SAID in json.loads(p.stdout)["error"]["message"], p


@pytest.mark.parametrize("words", ["--env-file=", "--stdin=", "--json="])
def test_the_memory_that_is_shared_with_the_host(csbx, python_image, place, words):
    """`--ipc host` is a writable mount of /dev/shm."""
    link = f"/dev/shm/csbx-test-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        csbx.ok("run", "--ipc", "host", python_image, "python3", "-ISc", f"import os; os.symlink({str(place / 'private/names')!r}, {link!r})")
        p = csbx.run("run", "--ipc", "host", f"{words}{link}", python_image, "env")
        assert p.returncode == 125 and SAID in p.stderr and "SECRET" not in p.stdout, (p.returncode, p.stdout, p.stderr)
        assert (place / "private/names").read_text() == "THE_SECRET=1\n"
    finally:
        os.unlink(link)


def test_a_file_of_a_line(csbx, python_image, place):
    plant(csbx, python_image, place, "file", "private/file")
    (place / "batch").write_text("".join(json.dumps({"id": n, "file": f"{place}/ws/{n}"}) + "\n" for n in ("file", "code.py")))
    p = csbx.run("eval", "--image", python_image, "--volume", f"{place}/ws:/w", "--batch", place / "batch")
    records = {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}
    assert p.returncode == 1 and SAID in records["file"]["error"]["message"] and records["code.py"]["stdout"] == "first\n", records


@pytest.mark.parametrize("option", [(), ("--copy-repo",)], ids=["", "copied"])
@pytest.mark.parametrize("way", [("ws/dir", "dir", "private"), ("ws/dir/sub", "dir", ".")], ids=["itself", "a way"])
def test_a_repository(csbx, python_image, place, way, option):
    path, name, target = way
    (place / "sub").mkdir()
    plant(csbx, python_image, place, name, target)
    p = csbx.run("test", "--image", python_image, "--volume", f"{place}/ws:/w", "--repo", place / path, *option)
    assert p.returncode == 125 and SAID in p.stderr, (p.returncode, p.stdout, p.stderr)


@pytest.mark.parametrize("words", [("eval", "--stdin"), ("eval", "--batch"), ("start", "--stdin")], ids=" ".join)
def test_a_fifo(csbx, python_image, place, words):
    """It would wait for a writer, without an end."""
    csbx.ok("start", "--volume", f"{place}/ws:/w", python_image, "python3", "-ISc", "import os; os.unlink('/w/file'); os.mkfifo('/w/file')")
    (place / "link").symlink_to("ws/file")
    for name in ("ws/file", "link"):
        line = [words[0], "--volume", f"{place}/ws:/w", words[1], place / name]
        line += [python_image, "cat"] if words[0] == "start" else ["--image", python_image, *([f"{place}/ws/code.py"] if words[1] == "--stdin" else [])]
        csbx.fails(*line, says="is a FIFO, in a directory that the program may write to", timeout=20)


def test_links_of_the_caller(csbx, python_image, place):
    """Elsewhere, and to a directory that is mounted: they lead where they say."""
    (place / "link").symlink_to(place / "private/file")
    (place / "way").symlink_to(place / "ws")
    for path in ("link", "way/code.py", "ws/code.py"):
        for words in ([f"{place}/{path}"], [f"--stdin={place}/{path}", f"{place}/ws/code.py"]):
            csbx.ok("eval", "--image", python_image, "--volume", f"{place}/ws:/w", *words)
    assert csbx.ok("start", "--volume", f"{place}/ws:/w", "--stdin", f"{place}/link", python_image, "cat") == SECRET
    plant(csbx, python_image, place, "file", "private/file")
    assert csbx.ok("start", "--volume", f"{place}/ws:/w:ro", "--stdin", f"{place}/ws/file", python_image, "cat") == SECRET


def test_streams_that_have_no_name(csbx, python_image, place):
    """What the shell makes of <(...), standard input by its name in /dev, and a FIFO of the caller's."""
    (place / "cat.py").write_text("import sys; print(sys.stdin.read(), end='')\n")
    words = ["eval", "--image", python_image, "--volume", f"{place}/ws:/w"]
    p = csbx.run(*words, "--stdin", "/dev/stdin", place / "cat.py", stdin="given\n")
    assert (p.returncode, p.stdout) == (0, "given\n"), p.stderr
    os.mkfifo(place / "fifo")
    if csbx.user:
        os.chown(place / "fifo", csbx.owner.pw_uid, csbx.owner.pw_gid)
    with subprocess.Popen(["sh", "-c", 'echo given >"$1"', "sh", place / "fifo"]):
        p = csbx.run(*words, "--stdin", place / "fifo", place / "cat.py")
    assert (p.returncode, p.stdout) == (0, "given\n"), p.stderr
    read, write = os.pipe()
    os.write(write, b"given\n")
    os.close(write)
    p = csbx.run(*words, "--stdin", f"/dev/fd/{read}", place / "cat.py", pass_fds=[read])
    os.close(read)
    assert (p.returncode, p.stdout) == (0, "given\n"), p.stderr
