# SPDX-License-Identifier: Apache-2.0
"""Programs that misbehave, and the verdict each must get: status, exit code of csbx, and more."""
import json
import os
import signal
import subprocess
import time

import pytest

# name: (python code, options, expected status, expected exit code of csbx, further expectations)
PROGRAMS = {
    "exits_zero": ("pass", [], "exited", 0, {"success": True, "exit_code": 0, "signal": None}),
    "exits_seven": ("import sys; sys.exit(7)", [], "exited", 7, {"exit_code": 7}),
    "exits_124_by_itself": ("import sys; sys.exit(124)", ["--timeout", "20"], "exited", 124,
                            {"timed_out": False, "exit_code": 124}),
    "exits_125_by_itself": ("import sys; sys.exit(125)", [], "exited", 125, {"error": None}),
    "exits_137_by_itself": ("import sys; sys.exit(137)", [], "exited", 137, {"signal": None}),
    "segv": ("import os,signal; os.kill(os.getpid(), signal.SIGSEGV)", [], "signaled", 139,
             {"signal": 11, "exit_code": None}),
    "abort": ("import os; os.abort()", [], "signaled", 134, {"signal": 6}),
    "kills_itself": ("import os; os.kill(os.getpid(), 9)", [], "signaled", 137,
                     {"signal": 9, "oom_killed": False}),
    "kills_everyone": ("import os\ntry: os.kill(-1, 9)\nexcept ProcessLookupError: pass", [],
                       "exited", 0, {}),
    "sleeps_past_the_timeout": ("import time; time.sleep(60)", ["--timeout", "0.3"], "timeout", 124,
                                {"timed_out": True, "timeout_s": 0.3}),
    "ignores_term": ("import signal,time; signal.signal(15, signal.SIG_IGN)\nwhile 1: time.sleep(9)",
                     ["--timeout", "0.5"], "timeout", 124, {"signal": 9}),
    "stops_itself": ("import os,signal\nif os.fork(): os.waitpid(-1, 0)\n"
                     "else: os.kill(os.getpid(), signal.SIGSTOP)",
                     ["--timeout", "0.5"], "timeout", 124, {}),
    "daemon_outlives_parent": ("import os,time\nif os.fork() == 0:\n os.setsid()\n"
                               " if os.fork() == 0: time.sleep(60)\n", [], "exited", 0, {}),
    "grabs_two_gib_at_once": ("x = bytearray(2 << 30)", ["--memory", "200m"], "oom", 137,
                              {"oom_killed": True, "exit_code": None, "signal": 9}),
    "leaks_slowly": ("import time\na = []\nwhile 1: a.append(bytearray(4 << 20)); time.sleep(.002)",
                     ["--memory", "100m"], "oom", 137, {"oom_killed": True}),
    "tree_of_forks": ("import os,time\nfor i in range(6):\n if os.fork() == 0:\n"
                      "  x = bytearray(30 << 20); time.sleep(20)\ntime.sleep(20)",
                      ["--memory", "100m"], "oom", 137, {"oom_killed": True}),
    "shares_by_fork": ("import os,time\nx = bytearray(60 << 20)\nfor i in range(6):\n"
                       " if os.fork() == 0: time.sleep(.5); os._exit(0)\nfor i in range(6): os.wait()",
                       ["--memory", "200m"], "exited", 0, {"oom_killed": False}),
    "fills_the_layer": ("f = open('/big', 'wb')\nwhile 1: f.write(bytes(1 << 20)); f.flush()",
                        ["--memory", "80m", "--upper-size", "1g"], "oom", 137, {}),
    "fills_shm": ("import time\nf = open('/dev/shm/x', 'wb')\nfor i in range(60): f.write(bytes(1 << 20))\n"
                  "f.flush(); time.sleep(20)", ["--memory", "40m"], "oom", 137, {}),
    "hides_in_a_memfd": ("import os,time\nfd = os.memfd_create('x')\n"
                         "for i in range(120): os.write(fd, bytes(1 << 20))\ntime.sleep(20)",
                         ["--memory", "60m"], "oom", 137, {}),
    "child_dies_of_memory": ("import os,sys\nif os.fork() == 0: x = bytearray(1 << 30)\n"
                             "os.wait(); sys.exit(0)", ["--memory", "100m"], "oom", 137, {}),
    "thread_bomb": ("import threading,time,sys\ntry:\n"
                    " for i in range(500): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
                    "except RuntimeError: sys.exit(3)", ["--pids-limit", "40"], "exited", 3, {}),
    "fork_bomb": ("import os,time\nwhile 1:\n try: os.fork()\n except OSError: time.sleep(.05)",
                  ["--pids-limit", "50", "--timeout", "1"], "timeout", 124, {}),
    "one_cpu": ("import os,sys; sys.exit(len(os.sched_getaffinity(0)))", ["--cpus", "1"], "exited", 1,
                {"limits": {"cpus": {"asked": 1, "enforced_by": "affinity"}}}),
    "deep_recursion": ("import sys; sys.setrecursionlimit(10**9)\nclass A:\n"
                       " def __eq__(s, o): return s == o\nA() == A()", [], "signaled", 139, {}),
    "many_files": ("for i in range(20000): open(f'/tmp/{i}', 'w').close()", [], "exited", 0, {}),
    "descriptor_bomb": ("import os,sys\nfds = []\ntry:\n while 1: fds.append(os.open('/', os.O_RDONLY))\n"
                        "except OSError as e: sys.exit(e.errno)", ["--ulimit", "nofile=200"], "exited", 24,
                        {}),
}


def judge(csbx, image, code, *options, **kw):
    p = csbx.run("run", "--json", *options, image, "python3", "-c", code, **kw)
    return p.returncode, json.loads(p.stdout)


def holds(got, want):
    """Every key of want is in got with that value; inner objects likewise."""
    if not isinstance(want, dict):
        return got == want
    return all(holds(got[k], v) for k, v in want.items())


@pytest.mark.parametrize("name", PROGRAMS)
def test_verdict(csbx, python_image, name):
    code, options, status, exit_code, more = PROGRAMS[name]
    rc, result = judge(csbx, python_image, code, *options)
    assert (result["status"], rc) == (status, exit_code), result
    assert holds(result, more), result


def test_commands_that_cannot_be_run(csbx, python_image):
    for command, code, word in (("/no/such", 127, "command_not_found"),
                                ("/etc/passwd", 126, "command_not_executable")):
        p = csbx.run("run", "--json", python_image, command)
        result = json.loads(p.stdout)
        assert (p.returncode, result["status"], result["exit_code"]) == (code, "launch_error", code)
        assert result["error"]["code"] == word


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


def test_output_that_is_no_text(csbx, python_image):
    import base64
    _, result = judge(csbx, python_image, "import os; os.write(1, bytes(range(256)))")
    assert result["encoding"] == "base64"
    assert base64.b64decode(result["stdout"]) == bytes(range(256))


def test_a_flood_is_cut_to_head_and_tail(csbx, python_image):
    _, result = judge(csbx, python_image, "import sys\nfor i in range(10**6): sys.stdout.write('%06d\\n' % i)",
                      "--max-output", "1000")
    assert result["stdout_bytes"] == 7 * 10**6
    assert result["truncated"] == {"stdout": True, "stderr": False}
    assert result["stdout"].startswith("000000\n000001\n") and result["stdout"].endswith("999999\n")
    assert len(result["stdout"]) == 1000


def test_one_endless_line_ends_by_the_limit(csbx, python_image):
    rc, result = judge(csbx, python_image, "import os\nwhile 1: os.write(1, b'x' * 65536)",
                       "--max-output-kill", "3m")
    assert (rc, result["status"]) == (137, "output_limit")
    assert result["stdout_bytes"] == 3 << 20


def test_memory_of_the_supervisor_is_constant(csbx, python_image):
    p = csbx.popen("run", "--max-output", "1m", "--timeout", "2", python_image, "yes",
                   stdout=subprocess.DEVNULL)
    time.sleep(1)
    status = open(f"/proc/{p.pid}/status", encoding="utf-8").read()
    rss_kb = int(status.split("VmRSS:")[1].split()[0])
    assert p.wait(20) == 124
    assert rss_kb < 8 << 10


def test_a_reader_that_leaves(csbx, python_image):
    p = csbx.popen("run", "--max-output-kill", "1g", python_image, "yes")
    assert p.stdout.read(2) == b"y\n"
    p.stdout.close()
    assert p.wait(20) in (141, 1), "yes sees the broken pipe"


def test_json_to_a_file_leaves_the_streams_alone(csbx, python_image):
    out = csbx.work / "r.json"
    p = csbx.run("run", f"--json={out}", python_image, "echo", "hello")
    assert (p.returncode, p.stdout) == (0, "hello\n")
    result = json.loads(out.read_text())
    assert (result["status"], result["stdout"]) == ("exited", None)


def test_a_result_that_cannot_be_written_stops_the_run(csbx, python_image):
    made = csbx.work / "made"
    csbx.fails("run", "--json=/no/such/dir/r.json", "--mount", f"{csbx.work}:/w", python_image,
               "touch", "/w/made", says=["--json=/no/such/dir/r.json", "No such file"])
    assert not made.exists()


@pytest.mark.parametrize("option,value", [
    ("--memory", "1e3"), ("--memory", "-1"), ("--memory", "0"), ("--memory", "9999999999999g"),
    ("--memory", "nan"), ("--cpus", "nan"), ("--cpus", "0"), ("--cpus", "-1"), ("--timeout", "-1"),
    ("--timeout", "0"), ("--timeout", "1e3"), ("--pids-limit", "0"), ("--pids-limit", "-5"),
    ("--max-output", "0"), ("--result-fd", "99")])
def test_bad_limits_are_refused_before_anything_starts(csbx, python_image, option, value):
    csbx.fails("run", f"{option}={value}", python_image, "true", says=option)


def test_stopped_image_server_does_not_hold_the_result(csbx, python_image):
    """The payload hangs in a read of the image; the timeout's verdict must come all the same."""
    code = ("import time,os,glob\nprint('up', flush=True)\ntime.sleep(.5)\n"
            "for f in glob.glob('/usr/lib/python3*/**/*.py', recursive=True): open(f,'rb').read()\n"
            "time.sleep(60)")
    p = csbx.popen("run", "--timeout", "2", python_image, "python3", "-c", code)
    assert p.stdout.readline() == b"up\n"
    server = json.loads(csbx.ok("list", "--servers", "--json"))[0]["pid"]
    os.kill(server, signal.SIGSTOP)
    begin = time.monotonic()
    try:
        assert p.wait(20) == 124
        assert time.monotonic() - begin < 4
    finally:
        try:
            os.kill(server, signal.SIGCONT)
        except ProcessLookupError:
            pass  # the supervisor had to kill it
