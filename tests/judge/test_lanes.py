# SPDX-License-Identifier: Apache-2.0
"""Lanes: the snippets of a batch in one container after the other. The next must not find what one leaves."""
import contextlib
import json
import os
import resource
import signal
import threading
import time
from random import Random

import pytest

import harness
from lane_attacks import ATTACKS, LIBC, TIMES, WITNESS
from resultschema import checked

FILL = [{"id": f"fill {n}", "code": "pass"} for n in range(4)]  # before the batch has an interpreter to share
# Members that differ between two runs of the same program.
OF_A_RUN = ("instance", "started_at", "wall_s", "cpu_user_s", "cpu_sys_s", "setup_s", "teardown_s", "memory_peak_bytes", "max_pids", "cases", "check")
LANE = "print(open('/proc/1/stat').read().split()[21])"  # pid 1 is as old as its lane


def batch(csbx, image, objects, *options, jobs=1, code=0, configured="no"):
    (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in [*FILL, *objects]), encoding="utf-8")
    p = csbx.run("eval", "--image", image, "-j", str(jobs), *options, "--hostname", "judge", "--batch", csbx.work / "in",
                 env={} if configured is None else {"CSBX_LANES": configured}, timeout=600)
    assert code in (p.returncode, None), p.stderr
    records = [checked(json.loads(line)) for line in p.stdout.splitlines()]
    assert len(records) == len(FILL) + len(objects)
    return {r["id"]: r for r in records if not str(r["id"]).startswith("fill ")}


def seen_by(record):
    assert record["success"], record
    seen, lane = record["stdout"].splitlines()
    return json.loads(seen), lane


@pytest.mark.both_users
def test_a_snippet_sees_nothing_of_the_one_before(csbx, python_image):
    plain = batch(csbx, python_image, [{"id": "w", "code": WITNESS}], "--lanes", "no")
    expected = seen_by(plain["w"])[0]
    objects = []
    for name, (code, _) in ATTACKS.items():
        objects += [{"id": f"before {name}", "code": WITNESS},
                    {"id": name, "code": LIBC + code, "timeout": TIMES.get(name, 20)},
                    {"id": f"after {name}", "code": WITNESS}]
    options = ("--lanes", "yes", "--pids-limit", "300", "--max-output-kill", "1m", "--memory", "128m")
    records = batch(csbx, python_image, objects, *options)
    limits = seen_by(batch(csbx, python_image, [{"id": "w", "code": WITNESS}], "--lanes", "no", *options[2:])["w"])[0]
    wrong, given_up = {}, []
    for name, (_, is_touched) in ATTACKS.items():
        before, first = seen_by(records[f"before {name}"])
        after, second = seen_by(records[f"after {name}"])
        differs = [(a, b) for a, b in zip(after, limits) if a != b] or [(a, b) for a, b in zip(before, limits) if a != b]
        if differs or len(after) != len(limits):
            wrong[name] = differs
        elif is_touched and first == second:
            wrong[name] = f"the lane is kept: {records[name]['stdout'][-300:]}{records[name]['stderr'][-900:]}"
        elif is_touched is False and first != second:
            given_up.append(name)
    assert not wrong, json.dumps(wrong, indent=1)
    assert len(given_up) < 8 and len(expected) == len(limits), given_up


@pytest.mark.both_users
def test_a_snippet_stops_no_other_container(csbx, python_image):
    """csbx-init is what a snippet in a lane sees as its own program, and the program that every container begins with."""
    spoil = {"id": "spoils", "code": "import os\nos.chmod('/proc/self/exe', 0)\nos.setxattr('/proc/self/exe', 'user.x', b'1')\nopen('/tmp/x', 'w').close()"}
    after = [{"id": n, "code": "import os; print(oct(os.stat('/proc/self/exe').st_mode), os.listxattr('/proc/self/exe'))"} for n in range(3)]
    done = batch(csbx, python_image, [spoil, *after], "--lanes", "yes")
    assert done["spoils"]["success"], done["spoils"]
    assert [done[n]["stdout"] for n in range(3)] == ["0o100555 []\n"] * 3, done
    assert csbx.ok("run", python_image, "python3", "-c", "print(1)") == "1\n"


# What a line brings along, with a mark; a search of all that the next one can read for it, with no mark in it.
MARK = "LEFTBEHIND%d"
SEARCH = r"""
import ctypes, os, re, sys
mark, found = re.compile(rb"[L]EFT[B]EHIND\d|[L]\0E\0F\0T\0B\0|[L]\0\0\0E\0\0\0F\0\0\0T\0\0\0B"), []
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as mem:
    for begin, end, mode, name in (re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line).groups() for line in list(maps)):
        if mode[0] == "r" and name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
            mem.seek(int(begin, 16))
            found += mark.findall(mem.read(int(end, 16) - int(begin, 16)))
for top, _, names in os.walk("/"):
    for path in (os.path.join(top, name) for name in names if top.split("/")[1] not in ("sys", "proc", "usr", "lib", "opt")):
        if mark.search(path.encode()) or os.path.isfile(path) and mark.search(open(path, "rb").read()):
            found.append(path)
for path in "/proc/1/environ", "/proc/1/cmdline", "/proc/self/environ", "/proc/self/cmdline", "/proc/keys", "/proc/1/comm":
    try: found += mark.findall(open(path, "rb").read())
    except OSError: pass
fds = [(n, os.readlink(f"/proc/self/fd/{n}").partition("[")[0]) for n in range(64) if os.path.lexists(f"/proc/self/fd/{n}")]
size = [os.statvfs(p).f_blocks for p in ("/", "/dev/shm")]
print([found, sorted(os.environ.items()), sys.stdin.read(), fds, size, sys.argv, os.getpid()])
""" + LANE
BRINGS = {
    "code": {"code": "x = '%s' * 9" % MARK}, "stdin": {"code": "input()", "stdin": MARK * 9999}, "stdin not read": {"code": "1", "stdin": MARK * 9999},
    "stdin that is held": {"code": "import os, time\nif not os.fork(): os.setsid(); time.sleep(60)", "stdin": MARK * 99},
    "env": {"code": "import os; x = os.environ['X'] * 9", "env": {"X": MARK}}, "args": {"code": "import sys; x = sys.argv[1] * 9", "args": [MARK]},
    "many args": {"code": "import sys; assert len(sys.argv) == 151", "args": [MARK] * 150},
    "args that are more than a message": {"code": "import sys; assert len(sys.argv) == 901", "args": [MARK] * 900},
    "env and stdin": {"code": "input()", "env": {MARK: "1"}, "stdin": MARK}, "memory": {"code": "x = bytearray(30 << 20); y = '%s' * 9" % MARK, "memory": "70m"},
    "too much memory": {"code": "x = bytearray(120 << 20)\nimport time\ntime.sleep(2)", "memory": "64m"},
    "cases": {"code": "def f(x): return x * 9", "function": "f", "cases": [{"args": [MARK], "expected": MARK, "name": MARK}]},
    "cases with input": {"code": "print(input())", "cases": [{"stdin": MARK, "expected": MARK}] * 2},
    "check": {"code": "def f(x): return x * 9", "check": f"x = '{MARK}' * 9\nfrom solution import f\nassert f('{MARK}') == x"},
    "a setting of the interpreter": {"code": "1", "env": {"PYTHONHASHSEED": "1", "PYTHONSTARTUP": MARK}},
}
CALLS = "\nfrom solution import f\nassert f(1) == 1\n"
# Of each kind one that a lane is kept after and one that it is not.
IN_A_CHECK = ("nothing", "file in tmp", "hidden file in work", "mode of the root", "own file: mode", "own file: symlink", "own file: longer", "shared memory file", "shm removed",
              "mqueue removed", "abstract socket", "tcp", "sessions", "daemon", "traces pid 1", "signals to all", "memory", "names that are not there", "clocks of work")


def of_check(record):
    """What the asserting code wrote: the record as if it were its own."""
    return {"success": record["check"]["passed"], "stdout": record["check"]["result"]["stdout"], "record": record}


@pytest.mark.both_users
def test_asserting_code_sees_nothing_of_the_one_before(csbx, python_image):
    """It has a lane of its own kind: what is asserted sees none of it, and no snippet is ever there."""
    witness = WITNESS.replace("/csbx/snippet.py", "/csbx/check.py") + CALLS
    own = {"code": f"{LANE}\ndef f(x): return x"}
    plain = batch(csbx, python_image, [{"id": "w", **own, "check": witness}], "--lanes", "no", "--memory", "128m")
    expected, objects = seen_by(of_check(plain["w"]))[0], []
    for name in IN_A_CHECK:
        attack = LIBC + ATTACKS[name][0].replace("/csbx/snippet.py", "/csbx/check.py")
        objects += [{"id": f"before {name}", **own, "check": witness}, {"id": name, **own, "check": attack, "timeout": 1},
                    {"id": f"after {name}", **own, "check": witness}]
    records = batch(csbx, python_image, [{"id": "first", **own, "check": CALLS}, *objects], "--lanes", "yes", "--memory", "128m", code=None)
    snippets = {r["stdout"] for r in records.values() if r.get("stdout")}  # asserting code that a limit ends is a bad line
    checks = set()
    for name in IN_A_CHECK:
        (before, first), (after, second) = (seen_by(of_check(records[f"{when} {name}"])) for when in ("before", "after"))
        assert before == after == expected, name
        assert first != second or not ATTACKS[name][1], name
        checks |= {first + "\n", second + "\n"}
    assert not snippets & checks and len(snippets) < 4 and len(checks) < len(IN_A_CHECK) * 2 - 5, (len(snippets), len(checks))


def test_a_snippet_and_its_check_never_meet(csbx, python_image):
    """No byte of asserting code is where snippets run, nor the other way."""
    code, check = MARK % 1, MARK % 2
    objects = []
    for n in range(4):
        objects += [{"id": f"check {n}", "code": f"x = '{code}' * 9\ndef f(x): return x", "check": f"x = '{check}' * 9{CALLS}"},
                    {"id": f"snippet {n}", "code": SEARCH},
                    {"id": f"other {n}", "code": "def f(x): return x", "check": SEARCH + CALLS}]
    records = batch(csbx, python_image, objects, "--lanes", "yes")
    lanes = set(), set()
    for n in range(4):
        for kind, record in enumerate((records[f"snippet {n}"], of_check(records[f"other {n}"]))):
            found, lane = seen_lines(record)
            assert eval(found)[0] == [], (n, kind)
            lanes[kind].add(lane)
    assert not lanes[0] & lanes[1] and len(lanes[0]) == 1 and len(lanes[1]) < 3, lanes  # the first one opens the lane of the next


VERDICTS = {
    "prints": "print(6 * 7)", "nothing": "", "stderr": "import sys; sys.stderr.write('e'); print('o')", "exit 3": "import sys; sys.exit(3)",
    "exit 0": "import sys; sys.exit(0)", "left": "import os; os._exit(4)", "raises": "print('before')\n1 / 0", "syntax": "def f(:", "killed": "import os; os.kill(os.getpid(), 9)",
    "terminated": "import os; os.kill(os.getpid(), 15)", "segfault": "import ctypes; ctypes.string_at(0)", "timeout": "print('x', flush=True)\nwhile True: pass",
    "ignores": "import signal, time\nsignal.signal(15, lambda *x: None)\nwhile True: time.sleep(1)", "memory": "x = bytearray(400 << 20)",
    "memory slowly": "x = []\nwhile True: x.append(bytes(1 << 20))", "shared memory": "f = open('/dev/shm/x', 'wb')\nfor n in range(60): f.write(bytes(1 << 20))\nimport time; time.sleep(9)",
    "files in memory": "f = open('/tmp/x', 'wb')\nfor n in range(300): f.write(bytes(1 << 20))\nimport time; time.sleep(9)",
    "much output": "print('x' * 3000000)", "too much output": "while True: print('x' * 100000)", "children": "import os\nfor n in range(5):\n    if not os.fork(): os._exit(n)\nprint(sorted(os.wait()[1] for n in range(5)))",
    "orphan": "import os, time\nif not os.fork():\n    time.sleep(60)\nprint('parent')", "bytes": "import sys; sys.stdout.buffer.write(bytes(range(256)))", "unicode": "print('\\u00e9\\u4e2d\\U0001f600')",
    "args": "import sys; print(sys.argv)", "stdin": "print(input())", "closed": "import os; os.close(1)", "threads": "import threading\nfor n in range(8): threading.Thread(target=print, args=(n,)).start()",
    "network": "import socket; socket.create_connection(('192.0.2.1', 80), 3)", "env": "import os; print(sorted(os.environ.items()))", "file": "print(__file__, open(__file__).read())",
    "random": "import random; random.seed(1); print(random.random())", "stops": "import os; os.kill(os.getpid(), 19)", "subprocess": "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True))",
    "at exit": "import atexit; atexit.register(print, 'bye')", "null": "print('a\\0b')", "imports": "import json, re, collections; print(json.dumps([1]))",
}
SHORT = {"timeout": 0.7, "ignores": 0.7, "stops": 0.7, "too much output": 5}
FUNCTIONS = {
    "good": "def f(x): return x + 1", "wrong": "def f(x): return x", "raises": "def f(x): return [][x]", "missing": "g = 1", "does not load": "1 / 0", "syntax": "def f(:",
    "leaves": "import os\ndef f(x): os._exit(0)", "leaves early": "import sys; sys.exit(0)", "hangs": "def f(x):\n    while x == 2: pass\n    return x + 1",
    "kills all": "import os, time\ndef f(x):\n    if x == 2: os.kill(-1, 9); time.sleep(9)\n    return x + 1", "prints": "def f(x):\n    print(x)\n    return x + 1",
    "remembers": "import os\ndef f(x):\n    open('/work/x', 'a').write('x')\n    return len(open('/work/x').read())",
}
CASES = [{"args": [n], "expected": n + 1} for n in range(4)]
TYPED = "import os, sys; print(sys.stdin.readline(), repr(sys.stdin.read()), os.lseek(0, 0, 1))"
LOOKS = "import json, os, sys; print(json.dumps([dict(os.environ), os.listdir('.'), sys.flags.hash_randomization, hash('x') == 1, sys.path]))"
VERDICTS |= {
    "typed": TYPED, "typed in bytes": "import sys; print(len(sys.stdin.buffer.read()))", "typed nothing": TYPED, "typed and left": "raise SystemExit(5)",
    "typed and written": "import os; os.pwrite(0, b'x' * 99999, 0); print(os.pread(0, 9, 0))", "typed, env": TYPED + "; print(os.environ['X'])",
    "env of the interpreter": LOOKS, "env that is wrong": "print(1)", "env fails": "1 / 0", "env loops": "while True: pass",
    "less memory": "x = bytearray(90 << 20)\nimport time\ntime.sleep(2)", "less memory in files": "f = open('/tmp/x', 'wb')\nfor n in range(300): f.write(bytes(1 << 20))\nimport time; time.sleep(9)",
    "enough memory": "x = bytearray(20 << 20); print(len(x))", "more memory": "x = bytearray(150 << 20); print(len(x))", "env, less memory": "x = bytearray(90 << 20)\nimport time\ntime.sleep(2)",
}
SHORT["env loops"] = 0.7
EXTRA = {"args": {"args": ["a", "b"]}, "stdin": {"stdin": "typed"}, "env": {"env": {"X": "y"}}, "typed": {"stdin": "one\ntwo\n"},
         "typed in bytes": {"stdin": "\u00e9" * 3000000}, "typed nothing": {"stdin": ""}, "typed and left": {"stdin": "x" * 99999}, "typed and written": {"stdin": "y"},
         "typed, env": {"stdin": "one\ntwo", "env": {"X": "y"}},
         "env of the interpreter": {"env": {"PYTHONHASHSEED": "0", "PYTHONPATH": "/nowhere", "LANG": "C", "HOME": "/x", "PATH": "/bin:/usr/bin:/usr/local/bin"}},
         "env that is wrong": {"env": {"PYTHONUTF8": "x"}}, "env fails": {"env": {"X": "y"}}, "env loops": {"env": {"X": "y"}},
         "less memory": {"memory": "64m"}, "less memory in files": {"memory": "64m"}, "enough memory": {"memory": "64m"}, "more memory": {"memory": "200m"},
         "env, less memory": {"memory": "64m", "env": {"X": "y"}}}
RUNS = [{"stdin": f"{n}\n", "expected": f"{n + 1}\n"} for n in range(3)]
PROGRAMS = {
    "good": "print(int(input()) + 1)", "wrong": "print(input())", "raises": "1 / 0", "leaves": "import sys; print(int(input()) + 1); sys.exit()",
    "exits 3": "import sys; print(int(input()) + 1); sys.exit(3)", "hangs": "n = int(input())\nwhile n == 1: pass\nprint(n + 1)",
    "remembers": "import os; print(int(input()) + 1 + os.path.exists('/work/x')); open('/work/x', 'w')", "syntax": "def f(:",
}


def test_the_verdicts_are_the_same(csbx, python_image):
    objects = [{"id": name, "code": code, "timeout": SHORT.get(name, 20), **EXTRA.get(name, {})} for name, code in VERDICTS.items()]
    objects += [{"id": f"function {name}", "code": code, "function": "f", "timeout": 2, "cases": CASES} for name, code in FUNCTIONS.items()]
    objects += [{"id": f"check {name}", "code": code, "check": "from solution import f\nfor n in range(4): assert f(n) == n + 1, n\n", "timeout": 2}
                for name, code in FUNCTIONS.items()]
    objects += [{"id": f"program {name}", "code": code, "cases": RUNS, "timeout": 2} for name, code in PROGRAMS.items()]
    objects += [{"id": "program with fail_fast", "code": PROGRAMS["hangs"], "cases": RUNS, "timeout": 1, "fail_fast": True},
                {"id": "program in no time", "code": "import time; time.sleep(0.4); print(int(input()) + 1)", "cases": RUNS, "total_timeout": 0.6}]
    objects += [{"id": "setup", "code": "def f(x): return x + y", "setup": "y = 1", "function": "f", "cases": CASES},
                {"id": "bash", "code": "echo $((6 * 7))", "lang": "bash"},
                {"id": "own file", "code": "print(open('x').read())", "files": {"x": "eA=="}}, {"id": "bad", "lang": "python"}]
    options = ("--memory", "128m", "--max-output-kill", "8m")
    plain = batch(csbx, python_image, objects, "--lanes", "no", *options, jobs=2, code=1)
    lanes = batch(csbx, python_image, objects, "--lanes", "yes", *options, jobs=2, code=1)
    for name, record in plain.items():
        lane = [{k: v for k, v in case.items() if k != "duration_ms"} for case in lanes[name].get("cases", [])]
        assert lane == [{k: v for k, v in case.items() if k != "duration_ms"} for case in record.get("cases", [])], name
        if "check" in record and record["check"]:
            inner = [{k: v for k, v in r["check"]["result"].items() if k not in (*OF_A_RUN, "id")} for r in (lanes[name], record)]
            assert inner[0] == inner[1] and lanes[name]["check"]["passed"] == record["check"]["passed"], name
        for key, value in record.items():
            if key == "timeout_s" and name == "program in no time":  # what is left of it is measured
                continue
            if key not in OF_A_RUN and not (name == "too much output" and key in ("stdout_bytes", "stdout")) and key != "detected":
                assert lanes[name].get(key) == value, (name, key)
    assert lanes["prints"]["max_pids"] == plain["prints"]["max_pids"]


def test_what_a_line_brings_is_gone_with_it(csbx, python_image):
    """No byte of it is in the memory, the files or the descriptors of the next one in the same lane."""
    objects = [{"id": "before", "code": SEARCH}]
    for n, (name, line) in enumerate(BRINGS.items()):
        objects += [{"id": name, **json.loads(json.dumps(line).replace(MARK, MARK % n))}, {"id": f"after {name}", "code": SEARCH}]
    records = batch(csbx, python_image, [*objects, {"id": "finds", "code": f"mark = {MARK % 7!r} * 2\n{SEARCH}"}], "--lanes", "yes", "--memory", "128m", code=None)
    assert (MARK % 7).encode() in eval(seen_lines(records["finds"])[0])[0]
    before = seen_lines(records["before"])
    assert eval(before[0])[0] == []
    for name in BRINGS:
        assert seen_lines(records[f"after {name}"]) == before, name


def seen_lines(record):
    assert record["success"], record
    return record["stdout"].splitlines()


PROCESS = """
import json, os, resource, sys
with open("/proc/self/status") as f:
    status = dict(line.rstrip("\\n").split(":\\t", 1) for line in f if not line.startswith(("Vm", "Rss", "volun", "nonvol", "FDSize")))
words = open("/proc/self/cmdline").read(), sorted(open("/proc/self/environ").read().split("\\0")), open("/proc/self/comm").read()
fds = [(n, os.readlink(f"/proc/self/fd/{n}").partition("[")[0]) for n in range(64) if os.path.lexists(f"/proc/self/fd/{n}")]
limits = [resource.getrlimit(n) for n in range(16)]
owner = os.stat("/proc/self/mem").st_uid, os.stat("/proc/self").st_uid
own = os.getpid(), os.getppid(), os.getsid(0), os.getpgid(0), os.umask(0), os.getcwd(), sys.argv, sys.executable
child = os.fork()
if not child: os.execv(sys.executable, ["python3", "-c", "print(6 * 7, flush=True)"])
print(json.dumps([status, words, fds, limits, owner, own, os.waitpid(child, 0)]))
print(os.readlink("/proc/self/exe"))
"""


def test_a_copy_is_as_a_program_that_was_started(csbx, python_image):
    """In a lane the process executes nothing: all that an execve would settle is settled."""
    objects = [{"id": n, "code": PROCESS, "args": ["a", "b c"][:n]} for n in range(3)]
    plain, lanes = (batch(csbx, python_image, objects, "--lanes", value) for value in ("no", "yes"))
    for n in range(3):
        started, copied = plain[n]["stdout"].splitlines(), lanes[n]["stdout"].splitlines()
        assert started[:2] == copied[:2] and len(started) == len(copied) == 3, (started, copied, lanes[n]["stderr"])
        assert started[2] == "/csbx/thaw" and "csbx-init" in copied[2]


LARGE = r"""
import re
begin, end, large = 0, 0, 0
for line in open("/proc/self/smaps"):
    if m := re.match(r"(\w+)-(\w+) (\S+) .*memfd:csbx-warm", line): begin, end, mode = int(m[1], 16), int(m[2], 16), m[3]
    elif re.match(r"\w+-\w+ ", line): begin = end = 0
    elif line.startswith("ShmemPmdMapped:") and mode == "r-xp" and end: large += int(line.split()[1])
print(large)
"""


@pytest.mark.skipif(not os.path.exists("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") or
                    tuple(map(int, os.uname().release.split(".")[:2])) < (6, 1), reason="this kernel does not join pages of a memfd")
def test_the_code_of_the_interpreter_is_mapped_in_large_pieces(csbx, python_image):
    """Debian's python3 lies at a fixed place, with two whole blocks of 2 MiB."""
    done = batch(csbx, python_image, [{"id": "x", "code": LARGE}], "--lanes", "yes")
    assert int(done["x"]["stdout"]) >= 2048, done["x"]


def test_one_lane_for_all_that_leave_nothing(csbx, python_image):
    objects = [{"id": n, "code": LANE} for n in range(30)]
    longer = [{"id": n, "code": LANE} for n in range(150)]  # the kernel numbers System V objects from 0 after 64
    assert len({r["stdout"] for r in batch(csbx, python_image, longer, "--lanes", "yes").values()}) == 1
    assert len({r["stdout"] for r in batch(csbx, python_image, objects, "--lanes", "yes", jobs=2).values()}) <= 2
    functions = [{"id": n, "code": f"def f(x): {LANE}", "function": "f", "cases": [{"args": [1], "expected": None}] * 3} for n in range(12)]
    assert len({r["stdout"].splitlines()[0] for r in batch(csbx, python_image, functions, "--lanes", "yes").values()}) == 1
    checks = [{"id": n, "code": f"{LANE}\ndef f(x): return x", "check": LANE + CALLS} for n in range(8)]
    checks = list(batch(csbx, python_image, checks, "--lanes", "yes").values())
    assert len({r["stdout"] for r in checks}) == 1 and len({r["check"]["result"]["stdout"] for r in checks}) == 2  # none is there for the first
    programs = [{"id": n, "code": f"{LANE}\ninput()", "cases": [{"stdin": "x\n"}] * 2} for n in range(8)]
    programs += [{"id": f"typed {n}", "code": f"{LANE}\ninput()", "stdin": "x\n"} for n in range(4)]
    programs += [{"id": f"env {n}", "code": LANE, "env": {"X": str(n)}} for n in range(8)]
    programs += [{"id": f"memory {n}", "code": LANE, "memory": f"{60 + n}m"} for n in range(8)]
    assert len({r["stdout"] for r in batch(csbx, python_image, programs, "--lanes", "yes").values()}) == 1
    assert len({r["stdout"] for r in batch(csbx, python_image, objects, "--lanes", "no").values()}) > 5


def test_the_configuration_has_a_say(csbx, python_image):
    objects = [{"id": n, "code": LANE} for n in range(12)]
    csbx.env.pop("CSBX_LANES", None)
    for option, configured, is_shared in (((), None, True), (("--lanes", "auto"), None, True), (("--lanes", "auto"), "yes", True), ((), "no", False),
                                          (("--lanes", "no"), None, False), (("--lanes", "no"), "yes", False), (("--lanes", "yes"), "no", True)):
        lanes = {r["stdout"] for r in batch(csbx, python_image, objects, *option, configured=configured).values()}
        assert (len(lanes) == 1) == is_shared, (option, configured)
    p = csbx.run("eval", "--image", python_image, "--batch", csbx.work / "in", env={"CSBX_LANES": "maybe"})
    assert p.returncode == 125 and "CSBX_LANES maybe: yes or no" in p.stderr


@pytest.mark.parametrize("option", [("--security-opt", "seccomp=unconfined"), ("--mount", "type=tmpfs,dst=/mnt"), ("--network", "host"), ("--cap-add", "SYS_PTRACE")])
def test_a_container_that_is_looser_is_no_lane(csbx, python_image, option):
    objects = [{"id": n, "code": LANE} for n in range(12)]
    assert len({r["stdout"] for r in batch(csbx, python_image, objects, "--lanes", "yes", *option).values()}) > 3


@pytest.mark.parametrize("whom", ["init", "supervisor", "server"])
def test_who_is_killed_in_the_middle_takes_no_other_along(csbx, python_image, running, whom):
    """A verdict of the one that ran in it is not made up, and the batch goes on in another lane."""
    objects = [{"id": n, "code": LANE} for n in range(3)]
    objects += [{"id": "victim", "code": "import time; time.sleep(20); print('done')", "timeout": 30}, *({"id": 10 + n, "code": LANE} for n in range(3))]
    killed = []

    def kill():
        end = time.monotonic() + 60
        while time.monotonic() < end and not killed:
            for instance in running():
                try:
                    pids = children_of(instance["pid"]) if instance.get("pid") else []
                    if pids and b"csbx-init" not in comm(pids[0]) and age(pids[0]) > 1:
                        target = {"init": lambda: instance["pid"], "supervisor": lambda: worker_of(instance), "server": server}[whom]()
                        os.kill(target, signal.SIGKILL)
                        killed.append(target)
                        return
                except OSError:  # it has just ended
                    pass
            time.sleep(0.1)

    thread = threading.Thread(target=kill)
    thread.start()
    records = batch(csbx, python_image, objects, "--lanes", "yes", code=1)
    thread.join()
    assert killed
    assert records["victim"]["status"] == "sandbox_error"
    if whom == "server":
        assert records["victim"]["error"]["code"] == "image_server"
    if whom == "supervisor":
        assert records["victim"]["error"]["code"] == "sandbox_error" and "csbx failed" in records["victim"]["error"]["message"]
    csbx.ok("gc")  # the socket of a killed server
    lanes = [records[n]["stdout"] for n in range(3)], [records[10 + n]["stdout"] for n in range(3)]
    assert len(set(lanes[0])) == len(set(lanes[1])) == 1 and lanes[0][0] != lanes[1][0]


@pytest.mark.parametrize("pause_s", [0.1, 0.025])
def test_lanes_that_are_killed_at_any_moment(csbx, python_image, running, pause_s):
    """Between two snippets, while one is born or runs, or while the lane is emptied: each record is right, or says that csbx failed."""
    objects = [{"id": n, "code": f"print({n} * 7)", "timeout": 30} for n in range(120)]
    (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in [*FILL, *objects]), encoding="utf-8")
    over, killed = threading.Event(), []

    def kill():
        random = Random(1)
        while not over.wait(random.random() * pause_s):
            for pid in filter(None, (instance.get("pid") for instance in running())):
                try:
                    if b"csbx-init" in comm(pid):
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
                except OSError:
                    pass

    thread = threading.Thread(target=kill)
    thread.start()
    p = csbx.run("eval", "--image", python_image, "-j", "2", "--lanes", "yes", "--batch", csbx.work / "in", timeout=300)
    over.set()
    thread.join()
    records = {r["id"]: r for r in (checked(json.loads(line)) for line in p.stdout.splitlines())}
    failed = [n for n, r in records.items() if r["status"] == "sandbox_error"]
    wrong = [r for n, r in records.items() if n not in failed and type(n) is int and (r["stdout"], r["status"]) != (f"{n * 7}\n", "exited")]
    assert len(records) == len(FILL) + len(objects) and not wrong, (p.stderr, wrong[:3])
    assert p.returncode == bool(failed) and len(killed) > 3 and (pause_s < 0.1 or len(failed) < len(objects)), (killed, failed)


def comm(pid):
    with open(f"/proc/{pid}/comm", "rb") as f:
        return f.read()


def age(pid):
    with open(f"/proc/{pid}/stat", "rb") as f:
        started = int(f.read().rpartition(b")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return list(map(int, f.read().split()))
    except OSError:
        return []


def server():
    return next(pid for pid, name in harness.descendants().items() if name == "csbx-squashd")


def has_ended(pid):
    """With all its threads: the last one closes its sockets."""
    try:
        with contextlib.ExitStack() as files:
            stats = [files.enter_context(open(f"/proc/{pid}/task/{t}/stat", encoding="ascii")) for t in os.listdir(f"/proc/{pid}/task")]
            return all(f.read().rpartition(")")[2].split()[0] in "ZX" for f in stats)
    except OSError:
        return True


def worker_of(instance):
    """The process of the line that is under way: a child of the lane's owner, as pid 1 is."""
    return next(pid for pid in children_of(instance["supervisor_pid"]) if pid != instance["pid"])


def test_a_lane_whose_image_server_has_died_fails_no_line(csbx, python_image):
    """The next one has a lane of another server."""
    with csbx.popen("eval", "--image", python_image, "-j", "1", "--lanes", "yes", "--batch", "-", stdin=-1, text=True) as p:
        def ask(code):
            p.stdin.write(json.dumps({"id": 1, "code": code}) + "\n")
            p.stdin.flush()
            record = json.loads(p.stdout.readline())
            assert record["success"], record
            return record["stdout"]
        for _ in FILL:
            ask("pass")
        lane = ask(LANE)
        assert ask(LANE) == lane
        pid = server()
        os.kill(pid, signal.SIGKILL)
        while not has_ended(pid):
            time.sleep(0.01)
        ask("pass")
        later = ask(LANE)
        assert ask(LANE) == later != lane
        p.stdin.close()
        p.stdin = None
        assert p.wait() == 0
    csbx.ok("gc")


def test_a_lane_that_cannot_be_opened_is_tried_again(csbx, python_image):
    """A machine may have no place for one, and a moment later it has."""
    with csbx.popen("eval", "--image", python_image, "-j", "1", "--lanes", "yes", "--batch", "-", stdin=-1, text=True) as p:
        def ask(code, may_fail=False):
            p.stdin.write(json.dumps({"id": 1, "code": code}) + "\n")
            p.stdin.flush()
            record = json.loads(p.stdout.readline())
            assert record["success"] or may_fail and record["status"] == "sandbox_error", record
            return record.get("stdout")
        for _ in FILL:
            ask("pass")
        assert ask(LANE) == ask(LANE)
        limits = resource.prlimit(p.pid, resource.RLIMIT_NOFILE)
        ask("open('/tmp/left', 'w').close()")  # this lane is given up
        used = max(int(fd) for fd in os.listdir(f"/proc/{p.pid}/fd"))
        resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (used + 8, limits[1]))
        ask("pass", True)
        ask("pass", True)
        resource.prlimit(p.pid, resource.RLIMIT_NOFILE, limits)
        ask("pass")
        assert ask(LANE) == ask(LANE)
        p.stdin.close()
        p.stdin = None
        assert p.wait() in (0, 1)
