# SPDX-License-Identifier: Apache-2.0
"""csbx eval where the user has as many processes as may be (ulimit -u): that is no line's fault but of the one that has them."""
import json
import resource
import time

import pytest

import snippets

from test_eval_batch import lines

# Takes every process that there is for some seconds.
BOMB = """
import os, signal, time
until = time.time() + SECONDS
while time.time() < until:
    try:
        if not os.fork():
            while True: signal.pause()
    except OSError:
        time.sleep(0.001)
"""


def judge(csbx, image, limit, objects, *options):
    (csbx.work / "in").write_text(lines(*objects), encoding="utf-8")
    p = csbx.run("eval", "--image", image, "-j", "2", "--timeout", "20", *options, "--batch", csbx.work / "in", timeout=180,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit)))
    assert "lines were done" in p.stderr or p.returncode in (0, 1), p.stderr
    return {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}


@pytest.mark.parametrize("lanes", ["yes", "no"])
def test_a_fork_bomb_ends_no_other_line(csbx, python_image, lanes):
    objects = []
    for n in range(3):
        objects.append({"id": f"bomb{n}", "code": BOMB.replace("SECONDS", "3"), "timeout": 6})
        for i in range(4):
            objects += [{"id": f"c{n}{i}", "code": "def f(x): return x + 1", "function": "f", "cases": [{"args": [n], "expected": n + 1}] * 3},
                        {"id": f"p{n}{i}", "code": "print(int(input()) + 1)", "cases": [{"stdin": "1", "expected": "2"}]},
                        {"id": f"k{n}{i}", "code": "def f(x): return x + 1", "check": "from solution import f\nassert f(1) == 2\nassert f(2) == 3"}]
    got = judge(csbx, python_image, 300, objects, "--lanes", lanes)
    assert len(got) == len(objects), sorted(got)
    honest = [r for name, r in got.items() if not name.startswith("bomb")]
    failed = [r for r in honest if not r.get("all_passed") and r["status"] != "sandbox_error"]
    assert not failed, failed[0]
    assert sum(bool(r.get("all_passed")) for r in honest) > len(honest) // 2


@pytest.mark.parametrize("seconds, more", [
    (5, {"function": "f", "cases": [{"args": [1], "expected": 2}] * 2}),
    (16, {"check": "from solution import f\nassert f(1) == 2"}),
], ids=["cases", "check"])
def test_a_case_that_is_refused_its_process(csbx, python_image, seconds, more):
    """The snippet and the check are there when the processes run out: they wait, and then say nothing about the snippet."""
    slow = {"id": "slow", "code": "import time\ntime.sleep(3)\ndef f(x): return x + 1\n", **more}
    bomb = {"id": "bomb", "code": "import time\ntime.sleep(1.5)" + BOMB.replace("SECONDS", str(seconds)), "timeout": 30}
    r = judge(csbx, python_image, 300, [slow, bomb])["slow"]
    if seconds == 5:
        assert r["all_passed"], r
    else:
        assert r["status"] == "sandbox_error" and r["exit_code"] == 125 and "process" in r["error"]["message"], r


HOG = """
import os, signal, time
def f(x): return 1
if not os.fork():
    while True:
        try:
            if not os.fork():
                signal.pause()
        except OSError:
            time.sleep(0.001)
time.sleep(2)
"""


@pytest.mark.parametrize("more", [{"function": "f", "cases": [{"args": [1], "expected": 3}] * 2}, {"check": "from solution import f\nassert f(1) == 3"}],
                         ids=["cases", "check"])
def test_a_snippet_that_has_all_of_the_users(csbx, python_image, more):
    """It has no process for its cases by its own doing: they have failed."""
    r = judge(csbx, python_image, 300, [{"id": "hog", "code": HOG, **more}])["hog"]
    assert (r["status"], r["all_passed"]) == ("pids_limit", False), r


def test_a_snippet_that_says_it_is_refused_gains_no_time(csbx, python_image):
    code = "import os, sys\ndef f(x):\n    frame = sys._getframe()\n    while frame:\n        for n in (3, 4):\n" \
           "            for number in [v for v in frame.f_locals.values() if isinstance(v, bytes) and len(v) == 8]:\n" \
           "                try: os.write(n, b'P\\0\\0\\0\\0\\0\\0\\0' + number)\n                except OSError: pass\n" \
           "        frame = frame.f_back\n    os._exit(0)\n"
    (csbx.work / "in").write_text(lines({"code": code, "function": "f", "cases": [{"args": [1], "expected": 1}] * 3, "timeout": 1}))
    begin = time.monotonic()
    p = csbx.run("eval", "--image", python_image, "--batch", csbx.work / "in", timeout=180)
    assert json.loads(p.stdout)["all_passed"] is False and time.monotonic() - begin < 9


def test_a_snippet_that_has_all_of_its_own(csbx, python_image):
    code = "import os, time\nfor _ in range(50):\n    try:\n        if not os.fork():\n            os.setsid()\n            time.sleep(60)\n" \
           "    except OSError: break\ndef f(x): return x\n"
    (csbx.work / "snippet").write_text(code)
    (csbx.work / "cases").write_text(json.dumps([{"args": [1], "expected": 1}]))
    p = csbx.run("eval", "--image", python_image, "--json", "--timeout", "20", "--pids-limit", "12", "--cases", csbx.work / "cases", "--function", "f",
                 csbx.work / "snippet", timeout=180)
    r = snippets.parse(p)
    assert not r["all_passed"] and r["status"] != "sandbox_error" and p.returncode == 1, r
    assert r["cases"][0]["outcome"] == "pids_limit", r["cases"]
