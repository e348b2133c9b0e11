# SPDX-License-Identifier: Apache-2.0
"""`csbx eval --warm`: a lane that outlives the command, lent to one later command of the same user at a time."""
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest

from lane_attacks import ATTACKS, LIBC, TIMES, WITNESS
from resultschema import checked

LINGER_S = 60
WAIT_S = 20
OF_A_RUN = ("instance", "id", "started_at", "wall_s", "cpu_user_s", "cpu_sys_s", "setup_s", "teardown_s", "memory_peak_bytes", "max_pids")
LANE = "print(open('/proc/1/stat').read().split()[21])"  # pid 1 is as old as its lane
# Those that differ most, and some of each kind that must not cost the lane.
SOME = ("nothing", "file in tmp", "daemon", "fork bomb", "signals to all", "stopped")


class Loans:
    """Evals of one image that may be lent a lane."""

    def __init__(self, csbx, image):
        self.csbx, self.image = csbx, image
        self.env = {"CSBX_LINGER": str(LINGER_S), "CSBX_DEBUG": "1"}

    def argv(self, code, *options):
        self.csbx.work.joinpath("s.py").write_text(code, encoding="utf-8")
        return ["eval", "--image", self.image, *options, "--json", self.csbx.work / "s.py"]

    def eval(self, code, *options, warm=True, **kw):
        """(result object, whether a lane was lent)"""
        env = {**self.env, **kw.pop("env", {})}
        p = self.csbx.run(*self.argv(code, *(["--warm"] if warm else []), *options), env=env, **kw)
        assert p.stdout, p.stderr
        return checked(json.loads(p.stdout)), "a lane is lent" in p.stderr

    def lent(self, code, *options, **kw):
        result, is_lent = self.eval(code, *options, **kw)
        assert is_lent, result
        return result

    def not_lent(self, code, *options, **kw):
        result, is_lent = self.eval(code, *options, **kw)
        assert not is_lent, result
        return result

    def lent_soon(self, code, *options):
        """After one that has cost its lane: the next may find none while another is opened."""
        deadline = time.monotonic() + WAIT_S
        while True:
            result, is_lent = self.eval(code, *options)
            if is_lent:
                return result
            assert time.monotonic() < deadline, "no lane is opened"

    def make(self, *options, **kw):
        """A first command, and what it leaves."""
        assert self.not_lent("pass", *options, **kw)["success"]
        self.await_lender()

    def sockets(self):
        return list((self.csbx.dirs["run"] / "lanes").glob("*.sock"))

    def await_lender(self, n=1):
        deadline = time.monotonic() + WAIT_S
        while len(self.sockets()) < n:
            assert time.monotonic() < deadline, "no lender is there"
            time.sleep(0.01)

    def lenders(self):
        """Their process ids."""
        found = []
        for path in Path("/proc").glob("[0-9]*/comm"):
            try:
                if path.read_text(encoding="ascii").strip() == "csbx-lanes" and \
                        str(self.csbx.dirs["run"]).encode() in (path.parent / "environ").read_bytes():
                    found.append(int(path.parent.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
        return found

    def begin(self, code, *options, warm=True):
        """A command whose snippet runs."""
        p = self.csbx.popen(*self.argv(code, *(["--warm"] if warm else []), *options), env=self.env, text=True)
        for line in p.stderr:
            if "payload runs" in line:
                break
        time.sleep(1)  # an interpreter that starts has no handlers yet
        return p


def children(pid):
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except FileNotFoundError:
        return []


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_gone(*pids):
    deadline = time.monotonic() + WAIT_S
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, f"left: {[pid for pid in pids if is_alive(pid)]}"
        time.sleep(0.01)


@pytest.fixture
def loans(csbx, python_image):
    s = Loans(csbx, python_image)
    yield s
    deadline = time.monotonic() + WAIT_S
    while True:
        csbx.ok("gc", "--servers")
        if not s.lenders() and not list(csbx.dirs["run"].glob("lanes/*")) and not list(csbx.dirs["run"].glob("servers/*.sock")):
            break
        assert time.monotonic() < deadline, "a lender or its server outlives gc --servers"
        time.sleep(0.02)


@pytest.mark.both_users
def test_the_second_is_lent_what_the_first_has_left(loans):
    loans.make()
    codes = {"prints": "print(6 * 7)", "raises": "1 / 0", "exits": "import sys; sys.exit(3)", "syntax": "def f(:", "hangs": "while 1: pass",
             "memory": "x = bytearray(1 << 30)", "killed": "import os; os.kill(os.getpid(), 11)", "words": "import sys; print(sys.argv, sys.stdin.read())",
             "host": "import os, socket; print(socket.gethostname(), os.environ)"}
    for name, code in codes.items():
        options = ("--timeout", "1" if name == "hangs" else "20")
        plain = loans.not_lent(code, *options, "--hostname", "csbx", warm=False)
        result = loans.lent_soon(code, *options)
        for key, value in plain.items():
            if key not in (*OF_A_RUN, "detected") and (name, key) != ("hangs", "signal"):  # TERM, or KILL where it is slow
                assert result[key] == value, (name, key)
    assert len(loans.lenders()) == 1
    ages = {loans.lent(LANE)["stdout"] for _ in range(5)}
    assert len(ages) == 1


@pytest.mark.both_users
def test_one_command_sees_nothing_of_the_one_before(loans):
    options = ("--pids-limit", "300", "--max-output-kill", "1m", "--memory", "128m", "--timeout", "20")
    loans.make(*options)
    expected = json.loads(loans.lent(WITNESS, *options)["stdout"].splitlines()[0])
    assert len(expected) > 20
    wrong = {}
    for name in [n for n in SOME if n in ATTACKS] + list(ATTACKS)[::9]:
        code, is_touched = ATTACKS[name]
        first = loans.lent_soon(LANE, *options)["stdout"]
        loans.lent(LIBC + code, *options[:-1], str(TIMES.get(name, 20)))
        after, second = loans.lent_soon(WITNESS, *options)["stdout"].splitlines()
        sizes = 8192, 65536  # a pipe's, which the kernel makes small where the user has many
        differs = [(a, b) for a, b in zip(json.loads(after), expected) if a != b and not (a[1] in sizes and b[1] in sizes)]
        if differs or len(json.loads(after)) != len(expected):
            wrong[name] = differs
        elif is_touched and first == second + "\n":
            wrong[name] = "the lane is kept"
    assert not wrong, json.dumps(wrong, indent=1)


def test_what_differs_gets_its_own(loans):
    loans.make()
    for options in (("--memory", "100m"), ("-e", "A=b"), ("--hostname", "other"), ("--pids-limit", "50"), ("--user", "1:1"), ("--ulimit", "nofile=100"),
                    ("--workdir", "/tmp")):
        assert loans.not_lent("print(1)", *options)["stdout"] == "1\n", options
    assert loans.lent("print(1)", "--timeout", "3", "--max-output", "7k")["stdout"] == "1\n"
    loans.not_lent("print(1)", env={"CSBX_CAP_DROP": "CHOWN"})
    loans.not_lent("print(1)", preexec_fn=lambda: os.nice(1))
    assert loans.lent("print(1)")["success"]


def test_what_cannot_run_in_a_lane_runs_without(loans):
    loans.make()
    work = loans.csbx.work
    (work / "x").write_text("abc", encoding="ascii")
    assert loans.eval("print(open('x').read())", "--files", work / "x")[0]["stdout"] == "abc\n"
    assert loans.not_lent("import sys; print(sys.stdin.read())", "--stdin", work / "x")["stdout"] == "abc\n"
    assert loans.not_lent("print(1)", "--mount", f"{work}:/mnt")["stdout"] == "1\n"
    ends = [loans.not_lent("exit 3", "--lang", "bash", warm=w) for w in (True, False)]
    assert len({(e["status"], e["exit_code"], e["stdout"]) for e in ends}) == 1
    assert loans.lent("print(1)")["success"]
    loans.csbx.fails("eval", "--image", loans.image, "--warm", "--batch", "-", says="--warm")


def test_cases_and_checks(loans):
    loans.make()
    work = loans.csbx.work
    (work / "cases").write_text(json.dumps([{"args": [n], "expected": n + 1} for n in range(4)]), encoding="ascii")
    (work / "runs").write_text(json.dumps([{"stdin": f"{n}\n", "expected": f"{n + 1}\n"} for n in range(4)]), encoding="ascii")
    (work / "check").write_text("from solution import f\nfor n in range(4): assert f(n) == n + 1, n\n", encoding="ascii")
    program = f"import sys\nprint(int(input()) + 1)\nsys.stderr.write(open('/proc/1/stat').read().split()[21] + ' ')"
    for code, options in (("def f(x): return x + 1", ("--function", "f", "--cases", work / "cases")), (program, ("--cases", work / "runs")),
                          ("def f(x): return x + 1", ("--check", work / "check"))):
        for plain in (code, code.replace("+ 1", "+ 2")):
            result, expected = loans.lent(plain, *options), loans.not_lent(plain, *options, "--hostname", "csbx", warm=False)
            for key in ("status", "success", "exit_code", "stdout", "feedback", "score", "all_passed"):
                assert result.get(key) == expected.get(key), (options, key)


@pytest.mark.parametrize("streams", ["pipes", "files"])
def test_output_that_is_not_captured(loans, streams):
    loans.make()
    argv = [str(w) for w in loans.csbx.argv(loans.argv("import sys; print('out', sys.stdout.seekable()); print('err', file=sys.stderr)", "--warm"))]
    argv.remove("--json")
    env = {**loans.csbx.env, **loans.env}
    if streams == "pipes":
        p = subprocess.run(argv, env=env, capture_output=True, text=True, check=True, timeout=60, **loans.csbx.identity())
        assert p.stdout == "out False\n" and "\nerr\n" in "\n" + p.stderr and "a lane is lent" in p.stderr
    else:
        with open(loans.csbx.work / "out", "w+", encoding="utf-8") as out:
            p = subprocess.run(argv, env=env, stdout=out, stderr=subprocess.PIPE, text=True, check=True, timeout=60, **loans.csbx.identity())
            out.seek(0)
            assert out.read() == "out True\n" and "is lent" not in p.stderr


def test_side_by_side_each_has_its_own(loans):
    loans.make()
    seen, errors = [], []

    def one(n):
        try:
            p = loans.csbx.run("eval", "--warm", "--image", loans.image, "--json", loans.csbx.work / f"s{n}.py", env=loans.env)
            assert json.loads(p.stdout)["stdout"] == f"{n}\n", p.stdout + p.stderr
            seen.append("a lane is lent" in p.stderr)
        except Exception as e:  # pylint: disable=broad-except
            errors.append(e)

    for n in range(8):
        (loans.csbx.work / f"s{n}.py").write_text(f"import os, time\ntime.sleep(0.05)\nassert os.getpid() == 2\nprint({n})\n", encoding="ascii")
    for _ in range(4):
        threads = [threading.Thread(target=one, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not errors, errors
    assert sum(seen) > 4
    pids1 = [pid for lender in loans.lenders() for pid in children(lender)]
    assert 2 <= len(pids1) <= 4


def test_of_two_first_ones_one_leaves_a_lender(loans):
    argv = loans.argv("print(1)", "--warm")
    commands = [loans.csbx.popen(*argv, env={"CSBX_LINGER": str(LINGER_S)}, text=True) for _ in range(6)]
    for p in commands:
        out, err = p.communicate(timeout=60)
        assert json.loads(out)["stdout"] == "1\n", err
    loans.await_lender()
    time.sleep(0.3)
    assert len(loans.lenders()) == 1
    assert loans.lent("print(1)")["success"]


SLEEPS = "import time; time.sleep(50)"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_end_of_a_command_is_the_end_of_its_snippet(loans, how):
    loans.make()
    age = loans.lent(LANE)["stdout"]
    lender = loans.lenders()[0]
    pid1 = children(lender)[0]
    p = loans.begin(SLEEPS, "--timeout", "60")
    p.send_signal(how)
    out, _ = p.communicate(timeout=WAIT_S)
    if how == signal.SIGKILL:
        wait_gone(pid1)
    else:
        plain = loans.begin(SLEEPS, "--timeout", "60", warm=False)
        plain.send_signal(how)
        expected, _ = plain.communicate(timeout=WAIT_S)
        result, expected = json.loads(out), json.loads(expected)
        assert p.returncode == plain.returncode and (result["status"], result["signal"]) == (expected["status"], expected["signal"])
    again = loans.lent_soon(LANE)
    assert loans.lenders() == [lender]
    assert how != signal.SIGKILL or again["stdout"] != age


def test_a_snippet_does_not_outlive_its_command_where_all_others_are_stopped(loans):
    loans.make()
    assert loans.lent("print(1)")["success"]
    lender = loans.lenders()[0]
    pid1 = children(lender)[0]
    p = loans.begin(SLEEPS, "--timeout", "60")
    os.kill(lender, signal.SIGSTOP)
    try:
        p.kill()
        p.communicate(timeout=WAIT_S)
        wait_gone(pid1)
        result, is_lent = loans.eval("print(1)")
        assert not is_lent and result["stdout"] == "1\n"
    finally:
        os.kill(lender, signal.SIGCONT)


@pytest.mark.parametrize("victim", ["lender", "pid 1"])
def test_a_lane_that_is_killed_is_the_sandboxs_fault(loans, victim):
    loans.make()
    assert loans.lent("print(1)")["success"]
    lender = loans.lenders()[0]
    pid1 = children(lender)[0]
    p = loans.begin(SLEEPS, "--timeout", "60")
    os.kill(lender if victim == "lender" else pid1, signal.SIGKILL)
    out, _ = p.communicate(timeout=WAIT_S)
    assert json.loads(out)["status"] == "sandbox_error" and p.returncode == 125
    wait_gone(pid1)
    assert loans.eval("print(1)")[0]["stdout"] == "1\n"


@pytest.mark.parametrize("victim", ["lender", "pid 1"])
def test_a_lane_that_is_killed_while_it_waits_costs_nothing_else(loans, victim):
    loans.make()
    lender = loans.lenders()[0]
    pid1 = children(lender)[0]
    os.kill(lender if victim == "lender" else pid1, signal.SIGKILL)
    wait_gone(pid1)
    assert loans.eval("print(1)")[0]["stdout"] == "1\n"
    assert loans.lent_soon("print(1)")["success"]


def test_it_goes_with_its_image_server(loans):
    loans.make()
    lender = loans.lenders()[0]
    pid = server_pid(loans)
    os.kill(pid, signal.SIGKILL)
    wait_gone(lender)
    assert loans.eval("print(1)")[0]["stdout"] == "1\n"


def server_pid(loans):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(next((loans.csbx.dirs["run"] / "servers").glob("*.sock"))))
        return struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def test_it_leaves_by_itself(loans):
    loans.env["CSBX_LINGER"] = "1"
    loans.make()
    lender = loans.lenders()[0]
    pids1 = children(lender)
    wait_gone(lender, *pids1)
    assert not list((loans.csbx.dirs["run"] / "lanes").glob("*"))


def test_none_stays_without_a_time_to_stay(loans):
    loans.env["CSBX_LINGER"] = "0"
    loans.not_lent("print(1)")
    assert not loans.lenders() and not loans.sockets()


def test_gc_asks_it_to_leave(loans):
    loans.make()
    lender = loans.lenders()[0]
    assert loans.lent("print(1)")["success"]
    loans.csbx.ok("gc")
    assert loans.lent("print(1)")["success"]
    loans.csbx.ok("gc", "--servers")
    wait_gone(lender)
    assert not list((loans.csbx.dirs["run"] / "lanes").glob("*"))


STRANGER = """
import ctypes, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000):  # CLONE_NEWUSER
    sys.exit(77)
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
if sys.argv[1] == "listens":
    os.unlink(sys.argv[2])
    s.bind(sys.argv[2])
    s.listen()
    print("ready", flush=True)
    c, _ = s.accept()
    c.settimeout(5)
    try: print(len(c.recv(70000)), flush=True)
    except OSError as e: print(0, flush=True)
else:
    s.connect(sys.argv[2])
    s.settimeout(5)
    try: s.send(b"x" * 100)
    except OSError: pass
    try: print(len(s.recv(70000)), flush=True)
    except OSError: print(0, flush=True)
"""


@pytest.mark.parametrize("role", ["listens", "asks"])
def test_it_speaks_to_no_stranger(loans, role):
    """The same user, in a user namespace as a program in a container is."""
    loans.make()
    argv = ["python3", "-c", STRANGER, role, str(loans.sockets()[0])]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, **loans.csbx.identity()) as p:
        if role == "listens":
            first = p.stdout.readline()
            if first != "ready\n":
                assert p.wait() == 77
                pytest.skip("no user namespaces")
            result, is_lent = loans.eval("print(1)")
            assert not is_lent and result["stdout"] == "1\n"
        said = p.communicate(timeout=WAIT_S)[0]
        if p.returncode == 77:
            pytest.skip("no user namespaces")
        assert said == "0\n"  # neither a key nor a lane
    for pid in loans.lenders():  # gc finds it by its socket, which may be gone
        os.kill(pid, signal.SIGTERM)


def test_a_container_does_not_see_it(loans):
    loans.make()
    run = loans.csbx.dirs["run"]
    p = loans.csbx.run("run", "--mount", f"{run}:/mnt", "--mount", f"{run.parent}:/all", loans.image, "python3", "-c",
                       "import os; print([os.path.join(d, f) for t in ('/mnt', '/all') for d, _, fs in os.walk(t) for f in fs if '.sock' in f or '.lock' in f])")
    assert p.stdout in ("[]\n", "") and "lanes" not in p.stdout, p.stdout + p.stderr


def test_calls_of_python_use_it(loans, client, monkeypatch):
    from csbx.adapters import execute_code  # pylint: disable=import-outside-toplevel
    monkeypatch.setenv("CSBX_LINGER", str(LINGER_S))
    ages = []
    try:
        client.configure(warm=True, image=loans.image)
        assert client.eval("print(1)").stdout == "1\n"
        loans.await_lender()
        loans.lent_soon("pass", "--memory", "256m")
        for _ in range(3):
            ages.append(execute_code(LANE, timeout=5).stdout)
            ages.append(client.eval(LANE, warm=True, timeout=5, memory="256m").stdout)
        assert client.eval(LANE, warm=False).stdout not in ages
    finally:
        client.configure(warm=False)
    assert len(set(ages)) == 1 and len(loans.lenders()) == 1, ages
    assert client.eval("pass").success


def test_the_configuration_has_a_say(loans):
    loans.env["CSBX_WARM"] = "yes"
    loans.not_lent("pass", warm=False)
    loans.await_lender()
    assert loans.lent("print(1)", warm=False)["success"]
    loans.env["CSBX_WARM"] = "no"
    loans.not_lent("print(1)", warm=False)
    p = loans.csbx.run(*loans.argv("pass"), env={"CSBX_WARM": "maybe"})
    assert p.returncode == 125 and "CSBX_WARM maybe: yes or no" in p.stderr
