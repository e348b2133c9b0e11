# SPDX-License-Identifier: Apache-2.0
"""csbx.Sandbox and its asyncio twin: commands, files, handles, and that nothing stays behind."""
import asyncio
import datetime
import errno
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "cmd/python"


@pytest.fixture
def box(client, python_image):
    with client.Sandbox.create(python_image) as made:
        yield made


def gone(csbx):
    return json.loads(csbx.ok("ps", "--all", "--json")) == []


def wait_until(true, seconds=20):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.02)


def test_commands(client, box):
    result = box.run("echo $A; pwd; echo why >&2; exit 3", cwd="/tmp", env={"A": "b c"})
    assert (result.stdout, result.stderr, result.exit_code) == ("b c\n/tmp\n", "why\n", 3)
    assert box.run(["echo", "$A", "*"]).stdout == "$A *\n"
    assert box.run(["cat"], input="in").stdout == "in" and box.run(["id", "-u"], user="1000").stdout == "1000\n"
    assert box.run("sleep 60", timeout=0.2).timed_out and box.run("true", timeout=datetime.timedelta(seconds=9)).success
    assert box.run("sleep 60", timeout="200ms").timeout_s == 0.2
    with pytest.raises(client.ProgramError):
        box.run("exit 1", check=True)
    assert box.is_running()


def test_output_as_it_comes(client, box):
    """The command waits until its first line has been answered: a callback that came at the end would hang it."""
    seen = []

    def answer(text):
        seen.append(text)
        if text == "first \u00fc\n":
            box.files.write("/go", "")

    result = box.run("echo first \u00fc; while ! [ -e /go ]; do sleep 0.01; done; echo second; echo third >&2",
                     on_stdout=answer, on_stderr=lambda text: seen.append(("err", text)), timeout=30)
    assert result.success and sorted(map(str, seen)) == sorted(["first \u00fc\n", "second\n", str(("err", "third\n"))])
    assert (result.stdout, result.stderr) == ("first \u00fc\nsecond\n", "third\n")
    with pytest.raises(ValueError, match="exclude"):
        box.run("true", on_stdout=print, stdout=io.StringIO())
    with pytest.raises(TypeError):
        box.run("true", on_stdout=3)


def test_much_output_is_given_whole_and_kept_in_part(box):
    sizes = []
    result = box.run("yes | head -c 3000000; echo end", on_stdout=lambda text: sizes.append(len(text)), timeout=60)
    assert sum(sizes) == 3000004 and len(result.stdout) == 1 << 20 and result.truncated.stdout
    assert result.stdout.endswith("end\n")


def test_a_callback_that_fails_ends_the_command(box):
    def fail(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        box.run("echo x; sleep 600", on_stdout=fail)
    wait_until(lambda: box.run("ls -d /proc/[0-9]*/exe | wc -l; cat /proc/[0-9]*/cmdline").stdout.count("600") == 0)


class Lines(list):
    def write(self, text):
        assert isinstance(text, str)
        self.append(text)


def test_streams_to_any_object_with_write(client, python_image, box):
    for call in (lambda **how: client.run(python_image, ["sh", "-c", "printf '\\303'; printf '\\274'; echo e >&2"], **how),
                 lambda **how: box.run("printf '\\303'; printf '\\274'; echo e >&2", **how)):
        text, data, lines = io.StringIO(), io.BytesIO(), Lines()
        result = call(stdout=text, stderr=lines)
        assert (text.getvalue(), "".join(lines), result.stdout, result.stderr) == ("\u00fc", "e\n", "", "")
        assert call(stdout=data).stderr == "e\n" and data.getvalue() == b"\xc3\xbc"
    with pytest.raises(TypeError, match="write"):
        client.run(python_image, ["true"], stdout=object())
    assert not client.run(python_image, ["true"], stdout=Lines()).truncated.stdout


class Notebook(io.TextIOBase):
    """As the standard streams of a notebook: its descriptor is another place than the cell."""

    def __init__(self):
        super().__init__()
        self.text, self.fd = "", os.open(os.devnull, os.O_WRONLY)

    def fileno(self):
        return self.fd

    def write(self, text):
        self.text += text


def test_output_lands_in_the_notebook_s_cell(client, python_image):
    cell = Notebook()
    client.run(python_image, ["echo", "here"], stdout=cell)
    os.close(cell.fd)
    assert cell.text == "here\n"


def test_files(client, box, csbx):
    box.files.write("/work/a/notes", "text\n")
    box.files.write("/work/a/data", bytes(range(256)))
    assert box.files.read("/work/a/notes") == "text\n" and box.files.read_bytes("/work/a/data") == bytes(range(256))
    assert box.run("cat /work/a/notes").stdout == "text\n"
    box.files.write("/work/a/notes", "again")
    assert box.files.read("/work/a/notes") == "again"
    box.run("cd /work && ln -s a link && mkdir empty && touch 'two\nlines' .dot -- -x", check=True)
    seen = box.files.list("/work")
    assert [e.name for e in seen] == sorted([".dot", "-x", "a", "empty", "link", "two\nlines"])
    assert [e.name for e in seen if e.is_dir] == ["a", "empty"] and [e.name for e in seen if e.is_link] == ["link"]
    assert [(e.path, e.size) for e in box.files.list("/work/a")] == [("/work/a/data", 256), ("/work/a/notes", 5)]
    assert not box.files.list("/work/empty")
    box.files.get("/work/a", csbx.work / "out")
    assert (csbx.work / "out/notes").read_text() == "again"
    (csbx.work / "in").mkdir()
    (csbx.work / "in/f").write_text("up")
    box.files.put(csbx.work / "in", "/new/dir/in")
    assert box.files.read("/new/dir/in/f") == "up"
    box.files.remove("/new")
    for call in (lambda: box.files.read("/new/f"), lambda: box.files.get("/new/f", csbx.work / "x"), lambda: box.files.remove("/new/f")):
        with pytest.raises(client.NoSuchFile, match="^/new/f: no such file") as caught:
            call()
        assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, client.Refused)
        assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, "/new/f")
    with pytest.raises(FileNotFoundError, match="/new"):
        box.files.list("/new")
    with pytest.raises(IsADirectoryError):
        box.files.read("/work")
    with pytest.raises(FileNotFoundError):
        box.files.put(csbx.work / "no-such", "/x")
    with pytest.raises(ValueError, match="root"):
        box.files.read("relative")


def test_handles(client, box):
    command = box.commands.start("read x; echo got $x; read y; echo end", stdin=True, on_stdout=print)
    assert command.poll() is None and "running" in repr(command)
    command.write("one\n")
    with pytest.raises(TimeoutError):
        command.wait(timeout=0.1)
    command.write("two\n")
    assert command.wait(timeout=30, check=True).stdout == "got one\nend\n" and command.poll().success
    with pytest.raises(ValueError):
        command.write("three\n")

    command = box.commands.start("echo up; sleep 600 & sleep 600; echo never")
    wait_until(lambda: "600" in box.run("cat /proc/[0-9]*/cmdline").stdout)
    command.kill()
    assert command.poll().signal == signal.SIGKILL and command.poll().stdout == "up\n"
    assert "600" not in box.run("cat /proc/[0-9]*/cmdline").stdout
    ready = threading.Event()
    command = box.commands.start("trap 'echo term; exit 7' TERM; echo up; while :; do sleep 0.02; done",
                                 on_stdout=lambda text: ready.set())
    assert ready.wait(30)
    command.kill(signal.SIGTERM)
    assert command.wait(30).exit_code == 7


def test_nothing_stays(client, csbx, python_image):
    with pytest.raises(ZeroDivisionError):
        with client.Sandbox.create(python_image, memory="200m") as box:
            box.files.write("/kept", "x")
            raise ZeroDivisionError
    assert gone(csbx) and not box.is_running()
    box.kill()
    for call in (lambda: box.run("true"), lambda: box.files.read("/kept")):
        with pytest.raises(client.Refused) as caught:
            call()
        assert not isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("twin", ["Sandbox.create(image)", "asyncio.run(csbx.aio.Sandbox.create(image))"])
def test_a_crash_of_the_owner_leaves_nothing(client, csbx, python_image, twin):
    program = f"import asyncio, csbx, os, sys\nfrom csbx import Sandbox\nimage = sys.argv[1]\nbox = {twin}\n" \
              "print(box.id, flush=True)\nos.kill(os.getpid(), 9)"
    p = subprocess.run([sys.executable, "-c", program, python_image], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                       capture_output=True, text=True, timeout=60, check=False)
    assert p.returncode == -9 and p.stdout.strip(), p.stderr
    wait_until(lambda: gone(csbx))


def test_an_owner_of_ones_own(client, csbx, python_image):
    with subprocess.Popen(["sleep", "600"]) as other:
        box = client.Sandbox.create(python_image, owner=other.pid)
        assert box.is_running()
        other.kill()
    wait_until(lambda: gone(csbx))


def test_asyncio(client, csbx, python_image):
    async def main():
        async with await client.aio.Sandbox.create(python_image) as box:
            seen = []

            async def answer(text):
                seen.append(text)
                await box.files.write("/go", "")

            result = await box.run("echo a; while ! [ -e /go ]; do sleep 0.01; done; echo b", on_stdout=answer, timeout=30)
            assert result.stdout == "a\nb\n" and "".join(seen) == "a\nb\n"
            many = await asyncio.gather(*(box.run(["echo", str(n)]) for n in range(8)))
            assert [r.stdout for r in many] == [f"{n}\n" for n in range(8)]
            await box.files.write("/d/e/f", b"\xff")
            assert await box.files.read_bytes("/d/e/f") == b"\xff"
            for call in (box.files.read("/no"), box.files.get("/no", csbx.work / "no"), box.files.remove("/no")):
                with pytest.raises(client.NoSuchFile, match="^/no: "):
                    await call
            assert [e.name for e in await box.files.list("/d/e")] == ["f"]
            command = await box.commands.start("cat; echo up; sleep 600", stdin=True)
            await command.write("in ")
            command.close_stdin()
            with pytest.raises(TimeoutError):
                await command.wait(timeout=0.3)
            await command.kill()
            assert command.poll().signal == signal.SIGKILL and command.poll().stdout == "in up\n"
            command = await box.commands.start("exit 4")
            assert (await command.wait(30)).exit_code == 4
            with pytest.raises(ZeroDivisionError):
                await box.run("echo; sleep 600", on_stdout=lambda text: 1 / 0)
            text = io.StringIO()
            await client.aio.run(python_image, ["echo", "x"], stdout=text)
            assert text.getvalue() == "x\n" and await box.is_running()
            assert [c["status"] for c in await client.aio.ps()] == ["running"]

    asyncio.run(main())
    assert gone(csbx)


def test_images(client, csbx, python_image):
    root = csbx.work / "root"
    (root / "etc").mkdir(parents=True)
    (root / "etc/mark").write_text("x")
    client.import_image(f"dir:{root}", csbx.work / "made.sqsh")
    assert (csbx.work / "made.sqsh").stat().st_size > 0
    client.load(f"dir:{root}", "made")
    assert client.inspect("made")["name"] == "made"
    with client.Sandbox.create(python_image, labels={"a": "b"}) as box:
        assert [c["labels"] for c in client.ps()] == [["a=b"]] and client.inspect(box.id)
    assert not client.ps()
    for wrong in (lambda: client.load("dir:/no/such", "x"), lambda: client.inspect("no-such")):
        with pytest.raises(client.Refused):
            wrong()
    csbx.ok("remove", "-f", "made")


def test_words_of_results(client, python_image):
    result = client.run(python_image, ["sh", "-c", "echo said; for i in 1 2 3; do echo line $i >&2; done; exit 2"])
    assert len(repr(result)) < 200 and "exit code 2" in repr(result) and "said" in repr(result)
    with pytest.raises(client.ProgramError) as e:
        result.check()
    assert "sh -c 'echo said" in str(e.value) and str(e.value).endswith("line 1\nline 2\nline 3")
    judged = client.eval("1 / 0", image=python_image, timeout=30)
    assert len(repr(judged)) < 200 and repr(judged).startswith("<EvalResult")
    box = client.start(python_image, ["sh", "-c", "echo out; echo err >&2"])
    box.wait()
    logs = box.logs()
    assert (logs.stdout, logs.stderr, logs.stdout_data) == ("out\n", "err\n", b"out\n")


def test_a_patch_is_text_or_a_path_object(client, csbx, python_image):
    (csbx.work / "fix").write_text("--- a/x\n+++ b/x\n")
    for how in ({"patches": ["fix"]}, {"patches": "elsewhere/fix.diff"}, {"test_patch": "fix.patch"}):
        with pytest.raises(ValueError, match="pathlib.Path"):
            client.test(csbx.work, image=python_image, **how)
