# SPDX-License-Identifier: Apache-2.0
"""Limits and the result object; tests/limits has the programs that go past a limit."""
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest


def judge(csbx, image, code, *options, **kw):
    p = csbx.run("run", "--json", *options, image, "python3", "-c", code, **kw)
    return p.returncode, json.loads(p.stdout)


def test_result_comes_in_time(csbx, python_image):
    csbx.ok("run", python_image, "true")
    begin = time.monotonic()
    rc, result = judge(csbx, python_image, "import time; time.sleep(60)", "--timeout", "1")
    assert rc == 124
    assert time.monotonic() - begin < 2.5
    assert 1 <= result["wall_s"] < 1.6


def test_every_field_of_the_schema(csbx, python_image):
    _, result = judge(csbx, python_image, "print('x')")
    assert list(result) == [
        "schema", "id", "name", "image", "argv", "cwd", "user", "status", "success", "completed",
        "exit_code", "signal", "timed_out", "timeout_s", "oom_killed", "detected",
        "memory_limit_bytes", "memory_peak_bytes", "stdout", "stderr", "stdout_bytes",
        "stderr_bytes", "truncated", "encoding", "started_at", "wall_s", "cpu_user_s", "cpu_sys_s",
        "setup_s", "teardown_s", "max_pids", "limits", "degraded", "error", "files", "csbx_version"]


def test_output_is_kept_apart_and_whole(csbx, python_image):
    _, result = judge(csbx, python_image,
                      "import sys\nfor i in range(1000): print(i)\nprint('é€\\0', file=sys.stderr)")
    assert result["stdout"] == "".join(f"{i}\n" for i in range(1000))
    assert result["stderr"] == "é€\0\n"
    assert result["encoding"] == "utf-8"


def test_a_flood_is_cut_to_head_and_tail(csbx, python_image):
    _, result = judge(csbx, python_image, "import sys\nfor i in range(10**6): sys.stdout.write('%06d\\n' % i)",
                      "--max-output", "1000")
    assert result["stdout_bytes"] == 7 * 10**6
    assert result["truncated"] == {"stdout": True, "stderr": False}
    assert result["stdout"].startswith("000000\n000001\n") and result["stdout"].endswith("999999\n")
    assert len(result["stdout"]) == 1000


def test_memory_of_the_supervisor_is_constant(csbx, python_image):
    p = csbx.popen("run", "--max-output", "1m", "--timeout", "2", python_image, "yes",
                   stdout=subprocess.DEVNULL)
    peak_kb = 0
    while p.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{p.pid}/status").read_text(encoding="utf-8"))
        peak_kb = int(found[1]) if found else peak_kb  # a zombie has none
        time.sleep(0.05)
    assert p.returncode == 124
    assert 0 < peak_kb < 8 << 10


def test_json_to_a_file_leaves_the_streams_alone(csbx, python_image):
    out = csbx.work / "r.json"
    p = csbx.run("run", f"--json={out}", python_image, "echo", "hello")
    assert (p.returncode, p.stdout) == (0, "hello\n")
    result = json.loads(out.read_text())
    assert (result["status"], result["stdout"]) == ("exited", None)
    result = json.loads(csbx.ok("run", "--json=-", python_image, "echo", "hello"))
    assert result["stdout"] == "hello\n" and not (csbx.work / "-").exists()


BAD = ["1e3", "-1", "0", "9999999999999g", "nan", "inf", "", " 1", "1 ", "+1", "0x10", "1kk", "1,5",
       "18446744073709551616", "\u0661", "1\n2"]
LIMITS = {"memory": ["1.5", "1.5b", "1023k"], "cpus": ["0.0001"], "pids-limit": ["1.5", "4194305", "1k"],
          "shm-size": ["1.5"], "upper-size": ["1.5"], "timeout": ["1w", "0.0001"], "kill-after": ["1w"],
          "max-output": ["1.5"], "max-output-kill": ["1.5"], "limits": ["Strict", "auto,strict"],
          "result-fd": ["99", "1.5", "2000000"]}
WORDS = {"ulimit": ["nofile", "nofile=", "nofile=-5", "nofile=1e3", "nofile=5:3", "nofile=1:2:3", "x=1", "=1",
                    "nofile=99999999999999999999"],
         "tmpfs": ["/x:size=-1", "/x:size=nan", "/x:size=0", "/x:size=", "/x:size=9999999999999g", "x"]}


@pytest.mark.parametrize("option", [*LIMITS, *WORDS])
def test_bad_limits_are_refused_before_anything_starts(csbx, python_image, option):
    """Every value by every way: one line that names the option, and nothing was run."""
    made = csbx.work / "made"
    for value in LIMITS[option] + BAD if option in LIMITS else WORDS[option]:
        csbx.fails("run", f"--{option}={value}", "--mount", f"{csbx.work}:/w", python_image, "touch", "/w/made",
                   says=f"--{option}")
    key = f"CSBX_{option.upper().replace('-', '_')}"
    if option in LIMITS and option != "result-fd":
        for value in ("1e3", "-1", " 1"):
            csbx.fails("run", python_image, "true", env={key: value}, says=key)
    assert not made.exists()


@pytest.mark.parametrize("options,says", [
    (["--max-output=1m", "--max-output-kill=1m"], "--max-output and --max-output-kill"),
    (["--pids-limit=5", "--ulimit=nproc=5"], "--pids-limit and --ulimit nproc="),
    (["--shm-size=1m", "--ipc=host"], "--shm-size and --ipc host"),
    (["--json=/dev/null", "--result-fd=1"], "--json=FILE and --result-fd"),
    (["--json-no-output"], "--json-no-output")])
def test_limits_that_contradict_each_other(csbx, python_image, options, says):
    csbx.fails("run", *options, python_image, "true", says=says)


def test_why_a_program_could_not_fork(csbx, python_image):
    """The kernel tells it only "Resource temporarily unavailable"; the result says which limit that was."""
    fork = "import os\npid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)"
    code, result = judge(csbx, python_image, fork, "--pids-limit", "1")
    assert (code, result["status"]) == (1, "exited") and "Resource temporarily" in result["stderr"]
    assert result["error"] == {"code": "pids_limit", "stage": "pids",
                               "message": "pids: the limit of 1 process was reached; --pids-limit sets it"}
    for command, limit in (("pass", "1"), (fork, "20"), ("raise SystemExit(3)", "20")):
        assert judge(csbx, python_image, command, "--pids-limit", limit)[1]["error"] is None


def test_results_in_one_file_of_the_shell(csbx, python_image):
    """A file that a shell opened stands at the object's end: the next output does not overwrite it."""
    out = csbx.work / "all.jsonl"
    out.touch()
    out.chmod(0o666)
    with open(out, "wb") as f:
        for word in ("one", "two"):
            p = csbx.popen("run", "--json", python_image, "echo", word, stdout=f)
            assert p.wait(60) == 0, p.stderr.read()
            p.stderr.close()
        p = csbx.popen("run", "--result-fd", "1", python_image, "echo", "three", stdout=f)
        assert p.wait(60) == 0, p.stderr.read()
        p.stderr.close()
    lines = out.read_text().splitlines()
    assert [json.loads(x)["stdout"] for x in lines[:2]] == ["one\n", "two\n"], lines
    assert lines[2] == "three" and json.loads(lines[3])["argv"] == ["echo", "three"] and len(lines) == 4, lines


@pytest.mark.parametrize("place", ["/no/such/dir/r.json", "/", "/proc/version"])
def test_a_result_file_that_cannot_be_written(csbx, python_image, place):
    made = csbx.work / "made"
    csbx.fails("run", f"--json={place}", "--mount", f"{csbx.work}:/w", python_image, "touch", "/w/made", says=place)
    assert not made.exists()


def run_into(out, csbx, *args):
    """(exit code, standard error) of a run whose standard output is that file."""
    with csbx.popen("run", *args, cwd=csbx.work, stdout=out, stderr=subprocess.PIPE) as p:
        said = p.communicate(timeout=60)[1].decode()
    return p.returncode, said


@pytest.mark.needs_root
def test_a_result_on_a_full_disk(csbx, python_image):
    """No room: nothing is run. csbx keeps room for the result, whatever the program does to the disk meanwhile."""
    small, made = csbx.work / "small", csbx.work / "made"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=400k,mode=0700,uid={csbx.owner.pw_uid}", "none", small], check=True)
    try:
        fill = "import os\nwith open('/w/small/fill', 'wb', 0) as f:\n  try:\n    while True: f.write(b'x' * 4096)\n" \
               "  except OSError: pass\nprint('y' * 300000)\nraise SystemExit(7)"
        for place in ("--json=small/r.json", "--json"):
            with open(small / "r.json", "w", encoding="ascii") as f:
                os.chown(f.name, csbx.owner.pw_uid, csbx.owner.pw_gid)
                f.write("old" * 1000)
                f.flush()
                f.seek(0)
                if place == "--json":  # as a shell's > does
                    f.truncate()
                code, said = run_into(f if place == "--json" else subprocess.DEVNULL, csbx, place, "--max-output", "1m", "--mount", f"{csbx.work}:/w", python_image,
                                      "python3", "-c", fill)
            result = json.loads((small / "r.json").read_text())
            assert (result["status"], result["exit_code"]) == ("exited", 7), said
            if place == "--json":  # the output was to go there
                assert code == 125 and "No space left" in said and "exited, exit code 7" in said, said
                assert result["stdout"] is None and result["stdout_bytes"] == 300001
                assert any(x.startswith("output: ") for x in result["degraded"]), result
            (small / "r.json").unlink()
            with open(small / "more", "wb", 0) as f:
                while shutil.disk_usage(small).free > 4096:
                    f.write(b"x" * 4096)
            csbx.fails("run", f"--json={small}/r.json", "--mount", f"{csbx.work}:/w", python_image, "touch", "/w/made",
                       says="No space left")
            (small / "r.json").unlink()
            (small / "more").unlink()
            (small / "fill").unlink()
        assert not made.exists()
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_a_result_that_is_appended(csbx, python_image):
    """The file's content stays, and csbx reports the error of a device that does not take a result."""
    out = csbx.work / "r.jsonl"
    out.write_text("{}\n")
    for _ in range(2):
        fd = os.open(out, os.O_WRONLY | os.O_APPEND)  # as a shell's >> does: at offset 0
        assert run_into(fd, csbx, "--json", python_image, "true")[0] == 0
        os.close(fd)
    lines = out.read_text().splitlines()
    assert lines[0] == "{}" and [json.loads(x)["status"] for x in lines[1:]] == ["exited"] * 2
    p = csbx.run("run", "--json=/dev/full", python_image, "sh", "-c", "exit 3")
    assert p.returncode == 125 and "No space left" in p.stderr and "exited, exit code 3" in p.stderr, p


# --- --limits -------------------------------------------------------------------------------------

# Options of a limit that only a control group holds exactly, and the word both messages begin with.
INEXACT = [(["--memory", "100m"], "memory"), (["--cpus", "1"], "cpus"), (["--cpus", "0.5"], "cpus")]


def has_cgroups(csbx):
    return csbx.run("doctor", "--feature", "cgroup").returncode == 0


@pytest.mark.both_users
@pytest.mark.parametrize("options,word", INEXACT)
def test_strict_starts_nothing_that_it_cannot_hold(csbx, python_image, options, word):
    args = ["run", "--json", *options, "--mount", f"{csbx.work}:/w", python_image, "touch", "/w/made"]
    made = csbx.work / "made"
    if has_cgroups(csbx):
        pytest.skip("control groups hold every limit here")
    result = json.loads(csbx.run(*args).stdout)
    assert result["status"] == "exited" and made.exists()
    assert [d for d in result["degraded"] if d.startswith(f"{word}: ")], result["degraded"]
    made.unlink()
    p = csbx.run("run", "--limits", "strict", *args[1:])
    assert p.returncode == 125 and not made.exists()
    assert f"--{word}: " in p.stderr and "remedy: " in p.stderr and "strict" in p.stderr
    result = json.loads(p.stdout)
    assert (result["status"], result["error"]["code"]) == ("sandbox_error", "limit")


@pytest.mark.both_users
def test_strict_is_content_with_what_is_exact(csbx, python_image):
    csbx.ok("run", "--limits", "strict", "--timeout", "20", "--max-output", "1m", "--shm-size", "1m",
            "--ulimit", "nofile=100", "--userns", "one", "--pids-limit", "20", python_image, "true")


@pytest.mark.feature("subuid")
def test_strict_and_processes_of_several_users(csbx, python_image):
    if has_cgroups(csbx):
        pytest.skip("a control group counts the processes of all users")
    csbx.fails("run", "--limits", "strict", "--pids-limit", "20", python_image, "true",
               says=["--pids-limit: ", "each user id", "remedy: --userns one"])


def test_strict_by_configuration(csbx, python_image):
    if has_cgroups(csbx):
        pytest.skip("control groups hold every limit here")
    csbx.fails("run", "--memory", "100m", python_image, "true", env={"CSBX_LIMITS": "strict"},
               says="--memory")
    csbx.ok("run", "--memory", "100m", "--limits", "auto", python_image, "true",
            env={"CSBX_LIMITS": "strict"})
    csbx.fails("run", "--limits", "lax", python_image, "true", says=["--limits", "auto or strict"])


def test_many_tmpfs_mounts_cannot_hide_memory(csbx, python_image):
    """The watchdog is shown a fixed number of file systems; one it does not see must not be."""
    if has_cgroups(csbx):
        pytest.skip("a control group counts all of them")
    mounts = [f"--tmpfs=/t{i}:size=1g" for i in range(10)]
    code = "f = open('/t9/big', 'wb')\nwhile 1: f.write(bytes(1 << 20)); f.flush()"
    rc, result = judge(csbx, python_image, code, "--memory", "60m", *mounts)
    assert (rc, result["status"]) == (137, "oom")
    csbx.fails("run", "--memory", "60m", *mounts, "--tmpfs=/t10", python_image, "true", says="--tmpfs")


def test_mapped_files_are_not_memory(csbx, python_image):
    """The kernel can drop their pages, so they count for no process; the peak of the process contains them."""
    with open(csbx.work / "big", "wb") as f:
        f.write(bytes(150 << 20))
    code = ("import mmap, time\nf = open('/w/big', 'rb')\nm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)\n"
            "sum(m[i] for i in range(0, len(m), 4096))\ntime.sleep(.3)")
    rc, result = judge(csbx, python_image, code, "--memory", "60m", "--mount", f"{csbx.work}:/w")
    assert (rc, result["status"], result["oom_killed"]) == (0, "exited", False)
    if result["limits"]["memory"]["enforced_by"] == "watchdog":
        assert result["memory_peak_bytes"] < 60 << 20


@pytest.mark.feature("subuid")
def test_a_program_nobody_may_read_is_counted(csbx, python_image):
    """The kernel hides the maps of a program that may be executed only and is another user's."""
    csbx.ok("run", "--mount", f"{csbx.work}:/w", python_image, "sh", "-c",
            "cp $(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') /w/python3 && "
            "chown 1:1 /w/python3 && chmod 711 /w/python3")
    code = "import time\nl = []\nfor i in range(200): l.append(b'x' * (1 << 20)); time.sleep(.003)"
    p = csbx.run("run", "--json", "--userns", "one", "--memory", "60m", "--mount", f"{csbx.work}:/w", python_image,
                 "/w/python3", "-c", code)
    result = json.loads(p.stdout)
    assert (p.returncode, result["status"]) == (137, "oom")
    assert result["memory_peak_bytes"] < 150 << 20


# --- the result object ----------------------------------------------------------------------------

def validate(result):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parent.parent / "result.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator({**schema, "$schema": "http://json-schema.org/draft-07/schema#"}).validate(result)


@pytest.mark.parametrize("options,command", [
    ([], ["true"]), ([], ["/no/such"]), ([], ["/etc/passwd"]), ([], ["sh", "-c", "kill -9 $$"]),
    (["--timeout=0.2"], ["sleep", "9"]), (["--memory=30m"], ["python3", "-c", "x = b'x' * (1 << 30)"]),
    (["--max-output-kill=1k"], ["yes"]), (["--cpus=0.5", "--pids-limit=9"], ["true"]),
    (["--fetch=/x", "--fetch=/etc/passwd"], ["true"]), (["--json-no-output"], ["echo", "x"]),
    (["--limits=strict", "--cpus=0.5"], ["true"]), ([], ["printf", "\\377"])])
def test_results_are_what_the_schema_says(csbx, python_image, options, command):
    validate(json.loads(csbx.run("run", "--json", *options, python_image, *command).stdout))


@pytest.mark.parametrize("size", range(1, 40))
def test_cuts_fall_on_character_boundaries(csbx, python_image, size):
    """Head and tail of a stream of characters of one to four bytes are text, whatever is kept."""
    text = "a\u00e9\u20ac\U0001f600" * 30
    rc, result = judge(csbx, python_image, f"import sys; sys.stdout.write({text!r})", f"--max-output={size}")
    assert (rc, result["encoding"], result["truncated"]["stdout"]) == (0, "utf-8", True)
    kept = result["stdout"]
    assert len(kept.encode()) <= size and result["stdout_bytes"] == 300
    assert any(text.startswith(kept[:i]) and text.endswith(kept[i:]) for i in range(len(kept) + 1))


@pytest.mark.parametrize("exits_at_once", range(20))
def test_too_much_output_is_told_whoever_is_first(csbx, busybox_image, exits_at_once):
    """All of it fits into the pipe: the program has ended before csbx has read it, or has not."""
    p = csbx.run("run", "--json", "--max-output-kill", "50000", busybox_image, "head", "-c", "60000", "/dev/zero")
    result = json.loads(p.stdout)
    assert (p.returncode, result["status"], result["exit_code"], result["signal"]) == (137, "output_limit", None, 9)


def peak_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return int(f.read().split("VmHWM:")[1].split()[0])


@pytest.mark.parametrize("program", [["yes"], ["sh", "-c", "tr '\\0' x </dev/zero"]], ids=["lines", "one line"])
@pytest.mark.parametrize("options", [["--json=/dev/null", "--max-output=1m"], ["--json"], ["--max-output-kill=100g"]],
                         ids=["head and tail", "captured", "counted"])
def test_supervisor_memory_does_not_grow(csbx, python_image, program, options):
    """Its peak after three seconds of output as fast as it can be had."""
    p = csbx.popen("run", *options, "--timeout", "3", python_image, *program, stdout=subprocess.DEVNULL)
    time.sleep(2.5)
    kib = peak_kib(p.pid)
    assert p.wait(20) == 124
    assert kib < 8 << 10


def test_back_pressure(csbx, python_image):
    """Without a reader the program waits, csbx's memory does not grow, and all output comes in the end."""
    code = "import os, sys\nfor i in range(64): os.write(1, bytes([65 + i % 26]) * 65536)\nprint('end', file=sys.stderr)"
    p = csbx.popen("run", "--max-output-kill", "1g", python_image, "python3", "-c", code)
    time.sleep(1)
    assert p.poll() is None and peak_kib(p.pid) < 8 << 10
    out, err = p.communicate(timeout=20)
    assert out == b"".join(bytes([65 + i % 26]) * 65536 for i in range(64)) and err == b"end\n"
    assert p.returncode == 0
