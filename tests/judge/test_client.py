# SPDX-License-Identifier: Apache-2.0
"""The Python package: run, containers, errors, cancellation, many at once."""
import asyncio
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import stat
import threading
import time
from pathlib import Path

import jsonschema
import pytest

SLOW_S = 30  # what a cancelled call may take on a busy machine
TESTS = Path(__file__).resolve().parents[1]
SCHEMAS = (TESTS / "result.schema.json", TESTS.parent / "docs/result.schema.json")
SCHEMA = json.loads(next(p for p in SCHEMAS if p.exists()).read_text(encoding="utf-8"))


# --- one run --------------------------------------------------------------------------------------

@pytest.mark.both_users
def test_run(client, python_image):
    result = client.run(python_image, ["python3", "-c", "print(6 * 7)"], timeout=30, memory="256m", pids_limit=64)
    assert (result.status, result.success, result.exit_code, result.stdout) == ("exited", True, 0, "42\n")
    assert result.stdout_data == b"42\n" and result.timeout_s == 30
    assert result.limits.memory.asked == 256 << 20 and result.limits.memory.enforced_by
    assert result.user.name == "root" and result.argv[0] == "python3"


def test_to_dict_is_the_object(client, python_image):
    result = client.run(python_image, ["sh", "-c", "echo x >f; echo err >&2; exit 3"], workdir="/tmp", fetch=["/tmp/f"])
    obj = result.to_dict()
    jsonschema.validate(obj, SCHEMA)
    assert result.files == {"/tmp/f": b"x\n"} and obj["files"]["/tmp/f"] == "eAo="
    assert client.Result.from_dict(json.loads(json.dumps(obj))) == result
    obj["limits"]["memory"]["asked"] = 1
    assert result.to_dict() != obj, "a copy"


def test_fields_are_those_of_the_schema(client):
    fields = set(client.Result.__dataclass_fields__)
    assert fields - set(SCHEMA["properties"]) == {"stdout_data", "stderr_data", "raw"}


def test_a_later_version_may_add_fields(client):
    result = client.Result.from_dict({"status": "exited", "success": True, "exit_code": 0, "new": [1],
                                      "limits": {"memory": {"asked": None, "new": 1}, "gpu": {}}})
    assert result.success and result.to_dict()["new"] == [1]


def test_bytes_that_are_no_text(client, python_image):
    result = client.run(python_image, ["cat"], input=bytes(range(256)))
    assert result.stdout_data == bytes(range(256)) and result.encoding == "base64"
    assert result.stdout.startswith("\0\1") and "\ufffd" in result.stdout


def test_input_and_stdin(client, python_image, csbx):
    (csbx.work / "in").write_bytes(b"from a file")
    with open(csbx.work / "in", "rb") as f:
        assert client.run(python_image, ["cat"], stdin=f).stdout == "from a file"
    assert client.run(python_image, ["cat"], input="\u00fc").stdout_data == b"\xc3\xbc"
    assert client.run(python_image, ["cat"]).stdout == ""
    with pytest.raises(ValueError):
        client.run(python_image, ["cat"], input="x", stdin=0)


def test_words_arrive_as_they_are(client, python_image, csbx):
    words = ["; exit 7", "$(id)", "*", "a\nb", "--json", "-d", "", "\u00e9\u4e2d", "'\"\\"]
    show = "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))"
    result = client.run(python_image, ["python3", "-c", show, *words], env={"A": "1; $B\n", "USER": None})
    got, env = json.loads(result.stdout)
    assert got == words and env["A"] == "1; $B\n" and env["USER"] == csbx.env["USER"]


def test_streams_elsewhere(client, python_image, csbx):
    with open(csbx.work / "out", "wb") as out:
        result = client.run(python_image, ["sh", "-c", "echo out; echo err >&2; exit 4"], stdout=out)
    assert (csbx.work / "out").read_bytes() == b"out\n"
    assert (result.stdout, result.stderr, result.exit_code) == ("", "err\n", 4)


def test_much_output_is_cut(client, python_image):
    result = client.run(python_image, ["sh", "-c", "yes | head -c 3000000"], max_output="64k", timeout=60)
    assert result.truncated.stdout and result.stdout_bytes == 3000000 and len(result.stdout) <= 65536
    result = client.run(python_image, ["yes"], max_output_kill=100000, timeout=60)
    assert result.status == "output_limit" and not result.success


# --- whose fault --------------------------------------------------------------------------------------

def test_the_programs_failures_are_results(client, python_image):
    assert client.run(python_image, ["sh", "-c", "exit 125"]).exit_code == 125
    assert client.run(python_image, ["sh", "-c", "kill -9 $$"]).signal == 9
    with pytest.raises(client.ProgramError, match="exit code 127") as e:
        client.run(python_image, ["sh", "-c", "echo why; exit 127"], check=True)
    assert e.value.result.stdout == "why\n" and not isinstance(e.value, client.SandboxError)


def test_limits_are_results(client, python_image):
    with pytest.raises(client.ProgramTimeout) as e:
        client.run(python_image, ["sh", "-c", "echo before; sleep 100"], timeout=0.5, check=True)
    assert e.value.result.timed_out and e.value.result.stdout == "before\n"
    with pytest.raises(client.OutOfMemory) as e:
        client.run(python_image, ["python3", "-c", "x = b'x' * (1 << 30)"], memory=64 << 20, check=True)
    assert e.value.result.oom_killed and e.value.result.exit_code is None


def test_the_sandboxs_failures_are_raised(client, python_image, csbx):
    with pytest.raises(client.LaunchError, match="no-such-command") as e:
        client.run(python_image, ["no-such-command"])
    assert e.value.exit_code == 127 and e.value.result.status == "launch_error"
    with pytest.raises(client.LaunchError) as e:
        client.run(python_image, ["/etc/passwd"])
    assert e.value.exit_code == 126
    with pytest.raises(client.Refused, match="No such file"):
        client.run(csbx.work / "no-such-image.sqsh", ["true"])
    with pytest.raises(client.Refused, match="memory"):
        client.run(python_image, ["true"], memory="many")
    for error in (client.LaunchError, client.Refused, client.NotInstalled):
        assert issubclass(error, client.SandboxError) and not issubclass(error, client.ProgramError)


def test_no_program(client, python_image, monkeypatch):
    with pytest.raises(client.NotInstalled, match="no-such-csbx"):
        client.run(python_image, ["true"], csbx="no-such-csbx")
    monkeypatch.delenv("CSBX")
    with pytest.raises(client.NotInstalled, match="install csbx"):
        client.run(python_image, ["true"])


def fake(csbx, script):
    path = csbx.work / "fake-csbx"
    path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_broken_sandbox(client, csbx):
    obj = {"status": "sandbox_error", "success": False, "exit_code": 125,
           "error": {"code": "image_server", "stage": None, "message": "the image server has died"}}
    with pytest.raises(client.SandboxError, match="server has died") as e:
        client.run("x", ["true"], csbx=fake(csbx, f"echo '{json.dumps(obj)}'; exit 125"))
    assert e.value.result.error.code == "image_server"
    for script in ("exit 0", "echo null", "echo '[1]'; exit 1", "printf '{\"status\":'; kill -9 $$"):
        with pytest.raises(client.SandboxError):
            client.run("x", ["true"], csbx=fake(csbx, script))


@pytest.mark.parametrize("wrong, error", [
    ({"no_such": 1}, TypeError), ({"timeout": 0}, ValueError), ({"timeout": "five"}, ValueError), ({"timeout": True}, ValueError),
    ({"timeout": float("nan")}, ValueError), ({"cpus": -1}, ValueError), ({"env": {"A=B": "1"}}, ValueError),
    ({"workdir": "a\0b"}, ValueError)], ids=str)
def test_wrong_arguments(client, wrong, error):
    with pytest.raises(error):
        client.run("image", ["true"], **wrong)


@pytest.mark.parametrize("command", ["echo hi", b"ls", ["a\0b"], [b"x"]], ids=repr)
def test_a_command_is_words(client, command):
    with pytest.raises((TypeError, ValueError)):
        client.run("image", command)


LISTS = ("mounts", "volumes", "tmpfs", "devices", "fetch", "env_file", "group_add", "cap_add", "cap_drop", "security_opt",
         "deny_import", "deny_call", "allow_command")
DICTS = ("env", "ulimit", "labels")


@pytest.mark.parametrize("verb", ["run", "exec", "eval", "test"])
def test_every_name_is_an_option(client, csbx, verb):
    from csbx import options
    table, kind = {"run": (options.RUN, options.RunOptions), "exec": (options.EXEC, options.ExecOptions),
                   "eval": (options.EVAL, options.EvalOptions), "test": (options.JUDGE, options.JudgeOptions)}[verb]
    given = {name: ["x"] if name in LISTS else {"A": "1"} if name in DICTS else 1 for name in table}
    ours = {word[2:].split("=")[0] for word in options.words(table, given)}
    shown = set(re.findall(r"^ +(?:-., )?--([a-z-]+)", csbx.ok(verb, "--help"), re.M))
    assert ours <= shown
    assert set(table) == set(kind.__annotations__)


# --- ends -----------------------------------------------------------------------------------------

def wait_until_it_runs(csbx, word):
    """Until a process of the container has that word in its command line."""
    deadline = time.monotonic() + SLOW_S
    while time.monotonic() < deadline:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if words[:1] == [b"sleep"] and word.encode() in words:
                    return
        time.sleep(0.02)
    raise AssertionError("it never ran")


def test_an_interrupted_run_ends_its_container(client, python_image, csbx, running):
    def interrupt():
        wait_until_it_runs(csbx, "1001")
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        client.run(python_image, ["sleep", "1001"])
    thread.join()
    assert running() == []


@pytest.mark.parametrize("program", [["sleep", "1002"], ["sh", "-c", "trap '' TERM; sleep 1002; sleep 1002"]],
                         ids=["plain", "ignores_term"])
def test_a_cancelled_task_ends_its_container(client, python_image, csbx, program, running):
    async def main():
        task = asyncio.ensure_future(client.aio.run(python_image, program))
        await asyncio.get_running_loop().run_in_executor(None, wait_until_it_runs, csbx, "1002")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert running() == []
    asyncio.run(asyncio.wait_for(main(), 2 * SLOW_S))


def test_cancelled_at_any_moment(client, python_image):
    async def main():
        for ms in range(0, 60, 5):
            task = asyncio.ensure_future(client.aio.run(python_image, ["sleep", "1003"]))
            await asyncio.sleep(ms / 1000)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    asyncio.run(asyncio.wait_for(main(), 2 * SLOW_S))


def test_a_csbx_that_does_not_end(client, csbx, monkeypatch):
    from csbx import aio_perform, call, sync
    monkeypatch.setattr(call, "BACKSTOP_S", 0.2)
    for module in (aio_perform, sync):
        monkeypatch.setattr(module, "KILL_S", 0.2)
    program = fake(csbx, "[ $1 = kill ] && exit 1; exec sleep 1004")
    with pytest.raises(client.SandboxError, match="did not end"):
        client.run("x", ["true"], timeout=0.1, csbx=program)
    with pytest.raises(client.SandboxError, match="did not end"):
        asyncio.run(client.aio.run("x", ["true"], timeout=0.1, csbx=program))


# --- many -----------------------------------------------------------------------------------------

def test_many_threads(client, python_image):
    def one(n):
        return client.run(python_image, ["sh", "-c", f"echo {n}; exit {n % 3}"], timeout=SLOW_S)
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        results = list(pool.map(one, range(200)))
    assert [(r.stdout, r.exit_code) for r in results] == [(f"{n}\n", n % 3) for n in range(200)]


def test_many_tasks(client, python_image):
    async def main():
        return await asyncio.gather(*(client.aio.run(python_image, ["sh", "-c", f"echo {n}"], timeout=2 * SLOW_S)
                                      for n in range(150)))
    assert [r.stdout for r in asyncio.run(main())] == [f"{n}\n" for n in range(150)]


# --- containers that stay -----------------------------------------------------------------------------

def test_container(client, python_image, running):
    with client.start(python_image, ["sh", "-c", "echo up; echo err >&2; exec sleep 1005"], memory="128m") as box:
        assert box.exec(["sh", "-c", "cat >/tmp/f; echo $A; exit 3"], input="x", env={"A": "1"}).exit_code == 3
        assert box.exec(["cat", "/tmp/f"]).stdout == "x"
        with pytest.raises(client.ProgramTimeout):
            box.exec(["sleep", "1006"], timeout=0.3, check=True)
        with pytest.raises(client.LaunchError):
            box.exec(["no-such-command"])
        assert (box.logs().stdout, box.logs().stderr) == ("up\n", "err\n")
    assert box.wait() == 137
    with pytest.raises(client.SandboxError):
        box.exec(["true"])
    assert running() == []


def test_container_that_ends_itself(client, python_image):
    with client.start(python_image, ["sh", "-c", "exit 5"]) as box:
        assert box.wait() == 5
    with client.start(python_image, ["sh", "-c", "trap 'exit 6' TERM; echo; while :; do sleep 0.1; done"]) as box:
        while box.logs().stdout != "\n":
            time.sleep(0.02)
        box.stop(timeout=SLOW_S)
        assert box.wait() == 6


def test_container_with_asyncio(client, python_image):
    async def main():
        async with await client.aio.start(python_image, ["sleep", "1007"]) as box:
            results = await asyncio.gather(*(box.exec(["sh", "-c", f"echo {n}"]) for n in range(20)))
            assert [r.stdout for r in results] == [f"{n}\n" for n in range(20)]
        assert await box.wait() == 137
        assert (await box.logs()).stdout_data == b""
    asyncio.run(main())
