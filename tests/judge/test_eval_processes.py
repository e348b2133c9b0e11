# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check with asserting code that calls from several processes: each has its own answers, and no other's."""
import json
import time

import pytest

from test_eval_check import check

TIMED = """
import multiprocessing, time
from solution import f
multiprocessing.set_start_method("fork", force=True)
def put(queue, x):
    queue.put(f(x))
def run(x, seconds):
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=put, args=(queue, x))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.terminate()
        process.join()
        return "late"
    return queue.get()
"""


def test_the_answer_of_a_process_that_was_ended_is_no_other_s(csbx, python_image):
    code = "import time\ndef f(x):\n    if x == 2: return 'wrong'\n    time.sleep(1)\n    return x + 1\n"
    r = check(csbx, python_image, code, TIMED + "run(9, 0.3)\nassert run(2, 5) == 10\n")
    assert not r["all_passed"] and r["check"]["error_summary"]["type"] == "AssertionError", r["check"]
    code = "import time\ndef f(x):\n    if x == 1: time.sleep(1)\n    return x\n"
    for after in ("time.sleep(1.5)\nassert run(2, 5) == 2", "assert run(2, 5) == 2", "assert [f(i) for i in range(2, 50)] == list(range(2, 50))"):
        r = check(csbx, python_image, code, TIMED + "assert run(1, 0.3) == 'late'\n" + after + "\n")
        assert r["all_passed"], (after, r["check"])


def test_a_call_whose_asker_has_ended_holds_up_no_other(csbx, python_image):
    code = "import time\ndef f(x):\n    if x == 1: time.sleep(60)\n    return x\n"
    r = check(csbx, python_image, code, TIMED + "assert run(1, 0.3) == 'late'\nsince = time.time()\nassert f(2) == 2 and time.time() - since < 10\n")
    assert r["all_passed"], r["check"]


@pytest.mark.parametrize("how", [
    "with multiprocessing.Pool(4) as pool:\n    assert pool.map(g, range(200), 1) == [x * x for x in range(200)]",
    "queue = multiprocessing.Queue()\nall = [multiprocessing.Process(target=put, args=(queue, i)) for i in range(8)]\n"
    "[p.start() for p in all]\ngot = sorted(queue.get() for _ in all)\n[p.join() for p in all]\nassert got == [i * i for i in range(8)], got",
    "pids = []\nfor n in range(4):\n    pids.append(os.fork())\n    if not pids[-1]:\n        os._exit(any(f(n * i) != (n * i) ** 2 for i in range(100)))\n"
    "assert [f(i) for i in range(100)] == [i * i for i in range(100)]\nassert [os.waitpid(p, 0)[1] for p in pids] == [0] * 4",
    # a fork of a fork, whose parent has called before it and calls after it
    "pid = os.fork()\nif not pid:\n    good = f(3) == 9\n    inner = os.fork()\n    good = good and all(f(i) == i * i for i in range(50))\n"
    "    if inner:\n        good = not os.waitpid(inner, 0)[1] and good\n    os._exit(not good)\nassert os.waitpid(pid, 0)[1] == 0",
    # threads of a fork
    "def work():\n    def some(n):\n        good.append(all(f(n * i) == (n * i) ** 2 for i in range(50)))\n    good = []\n"
    "    all_ = [threading.Thread(target=some, args=(n,)) for n in range(4)]\n    [t.start() for t in all_]\n    [t.join() for t in all_]\n"
    "    os._exit(good != [True] * 4)\np = multiprocessing.Process(target=work)\np.start()\np.join()\nassert p.exitcode == 0",
], ids=["pool", "processes", "forks", "fork-of-a-fork", "threads"])
def test_processes_that_call_at_once(csbx, python_image, how):
    asserting = TIMED + "import os, threading\ndef g(x): return f(x)\n" + how + "\n"
    assert check(csbx, python_image, "def f(x): return x * x", asserting)["all_passed"]
    r = check(csbx, python_image, "def f(x): return x * x + (x == 7 or x == 9)", asserting)
    assert not r["all_passed"], r["check"]


def test_a_process_that_is_killed_in_the_middle_of_a_question(csbx, python_image):
    asserting = """
import os, random, signal, time
from solution import f
for n in range(40):
    pid = os.fork()
    if not pid:
        while True:
            f("x" * random.randrange(4000000))
    time.sleep(random.random() / 10)
    assert f("abc") == 3
    os.kill(pid, signal.SIGKILL)
    assert f("abcd" * n) == 4 * n
    os.waitpid(pid, 0)
"""
    r = check(csbx, python_image, "def f(x): return len(x)", asserting)
    assert r["all_passed"], r["check"]


def test_a_handler_that_raises_in_a_fork(csbx, python_image):
    asserting = """
import os, signal
from solution import f
class Late(Exception): pass
def late(*_): raise Late()
def limited(x):
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        return f(x)
    except Late:
        return "late"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
pid = os.fork()
if not pid:
    os._exit(not all(limited(1) == "late" and f(n) == n for n in range(2, 6)))
assert os.waitpid(pid, 0)[1] == 0
assert f(3) == 3
"""
    r = check(csbx, python_image, "import time\ndef f(x):\n    if x == 1: time.sleep(1)\n    return x\n", asserting)
    assert r["all_passed"], r["check"]


def test_a_fork_that_has_closed_the_channel(csbx, python_image):
    """What the call says is nothing that the check can expect."""
    asserting = """
import os
from solution import f
assert f(1) == 1
pid = os.fork()
if not pid:
    os.closerange(3, 100)
    try:
        f(2)
    except Exception:
        os._exit(0)
    except BaseException:
        os._exit(3)
assert os.waitpid(pid, 0)[1] == 3 << 8
"""
    r = check(csbx, python_image, "def f(x): return x", asserting)
    assert r["all_passed"], r["check"]


def test_arguments_that_are_too_large(csbx, python_image):
    r = check(csbx, python_image, "def f(x): return len(x)", "from solution import f\nassert f('x' * 9000000) == 9000000\n")
    assert r["check"]["error_summary"]["message"] == "the arguments of f() cannot be told: they are larger than 8 MB", r["check"]


POOL = "from solution import f\nimport multiprocessing, time\nwith multiprocessing.get_context('fork').Pool(2) as p:\n    %s\n"
WAITING = (POOL % "assert p.map(f, [1, 2, 3]) == [2, 3, 4]", POOL % "p.map_async(f, [1]).get()", POOL % "assert list(p.imap(f, [1, 2])) == [2, 3]",
           "import concurrent.futures, multiprocessing\nfrom solution import f\nwith concurrent.futures.ProcessPoolExecutor(2, "
           "multiprocessing.get_context('fork')) as p:\n    assert list(p.map(f, [1, 2])) == [2, 3]\n",
           "import os, time\nfrom solution import f\nif not os.fork():\n    str(f(1)[0])\ntime.sleep(300)\n",
           "import os, threading\nfrom solution import f\nif not os.fork():\n    str(f(1)[0])\nthreading.Event().wait()\n")
FAILING = "def f(x): return [iter([])]", "import os\ndef f(x): os._exit(0)", "def f(x): return {}[x].a", "def f(x): raise SystemExit(0)"


def test_a_call_that_fails_in_a_process_ends_the_check(csbx, python_image):
    """Its own process may be one that waits for what that was to do."""
    lines = [{"id": f"{m} {n}", "code": code, "check": how} for n, code in enumerate(FAILING) for m, how in enumerate(WAITING) if n < 2 or m < 4]
    began = time.monotonic()
    (csbx.work / "in").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--batch", csbx.work / "in", "--timeout", "10", "-j", "2", timeout=180)
    records = [json.loads(line) for line in p.stdout.splitlines()]
    assert len(records) == len(lines) and time.monotonic() - began < 120, p.stderr
    wrong = [r for r in records if r["all_passed"] is not False or r["check"]["error_summary"]["type"] not in ("CallFailed", "KeyError")]
    assert not wrong, wrong


def test_a_call_that_fails_in_a_process_and_one_that_is_under_way(csbx, python_image):
    """The check's own process waits for an answer meanwhile, or lets nothing end it."""
    code = "import os, time\ndef f(x):\n    if x: os._exit(0)\n    time.sleep(1)\n"
    fork = "import os, time\nfrom solution import f\nif not os.fork():\n    f(1)\n"
    for then in ("f(0)\ntime.sleep(300)\n", "try:\n    f(0)\n    time.sleep(300)\nexcept BaseException:\n    pass\n", "try:\n    time.sleep(300)\nfinally:\n    f(0)\n"):
        began = time.monotonic()
        r = check(csbx, python_image, code, fork + then, "--total-timeout", "60s")
        assert not r["all_passed"] and r["check"]["error_summary"]["type"] == "CallFailed" and time.monotonic() - began < 30, r["check"]
