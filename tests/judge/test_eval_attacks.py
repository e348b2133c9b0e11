# SPDX-License-Identifier: Apache-2.0
"""The snippets of tests/judge/attacks: none passes, none finds what is expected, each has its record.

All of them are lines of one batch, so that most begin with a copy of the warm interpreter.
"""
import json
import secrets
from pathlib import Path

import pytest

from resultschema import checked

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.py"))
SLOW = {"has_its_own_output": 3, "helps_the_next_case": 2, "sets_the_socket": 3, "stops_its_parent": 2, "stops_itself": 2,
        "uses_up_memory_when_told": 2}
OPTIONS = ["-j", "2", "--timeout", "4", "--memory", "256m", "--max-output", "64k"]


def batch(csbx, image, lines):
    (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    p = csbx.run("eval", "--image", image, *OPTIONS, "--batch", csbx.work / "in", timeout=900)
    assert p.returncode == 0 and p.stderr == "", p.stderr
    return {r["id"]: r for r in map(checked, map(json.loads, p.stdout.splitlines()))}


def test_there_are_enough():
    assert len(ATTACKS) >= 30


def test_cases(csbx, python_image):
    tokens = {p.stem: [f"TOKEN-{secrets.token_hex(16)}" for _ in range(SLOW.get(p.stem, 8))] for p in ATTACKS}
    done = batch(csbx, python_image, [
        {"id": p.stem, "code": p.read_text(encoding="utf-8"), "function": "f",
         "cases": [{"name": f"CASE-{t}", "args": [i], "expected": t} for i, t in enumerate(tokens[p.stem])]} for p in ATTACKS])
    for name, expected in tokens.items():
        r = done[name]
        assert [c["passed"] for c in r["cases"]] == [False] * len(expected) and not r["all_passed"] and r["score"] == 0, name
        assert all(c["detail"] for c in r["cases"]) and r["status"] not in ("sandbox_error", "launch_error"), (name, r["error"])
        said = json.dumps([[c["output"] for c in r["cases"]], r["stdout"], r["stderr"], r["error_summary"]])
        assert not [t for t in expected if t in said], name


def test_checks(csbx, python_image):
    tokens = {p.stem: [f"TOKEN-{secrets.token_hex(16)}" for _ in range(2)] for p in ATTACKS}
    done = batch(csbx, python_image, [
        {"id": p.stem, "code": p.read_text(encoding="utf-8"), "function": "f",
         "check": f"def same(i, token):\n    try:\n        return f(i) == token\n    except Exception:\n        return False\n\n"
                  f"def check(f):\n    assert any([same(i, token) for i, token in enumerate({tokens[p.stem]})])\n"} for p in ATTACKS])
    for name, expected in tokens.items():
        r = done[name]
        assert not r["check"]["passed"] and not r["all_passed"] and r["score"] == 0, name
        assert r["status"] not in ("sandbox_error", "launch_error"), (name, r["error"])
        said = json.dumps([r["stdout"], r["stderr"], r["error_summary"]])
        assert not [t for t in expected if t in said], name


SPOILT = """
import builtins, codecs, io, json, sys, threading, time
json.dumps = json.loads = codecs.encode = io.StringIO = builtins.print = builtins.repr = lambda *a, **k: "TOKEN"
class Out:
    def write(self, text): raise BaseException
    flush = write
def settle(frame, event, arg):
    return settle
sys.settrace(settle)
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
def f(x):
    sys.stdout = sys.stderr = Out()
    threading.Thread(target=time.sleep, args=(1000,)).start()
    sys.setrecursionlimit(100)
    return [x, {x: (x, {x}, b"x")}, "\\ud800", None, True, 1.5]
"""


@pytest.mark.parametrize("fill", [0, 3], ids=["started", "warm"])
def test_right_in_a_wrong_place(csbx, python_image, fill):
    """A right answer passes, whatever its process has become meanwhile."""
    expected = [7, {"$dict": [[7, {"$tuple": [7, {"$set": [7]}, {"$bytes": "eA=="}]}]]}, "\ud800", None, True, 1.5]
    done = batch(csbx, python_image, [*({"id": n, "code": "pass"} for n in range(fill)),
                                      {"id": "x", "code": SPOILT, "function": "f", "cases": [{"args": [7], "expected": expected}] * 2}])
    assert done["x"]["all_passed"], done["x"]["feedback"]
